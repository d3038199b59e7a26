package engine_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/dfe-engine/dfe/"

// mayImport is the law of imports: the top-level directories a package may use, by its own.
func mayImport() map[string][]string {
	return map[string][]string{
		"ast":     {"ast"},
		"lang":    {"ast", "lang"},
		"catalog": {"ast", "lang", "catalog"},
		"rules":   {"ast", "lang", "catalog", "rules", "stdlib"},
		"engine":  {"ast", "lang", "catalog", "rules", "engine", "stdlib", "examples"},
		// Data with a thin embed file.
		"stdlib":   {},
		"examples": {"ast", "lang", "catalog", "rules", "engine", "stdlib", "examples"},
		"golden":   {},
	}
}

// leaf is the real ClickHouse, which tests of every package may start and which uses nothing of ours.
const leaf = "engine/embedded"

// breach says why a file may not import a package of the module; "" where it may. Both are paths in the module.
func breach(file, imported string) string {
	own, _, _ := strings.Cut(file, "/")
	other, _, _ := strings.Cut(imported, "/")
	allowed, known := mayImport()[own]
	test := strings.HasSuffix(file, "_test.go")
	inLeaf := strings.HasPrefix(file, leaf+"/")
	switch {
	case !known:
		return fmt.Sprintf("%s is outside the layout", file)
	case inLeaf && !within(imported, leaf) && !test:
		return fmt.Sprintf("%s is part of a leaf and imports %s", file, imported)
	case inLeaf, slices.Contains(allowed, other):
		return ""
	case test && (within(imported, leaf) || other == "stdlib"):
		return ""
	case test && len(allowed) == 0:
		return "" // the tests of data stand on everything
	}
	return fmt.Sprintf("%s imports %s", file, imported)
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// imports returns the packages of the module that each Go file of the repository imports.
func imports(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		found[relative] = nil
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(imported, module); ok {
				found[relative] = append(found[relative], ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNoImportGoesAgainstTheLaw(t *testing.T) {
	var breaches []string
	files := imports(t, root(t))
	for file, packages := range files {
		for _, imported := range packages {
			if b := breach(file, imported); b != "" {
				breaches = append(breaches, b)
			}
		}
	}
	slices.Sort(breaches)
	if diff := cmp.Diff([]string(nil), breaches); diff != "" {
		t.Error(diff)
	}
	if len(files["engine/law_test.go"]) != 0 || len(files) < 20 {
		t.Errorf("%d files read: the law was tested on too little", len(files))
	}
}

func TestTheLawOfImportsBites(t *testing.T) {
	for _, c := range []struct {
		file, imported string
		forbidden      bool
	}{
		{"ast/node.go", "lang/ddl", true},
		{"lang/ddl/parse.go", "ast", false},
		{"lang/ddl/parse.go", "catalog", true},
		{"lang/ddl/parse_test.go", "engine/embedded", false},
		{"lang/ddl/parse_test.go", "engine/executor", true},
		{"lang/ddl/parse.go", "engine/embedded", true},
		{"catalog/read.go", "lang/ddl", false},
		{"catalog/read.go", "rules", true},
		{"rules/diff.go", "catalog", false},
		{"rules/diff.go", "engine", true},
		{"engine/pass.go", "rules", false},
		{"engine/embedded/server.go", "ast", true},
		{"engine/embedded/embeddedtest/start.go", "engine/embedded", false},
		{"stdlib/stdlib.go", "ast", true},
		{"stdlib/stdlib_test.go", "lang/tree", false},
		{"utils/strings.go", "ast", true},
	} {
		if got := breach(c.file, c.imported) != ""; got != c.forbidden {
			t.Errorf("%s importing %s: forbidden %t, want %t", c.file, c.imported, got, c.forbidden)
		}
	}
}

func TestTheTopLevelHoldsTheLayoutAndNothingElse(t *testing.T) {
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		_, known := mayImport()[name]
		files := []string{"go.mod", "go.sum", "README.md", "LICENSE"}
		if ignored := []string{".test", ".prof", ".out"}; name == "dfe" || slices.Contains(ignored, filepath.Ext(name)) {
			continue // what the Go tool leaves in a checkout; .gitignore names them
		}
		if !strings.HasPrefix(name, ".") && !(e.IsDir() && known) && !slices.Contains(files, name) {
			t.Errorf("%s is not of the layout", name)
		}
	}
}
