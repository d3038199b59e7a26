package tree_test

import (
	"os"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

func show(t *testing.T, tr *tree.Tree, diags hcl.Diagnostics) {
	t.Helper()
	tree.WriteDiagnostics(os.Stdout, tr.Files(), diags, false, 110)
}

func TestStdlib(t *testing.T) {
	tr, diags := tree.Load(stdlib.FS, tree.Options{})
	show(t, tr, diags)
	for _, o := range tr.Objects {
		t.Log(o.Kind, o.Name, o.File, o.Key, o.Broken)
	}
}

func TestQuick(t *testing.T) {
	tr, diags := tree.LoadDir("../../examples/quickstart", tree.Options{})
	show(t, tr, diags)
	for _, o := range tr.Objects {
		t.Log(o.Kind, o.Name, o.File, o.Key, o.Broken)
	}
}
