package grants

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/rules"
)

// Grant is some privileges on one thing.
type Grant struct {
	Privileges []string
	On         string // "system.*", "shop.*", "*.*", or an engine
	// Option says that the privileges are needed to be passed on.
	Option bool
	// Why is what the engine does with them.
	Why string
}

// SQL is the statement for a user.
func (g Grant) SQL(user string) string {
	text := "GRANT " + g.rights() + " TO " + ast.QuoteIdent(user)
	if g.Option {
		text += " WITH GRANT OPTION"
	}
	return text
}

func (g Grant) rights() string { return strings.Join(g.Privileges, ", ") + " ON " + g.On }

// privileges spells those of one verb: "SHOW TABLES", "SHOW COLUMNS".
func privileges(verb string, of ...string) []string {
	list := make([]string, len(of))
	for i, object := range of {
		list[i] = verb + " " + object
	}
	return list
}

// Required lists what a schema of these databases and kinds needs on a platform.
// https://clickhouse.com/docs/sql-reference/statements/grant
func Required(databases []string, kinds map[ast.Kind]bool, p rules.Platform) []Grant {
	list := []Grant{{Privileges: []string{"SELECT"}, On: "system.*", Why: "to read the catalogue"}}
	if p == rules.SelfHosted {
		list = append(list, Grant{Privileges: []string{"CLUSTER"}, On: "*.*", Why: "to make databases on every member"})
	}
	if p != rules.Embedded {
		list = append(list,
			Grant{Privileges: privileges("CREATE", "TEMPORARY TABLE"), On: "*.*", Why: "to ask every member (clusterAllReplicas)"},
			Grant{Privileges: []string{"REMOTE"}, On: "*.*", Why: "to ask every member (clusterAllReplicas)"},
			Grant{Privileges: []string{"TABLE ENGINE"}, On: "*", Why: "to name engines in definitions"})
	}
	for _, name := range databases {
		list = append(list, Grant{Privileges: ofDatabase(), On: ast.QuoteIdent(name) + ".*", Why: "to keep the objects of " + name})
	}
	list = append(list, Grant{Privileges: []string{"SELECT", "INSERT"}, On: "dfe.*", Why: "to write lease and ledger"})
	for _, kind := range ofKinds() {
		if kinds[kind.kind] {
			list = append(list, kind.Grant)
		}
	}
	return list
}

// ofDatabase are the privileges on a database whose objects are declared. Reading rows is needed where a view or the
// proof of a type change does, writing them by a materialized view with a target.
func ofDatabase() []string {
	list := []string{"SELECT", "INSERT"}
	list = append(list, privileges("SHOW", "DATABASES", "TABLES", "COLUMNS", "DICTIONARIES")...)
	list = append(list, privileges("CREATE", "DATABASE", "TABLE", "VIEW", "DICTIONARY")...)
	list = append(list, privileges("DROP", "VIEW", "DICTIONARY")...) // CREATE OR REPLACE
	return append(list, privileges("ALTER", "TABLE", "DATABASE", "VIEW")...)
}

// PassedOn lists what a user needs in order to grant what the objects declare: each privilege WITH GRANT OPTION. A server is
// asked for the privilege alone, because CHECK GRANT does not ask for the option. What GRANT CURRENT GRANTS passes on is
// whatever the user has.
func PassedOn(objects []ast.Object) []Grant {
	var list []Grant
	at := map[string]int{}
	add := func(to string, rights []ast.Right) {
		for _, r := range rights {
			if r.Revoke || r.Current || r.Role != "" {
				continue
			}
			r.Filter = ""
			privilege, _, _ := strings.Cut(r.Text(), " ON ")
			scope := r.Scope()
			i, known := at[scope]
			if !known {
				i = len(list)
				at[scope] = i
				list = append(list, Grant{On: scope, Option: true, Why: "to grant it to " + to})
			}
			if !slices.Contains(list[i].Privileges, privilege) {
				list[i].Privileges = append(list[i].Privileges, privilege)
			}
		}
	}
	for _, o := range objects {
		switch o := o.(type) {
		case *ast.Role:
			add(o.Name, o.Rights)
		case *ast.User:
			add(o.Name, o.Rights)
		case *ast.Grant:
			add(strings.Join(o.To, ", "), o.Rights)
		}
	}
	return list
}

type ofKind struct {
	kind ast.Kind
	Grant
}

// ofKinds lists what objects outside of databases need. Kinds are named as the manifest names them.
func ofKinds() []ofKind {
	access := func(kind ast.Kind, object, why string, more ...string) ofKind {
		list := append(privileges("CREATE", object), privileges("ALTER", object)...)
		return ofKind{kind, Grant{Privileges: append(list, more...), On: "*.*", Why: why}}
	}
	return []ofKind{
		{ast.KindFunction, Grant{Privileges: append(privileges("CREATE", "FUNCTION"), privileges("DROP", "FUNCTION")...), On: "*.*", Why: "to keep SQL functions"}},
		{ast.KindNamedCollection, Grant{Privileges: []string{"NAMED COLLECTION ADMIN"}, On: "*", Why: "to keep named collections"}},
		access(ast.KindRole, "ROLE", "to keep roles", "ROLE ADMIN", "SHOW ACCESS"),
		{ast.KindGrant, Grant{Privileges: []string{"ROLE ADMIN", "SHOW ACCESS"}, On: "*.*", Why: "to keep grants"}},
		access(ast.KindUser, "USER", "to keep users", "SHOW ACCESS"),
		access(ast.KindSettingsProfile, "SETTINGS PROFILE", "to keep settings profiles", "SHOW ACCESS"),
		access(ast.KindQuota, "QUOTA", "to keep quotas", "SHOW ACCESS"),
		access(ast.KindRowPolicy, "ROW POLICY", "to keep row policies", "SHOW ACCESS"),
	}
}

// MissingError is what the engine's user is not allowed. Nothing was sent.
type MissingError struct {
	User    string
	Missing []Grant
}

func (e *MissingError) Error() string {
	statements := make([]string, len(e.Missing))
	for i, g := range e.Missing {
		statements[i] = g.SQL(e.User)
	}
	return fmt.Sprintf("the user %s lacks %d of the grants that the schema needs, and nothing was sent; an administrator sends: %s",
		e.User, len(e.Missing), strings.Join(statements, "; "))
}

// ErrorCode is the error as one word.
func (e *MissingError) ErrorCode() string { return "grants_missing" }

// User asks whom the server takes this connection for.
func User(ctx context.Context, c *catalog.Conn) (string, error) {
	var user string
	err := c.Select(ctx, "SELECT currentUser()", nil, func(scan func(...any) error) error { return scan(&user) })
	if err != nil {
		return "", &catalog.ReadError{What: "the current user", Err: err}
	}
	return user, nil
}

// atOnce is how many grants one question is about at most: a query has to stay below the server's max_query_size.
const atOnce = 200

// Missing asks the server which of these grants the connected user lacks: in one question for each two hundred where it
// lacks none of them.
func Missing(ctx context.Context, c *catalog.Conn, required []Grant) ([]Grant, error) {
	var missing []Grant
	for some := range slices.Chunk(required, atOnce) {
		all, err := has(ctx, c, some...)
		if err != nil {
			return nil, err
		}
		if all {
			continue
		}
		for _, g := range some {
			one, err := has(ctx, c, g)
			if err != nil {
				return nil, err
			}
			if !one {
				missing = append(missing, g)
			}
		}
	}
	return missing, nil
}

func has(ctx context.Context, c *catalog.Conn, list ...Grant) (bool, error) {
	rights := make([]string, len(list))
	for i, g := range list {
		rights[i] = g.rights()
	}
	var granted uint8
	err := c.Select(ctx, "CHECK GRANT "+strings.Join(rights, ", "), nil, func(scan func(...any) error) error { return scan(&granted) })
	if err != nil {
		return false, &catalog.ReadError{What: "the grants of the current user", Err: err}
	}
	return granted == 1, nil
}
