package lint_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
	"github.com/dfe-engine/dfe/stdlib"
)

// TestWhatWeShipHasNoFinding holds the core release and the quickstart to our own advice: what stands is waived with a
// reason.
func TestWhatWeShipHasNoFinding(t *testing.T) {
	core, diags := tree.Load(stdlib.FS, tree.Options{})
	check(t, core, slices.Collect(lint.Run(core, diags, nil)))
	quickstart, diags := tree.LoadDir(filepath.Join("..", "..", "examples", "quickstart"), tree.Options{})
	check(t, quickstart, slices.Collect(lint.Run(quickstart, diags, nil)))
}

func check(t *testing.T, tr *tree.Tree, found []lint.Finding) {
	t.Helper()
	if len(tr.Objects) < 3 {
		t.Fatalf("%d objects: nothing was checked", len(tr.Objects))
	}
	if _, lines := standing(found); lines != "" {
		t.Error(lines)
	}
}
