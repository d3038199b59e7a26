package tree

import (
	"fmt"

	"github.com/dfe-engine/dfe/ast"
)

// checkParts finds parts of an object that share a name. A .hcl definition is checked while it is read; of a statement
// the parser takes every part it sees.
func (l *loader) checkParts(d *Declared) {
	var columns []*ast.Column
	var table *ast.Table
	switch o := d.Object.(type) {
	case *ast.Table:
		columns, table = o.Columns, o
	case *ast.View:
		columns = o.Columns
	case *ast.MaterializedView:
		columns, table = o.Columns, o.Inner
	}
	seen := map[[2]string]bool{}
	once := func(kind, name string, path ast.Path, node *ast.Node) {
		if seen[[2]string{kind, name}] {
			l.fault(CodeDuplicate, d.Place(path, node), fmt.Sprintf("%s %q is declared twice", capital(kind), name), "Remove one of the two.")
		}
		seen[[2]string{kind, name}] = true
	}
	for _, c := range columns {
		node := c.Type
		if node == nil {
			node = c.Default
		}
		once("column", c.Name, ast.Path{Part: "column", Name: c.Name, Attr: "type"}, node)
	}
	if table == nil {
		return
	}
	for _, i := range table.Indexes {
		once("index", i.Name, ast.Path{Part: "index", Name: i.Name, Attr: "expr"}, i.Expr)
	}
	for _, p := range table.Projections {
		once("projection", p.Name, ast.Path{Part: "projection", Name: p.Name, Attr: "query"}, p.Query)
	}
	for _, c := range table.Constraints {
		once("constraint", c.Name, ast.Path{Part: "constraint", Name: c.Name, Attr: "expr"}, c.Expr)
	}
}
