package tree

import (
	"github.com/dfe-engine/dfe/ast"
)

// functionKind is a SQL user-defined function: a named lambda.
func functionKind() kind {
	return kind{
		name:  ast.KindFunction,
		shape: shape{what: "a function definition", attrs: []string{"body"}},
		build: func(d *definition) ast.Object {
			d.require(d.content, "body", `A function is a lambda, as in body = "(x, y) -> x + y".`)
			return &ast.Function{Name: d.declared.Name.Name, Lambda: d.fragment("body", parseExpr), Origin: d.origin()}
		},
		statement: func(o ast.Object, name ast.Name, origin ast.Origin) bool {
			f, ok := o.(*ast.Function)
			if ok {
				f.Name, f.Origin = name.Name, origin
			}
			return ok
		},
		render: func(w *writer, o ast.Object) { w.node("body", o.(*ast.Function).Lambda) },
	}
}
