package lint

import (
	"fmt"

	"github.com/dfe-engine/dfe/ast"
)

func commentChecks() []Check {
	return []Check{
		{Code: "DFE241", Title: "an object without a comment", Severity: Note, object: noComment},
		{Code: "DFE242", Title: "columns without a comment beside columns with one", Severity: Note, table: someComments},
	}
}

func noComment(o *object) {
	comment, path := "", ast.Path{Part: "engine"}
	var node *ast.Node
	switch def := o.d.Object.(type) {
	case *ast.Database:
		comment, path = def.Comment, ast.Path{}
	case *ast.Table:
		comment = def.Comment
	case *ast.View:
		comment, path, node = def.Comment, ast.Path{Part: "query"}, def.Query
	case *ast.MaterializedView:
		comment, path, node = def.Comment, ast.Path{Part: "query"}, def.Query
	default:
		return
	}
	if comment == "" {
		o.report(path, node, fmt.Sprintf("%s has no comment", o.d.Name),
			"Who meets it on a server finds no definition file there, only what system.tables shows.",
			"Say in a line what it is for: comment = \"...\".")
	}
}

func someComments(t *table) {
	var without []string
	for _, c := range t.def.Columns {
		if c.Comment == "" {
			without = append(without, c.Name)
		}
	}
	if len(without) == 0 || 2*len(without) > len(t.def.Columns) {
		return
	}
	for _, name := range without {
		c := t.def.Column(name)
		t.report(column(name, "type"), c.Type, fmt.Sprintf("Column %q has no comment", name),
			"The others have one; a reader of this one has to guess.",
			"Say what it holds, with its unit.")
	}
}
