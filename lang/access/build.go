package access

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// builder makes a statement of what the grammar read. The first fault is kept and the rest is built without care.
type builder struct {
	text string
	err  *ddl.Error
	// printed says that a server of any version wrote the text.
	printed bool
}

func (b *builder) fail(pos lexer.Position, expected, advice string) {
	if b.err == nil {
		b.err = fault(b.text, pos.Offset, expected, advice)
	}
}

func (b *builder) statement(s *syntax) *Statement {
	switch {
	case s.Define != nil:
		return b.define(s.Define)
	case s.Drop != nil:
		return b.drop(s.Drop)
	}
	return b.grant(s.Grant)
}

// plain is the text of a word without its quotes.
func plain(text string) string {
	if len(text) > 1 {
		switch q := text[0]; q {
		case '\'', '`', '"':
			return lex.Unescape(text[1:len(text)-1], q)
		}
	}
	return text
}

func (b *builder) name(w word) string {
	name := plain(w.Text)
	if name == "" || strings.HasPrefix(w.Text, "{") {
		b.fail(w.Pos, "a name", "")
	}
	return name
}

func (b *builder) userName(u userName) string {
	name := b.name(u.Name)
	if u.Host != nil && plain(u.Host.Text) != "%" { // from anywhere is what a name alone says
		name += "@" + plain(u.Host.Text)
	}
	return name
}

func (b *builder) names(list []word) []string {
	names := make([]string, len(list))
	for i, w := range list {
		names[i] = b.name(w)
	}
	return names
}

func (b *builder) userNames(list []userName) []string {
	names := make([]string, len(list))
	for i, w := range list {
		names[i] = b.userName(w)
	}
	return names
}

// bare reports a word that is written without quotes.
func bare(w word, text string) bool { return strings.EqualFold(w.Text, text) }

// recipients reads ALL, ANY, NONE or names. CURRENT_USER keeps its capitals: it is a word of the language.
func (b *builder) recipients(r *recipients) *ast.Recipients {
	out := &ast.Recipients{Except: b.userNames(r.Except)}
	for _, n := range r.Names {
		switch {
		case n.Host == nil && (bare(n.Name, "ALL") || bare(n.Name, "ANY")):
			out.All = true
		case n.Host == nil && bare(n.Name, "NONE"):
		case n.Host == nil && bare(n.Name, "CURRENT_USER"):
			out.Names = append(out.Names, "CURRENT_USER")
		default:
			out.Names = append(out.Names, b.userName(n))
		}
	}
	if out.All {
		out.Names = nil
	} else if len(out.Except) > 0 {
		b.fail(r.Pos, "ALL before EXCEPT", "")
	}
	if len(out.Except) == 0 {
		out.Except = nil
	}
	return out
}

func (b *builder) define(d *defineSyntax) *Statement {
	st := &Statement{Verb: Create, Written: map[string]bool{}, passwords: map[int]string{}}
	if strings.EqualFold(d.Verb, "ALTER") {
		st.Verb = Alter
	}
	switch {
	case d.Role != nil:
		b.role(st, d.Role)
	case d.User != nil:
		b.user(st, d.User)
	case d.Profile != nil:
		b.profile(st, d.Profile)
	case d.Quota != nil:
		b.quota(st, d.Quota)
	default:
		b.policy(st, d.Policy)
	}
	return st
}

func (b *builder) condition(st *Statement, c condition) {
	st.OrReplace, st.IfNotExists, st.IfExists = c.Replace, c.IfNotExists, c.IfExists
}

// once reports a clause that stands twice.
func (b *builder) once(st *Statement, pos lexer.Position, clause string) {
	if st.Written[clause] {
		b.fail(pos, "each clause once", "the clause "+strings.ReplaceAll(clause, "_", " ")+" stands twice")
	}
	st.Written[clause] = true
}

func (b *builder) common(st *Statement, c *commonClause) {
	switch {
	case c.Cluster != nil:
		st.Cluster = b.name(*c.Cluster)
	case c.Storage != nil:
		st.Storage = b.name(*c.Storage)
	case st.Verb != Alter:
		b.fail(c.Pos, "RENAME TO in ALTER alone", "")
	default:
		st.NewName = b.name(*c.Rename)
	}
}

func (b *builder) role(st *Statement, s *roleSyntax) {
	st.Kind, st.Names = ast.KindRole, b.userNames(s.Names)
	b.condition(st, s.Condition)
	role := &ast.Role{Name: st.Names[0]}
	for _, c := range s.Clauses {
		switch {
		case c.Common != nil:
			b.common(st, c.Common)
		default:
			role.Settings = append(role.Settings, b.settings(st, c.Settings)...)
		}
	}
	st.Object = role
}

func (b *builder) profile(st *Statement, s *profileSyntax) {
	st.Kind, st.Names = ast.KindSettingsProfile, b.names(s.Names)
	b.condition(st, s.Condition)
	profile := &ast.SettingsProfile{Name: st.Names[0]}
	for _, c := range s.Clauses {
		switch {
		case c.Common != nil:
			b.common(st, c.Common)
		case c.Settings != nil:
			profile.Settings = append(profile.Settings, b.settings(st, c.Settings)...)
		default:
			b.once(st, c.To.Pos, "to")
			profile.To = b.recipients(c.To)
		}
	}
	if st.Verb == Create {
		profile.To = nobody(profile.To)
	}
	st.Object = profile
}

// nobody makes TO NONE of a new object what it is without it.
func nobody(r *ast.Recipients) *ast.Recipients {
	if r != nil && !r.All && len(r.Names) == 0 {
		return nil
	}
	return r
}

// settings reads one clause over settings: the elements of a SETTINGS, or a step of an ALTER.
func (b *builder) settings(st *Statement, c *settingsClause) []ast.ProfileSetting {
	step := func(op string, s ast.ProfileSetting) {
		if st.Verb != Alter {
			b.fail(c.Pos, "SETTINGS with a list; its changes belong into ALTER", "")
		}
		st.Steps = append(st.Steps, SettingStep{op, s})
		st.Written["settings"] = true
	}
	switch {
	case c.None:
		b.once(st, c.Pos, "settings")
		return nil
	case len(c.List) > 0:
		b.once(st, c.Pos, "settings")
		return b.elements(c.List)
	case c.DropAll != "":
		step("drop all "+strings.ToLower(c.DropAll), ast.ProfileSetting{})
	}
	for _, n := range c.DropSettings {
		step("drop setting", ast.ProfileSetting{Name: n.name()})
	}
	for _, p := range c.DropProfiles {
		step("drop profile", ast.ProfileSetting{Profile: b.name(p)})
	}
	for _, p := range c.AddProfiles {
		step("add", ast.ProfileSetting{Profile: b.name(p)})
	}
	for _, s := range b.elements(c.Stepped) {
		step(strings.ToLower(c.Step), s)
	}
	return nil
}

func (n *settingName) name() string {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = plain(p)
	}
	return strings.Join(parts, ".")
}

func (b *builder) elements(list []*settingSyntax) []ast.ProfileSetting {
	var out []ast.ProfileSetting
	for _, s := range list {
		if s.Profile != nil {
			out = append(out, ast.ProfileSetting{Profile: b.name(*s.Profile)})
			continue
		}
		e := ast.ProfileSetting{Name: s.Name.name()}
		for _, m := range s.Mods {
			twice := m.Value != nil && e.Value != nil || m.Min != nil && e.Min != nil || m.Max != nil && e.Max != nil || m.Writability != "" && e.Writability != ""
			if twice {
				b.fail(s.Name.Pos, "a value, MIN, MAX and one of CONST, WRITABLE and CHANGEABLE_IN_READONLY, each once", "")
			}
			switch {
			case m.Value != nil:
				e.Value = b.value(m.Value)
			case m.Min != nil:
				e.Min = b.value(m.Min)
			case m.Max != nil:
				e.Max = b.value(m.Max)
			default:
				e.Writability = strings.ToUpper(m.Writability)
				if e.Writability == "READONLY" {
					e.Writability = "CONST"
				}
			}
		}
		if len(s.Mods) == 0 && len(out) > 0 && out[len(out)-1].Profile != "" { // INHERIT a, b
			out = append(out, ast.ProfileSetting{Profile: e.Name})
			continue
		}
		if len(s.Mods) == 0 {
			b.fail(s.Name.Pos, "a setting with a value, MIN, MAX, CONST, WRITABLE or CHANGEABLE_IN_READONLY", "")
		}
		out = append(out, e)
	}
	return out
}

// value makes the literal a value is.
func (b *builder) value(v *value) *ast.Node {
	switch {
	case v.Number != "" && v.Minus:
		return ast.N(ast.Operator, "-", ast.N(ast.Number, v.Number))
	case v.Number != "":
		return ast.N(ast.Number, v.Number)
	case v.Minus:
		b.fail(v.Pos, "a number behind the minus", "")
		return ast.N(ast.Number, "0")
	case v.Text != "":
		return ast.N(ast.String, plain(v.Text))
	}
	switch word := strings.ToLower(v.Word); word {
	case "true", "false", "inf", "nan":
		return ast.N(ast.Keyword, word)
	case "null":
		return ast.N(ast.Keyword, "NULL")
	}
	b.fail(v.Pos, "a number, a text in quotes, true or false", "")
	return ast.N(ast.Keyword, "NULL")
}

func (b *builder) drop(s *dropSyntax) *Statement {
	st := &Statement{Verb: Drop, IfExists: s.IfExists, Written: map[string]bool{}}
	switch strings.ToUpper(s.Kind) {
	case "ROLE":
		st.Kind = ast.KindRole
	case "USER":
		st.Kind = ast.KindUser
	case "QUOTA":
		st.Kind = ast.KindQuota
	case "PROFILE":
		st.Kind = ast.KindSettingsProfile
	default:
		st.Kind = ast.KindRowPolicy
	}
	if s.Cluster != nil {
		st.Cluster = b.name(*s.Cluster)
	}
	if s.Storage != nil {
		st.Storage = b.name(*s.Storage)
	}
	names := b.userNames(s.Names)
	switch {
	case st.Kind != ast.KindRowPolicy && len(s.Tables) > 0:
		b.fail(s.Tables[0].Pos, "the end of the statement", "")
	case st.Kind == ast.KindRowPolicy && len(s.Tables) == 0:
		b.fail(lexer.Position{Offset: len(b.text)}, "ON with a table", "")
	case st.Kind == ast.KindRowPolicy:
		b.policyNames(st, names, s.Tables)
	default:
		st.Names = names
	}
	return st
}
