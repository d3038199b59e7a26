package tree

import (
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/dfe-engine/dfe/ast"
)

// databaseKind is a database. The manifest itself defines it: there is little to say.
func databaseKind() kind {
	return kind{
		name:   ast.KindDatabase,
		inline: true,
		shape:  shape{what: "a database", attrs: []string{"engine", "comment"}},
		build: func(d *definition) ast.Object {
			db := &ast.Database{Name: d.declared.Name.Name, Origin: d.origin()}
			if t, ok := d.text(d.content.attrs["engine"]); ok {
				db.Engine = parseEngine(d, t)
			}
			db.Comment = d.comment(d, d.content, ast.Path{Part: "comment"})
			return db
		},
		render: func(body *hclwrite.Body, o ast.Object) {
			db := o.(*ast.Database)
			renderEngine(body, db.Engine)
			renderText(body, "comment", db.Comment)
		},
	}
}
