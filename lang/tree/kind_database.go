package tree

import (
	"github.com/dfe-engine/dfe/ast"
)

// databaseKind is a database. The manifest itself defines it: there is little to say.
func databaseKind() kind {
	return kind{
		name:   ast.KindDatabase,
		inline: true,
		shape:  shape{what: "a database", attrs: []string{"engine", "settings", "comment"}},
		build: func(d *definition) ast.Object {
			db := &ast.Database{Name: d.declared.Name.Name, Origin: d.origin()}
			if t, ok := d.text(d.content.attrs["engine"]); ok {
				db.Engine = parseEngine(d, t)
			}
			db.Settings = d.settings(d, d.content.attrs["settings"], func(name string) ast.Path { return ast.Path{Part: "setting", Name: name} })
			db.Comment = d.comment(d, d.content, ast.Path{Part: "comment"})
			return db
		},
		render: func(w *writer, o ast.Object) {
			db := o.(*ast.Database)
			w.unread(db.Unread)
			w.engine(db.Engine)
			w.settings(db.Settings)
			w.text("comment", db.Comment)
		},
	}
}
