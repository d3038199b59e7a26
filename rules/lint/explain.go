package lint

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed pages/*.md
var pages embed.FS

// Page is the explanation of a code.
type Page struct {
	Code Code
	// Text is the page in Markdown, how to waive the finding included.
	Text string
}

// Explain returns the page of a code, in any case.
func Explain(code string) (Page, error) {
	check, known := Find(code)
	if !known {
		return Page{}, fmt.Errorf("there is no code %q: the codes are DFE101 to DFE301, and \"dfe schema explain\" lists them", code)
	}
	return pageOf(check)
}

func pageOf(check Check) (Page, error) {
	text, err := pages.ReadFile(path.Join("pages", string(check.Code)+".md"))
	if err != nil {
		return Page{}, fmt.Errorf("%s has no page: %w", check.Code, err)
	}
	page := strings.TrimSpace(string(text)) + "\n\n## To waive it\n\n"
	if check.Fixed {
		return Page{check.Code, page + "It cannot be waived.\n"}, nil
	}
	return Page{check.Code, page + fmt.Sprintf(`Above the block, the attribute or the line, or behind it, or above the object's entry in manifest.hcl for the whole
object:

    # dfe:ignore %[1]s the reason why it is right here
    -- dfe:ignore %[1]s the reason why it is right here

The first form is for .hcl files, the second for .sql files. A waiver without a reason waives nothing.
`, check.Code)}, nil
}

// Example is a definition from a page.
type Example struct {
	Good bool
	// Files are those of a whole tree, manifest.hcl included.
	Files map[string]string
}

// Examples returns the bad and the good examples of a page, each as a tree. A fence "hcl" or "sql" is the definition of
// example.t; one that names a file, as in "hcl manifest.hcl", is that file, and fences that follow each other directly
// belong to one tree.
func (p Page) Examples() []Example {
	var (
		list  []Example
		good  bool
		open  bool // the last line but blank ones closed a fence
		fence []string
		name  string
		in    bool
	)
	for line := range strings.Lines(p.Text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case in && line == "```":
			in, open = false, true
			list[len(list)-1].Files[name] = strings.Join(fence, "\n") + "\n"
		case in:
			fence = append(fence, line)
		case strings.HasPrefix(line, "## "):
			good, open = line == "## Good", false
		case strings.HasPrefix(line, "```"):
			kind, file, named := strings.Cut(strings.TrimPrefix(line, "```"), " ")
			name = file
			if !named {
				name = "example." + kind
			}
			if !open {
				list = append(list, Example{Good: good, Files: map[string]string{}})
			}
			in, fence = true, nil
		case line != "":
			open = false
		}
	}
	for _, e := range list {
		if _, whole := e.Files["manifest.hcl"]; !whole {
			e.Files["manifest.hcl"] = manifestFor(e.Files)
		}
	}
	return list
}

// manifestFor declares example.t, of the kind its definition has.
func manifestFor(files map[string]string) string {
	file, kind := "example.hcl", "table"
	if text, is := files["example.sql"]; is {
		file = "example.sql"
		switch {
		case strings.Contains(text, "MATERIALIZED VIEW"):
			kind = "materialized_view"
		case strings.Contains(text, "VIEW"):
			kind = "view"
		}
	}
	return fmt.Sprintf("release = \"1.0.0\"\n\ndatabase \"example\" {\n  comment = \"Examples\"\n}\n\n%s \"example.t\" {\n  from = %q\n}\n", kind, file)
}
