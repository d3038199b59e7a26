package cluster

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
)

// client is a statement of a client in the front end.
type client struct {
	*embedded.Query
	member *member
	text   *text
	here   *presence
	// set are the settings that its own SETTINGS clauses give.
	set map[string]string
	// free gives back what was kept for its answer.
	free []func()
}

// Answer answers one statement of a client.
func (m *member) Answer(ctx context.Context, q *embedded.Query) error {
	t, err := readText(q.Text())
	if err != nil {
		return q.Run(ctx, q.Text()) // the engine says it in its own words
	}
	c := &client{Query: q, member: m, text: t, set: t.settings(0)}
	comment, _ := c.setting("log_comment")
	c.here = &presence{id: q.ID(), text: q.Text(), comment: comment, database: c.database(), settings: c.urlSettings()}
	leave := m.present.enter(c.here)
	defer leave()
	defer func() {
		for _, f := range c.free {
			f()
		}
	}()
	if changes(t.word(0)) {
		// A server goes on with what changes something when its client has left.
		ctx = context.WithoutCancel(ctx)
	}
	return m.outward(m.faults.around(ctx, c, func() error { return c.answer(ctx) }))
}

// run lets the engine answer with another text.
func (c *client) run(ctx context.Context, sql string) error {
	c.member.present.inside(c.here, 1)
	defer c.member.present.inside(c.here, -1)
	return c.Run(ctx, sql)
}

// interpreted are settings that the front end acts on, with ClickHouse's defaults.
func interpreted() map[string]string {
	return map[string]string{
		"distributed_ddl_output_mode": "throw", "distributed_ddl_task_timeout": "180",
		"insert_quorum": "0", "insert_quorum_parallel": "1", "insert_quorum_timeout": "600000", "insert_deduplicate": "1", "insert_deduplication_token": "",
		"async_insert": "1", "select_sequential_consistency": "0", "skip_unavailable_shards": "0", "log_comment": "",
	}
}

// setting is the value in force for the statement.
func (c *client) setting(name string) (value string, given bool) {
	if value, ok := c.set[name]; ok {
		return value, true
	}
	if value, ok := c.Setting(name); ok {
		return value, true
	}
	return interpreted()[name], false
}

// on reports whether a setting of the type Bool is set.
func (c *client) on(name string) bool {
	value, _ := c.setting(name)
	return value != "" && value != "0" && !strings.EqualFold(value, "false")
}

// urlSettings are those of the statement that are known here.
func (c *client) urlSettings() map[string]string {
	all := map[string]string{}
	for name := range interpreted() {
		if value, ok := c.Setting(name); ok {
			all[name] = value
		}
	}
	maps.Copy(all, c.set)
	return all
}

// database is the one that unqualified names belong to.
func (c *client) database() string {
	if name := c.Database(); name != "" {
		return name
	}
	return "default"
}

// answer takes a statement to whoever can answer it.
func (c *client) answer(ctx context.Context) error {
	t := c.text
	if err := c.refuse(); err != nil {
		return err
	}
	if c.ReadOnly() && changes(t.word(0)) {
		return embedded.NewException(164, "READONLY", "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. You should use method POST for modifying queries")
	}
	if !c.HasData() && c.member.access.keeper.Answers(t.src) {
		return c.changeAccess(ctx)
	}
	switch t.word(0) {
	case "INSERT":
		return c.insert(ctx)
	case "CREATE", "ATTACH", "REPLACE", "ALTER", "DROP", "DETACH", "RENAME", "EXCHANGE", "TRUNCATE", "UNDROP", "OPTIMIZE", "DELETE", "UPDATE":
		return c.define(ctx)
	case "SYSTEM":
		return c.system(ctx)
	case "SHOW":
		return c.show(ctx)
	case "SET":
		return c.assign(ctx)
	case "GRANT", "REVOKE", "BACKUP", "RESTORE", "MOVE":
		return unsupported(t.word(0))
	case "SELECT", "WITH", "EXPLAIN", "DESCRIBE", "DESC", "EXISTS", "CHECK", "KILL", "USE":
		return c.query(ctx)
	}
	if t.len() > 0 && t.tokens[0].Text(t.src) == "(" {
		return c.query(ctx)
	}
	return c.run(ctx, t.src) // the engine knows it or calls it a syntax error
}

// changes reports a statement, by its first word, that readonly forbids.
func changes(word string) bool {
	switch word {
	case "SELECT", "WITH", "EXPLAIN", "DESCRIBE", "DESC", "EXISTS", "CHECK", "USE", "SHOW", "SET", "":
		return false
	}
	return true
}

// refuse names what would be answered wrongly.
func (c *client) refuse() error {
	t := c.text
	if strings.EqualFold(c.database(), "system") || strings.EqualFold(c.database(), stageDatabase) {
		return unsupported("the database " + c.database() + " as the current one")
	}
	if t.word(0) == "USE" && strings.EqualFold(t.name(t.len()-1), "system") {
		return unsupported("USE system")
	}
	for i := range t.tokens {
		if t.name(i) == stageDatabase {
			return embedded.NewException(81, "UNKNOWN_DATABASE", "Database "+stageDatabase+" does not exist")
		}
		if strings.EqualFold(t.name(i), "information_schema") && t.word(0) != "DROP" && t.kind(i+1) != 0 {
			return unsupported("information_schema")
		}
	}
	return nil
}

// assign is SET, which a session keeps.
func (c *client) assign(ctx context.Context) error {
	for i := range c.text.tokens {
		name := c.text.name(i)
		if _, ok := interpreted()[name]; ok && name != "log_comment" && c.Session() != "" {
			return unsupported("SET " + name + " for a session (give it with each statement)")
		}
	}
	return c.run(ctx, c.text.src)
}

// show is SHOW in its many forms.
func (c *client) show(ctx context.Context) error {
	t := c.text
	switch {
	case t.word(1) == "CREATE":
		return c.showCreate(ctx)
	case t.word(1) == "DATABASES":
		return c.showDatabases(ctx)
	case t.word(1) == "CLUSTERS" || t.word(1) == "CLUSTER":
		return unsupported("SHOW " + t.word(1) + " (SELECT from system.clusters is)")
	case t.word(1) == "FULL" && (t.word(2) == "TABLES" || t.word(2) == "TEMPORARY"):
		return unsupported("SHOW FULL TABLES (SELECT name, engine FROM system.tables is)")
	case t.word(1) == "PROCESSLIST":
		return unsupported("SHOW PROCESSLIST (SELECT from system.processes is)")
	}
	return c.run(ctx, t.src)
}

func (c *client) showDatabases(ctx context.Context) error {
	rest := ""
	if c.text.len() > 2 {
		rest = c.text.between(2, c.text.len())
	}
	switch c.text.word(2) {
	case "", "FORMAT":
		return c.run(ctx, "SELECT name FROM "+stageDatabase+".databases ORDER BY name "+rest)
	case "LIKE", "ILIKE", "NOT":
		return c.run(ctx, "SELECT name FROM "+stageDatabase+".databases WHERE name "+rest)
	}
	return unsupported("this form of SHOW DATABASES")
}

// showCreate answers from the view of tables, in the server's own layout.
func (c *client) showCreate(ctx context.Context) error {
	t := c.text
	i := 2
	switch t.word(i) {
	case "TABLE", "VIEW", "DICTIONARY":
		i++
	case "DATABASE":
		return c.showCreateDatabase(ctx, t.value(i+1), i+2)
	case "TEMPORARY", "USER", "USERS", "ROLE", "ROLES", "PROFILE", "SETTINGS", "QUOTA", "QUOTAS", "POLICY", "ROW", "FUNCTION", "NAMED", "WORKLOAD", "RESOURCE":
		return c.run(ctx, t.src)
	}
	n, next := t.full(i)
	if n.Database == "" && c.Session() != "" {
		return unsupported("a name without its database in a session")
	}
	n = c.in(n)
	if _, replicated, err := c.member.tables.find(ctx, n); err != nil {
		return err
	} else if !replicated {
		return c.run(ctx, t.src)
	}
	return c.run(ctx, "SELECT formatQuery(create_table_query) AS statement FROM "+stageDatabase+".tables WHERE database = "+quoted(n.Database)+" AND name = "+quoted(n.Name)+
		" SETTINGS max_query_size = 1073741824"+c.rest(next))
}

func (c *client) showCreateDatabase(ctx context.Context, name string, next int) error {
	db := c.member.dbs.find(name)
	if db == nil {
		return c.run(ctx, c.text.src)
	}
	head := quoted("CREATE DATABASE " + ast.QuoteIdent(name) + "\nENGINE = ")
	comment := `concat('\nCOMMENT \'', replaceAll(replaceAll(comment, '\\', '\\\\'), '\'', '\\\''), '\'')`
	return c.run(ctx, "SELECT concat("+head+", engine_full, if(comment = '', '', "+comment+")) AS statement FROM "+
		stageDatabase+".databases WHERE name = "+quoted(name)+c.rest(next))
}

// rest is what follows a statement's object: FORMAT and the like.
func (c *client) rest(i int) string {
	if i >= c.text.len() {
		return ""
	}
	return " " + c.text.between(i, c.text.len())
}

// system is SYSTEM in its many forms.
func (c *client) system(ctx context.Context) error {
	t := c.text
	for i := range t.tokens {
		if t.words(i, "ON", "CLUSTER") {
			return unsupported("SYSTEM ... ON CLUSTER")
		}
	}
	switch {
	case t.words(1, "SYNC", "REPLICA"):
		return c.syncReplica(ctx)
	case t.words(1, "SYNC", "DATABASE", "REPLICA"):
		return c.syncDatabase(ctx)
	case t.word(2) == "REPLICA", t.word(2) == "REPLICAS", t.word(2) == "DATABASE", strings.Contains(t.word(2), "REPLICATED"), t.word(2) == "FETCHES",
		t.word(2) == "REPLICATION", t.word(2) == "DISTRIBUTED", t.word(1) == "SHUTDOWN", t.word(1) == "KILL":
		return unsupported("SYSTEM " + t.word(1) + " " + t.word(2))
	}
	return c.run(ctx, t.src)
}

// exception makes an exception by its code, whose name the engine knows.
func (m *member) exception(ctx context.Context, code int, text string) error {
	name := "UNKNOWN_EXCEPTION"
	if list, err := m.column(ctx, fmt.Sprintf("SELECT errorCodeToName(%d)", code)); err == nil && list[0] != "" {
		name = list[0]
	}
	return embedded.NewException(code, name, text)
}

// errStopped is for a statement of which a member that stops cannot say what becomes of it.
var errStopped = fmt.Errorf("the member is stopping: %w", embedded.ErrHangUp)
