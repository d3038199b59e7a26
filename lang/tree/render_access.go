package tree

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func (w *writer) names(attr string, names []string) {
	if len(names) == 0 {
		return
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = w.quoted(name)
	}
	w.raw(attr, "["+strings.Join(quoted, ", ")+"]")
}

func (w *writer) recipients(attr, all string, r *ast.Recipients) {
	switch {
	case r == nil:
	case r.All:
		w.text(attr, all)
		w.names(attr+"_except", r.Except)
	case len(r.Names) == 0:
		w.text(attr, "none")
	default:
		w.names(attr, r.Names)
	}
}

func (w *writer) exclusive(yes bool) {
	if yes {
		w.raw("exclusive", "true")
	}
}

// profileSettings writes the profiles and a block for each setting.
func (w *writer) profileSettings(profiles string, settings []ast.ProfileSetting) {
	var names []string
	for i := range settings {
		if settings[i].Profile != "" {
			names = append(names, settings[i].Profile)
		}
	}
	w.names(profiles, names)
	for i := range settings {
		s := &settings[i]
		if s.Profile != "" {
			continue
		}
		w.block("setting", s.Name, func() {
			for _, v := range []struct {
				attr string
				node *ast.Node
			}{{"value", s.Value}, {"min", s.Min}, {"max", s.Max}} {
				if v.node == nil {
					continue
				}
				value, ok := w.plainValue(v.node)
				if !ok {
					value = w.quoted(v.node.String())
				}
				w.raw(v.attr, value)
			}
			w.text("writability", strings.ToLower(s.Writability))
		})
	}
}

// rights writes the roles as lists and a block for each run of rights on the same thing.
func (w *writer) rights(rights []ast.Right) {
	var roles, admin []string
	var privileges []ast.Right
	for _, r := range rights {
		r.To = ""
		switch {
		case r.Current:
			w.fail("GRANT CURRENT GRANTS has no form in .hcl")
		case r.Role != "" && r.Revoke:
			w.fail("a role is revoked")
		case r.Role != "" && r.Option:
			admin = append(admin, r.Role)
		case r.Role != "":
			roles = append(roles, r.Role)
		default:
			privileges = append(privileges, r)
		}
	}
	w.names("roles", roles)
	w.names("admin_roles", admin)
	for len(privileges) > 0 {
		first, n := &privileges[0], 1
		for n < len(privileges) && privileges[n].Scope() == first.Scope() && privileges[n].Option == first.Option && privileges[n].Revoke == first.Revoke {
			n++
		}
		var words []string
		for i := range privileges[:n] {
			text, _, _ := strings.Cut(privileges[i].Text(), " ON ")
			words = append(words, text)
		}
		if first.Revoke && first.Option {
			w.fail("a grant option is revoked")
		}
		kind := "grant"
		if first.Revoke {
			kind = "revoke"
		}
		w.block(kind, "", func() {
			w.names("privileges", words)
			w.text("on", first.Scope())
			if first.Option {
				w.raw("grant_option", "true")
			}
		})
		privileges = privileges[n:]
	}
}
