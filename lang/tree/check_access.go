package tree

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/facts"
)

// checkAccess looks at an object that says who may do what: whom it names, and on what. Everything it names is declared
// before it.
func (l *loader) checkAccess(d *Declared, position map[*Declared]int) {
	switch o := d.Object.(type) {
	case *ast.Role:
		l.checkProfileSettings(d, o.Settings, position)
		l.checkRights(d, o.Rights, position)
	case *ast.User:
		l.checkProfileSettings(d, o.Settings, position)
		l.checkRights(d, o.Rights, position)
		l.checkRecipients(d, "default_roles", o.DefaultRoles, position)
		l.checkRecipients(d, "grantees", o.Grantees, position)
		if o.DefaultDatabase != "" {
			l.checkDatabaseOf(d, o.DefaultDatabase, d.Place(ast.Path{Part: "default_database"}, nil), position)
		}
		l.checkHosts(d, o.Hosts)
		for i := range o.Auth {
			if o.Auth[i].Secret.Source == "parameter" {
				l.fault(CodeValue, d.Place(ast.Path{Part: "authentication"}, nil), "A secret from a query parameter", "No pass sends one. Write BY secret('env:NAME') or BY secret('file:/path').")
			}
		}
	case *ast.SettingsProfile:
		l.checkProfileSettings(d, o.Settings, position)
		l.checkRecipients(d, "to", o.To, position)
	case *ast.Quota:
		l.checkRecipients(d, "to", o.To, position)
		if len(o.Intervals) == 0 {
			l.fault(CodeMissing, d.Place(ast.Path{Part: "interval"}, nil), "A quota with no limit", `It limits nothing and counts nothing. Give it an interval: interval "1 hour" { queries = 1000 } on lines of its own, or FOR INTERVAL 1 hour MAX queries = 1000.`)
		}
		l.checkLimits(d, o)
	case *ast.RowPolicy:
		l.checkRecipients(d, "to", o.To, position)
		at := d.Entry
		if l.checkDatabaseOf(d, o.Table.Database, at, position) && o.Table.Name != "" {
			l.grantedTable(d, o.Table, at, position)
		}
		l.checkFilter(d, o, position)
	case *ast.Grant:
		for _, to := range o.To {
			l.checkName(d, to, d.Place(ast.Path{Part: "to", Name: to}, nil), position)
		}
		l.checkRights(d, o.Rights, position)
		l.checkExclusive(d, o)
	}
}

// checkLimits finds limits that limit nothing: a server takes 0 for none, and a part of what it counts for 0 (ClickHouse's
// EnabledQuota and ParserCreateQuotaQuery).
func (l *loader) checkLimits(d *Declared, o *ast.Quota) {
	for _, i := range o.Intervals {
		for _, limit := range i.Limits {
			n, err := strconv.ParseFloat(limit.Value.Text, 64)
			least := 1.0
			if limit.Name == "execution_time" {
				least = 1e-9 // it is kept in nanoseconds
			}
			if err == nil && n >= 0 && n < least {
				l.warn(CodeValue, d.Place(ast.Path{Part: "interval", Name: ast.Duration(i.Seconds), Attr: limit.Name}, limit.Value),
					fmt.Sprintf("The limit %s of %s limits nothing", limit.Name, limit.Value.Text), "ClickHouse takes 0 for no limit. Leave it out where there is none.")
			}
		}
	}
}

// checkFilter looks at the condition of a row policy: what it refers to, its functions, and the columns of its table.
func (l *loader) checkFilter(d *Declared, o *ast.RowPolicy, position map[*Declared]int) {
	path := ast.Path{Part: "filter"}
	l.checkReferences(d, position)
	l.checkFunctions(d, path, o.Filter)
	if o.Table.Name == "" || o.Filter == nil {
		return
	}
	rel, ok := l.columnsOf(o.Table)
	if !ok || rel.open {
		return
	}
	rel.database, rel.name, rel.virtual = o.Table.Database, o.Table.Name, true
	l.unknownColumns(d, path, func(r *resolver) {
		r.database = o.Table.Database
		r.expr(o.Filter, &querySource{relations: []*relation{&rel}})
	})
}

// checkHosts finds addresses and patterns that no server takes.
func (l *loader) checkHosts(d *Declared, hosts []ast.Host) {
	at := d.Place(ast.Path{Part: "hosts"}, nil)
	for _, h := range hosts {
		switch h.Kind {
		case "IP":
			if !isNetwork(h.Value) {
				l.fault(CodeValue, at, fmt.Sprintf("%q is no address", h.Value), `An address is written "10.0.0.1", "10.0.0.0/8", "10.0.0.0/255.0.0.0" or "fd00::/8"; a name belongs into name.`)
			}
		case "REGEXP":
			if _, err := regexp.Compile(h.Value); err != nil {
				l.fault(CodeValue, at, fmt.Sprintf("%q is no pattern", h.Value), fmt.Sprintf("ClickHouse reads it as a regular expression of RE2: %v.", err))
			}
		}
	}
}

// isNetwork reports an address, a prefix, or an address with a mask.
func isNetwork(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	if _, err := netip.ParsePrefix(text); err == nil {
		return true
	}
	address, mask, ok := strings.Cut(text, "/")
	a, err1 := netip.ParseAddr(address)
	m, err2 := netip.ParseAddr(mask)
	return ok && err1 == nil && err2 == nil && a.Is4() == m.Is4()
}

// checkName demands a declared user or role. The user default is on every server.
func (l *loader) checkName(d *Declared, name string, at hcl.Range, position map[*Declared]int) {
	if name == "CURRENT_USER" {
		l.fault(CodeName, at, "CURRENT_USER in a definition", "It would be whoever applies the tree. Name the user.")
		return
	}
	target := l.find(ast.KindRole, ast.Name{Name: name})
	switch {
	case target == nil && name == "default":
	case target == nil:
		l.fault(CodeUndeclared, at, fmt.Sprintf("No user or role %q is declared", name),
			fmt.Sprintf("Everything a deployment uses is declared, before what uses it: role %q or user %q.", name, name)+suggest(name, l.declaredNames(ast.KindRole, "")))
	default:
		l.needs(d, target, at, position)
	}
}

// needs records that an object rests on another one, which has to come before it.
func (l *loader) needs(d, target *Declared, at hcl.Range, position map[*Declared]int) {
	if target == d || l.inCycle[d] && l.inCycle[target] {
		return // the cycle is reported as one
	}
	if l.isLater(target, d, position) {
		l.fault(CodeOrder, at, fmt.Sprintf("%s uses %s before it is declared", d.Name, target.Name),
			fmt.Sprintf("The manifest is in dependency order: move the %s %s, %s line %d, before the %s %s, line %d.",
				target.Kind, target.Name, target.Entry.Filename, target.Entry.Start.Line, d.Kind, d.Name, d.Entry.Start.Line))
		return
	}
	if !slices.Contains(d.Depends, target) {
		d.Depends = append(d.Depends, target)
	}
}

func (l *loader) checkRecipients(d *Declared, attr string, r *ast.Recipients, position map[*Declared]int) {
	if r == nil {
		return
	}
	for _, name := range append(slices.Clone(r.Names), r.Except...) {
		l.checkName(d, name, d.Place(ast.Path{Part: attr, Name: name}, nil), position)
	}
}

// builtinProfiles are in the configuration of every server.
var builtinProfiles = []string{"default", "readonly"}

func (l *loader) checkProfileSettings(d *Declared, settings []ast.ProfileSetting, position map[*Declared]int) {
	for i := range settings {
		s := &settings[i]
		if s.Profile == "" {
			l.checkProfileSetting(d, s)
			continue
		}
		at := d.Place(ast.Path{Part: "inherit", Name: s.Profile}, nil)
		switch target := l.find(ast.KindSettingsProfile, ast.Name{Name: s.Profile}); {
		case target != nil:
			l.needs(d, target, at, position)
		case !slices.Contains(builtinProfiles, s.Profile):
			l.fault(CodeUndeclared, at, fmt.Sprintf("No settings profile %q is declared", s.Profile),
				"Everything a deployment uses is declared, before what uses it."+suggest(s.Profile, append(l.declaredNames(ast.KindSettingsProfile, ""), builtinProfiles...)))
		}
	}
}

func (l *loader) checkProfileSetting(d *Declared, s *ast.ProfileSetting) {
	if facts.SessionSetting(s.Name) || strings.HasPrefix(s.Name, "custom_") || strings.HasPrefix(s.Name, "merge_tree_") {
		return
	}
	l.warn(CodeSetting, d.Place(ast.Path{Part: "setting", Name: s.Name}, nil), fmt.Sprintf("Unknown setting %q", s.Name),
		"ClickHouse "+facts.Version()+" has no setting of this name. A setting of your own begins with custom_, one of MergeTree tables with merge_tree_.")
}

// checkRights looks at each right: its role, or what it is on.
func (l *loader) checkRights(d *Declared, rights []ast.Right, position map[*Declared]int) {
	nothing, denials := access.NewRights(), access.NewDenials(rights)
	for i := range rights {
		r := &rights[i]
		bare := *r
		bare.To = ""
		at := d.Place(ast.Path{Part: r.PartKind(), Name: bare.PartName()}, nil)
		switch {
		case r.Revoke && r.Filter != "":
			l.fault(CodeValue, at, "A denial with a pattern", fmt.Sprintf("ClickHouse takes no part out of a right on a source: this would take all of %s ON %s away. Grant the patterns that are allowed instead.", r.Privilege, r.Parameter))
		case !r.Revoke && r.Role == "" && !r.Current && nothing.CoversBeside(r, denials):
			l.fault(CodeValue, at, "A grant of which a denial leaves nothing", fmt.Sprintf("%s is granted and denied, which comes to nothing. Leave both out.", bare.Text()))
		case r.Role != "":
			l.checkName(d, r.Role, at, position)
		case r.Here:
			l.fault(CodeName, at, "A grant without a database", fmt.Sprintf("%q is looked up in the database of whoever applies the tree. Write it with its database, as in \"shop.orders\".", r.Scope()))
		case r.HasParameter:
			l.checkParameter(d, r, at, position)
		case r.Database != "":
			l.checkOn(d, r, at, position)
		}
	}
}

// checkParameter demands the user that a privilege such as SET DEFINER is about. Collections, engines and sources are the
// server's.
func (l *loader) checkParameter(d *Declared, r *ast.Right, at hcl.Range, position map[*Declared]int) {
	p := facts.PrivilegeParts(r.Privilege)
	if r.Parameter == "" || r.Prefix || len(p) == 0 || p[0].Level != "USER_NAME" && p[0].Level != "DEFINER" || strings.HasPrefix(r.Privilege, "CREATE ") {
		return
	}
	l.checkName(d, r.Parameter, at, position)
}

func (l *loader) checkOn(d *Declared, r *ast.Right, at hcl.Range, position map[*Declared]int) {
	if r.Prefix && r.Table == "" {
		if !slices.ContainsFunc(append(l.declaredNames(ast.KindDatabase, ""), foreignDatabases...), func(n string) bool { return strings.HasPrefix(n, r.Database) }) {
			l.fault(CodeUndeclared, at, fmt.Sprintf("No declared database begins with %q", r.Database), "A grant on what nothing declares gives nothing.")
		}
		return
	}
	if !l.checkDatabaseOf(d, r.Database, at, position) || r.Table == "" || slices.Contains(foreignDatabases, r.Database) || r.Database == "default" {
		return
	}
	// The right to make a table is about one that is not there yet.
	if strings.HasPrefix(r.Privilege, "CREATE ") {
		return
	}
	if r.Prefix {
		prefix := r.Database + "." + r.Table
		if !slices.ContainsFunc(l.declaredNames(ast.KindTable, r.Database), func(n string) bool { return strings.HasPrefix(n, prefix) }) {
			l.fault(CodeUndeclared, at, fmt.Sprintf("No declared table begins with %q", prefix), "A grant on what nothing declares gives nothing."+suggest(prefix, l.declaredNames(ast.KindTable, r.Database)))
		}
		return
	}
	if target := l.grantedTable(d, ast.Name{Database: r.Database, Name: r.Table}, at, position); target != nil {
		l.checkGrantedColumns(d, r, target, at)
	}
}

func (l *loader) checkDatabaseOf(d *Declared, name string, at hcl.Range, position map[*Declared]int) bool {
	if name == "default" || slices.Contains(foreignDatabases, name) {
		return true
	}
	target := l.find(ast.KindDatabase, ast.Name{Name: name})
	if target == nil {
		l.fault(CodeUndeclared, at, fmt.Sprintf("Database %q is not declared", name),
			"A grant on what nothing declares gives nothing, and a policy there guards nothing."+suggest(name, l.declaredNames(ast.KindDatabase, "")))
		return false
	}
	l.needs(d, target, at, position)
	return true
}

func (l *loader) grantedTable(d *Declared, name ast.Name, at hcl.Range, position map[*Declared]int) *Declared {
	target := l.find(ast.KindTable, name)
	switch {
	case target != nil:
		l.needs(d, target, at, position)
	case name.Database != "default" && !slices.Contains(foreignDatabases, name.Database):
		l.fault(CodeUndeclared, at, fmt.Sprintf("%s uses %s, which is not declared", d.Name, name),
			fmt.Sprintf("Nothing in the manifest declares %s. Everything a deployment uses is declared, before what uses it.", name)+suggest(name.String(), l.declaredNames(ast.KindTable, "")))
	}
	return target
}

func (l *loader) checkGrantedColumns(d *Declared, r *ast.Right, target *Declared, at hcl.Range) {
	t, isTable := target.Object.(*ast.Table)
	if !isTable || target.Broken || t.Structure != nil {
		return
	}
	var known []string
	for _, c := range t.Columns {
		known = append(known, c.Name)
	}
	for _, c := range r.Columns {
		parent, _, _ := strings.Cut(c, ".")
		if !slices.Contains(known, c) && !slices.Contains(known, parent) {
			l.fault(CodeColumn, at, fmt.Sprintf("%s has no column %q", target.Name, c), "A grant on a column that does not exist gives nothing."+suggest(c, known))
		}
	}
}

// checkExclusive reports a grant to somebody whose definition says that he has nothing besides.
func (l *loader) checkExclusive(d *Declared, g *ast.Grant) {
	for _, to := range g.To {
		target := l.find(ast.KindRole, ast.Name{Name: to})
		if target == nil {
			continue
		}
		role, isRole := target.Object.(*ast.Role)
		user, isUser := target.Object.(*ast.User)
		if isRole && role.Exclusive || isUser && user.Exclusive {
			l.fault(CodeDuplicate, d.Place(ast.Path{Part: "to", Name: to}, nil), fmt.Sprintf("%s is exclusive", to),
				fmt.Sprintf("The definition of %s:%d has the rights written in it and no others. Write these in it too, or take exclusive away.", target.Entry.Filename, target.Entry.Start.Line))
		}
	}
}
