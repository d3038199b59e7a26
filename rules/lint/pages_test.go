package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
)

// withoutExample are the codes whose example does not fit on a page or needs an engine; other tests show them.
var withoutExample = []lint.Code{"DFE105", "DFE199", "DFE295", "DFE301"}

// load makes a tree of the files and lints it.
func load(files map[string]string) (*tree.Tree, []lint.Finding) {
	tr, diags := loaded(files)
	return tr, slices.Collect(lint.Run(tr, diags, nil))
}

// loaded reads a tree of these files.
func loaded(files map[string]string) (*tree.Tree, hcl.Diagnostics) {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree.Load(fsys, tree.Options{})
}

// standing are the findings that nobody waived, as lines.
func standing(found []lint.Finding) (codes []lint.Code, lines string) {
	for _, f := range found {
		if f.Waived == "" {
			codes = append(codes, f.Code)
			lines += f.String() + "\n"
		}
	}
	return codes, lines
}

// TestTheExamplesOfAPageShowItsCode runs every example: each bad one fires the page's code and no other, each good one
// fires nothing.
func TestTheExamplesOfAPageShowItsCode(t *testing.T) {
	for _, check := range lint.Checks() {
		t.Run(string(check.Code), func(t *testing.T) {
			page, err := lint.Explain(string(check.Code))
			if err != nil {
				t.Fatal(err)
			}
			if title := fmt.Sprintf("# %s: %s\n", check.Code, check.Title); !strings.HasPrefix(page.Text, title) {
				t.Errorf("the page does not begin with %q", title)
			}
			if !strings.Contains(page.Text, "\n## Why it matters\n") || !strings.Contains(page.Text, "Source:") {
				t.Error("the page does not say why it matters, or names no source")
			}
			good, bad := 0, 0
			for _, example := range page.Examples() {
				_, found := load(example.Files)
				codes, lines := standing(found)
				want := []lint.Code{check.Code}
				if example.Good {
					good++
					want = nil
				} else {
					bad++
				}
				if diff := cmp.Diff(want, slices.Compact(codes)); diff != "" {
					t.Errorf("good example: %v; codes (-want +got):\n%s%s", example.Good, diff, lines)
				}
			}
			if has := good > 0 && bad > 0; has == slices.Contains(withoutExample, check.Code) {
				t.Errorf("%d good and %d bad examples", good, bad)
			}
		})
	}
}
