package tree

import "github.com/dfe-engine/dfe/ast"

// settingsProfileKind is a settings profile: values, bounds, and for whom.
func settingsProfileKind() kind {
	return kind{
		name: ast.KindSettingsProfile,
		shape: shape{what: "a settings profile definition", attrs: []string{"settings", "inherit", "to", "to_except"},
			blocks: map[string]int{"setting": 1}},
		build: func(d *definition) ast.Object {
			p := &ast.SettingsProfile{Name: d.declared.Name.Name, Settings: d.profileSettings("inherit"), To: d.recipients("to", "all"), Origin: d.origin()}
			if len(p.Settings) == 0 {
				d.fault(CodeMissing, d.content.at, "A settings profile without a setting", `It has settings = { max_threads = 4 }, a setting block with bounds, or inherit = ["default"].`)
			}
			return p
		},
		sql: (*loader).accessStatements,
		render: func(w *writer, o ast.Object) {
			p := o.(*ast.SettingsProfile)
			w.profileSettings("inherit", p.Settings)
			w.recipients("to", "all", p.To)
		},
	}
}
