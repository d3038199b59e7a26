package engine

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

// identity is what names an object of a manifest.
type identity struct {
	kind ast.Kind
	name ast.Name
}

// bookkeeping are the objects a pass cannot do without. A tree that leaves them out has them from the core release.
func bookkeeping() []identity {
	return []identity{
		{ast.KindDatabase, ast.Name{Name: ledger.Table().Database}},
		{ast.KindTable, ast.Name{Database: ledger.Table().Database, Name: "schema_lock"}},
		{ast.KindTable, ledger.Table()},
	}
}

func coreRelease() (*tree.Tree, error) {
	own, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		return nil, &TreeError{"the core release", own.Files(), diags}
	}
	return own, nil
}

// CheckBookkeeping finds what a tree or an overlay declares under a name that the engine keeps its books under and that is
// not the release's own definition. Such a table would be created, and then nothing could be written to it.
func CheckBookkeeping(t *tree.Tree) (hcl.Diagnostics, error) {
	var diags hcl.Diagnostics
	var own *tree.Tree
	for _, id := range bookkeeping() {
		if id.kind == ast.KindDatabase {
			continue
		}
		d := t.Find(id.kind, id.name) // of whatever kind: relations share one space of names
		if d == nil || d.Object == nil {
			continue
		}
		if own == nil {
			var err error
			if own, err = coreRelease(); err != nil {
				return nil, err
			}
		}
		if d.Kind == id.kind && canon.Checksum(d.Object) == canon.Checksum(own.Find(id.kind, id.name).Object) {
			continue
		}
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Subject: &d.Entry, Extra: tree.CodeName,
			Summary: fmt.Sprintf("%s is where the engine keeps its books", id.name),
			Detail:  fmt.Sprintf("The release has a definition of its own for this %s, and this one differs. Leave it out: the engine makes it by itself.", id.kind)})
	}
	return diags, nil
}
