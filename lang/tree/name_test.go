package tree_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/tree"
)

func TestAPartOfANameInBackticksIsWhatStandsBetweenThem(t *testing.T) {
	for text, want := range map[string]ast.Name{
		"farm.hens":        {Database: "farm", Name: "hens"},
		"farm.hen house":   {Database: "farm", Name: "hen house"},
		"farm.`hen.house`": {Database: "farm", Name: "hen.house"},
		"farm.`hen``s`":    {Database: "farm", Name: "hen`s"},
		"`f``.a`.````":     {Database: "f`.a", Name: "`"},
	} {
		got, err := tree.ParseName(text, true)
		if err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", text, got, err, want)
		}
		if got, err := tree.ParseName(tree.FormatName(want), true); err != nil || got != want {
			t.Errorf("%q is written %s, which is %q, %v", want, tree.FormatName(want), got, err)
		}
	}
	for _, text := range []string{"farm.`hens", "farm.`hens``", "farm.`hen`s", "farm.``"} {
		if got, err := tree.ParseName(text, true); err == nil {
			t.Errorf("%s is %q", text, got)
		}
	}
}
