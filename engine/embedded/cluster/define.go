package cluster

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/lex"
)

// define answers a statement that makes, changes or drops something.
func (c *client) define(ctx context.Context) error {
	d := readDefinition(c.text)
	if d == nil {
		return c.unknown(ctx)
	}
	switch {
	case d.kind == "ACCESS":
		return unsupported(d.verb + " of this form of user, role, profile, quota or policy")
	case d.verb == "ATTACH", d.verb == "UNDROP", d.verb == "DETACH":
		return unsupported(d.verb)
	case d.temporary:
		return c.run(ctx, c.text.src)
	case d.kind == "FUNCTION", d.kind == "NAMED COLLECTION":
		if d.cluster != "" {
			return unsupported(d.kind + " ON CLUSTER")
		}
		return c.run(ctx, c.text.src)
	}
	if c.Session() != "" && d.kind != "DATABASE" && d.names[0].Database == "" {
		return unsupported("a name without its database in a session")
	}
	if err := c.forbidden(d); err != nil {
		return err
	}
	if d.kind == "DATABASE" {
		return c.defineDatabase(ctx, d)
	}
	replicated := slices.ContainsFunc(d.names, func(n ast.Name) bool { return c.member.dbs.find(c.in(n).Database) != nil })
	switch {
	case d.cluster != "" && replicated && d.cluster != c.in(d.names[0]).Database:
		return embedded.NewException(80, "INCORRECT_QUERY", "It's not initial query. ON CLUSTER is not allowed for Replicated database.")
	case replicated:
		return c.defineReplicated(ctx, d)
	case d.cluster != "":
		return c.enqueue(ctx, d)
	}
	return c.defineHere(ctx, d)
}

// unknown answers a statement whose form the front end does not know. One that the engine does know would be carried out
// here alone, whatever it is about: TRUNCATE DATABASE, CREATE INDEX.
func (c *client) unknown(ctx context.Context) error {
	t := c.text
	switch {
	case t.word(0) == "ATTACH", t.word(0) == "UNDROP":
		return unsupported(t.word(0))
	case t.word(1) == "WORKLOAD", t.word(1) == "RESOURCE", t.words(1, "OR", "REPLACE", "WORKLOAD"), t.words(1, "OR", "REPLACE", "RESOURCE"):
		return c.run(ctx, t.src) // of this server alone
	}
	if _, err := c.member.do(ctx, "EXPLAIN AST "+t.apply(nil)); err != nil {
		if code, _ := embedded.Code(err); code == 62 {
			return c.run(ctx, t.src) // the engine calls it a syntax error, in its own words
		}
		return err
	}
	return unsupported(t.word(0) + " " + t.word(1) + " of this form")
}

// in qualifies a name.
func (c *client) in(n ast.Name) ast.Name {
	if n.Database == "" {
		n.Database = c.database()
	}
	return n
}

// forbidden names what a definition cannot ask of the stage.
func (c *client) forbidden(d *definition) error {
	t := d.text
	if d.verb == "CREATE" && d.kind == "TABLE" && d.engine < 0 {
		for i := d.after; i < t.len(); i++ {
			if t.depth[i] == 0 && t.word(i) == "AS" && t.kind(i+1) != lex.LParen && t.word(i+1) != "SELECT" && t.word(i+1) != "WITH" {
				return unsupported("CREATE TABLE ... AS another table, without an ENGINE")
			}
		}
	}
	for i := d.after; i < t.len(); i++ {
		if t.word(i) == "CLONE" && t.word(i+1) == "AS" {
			return unsupported("CREATE TABLE ... CLONE AS")
		}
	}
	for i := range t.tokens {
		if t.name(i) == "non_replicated_deduplication_window" {
			return unsupported("the setting non_replicated_deduplication_window, which the stage uses itself,")
		}
	}
	for i := d.after; d.kind == "MATERIALIZED VIEW" && d.verb == "CREATE" && i < t.len() && !(t.depth[i] == 0 && t.word(i) == "AS"); i++ {
		if t.depth[i] == 0 && t.word(i) == "REFRESH" {
			return unsupported("a refreshable materialized view")
		}
	}
	if d.verb == "CREATE" && d.kind == "TABLE" && strings.EqualFold(d.engineName(), "Distributed") {
		return unsupported("the engine Distributed")
	}
	for i := range t.tokens {
		if t.word(i) == "CLUSTERALLREPLICAS" {
			return unsupported("clusterAllReplicas in a definition")
		}
	}
	return nil
}

// defineHere runs a definition on this member alone.
func (c *client) defineHere(ctx context.Context, d *definition) error {
	if d.ofRows() {
		n := c.in(d.names[0])
		if _, replicated, err := c.member.tables.find(ctx, n); err != nil || replicated {
			if err == nil {
				err = c.changeRows(ctx, d, n)
			}
			return err
		}
	}
	if _, replicates := c.member.family(d.engineName()); replicates && d.engine >= 0 {
		t, err := readText(d.identified())
		if err != nil {
			return err
		}
		d = readDefinition(t)
	}
	return c.carryOut(ctx, d)
}

// carryOut runs a definition on the engine and answers the client with what it says.
func (c *client) carryOut(ctx context.Context, d *definition) error {
	if err := c.member.carryOut(ctx, d, c.order(d)); err != nil {
		return err
	}
	return c.Done()
}

// order is the statement's surroundings, for whoever runs it in its place.
func (c *client) order(d *definition) embedded.Order {
	o := embedded.Order{Text: d.bare(), Database: c.database(), Settings: map[string]string{}}
	c.EachSetting(func(name, value string) {
		if _, ours := interpreted()[name]; !ours || name == "log_comment" {
			o.Settings[name] = value
		}
	})
	return o
}

// carryOut runs a definition on this member's engine, whoever sent it, and keeps account of what is replicated.
func (m *member) carryOut(ctx context.Context, d *definition, o embedded.Order) error {
	l, err := m.plain(d)
	if err != nil {
		return err
	}
	if err := m.tables.register(ctx, l.replicated); err != nil {
		return err
	}
	if len(l.replicated) > 0 && l.replicated[0].Path != "" && m.session == nil {
		return errNoKeeper()
	}
	t, err := readText(l.sql)
	if err != nil {
		return err
	}
	sql, free, err := m.rewrite(ctx, t, false, o.Database)
	defer func() {
		for _, f := range free {
			f()
		}
	}()
	if err != nil {
		return err
	}
	if len(free) > 0 || sql != l.sql {
		return unsupported("a definition with hostName() or a system table that the stage answers for")
	}
	o.Text = sql
	var touched []string
	switch {
	case d.verb == "CREATE":
		for _, r := range l.replicated {
			touched = append(touched, r.UUID)
		}
	case d.verb == "DROP" && d.kind != "DATABASE":
		if touched, err = m.tables.named(ctx, d, o.Database); err != nil {
			return err
		}
	}
	if d.changesFacts() {
		defer m.facts.change()()
	}
	_, err = m.server.Do(ctx, o)
	if code, _ := embedded.Code(err); code == 57 && d.verb == "CREATE" {
		swept, broken := m.sweep(ctx, readDefinition(t))
		if broken != nil {
			return broken
		}
		if swept {
			_, err = m.server.Do(ctx, o)
		}
	}
	if d.verb == "DROP" && d.kind == "DATABASE" {
		return cmp.Or(err, m.tables.reconcile(ctx)) // also after one that failed: some of it may have happened
	}
	if err == nil && d.verb == "CREATE" || d.verb == "DROP" {
		return cmp.Or(err, m.tables.reconcileThese(ctx, touched))
	}
	return err
}

// sweep removes what a process that was killed in a CREATE has left of the very object that it was making, which the engine
// calls an object that exists: a directory without a table, or the inner table of a view that is not there.
func (m *member) sweep(ctx context.Context, d *definition) (swept bool, err error) {
	ids := d.uuids()
	for i, id := range ids {
		there, err := m.table(ctx, "SELECT database, name FROM system.tables WHERE toString(uuid) = "+quoted(id)+
			" UNION ALL SELECT database, table FROM system.dropped_tables WHERE toString(uuid) = "+quoted(id))
		switch {
		case err != nil:
			return swept, err
		case len(there) == 0:
			dir := filepath.Join(m.Dir, "data", "store", id[:3], id)
			if _, err := os.Stat(dir); err == nil {
				swept = true
			}
			if err := os.RemoveAll(dir); err != nil {
				return swept, err
			}
		case i == 0:
			return false, nil // it is there
		case strings.HasPrefix(there[0][1], ".inner"):
			if _, err := m.do(ctx, "DROP TABLE "+ast.Name{Database: there[0][0], Name: there[0][1]}.SQL()+" SYNC"); err != nil {
				return swept, err
			}
			swept = true
		}
	}
	return swept, nil
}

// defineDatabase makes, changes or drops a database.
func (c *client) defineDatabase(ctx context.Context, d *definition) error {
	m := c.member
	name := d.names[0].Name
	if m.Cloud && d.cluster == "" && (d.verb == "CREATE" || d.verb == "DROP") {
		if d.verb == "CREATE" && d.engine >= 0 && d.engineName() != "Shared" && d.engineName() != "Replicated" && d.engineName() != "Atomic" {
			return c.carryOut(ctx, d)
		}
		d.cluster, d.clusterAt, d.clusterTo = m.Cluster, d.after, d.after
		return c.enqueue(ctx, d)
	}
	if d.cluster != "" {
		return c.enqueue(ctx, d)
	}
	db := m.dbs.find(name)
	switch {
	case d.verb == "RENAME" && db != nil:
		return unsupported("RENAME of a Replicated database")
	case d.verb == "ALTER" && db != nil:
		return c.defineReplicated(ctx, d)
	}
	if err := m.carryOutDatabase(ctx, d, c.order(d), newUUID()); err != nil {
		return err
	}
	return c.Done()
}

// carryOutDatabase runs a statement about a database on this member's engine.
func (m *member) carryOutDatabase(ctx context.Context, d *definition, o embedded.Order, uuid string) error {
	name := d.names[0].Name
	switch {
	case d.verb == "CREATE" && (d.engineName() == "Replicated" || m.Cloud):
		return m.dbs.create(ctx, d, o, uuid)
	case d.verb == "DROP" && m.dbs.known(name):
		return m.dbs.drop(ctx, d, o)
	case d.verb == "CREATE" && d.engineName() == "Shared":
		return embedded.NewException(336, "UNKNOWN_DATABASE_ENGINE", fmt.Sprintf("Unknown database engine: %s", d.engineName()))
	}
	return m.carryOut(ctx, d, o)
}
