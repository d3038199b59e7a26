package access

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

func (b *builder) grant(s *grantSyntax) *Statement {
	st := &Statement{Verb: Grant, Kind: ast.KindGrant, Written: map[string]bool{}}
	if strings.EqualFold(s.Verb, "REVOKE") {
		st.Verb = Revoke
	}
	if s.Cluster != nil {
		st.Cluster = b.name(*s.Cluster)
	}
	g := &ast.Grant{}
	to := b.recipients(s.To)
	if to.All || len(to.Names) == 0 {
		if st.Verb == Grant {
			b.fail(s.To.Pos, "the names of users or roles", "")
		}
		st.To = to
	} else {
		g.To = to.Names
	}
	option, admin := s.GrantOption, s.AdminOption
	for i, o := range s.Options {
		switch strings.ToUpper(o.Word) {
		case "GRANT":
			option = true
		case "ADMIN":
			admin = true
		default:
			st.Replace = true
		}
		if st.Verb == Revoke || i > 1 {
			b.fail(s.To.Pos, "REVOKE GRANT OPTION FOR or ADMIN OPTION FOR in place of an option at the end", "")
		}
	}
	g.Rights = b.rights(s.Entries)
	for i := range g.Rights {
		r := &g.Rights[i]
		r.Revoke = st.Verb == Revoke
		r.Option = option && r.Role == "" || admin && r.Role != ""
		if option && r.Role != "" || admin && r.Role == "" {
			b.fail(s.Entries[0].Pos, "GRANT OPTION for privileges and ADMIN OPTION for roles", "")
		}
	}
	st.Object = g
	return st
}

// rights reads the entries before TO. Each without ON has the ON of the next that has one; where none has, they are
// roles.
func (b *builder) rights(entries []*grantEntry) []ast.Right {
	var out []ast.Right
	if !slices.ContainsFunc(entries, func(e *grantEntry) bool { return e.On != nil || e.Current != nil }) {
		for _, e := range entries {
			if len(e.Words) != 1 || len(e.Columns) > 0 {
				b.fail(e.Pos, "a role, or a privilege with ON and what it is granted on", "")
				return nil
			}
			if p, ok := facts.FindPrivilege(e.Words[0].Text); ok && p.Name == "NONE" {
				continue
			}
			out = append(out, ast.Right{Role: b.name(e.Words[0])})
		}
		return out
	}
	first := 0
	for i, e := range entries {
		switch {
		case e.Current != nil:
			out = append(out, b.current(e.Current)...)
			first = i + 1
		case e.On != nil:
			for _, each := range entries[first : i+1] {
				out = append(out, b.right(each, e.On)...)
			}
			first = i + 1
		}
	}
	if first < len(entries) {
		b.fail(entries[len(entries)-1].Pos, "ON with what the privilege is granted on", "")
	}
	return out
}

func (b *builder) current(c *currentGrants) []ast.Right {
	var rights []ast.Right
	if c.On != nil {
		rights = b.right(&grantEntry{Pos: c.On.Pos, Words: []word{{Pos: c.On.Pos, Text: "ALL"}}}, c.On)
	} else {
		rights = b.rights(c.Entries)
	}
	for i := range rights {
		if rights[i].Role != "" {
			b.fail(c.Entries[0].Pos, "a privilege with ON and what it is granted on", "")
		}
		rights[i].Current = true
	}
	return rights
}

func (b *builder) right(e *grantEntry, on *grantTarget) []ast.Right {
	words := make([]string, len(e.Words))
	for i, w := range e.Words {
		words[i] = strings.ToUpper(w.Text)
	}
	name := strings.Join(words, " ")
	p, ok := facts.FindPrivilege(name)
	switch {
	case !ok && b.printed:
		p.Name = name
	case !ok:
		b.fail(e.Pos, "a privilege that ClickHouse "+facts.Version()+" has", suggest(name, facts.PrivilegeNames()))
		return nil
	}
	r := ast.Right{Privilege: p.Name}
	if len(e.Columns) > 0 {
		r.Columns = b.names(e.Columns)
		if !b.printed && !columns(p.Name) {
			b.fail(e.Pos, "a privilege that is granted on columns", p.Name+" is not")
		}
	}
	b.target(&r, on)
	if p.Name == "NONE" {
		return nil
	}
	return []ast.Right{r}
}

// columns reports whether a privilege, or a part of the group it is, can be granted on columns.
func columns(privilege string) bool {
	return slices.ContainsFunc(facts.PrivilegeParts(privilege), func(p facts.Privilege) bool { return p.Level == "COLUMN" })
}

// parametric reports whether a privilege is about something that lives in no database.
func parametric(privilege string) bool {
	parts := facts.PrivilegeParts(privilege)
	for _, p := range parts {
		switch p.Level {
		case "NAMED_COLLECTION", "USER_NAME", "TABLE_ENGINE", "DEFINER", "SOURCE":
		default:
			return false
		}
	}
	return len(parts) > 0
}

func (b *builder) target(r *ast.Right, on *grantTarget) {
	about := parametric(r.Privilege)
	second := on.AllTables || on.Second != nil
	switch {
	case on.AnyAny:
		// Every database, and everything a privilege without a database is about.
	case on.Any && about:
		r.HasParameter = true
	case on.Any:
		r.Here = true
	case about && second:
		b.fail(on.Pos, "one name, the beginning of one with *, or *", r.Privilege+" is about no table")
		return
	case about:
		r.HasParameter, r.Parameter, r.Prefix = true, b.name(*on.First), on.FirstStar
		if level := facts.PrivilegeParts(r.Privilege)[0].Level; level == "SOURCE" {
			r.Parameter = strings.ToUpper(r.Parameter)
		}
	case on.Second != nil:
		r.Database, r.Table, r.Prefix = b.name(*on.First), b.name(*on.Second), on.SecondStar
		if on.FirstStar {
			b.fail(on.Pos, "* behind the name of a table or a database, not both", "")
		}
	case on.AllTables:
		r.Database, r.Prefix = b.name(*on.First), on.FirstStar
	default:
		r.Here, r.Table, r.Prefix = true, b.name(*on.First), on.FirstStar
	}
	if on.Filter != nil {
		r.Filter = plain(on.Filter.Text)
		if !about {
			b.fail(on.Filter.Pos, "a pattern behind a source alone", "")
		}
	}
	if len(r.Columns) > 0 && (r.Table == "" || r.Prefix) {
		b.fail(on.Pos, "one table where columns are named", "")
	}
	b.level(r, on)
}

// level refuses a privilege on something narrower than it can be granted on.
func (b *builder) level(r *ast.Right, on *grantTarget) {
	if b.printed || r.HasParameter || r.Database == "" && !r.Here {
		return
	}
	if !slices.ContainsFunc(facts.PrivilegeParts(r.Privilege), func(p facts.Privilege) bool { return reaches(p, r) }) {
		b.fail(on.Pos, "*.*", r.Privilege+" cannot be granted on less")
	}
}
