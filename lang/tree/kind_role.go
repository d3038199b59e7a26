package tree

import "github.com/dfe-engine/dfe/ast"

// roleKind is a role with its settings and its rights.
func roleKind() kind {
	blocks := rightBlocks()
	blocks["setting"] = 1
	return kind{
		name:  ast.KindRole,
		shape: shape{what: "a role definition", attrs: append([]string{"settings", "profiles", "exclusive"}, rightAttrs...), blocks: blocks},
		build: func(d *definition) ast.Object {
			return &ast.Role{Name: d.declared.Name.Name, Settings: d.profileSettings("profiles"), Rights: d.rights(),
				Exclusive: d.flag(d.content, "exclusive"), Origin: d.origin()}
		},
		sql: (*loader).accessStatements,
		render: func(w *writer, o ast.Object) {
			r := o.(*ast.Role)
			w.profileSettings("profiles", r.Settings)
			w.rights(r.Rights)
			w.exclusive(r.Exclusive)
		},
	}
}

// grantKind is a set of rights that stands beside the definitions of those who have them.
func grantKind() kind {
	return kind{
		name:  ast.KindGrant,
		shape: shape{what: "a grant definition", attrs: append([]string{"to"}, rightAttrs...), blocks: rightBlocks()},
		build: func(d *definition) ast.Object {
			d.require(d.content, "to", `A grant names those who have it, as in to = ["reader"].`)
			g := &ast.Grant{Name: d.declared.Name.Name, Rights: d.rights(), Origin: d.origin()}
			list := d.nameList("to")
			if attr := d.content.attrs["to"]; attr != nil && len(list) == 0 {
				d.fault(CodeMissing, attr.Expr.Range(), "A grant to nobody", `It names those who have it, as in to = ["reader"].`)
			}
			for _, t := range list {
				g.To = append(g.To, t.value)
				d.declared.places.setText(ast.Path{Part: "to", Name: t.value}, t, nil)
			}
			if len(g.Rights) == 0 {
				d.fault(CodeMissing, d.content.at, "A grant of nothing", `It has roles = ["reader"], or a block grant { privileges = ["SELECT"], on = "shop.*" } on lines of its own.`)
			}
			return g
		},
		sql: (*loader).accessStatements,
		render: func(w *writer, o ast.Object) {
			g := o.(*ast.Grant)
			w.names("to", g.To)
			for i := range g.Rights {
				if g.Rights[i].To != "" && len(g.To) != 1 {
					w.fail("its grantees have different rights")
				}
			}
			w.rights(g.Rights)
		},
	}
}
