package ast

import (
	"slices"
	"strings"
)

// Grant is a named set of rights of one or several users and roles. The name is the manifest's: a server keeps rights
// with those who have them.
type Grant struct {
	Name   string
	To     []string
	Rights []Right
	Origin Origin
}

// Right is one privilege on one thing, or one role, that somebody is granted or denied.
type Right struct {
	// Revoke says that the right is taken out of a wider one (REVOKE SELECT ON db.secret after GRANT SELECT ON db.*).
	Revoke bool
	// Role is a granted role. Everything below but Option is then empty.
	Role string
	// Privilege in the words of system.privileges: "SELECT", "ALTER UPDATE", "dictGet".
	Privilege string
	Columns   []string
	// Database and Table are empty for any. Prefix says that the last one of them that is given is a prefix: db*, db.t*.
	Database, Table string
	Prefix          bool
	// Here says that the statement left the database to the session: ON t, ON *.
	Here bool
	// Parameter is what a privilege without a database is about: a user, a role, a named collection, an engine, a source;
	// with Prefix its beginning. HasParameter keeps ON * apart from ON *.*.
	Parameter    string
	HasParameter bool
	// Filter is the regular expression in READ ON S3('s3://bucket/.*').
	Filter string
	// Option is WITH GRANT OPTION, of a role WITH ADMIN OPTION.
	Option bool
	// Current is GRANT CURRENT GRANTS(...): what the granter has of this (case S95).
	Current bool
	// To is who has the right, where several are told apart; empty: whoever the statement is about.
	To string
}

// Kind returns [KindGrant].
func (g *Grant) Kind() Kind { return KindGrant }

// ID returns the name the manifest gives, in no database.
func (g *Grant) ID() Name { return Name{Name: g.Name} }

// RightsOf lists the rights that a grantee has by it, each with To empty.
func (g *Grant) RightsOf(to string) []Right {
	if !slices.Contains(g.To, to) {
		return nil
	}
	var rights []Right
	for _, r := range g.Rights {
		if r.To == "" || r.To == to {
			r.To = ""
			rights = append(rights, r)
		}
	}
	return rights
}

// Parts lists the rights, each of each grantee.
func (g *Grant) Parts() []Part {
	var parts []Part
	for _, to := range g.To {
		for _, r := range g.RightsOf(to) {
			r.To = to
			parts = append(parts, r.part())
		}
	}
	return parts
}

func rightParts(parts []Part, rights []Right) []Part {
	seen := map[string]bool{}
	for i := range rights {
		p := rights[i].part()
		if key := p.Kind + p.Name; !seen[key] {
			seen[key] = true
			parts = append(parts, p)
		}
	}
	return parts
}

// PartKind is the word for the part a right is: "grant", "revoke" or "role".
func (r *Right) PartKind() string {
	switch {
	case r.Revoke:
		return "revoke"
	case r.Role != "":
		return "role"
	}
	return "grant"
}

// PartName names the right in an object's parts: "SELECT ON shop.* WITH GRANT OPTION".
func (r *Right) PartName() string {
	text := r.Text()
	if r.Option {
		if r.Role != "" {
			text += " WITH ADMIN OPTION"
		} else {
			text += " WITH GRANT OPTION"
		}
	}
	if r.To != "" {
		text += " TO " + QuoteGrantee(r.To)
	}
	return text
}

func (r *Right) part() Part {
	return Part{Kind: r.PartKind(), Name: r.PartName()}
}

// Text is the right as it stands behind GRANT or REVOKE, without options and grantee.
func (r *Right) Text() string {
	if r.Role != "" {
		return string(appendGrantee(nil, r.Role))
	}
	if r.Current {
		inner := *r
		inner.Current = false
		return "CURRENT GRANTS(" + inner.Text() + ")"
	}
	return r.what() + " ON " + r.Scope()
}

func (r *Right) what() string {
	if len(r.Columns) == 0 {
		return r.Privilege
	}
	var b strings.Builder
	b.WriteString(r.Privilege)
	b.WriteByte('(')
	for i, c := range r.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(QuoteIdent(c))
	}
	b.WriteByte(')')
	return b.String()
}

// Scope is what stands behind ON.
func (r *Right) Scope() string {
	star := ""
	if r.Prefix {
		star = "*"
	}
	switch {
	case r.HasParameter && r.Parameter == "":
		return "*"
	case r.HasParameter && r.Filter != "":
		return QuoteIdent(r.Parameter) + star + "(" + QuoteString(r.Filter) + ")"
	case r.HasParameter:
		return QuoteIdent(r.Parameter) + star
	case r.Here && r.Table == "":
		return "*"
	case r.Here:
		return QuoteIdent(r.Table) + star
	case r.Database == "":
		return "*.*"
	case r.Table == "":
		return QuoteIdent(r.Database) + star + ".*"
	}
	return QuoteIdent(r.Database) + "." + QuoteIdent(r.Table) + star
}

// GrantSQL returns the statements that grant and revoke the rights, without semicolons: each has those that stand next
// to each other and have the same options. With replace the first grant takes away what was granted before.
func GrantSQL(rights []Right, to []string, replace bool) []string {
	var list []string
	for len(rights) > 0 {
		n := 1
		for n < len(rights) && togetherInStatement(&rights[0], &rights[n]) {
			n++
		}
		list = append(list, grantStatement(rights[:n], to, replace && len(list) == 0))
		rights = rights[n:]
	}
	return list
}

func togetherInStatement(a, b *Right) bool {
	return a.Revoke == b.Revoke && (a.Role == "") == (b.Role == "") && a.Option == b.Option && a.To == b.To && !a.Current && !b.Current
}

func grantStatement(rights []Right, to []string, replace bool) string {
	first := &rights[0]
	var b strings.Builder
	option := " WITH GRANT OPTION"
	if first.Role != "" {
		option = " WITH ADMIN OPTION"
	}
	switch {
	case first.Revoke && first.Option && first.Role != "":
		b.WriteString("REVOKE ADMIN OPTION FOR ")
	case first.Revoke && first.Option:
		b.WriteString("REVOKE GRANT OPTION FOR ")
	case first.Revoke:
		b.WriteString("REVOKE ")
	default:
		b.WriteString("GRANT ")
	}
	for i := range rights {
		r := &rights[i]
		if i > 0 {
			b.WriteString(", ")
		}
		switch sameScope := i+1 < len(rights) && r.Scope() == rights[i+1].Scope(); {
		case r.Role != "" || r.Current:
			b.WriteString(r.Text())
		case sameScope:
			b.WriteString(r.what())
		default:
			b.WriteString(r.what() + " ON " + r.Scope())
		}
	}
	word := " TO "
	if first.Revoke {
		word = " FROM "
	}
	b.WriteString(word)
	if first.To != "" {
		to = []string{first.To}
	}
	b.Write(appendGrantees(nil, to))
	if first.Option && !first.Revoke {
		b.WriteString(option)
	}
	if replace {
		b.WriteString(" WITH REPLACE OPTION")
	}
	return b.String()
}

// SameRight reports whether two rights are written alike, whoever has them.
func SameRight(a, b *Right) bool {
	return a.Revoke == b.Revoke && a.Role == b.Role && a.Privilege == b.Privilege && slices.Equal(a.Columns, b.Columns) &&
		a.Database == b.Database && a.Table == b.Table && a.Prefix == b.Prefix && a.Here == b.Here && a.Parameter == b.Parameter &&
		a.HasParameter == b.HasParameter && a.Filter == b.Filter && a.Option == b.Option && a.Current == b.Current
}
