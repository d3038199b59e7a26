package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/facts"
)

// selectAccess prints every role, user, settings profile, quota, row policy and grant as a statement, secrets left out. It
// needs the privilege SHOW ACCESS.
const selectAccess = `SHOW ACCESS`

// accessKey names an access object in its space of names.
type accessKey struct {
	kind ast.Kind
	name string
}

func accessKeyOf(kind ast.Kind, name string) accessKey {
	return accessKey{kind.Space(), name}
}

// Access is what a server has of roles, users, settings profiles, quotas, row policies and grants.
type Access struct {
	objects map[accessKey]*Object
	// Opaque are statements of which not even the object is known.
	Opaque []*Object
	// Privileges are those that the server has, with the level of each as system.privileges tells it; nil: it does not say.
	Privileges map[string]string
	// Unreadable says why nothing of it could be read; every object is then unreadable.
	Unreadable error
}

// ReadAccess reads all access objects in one query. A server that does not let them be read makes them unreadable; it is
// no error of the reading.
func ReadAccess(ctx context.Context, c *Conn) (*Access, error) {
	var rows []string
	err := c.Select(ctx, selectAccess, nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		rows = append(rows, text)
		return err
	})
	if err != nil {
		return refusedAccess(err)
	}
	a := NewAccess(rows)
	return a, errors.Join(a.readSources(ctx, c), a.readPrivileges(ctx, c))
}

const selectPrivileges = `SELECT privilege, toString(level) FROM system.privileges`

// readPrivileges asks what privileges the server has. One that does not say it is taken for one of the version known here.
func (a *Access) readPrivileges(ctx context.Context, c *Conn) error {
	found := map[string]string{}
	err := c.Select(ctx, selectPrivileges, nil, func(scan func(...any) error) error {
		var name string
		var level *string
		if err := scan(&name, &level); err != nil {
			return err
		}
		found[name] = ""
		if level != nil {
			found[name] = *level
		}
		return nil
	})
	if _, answered := Exception(err); answered {
		return nil
	}
	if err != nil {
		return &ReadError{"the privileges the server has", err}
	}
	a.Privileges = found
	return nil
}

// NewAccess reads statements as SHOW ACCESS prints them. One that cannot be read is kept as it is and stops nothing.
func NewAccess(statements []string) *Access {
	a := &Access{objects: map[accessKey]*Object{}}
	a.parse(statements)
	return a
}

// selectSources are the rights on sources. Without access_control_improvements.enable_read_write_grants, and that is the
// default, SHOW prints READ ON S3, WRITE ON S3 and both as S3 ON *.*, so that what it prints gives more than there is
// (measured on 26.7.2); this table tells them apart. A pattern, READ ON S3('s3://a/.*'), stands in SHOW alone, of a server
// with that setting.
const selectSources = `SELECT coalesce(user_name, role_name, ''), toString(access_type), access_object, is_partial_revoke, grant_option, is_wildcard
FROM system.grants WHERE toString(access_type) IN ('READ', 'WRITE')`

// readSources puts the rights on sources in the place of what SHOW printed of them. A server without the columns does not
// tell READ from WRITE, and prints what it has.
func (a *Access) readSources(ctx context.Context, c *Conn) error {
	if !a.printsSources() {
		return nil
	}
	found := map[string][]ast.Right{}
	err := c.Select(ctx, selectSources, nil, func(scan func(...any) error) error {
		var (
			name, privilege, object  string
			revoke, option, wildcard uint8
		)
		if err := scan(&name, &privilege, &object, &revoke, &option, &wildcard); err != nil {
			return err
		}
		found[name] = append(found[name], ast.Right{Revoke: revoke == 1, Privilege: privilege, HasParameter: true, Parameter: object,
			Option: option == 1, Prefix: wildcard == 1 && object != ""})
		return nil
	})
	if _, answered := Exception(err); answered {
		return nil
	}
	if err != nil {
		return &ReadError{"the rights on sources", err}
	}
	a.putSources(found)
	return nil
}

// putSources puts rights on sources, by who has them, in the place of what SHOW printed less exactly.
func (a *Access) putSources(found map[string][]ast.Right) {
	for _, o := range a.objects {
		rights := heldBy(o)
		if rights == nil || slices.ContainsFunc(*rights, exactSource) {
			continue
		}
		exact := found[o.Name.Name]
		*rights = append(slices.DeleteFunc(*rights, ofSource), exact...)
		for _, text := range ast.GrantSQL(exact, []string{o.Name.Name}, false) {
			o.Text += "\n" + text
		}
	}
}

// exactSource reports a right on sources as only a server prints it that tells READ from WRITE. READ ON shop is no such
// right: every server prints it as a part of ALL ON shop.*.
func exactSource(r ast.Right) bool {
	return (r.Privilege == "READ" || r.Privilege == "WRITE") && (r.Parameter == "" || r.Filter != "" || facts.AccessSource(r.Parameter))
}

// printsSources reports whether anybody has a right on sources.
func (a *Access) printsSources() bool {
	for _, o := range a.objects {
		if rights := heldBy(o); rights != nil && slices.ContainsFunc(*rights, ofSource) {
			return true
		}
	}
	return false
}

// heldBy are the rights of a role or a user that can be read, nil of anything else.
func heldBy(o *Object) *[]ast.Right {
	switch t := o.Tree.(type) {
	case *ast.Role:
		return &t.Rights
	case *ast.User:
		return &t.Rights
	}
	return nil
}

// ofSource reports a right on sources, however it is printed.
func ofSource(r ast.Right) bool {
	return r.Role == "" && (r.Privilege == "READ" || r.Privilege == "WRITE" || r.Privilege == "SOURCES" || facts.AccessSource(r.Privilege))
}

// accessDenied is ClickHouse's ACCESS_DENIED.
const accessDenied = 497

// parse takes the statements apart. Definitions stand before the grants in SHOW ACCESS; both orders are read.
func (a *Access) parse(rows []string) {
	var grants []*access.Statement
	var texts []string
	for _, text := range rows {
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "CREATE MASKING POLICY ") {
			continue // masking policies are a kind that the schema language does not have
		}
		st, err := access.ParsePrinted(text)
		switch {
		case err != nil:
			a.unreadable(text, err)
		case st.Verb == access.Create:
			for _, name := range st.Names {
				a.objects[accessKeyOf(st.Kind, name)] = &Object{Kind: st.Kind, Name: ast.Name{Name: name}, Text: text, Tree: st.Object}
			}
		case st.Verb == access.Grant || st.Verb == access.Revoke:
			grants, texts = append(grants, st), append(texts, text)
		default:
			a.unreadable(text, fmt.Errorf("a %s statement among the definitions", st.Verb))
		}
	}
	for i, st := range grants {
		g := st.Object.(*ast.Grant)
		for _, to := range g.To {
			o := a.objects[accessKeyOf(ast.KindRole, to)]
			if o == nil {
				continue
			}
			o.Text += "\n" + texts[i]
			switch t := o.Tree.(type) {
			case *ast.Role:
				t.Rights = append(t.Rights, g.Rights...)
			case *ast.User:
				t.Rights = append(t.Rights, g.Rights...)
			}
		}
	}
}

// unreadable keeps a statement that cannot be read under the name it seems to be about.
func (a *Access) unreadable(text string, reason error) {
	kind, name := guess(text)
	text = withoutSecrets(text)
	o := &Object{Kind: kind, Name: ast.Name{Name: name}, Text: text, Unreadable: reason}
	known := a.objects[accessKeyOf(kind, name)]
	switch {
	case name == "":
		o.Name.Name = excerpt(text)
		a.Opaque = append(a.Opaque, o)
	case known != nil:
		known.Text += "\n" + text
		known.Tree, known.Unreadable = nil, reason
	default:
		a.objects[accessKeyOf(kind, name)] = o
	}
}

// quoted is a text in quotes; identified tells a statement in which one may be a hash or a password.
var (
	quoted     = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'?`)
	identified = regexp.MustCompile(`(?i)\bIDENTIFIED\b|\bBY\b`)
)

func withoutSecrets(text string) string {
	if !identified.MatchString(text) {
		return text
	}
	return quoted.ReplaceAllLiteralString(text, "'[HIDDEN]'")
}

func excerpt(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// heads are how the statements of SHOW ACCESS begin.
var heads = []struct {
	words string
	kind  ast.Kind
}{
	{"CREATE ROLE ", ast.KindRole}, {"CREATE USER ", ast.KindUser}, {"CREATE SETTINGS PROFILE ", ast.KindSettingsProfile},
	{"CREATE QUOTA ", ast.KindQuota}, {"CREATE ROW POLICY ", ast.KindRowPolicy},
}

// guess finds what a statement is about that the parser does not read: the words behind CREATE and the kind, or the one
// behind TO of a grant.
func guess(text string) (ast.Kind, string) {
	for _, h := range heads {
		if rest, ok := strings.CutPrefix(text, h.words); ok {
			if h.kind == ast.KindRowPolicy {
				if words := strings.Fields(rest); len(words) > 2 && words[1] == "ON" {
					return h.kind, strings.Join(words[:3], " ")
				}
				return h.kind, ""
			}
			return h.kind, firstName(rest)
		}
	}
	for _, word := range []string{" TO ", " FROM "} {
		if i := strings.LastIndex(text, word); i >= 0 && (strings.HasPrefix(text, "GRANT ") || strings.HasPrefix(text, "REVOKE ")) {
			return ast.KindRole, firstName(text[i+len(word):])
		}
	}
	return ast.KindRole, ""
}

func firstName(text string) string {
	if rest, quoted := strings.CutPrefix(text, "`"); quoted {
		name, _, _ := strings.Cut(rest, "`")
		return name
	}
	if i := strings.IndexAny(text, " ,\n"); i >= 0 {
		return text[:i]
	}
	return text
}

// Find returns the live object of a name, or nil. It may be a user where a role is asked for and the other way round.
func (a *Access) Find(kind ast.Kind, name ast.Name) *Object {
	switch {
	case a == nil:
		return nil
	case a.Unreadable != nil:
		return &Object{Kind: kind, Name: name, Unreadable: a.Unreadable}
	}
	return a.objects[accessKeyOf(kind, name.Name)]
}

// Granted returns the live side of a grant: everything its grantees have. It is nil where none of them exists.
func (a *Access) Granted(g *ast.Grant) *Object {
	switch {
	case a == nil:
		return nil
	case a.Unreadable != nil:
		return &Object{Kind: ast.KindGrant, Name: g.ID(), Unreadable: a.Unreadable}
	}
	live := &ast.Grant{Name: g.Name}
	o := &Object{Kind: ast.KindGrant, Name: g.ID(), Tree: live}
	for _, to := range g.To {
		holder := a.objects[accessKeyOf(ast.KindRole, to)]
		if holder == nil {
			continue
		}
		live.To = append(live.To, to)
		o.Text += holder.Text + "\n"
		if holder.Unreadable != nil {
			o.Tree, o.Unreadable = nil, errors.Join(o.Unreadable, holder.Unreadable)
		}
		for _, r := range rightsOf(holder.Tree) {
			r.To = to
			live.Rights = append(live.Rights, r)
		}
	}
	if len(live.To) == 0 {
		return nil
	}
	return o
}

func rightsOf(o ast.Object) []ast.Right {
	switch o := o.(type) {
	case *ast.Role:
		return o.Rights
	case *ast.User:
		return o.Rights
	}
	return nil
}

func (a *Access) all() iter.Seq[*Object] {
	if a == nil {
		return func(func(*Object) bool) {}
	}
	return maps.Values(a.objects)
}

// Objects returns the live objects of a kind, by name.
func (a *Access) Objects(kind ast.Kind) []*Object {
	if a == nil {
		return nil
	}
	var list []*Object
	for _, o := range a.objects {
		if o.Kind == kind {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(x, y *Object) int { return strings.Compare(x.Name.Name, y.Name.Name) })
	return list
}
