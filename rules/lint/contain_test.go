package lint

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/tree"
)

// TestACheckThatFailsEndsNoRun holds that the fault of one check on one object is reported and contained.
func TestACheckThatFailsEndsNoRun(t *testing.T) {
	d := &tree.Declared{Kind: ast.KindTable, Name: ast.Name{Database: "shop", Name: "orders"}, Object: &ast.Table{}}
	checks := []Check{{Code: "DFE201", table: func(*table) { panic("an object nobody foresaw") }}}
	found := findings(&tree.Tree{}, d, checks)
	if len(found) != 1 || found[0].Code != codeOther || found[0].Severity != Error {
		t.Errorf("%+v", found)
	}
}
