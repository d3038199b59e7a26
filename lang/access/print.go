package access

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// String returns the statement as ClickHouse reads it, on one line. A password is not printed: '[HIDDEN]' stands for it.
func (s *Statement) String() string {
	var b strings.Builder
	switch s.Verb {
	case Grant, Revoke:
		return s.grantText()
	case Drop:
		b.WriteString("DROP " + kindWords(s.Kind))
		if s.IfExists {
			b.WriteString(" IF EXISTS")
		}
		b.WriteString(" " + s.namesText())
		return b.String()
	case Create:
		b.WriteString("CREATE ")
	default:
		b.WriteString("ALTER ")
	}
	b.WriteString(kindWords(s.Kind))
	if s.OrReplace {
		b.WriteString(" OR REPLACE")
	}
	if s.IfNotExists {
		b.WriteString(" IF NOT EXISTS")
	}
	if s.IfExists {
		b.WriteString(" IF EXISTS")
	}
	b.WriteString(" " + s.namesText())
	if s.NewName != "" {
		b.WriteString(" RENAME TO " + ast.QuoteIdent(s.NewName))
	}
	if s.Storage != "" {
		b.WriteString(" IN " + ast.QuoteIdent(s.Storage))
	}
	s.body(&b)
	return b.String()
}

func kindWords(k ast.Kind) string { return strings.ToUpper(strings.ReplaceAll(string(k), "_", " ")) }

func (s *Statement) namesText() string {
	quoted := make([]string, len(s.Names))
	for i, name := range s.Names {
		quoted[i] = ast.QuoteGrantee(name)
	}
	list := strings.Join(quoted, ", ")
	cluster := ""
	if s.Cluster != "" {
		cluster = " ON CLUSTER " + ast.QuoteIdent(s.Cluster)
	}
	if s.Kind != ast.KindRowPolicy {
		return list + cluster
	}
	return policyNamesText(s.Policies, cluster)
}

// policyNamesText writes p1, p2 ON t1, t2: the names are every short one on every table.
func policyNamesText(policies []PolicyName, cluster string) string {
	var short, tables, each []string
	seen := map[string]bool{}
	for _, p := range policies {
		if name := ast.QuoteIdent(p.Short); !seen["s"+name] {
			seen["s"+name] = true
			short = append(short, name)
		}
		table := p.Table.SQL()
		switch {
		case p.Table == (ast.Name{}):
			table = "*"
		case p.Table.Name == "":
			table = ast.QuoteIdent(p.Table.Database) + ".*"
		}
		if !seen["t"+table] {
			seen["t"+table] = true
			tables = append(tables, table)
		}
		each = append(each, ast.QuoteIdent(p.Short)+" ON "+table)
	}
	if len(short)*len(tables) != len(policies) { // each has a table of its own
		if cluster != "" {
			each[0] = short[0] + cluster + strings.TrimPrefix(each[0], short[0])
		}
		return strings.Join(each, ", ")
	}
	return strings.Join(short, ", ") + cluster + " ON " + strings.Join(tables, ", ")
}

// body writes the clauses that were written.
func (s *Statement) body(b *strings.Builder) {
	switch o := s.Object.(type) {
	case *ast.Role:
		s.settingsText(b, o.Settings, "PROFILE")
	case *ast.SettingsProfile:
		s.settingsText(b, o.Settings, "INHERIT")
		s.toText(b, o.To)
	case *ast.User:
		s.userText(b, o)
	case *ast.Quota:
		if s.Written["key"] && len(o.Key) == 0 {
			b.WriteString(" NOT KEYED")
		}
		b.WriteString(clauses(&ast.Quota{Name: "q", Key: o.Key, IPv4Bits: o.IPv4Bits, IPv6Bits: o.IPv6Bits, Intervals: o.Intervals}, "CREATE QUOTA q"))
		s.toText(b, o.To)
	case *ast.RowPolicy:
		if s.Written["as"] {
			as := "PERMISSIVE"
			if o.Restrictive {
				as = "RESTRICTIVE"
			}
			b.WriteString(" AS " + as)
		}
		switch {
		case o.Filter != nil:
			b.WriteString(" FOR SELECT USING " + o.Filter.String())
		case s.Written["filter"]:
			b.WriteString(" FOR SELECT USING NONE")
		}
		s.toText(b, o.To)
	}
}

// clauses is what an object's CREATE statement says behind its head.
func clauses(o ast.Object, head string) string {
	return strings.TrimPrefix(ast.Create(o, ast.Style{}), head)
}

func (s *Statement) toText(b *strings.Builder, to *ast.Recipients) {
	switch {
	case to != nil:
		b.WriteString(" TO " + to.SQL())
	case s.Written["to"]:
		b.WriteString(" TO NONE")
	}
}

func (s *Statement) settingsText(b *strings.Builder, settings []ast.ProfileSetting, inherit string) {
	for i, step := range s.Steps {
		if i > 0 {
			b.WriteString(",")
		}
		switch e := step.Setting; {
		case step.Op == "drop setting":
			b.WriteString(" DROP SETTING " + settingText(e.Name))
		case step.Op == "drop profile":
			b.WriteString(" DROP PROFILE " + ast.QuoteIdent(e.Profile))
		case e.Profile != "":
			b.WriteString(" ADD PROFILE " + ast.QuoteIdent(e.Profile))
		case e.Name != "":
			b.WriteString(" " + strings.ToUpper(step.Op) + " SETTING " + ast.ProfileSettingsSQL([]ast.ProfileSetting{e}))
		default:
			b.WriteString(" " + strings.ToUpper(step.Op))
		}
	}
	switch {
	case len(settings) > 0:
		text := clauses(&ast.SettingsProfile{Name: "p", Settings: settings}, "CREATE SETTINGS PROFILE p")
		if inherit == "PROFILE" {
			text = clauses(&ast.Role{Name: "p", Settings: settings}, "CREATE ROLE p")
		}
		b.WriteString(text)
	case s.Written["settings"] && len(s.Steps) == 0:
		b.WriteString(" SETTINGS NONE")
	}
}

func settingText(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = ast.QuoteIdent(p)
	}
	return strings.Join(parts, ".")
}

func (s *Statement) userText(b *strings.Builder, u *ast.User) {
	part := func(o ast.User) string {
		o.Name = "u"
		return clauses(&o, "CREATE USER u")
	}
	switch {
	case s.Auth == "RESET":
		b.WriteString(" RESET AUTHENTICATION METHODS TO NEW")
	case len(u.Auth) == 1 && !s.Written["authentication"] && s.Written["valid_until"]:
		b.WriteString(" VALID UNTIL " + ast.QuoteString(u.Auth[0].ValidUntil))
	case len(u.Auth) > 0:
		if s.Auth == "ADD" {
			b.WriteString(" ADD")
		}
		b.WriteString(part(ast.User{Auth: u.Auth}))
	}
	if len(u.Hosts) > 0 {
		if s.HostStep != "" {
			b.WriteString(" " + s.HostStep)
		}
		b.WriteString(part(ast.User{Hosts: u.Hosts}))
	}
	b.WriteString(part(ast.User{DefaultDatabase: u.DefaultDatabase, DefaultRoles: u.DefaultRoles}))
	if s.Written["default_database"] && u.DefaultDatabase == "" {
		b.WriteString(" DEFAULT DATABASE NONE")
	}
	s.settingsText(b, u.Settings, "PROFILE")
	b.WriteString(part(ast.User{Grantees: u.Grantees}))
}

func (s *Statement) grantText() string {
	g := s.Object.(*ast.Grant)
	to := g.To
	text := ""
	if s.To != nil {
		// The names are in the statement's own set.
		to = []string{"x"}
	}
	if len(g.Rights) == 0 {
		text = string(s.Verb) + " NONE ON *.* TO x"
		if s.Verb == Revoke {
			text = string(s.Verb) + " NONE ON *.* FROM x"
		}
	} else {
		text = strings.Join(ast.GrantSQL(g.Rights, to, s.Replace), "; ")
	}
	if s.To != nil {
		text = strings.TrimSuffix(text, "x") + s.To.SQL()
	} else if len(g.Rights) == 0 {
		text = strings.TrimSuffix(text, "x") + (&ast.Recipients{Names: g.To}).SQL()
	}
	if s.Cluster != "" {
		verb := string(s.Verb)
		text = verb + " ON CLUSTER " + ast.QuoteIdent(s.Cluster) + strings.TrimPrefix(text, verb)
	}
	return text
}
