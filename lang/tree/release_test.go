package tree_test

import (
	"os"
	"testing"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

func TestX(t *testing.T) {
	tr, diags := tree.Load(stdlib.FS, tree.Options{})
	tree.WriteDiagnostics(os.Stdout, tr.Files(), diags, false, 110)
	tr, diags = tree.LoadDir("../../examples/quickstart", tree.Options{})
	tree.WriteDiagnostics(os.Stdout, tr.Files(), diags, false, 110)
}
