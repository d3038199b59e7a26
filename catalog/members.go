package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/ast"
)

// Members asks all servers of a deployment at once, through clusterAllReplicas. A member that cannot be reached is
// left out of the answers: [Members.Reachable] says who answers. The zero value asks the connected server alone.
type Members struct {
	// Cluster is the name in remote_servers; empty: there is one server.
	Cluster string
}

// Several reports whether there may be more members than the connected one.
func (m Members) Several() bool { return m.Cluster != "" }

// from is a system table on every member.
func (m Members) from(table string) string {
	if !m.Several() {
		return table
	}
	return fmt.Sprintf("clusterAllReplicas(%s, %s)", ast.QuoteString(m.Cluster), table)
}

func (m Members) ask(ctx context.Context, c *Conn, what, query string, args []any, row func(scan func(...any) error) error) error {
	if m.Several() {
		ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"skip_unavailable_shards": 1}))
	}
	if err := c.Select(ctx, query, args, row); err != nil {
		return &ReadError{what, err}
	}
	return nil
}

// Reachable lists the members that answer, by the names the cluster's configuration gives them: each says itself
// which of them it is. Without a cluster it is empty.
func (m Members) Reachable(ctx context.Context, c *Conn) ([]string, error) {
	if !m.Several() {
		return nil, nil
	}
	query := "SELECT DISTINCT host_name FROM " + m.from("system.clusters") + " WHERE cluster = ? AND is_local ORDER BY host_name"
	var hosts []string
	err := m.ask(ctx, c, "the reachable members", query, []any{m.Cluster}, func(scan func(...any) error) error {
		var host string
		err := scan(&host)
		hosts = append(hosts, host)
		return err
	})
	return hosts, err
}

// Process is a statement that a member runs.
type Process struct {
	Host    string
	QueryID string
	Comment string // its log_comment
	Elapsed time.Duration
}

// Running lists the statements whose log comment begins with a prefix, on every reachable member.
func (m Members) Running(ctx context.Context, c *Conn, prefix string) ([]Process, error) {
	query := "SELECT hostName(), query_id, toString(Settings['log_comment']), elapsed FROM " + m.from("system.processes") +
		" WHERE startsWith(toString(Settings['log_comment']), ?) ORDER BY elapsed DESC"
	var found []Process
	err := m.ask(ctx, c, "the running statements", query, []any{prefix}, func(scan func(...any) error) error {
		var (
			p       Process
			seconds float64
		)
		err := scan(&p.Host, &p.QueryID, &p.Comment, &seconds)
		p.Elapsed = time.Duration(seconds * float64(time.Second))
		found = append(found, p)
		return err
	})
	return found, err
}

// Task is an entry of the queue of ON CLUSTER statements that a host has not finished.
type Task struct {
	Entry   string // its name in Keeper, "query-0000000042"; they sort by age
	Host    string // as the cluster's configuration names it
	Status  string // "Inactive": not begun; "Active"
	Comment string // its log_comment
	Age     time.Duration
	// ExceptionCode and Exception are of the newest attempt; 0 and empty where there was none.
	ExceptionCode uint16
	Exception     string
}

// Queue lists what hosts of the cluster have not finished of its ON CLUSTER statements, the oldest first.
func (m Members) Queue(ctx context.Context, c *Conn) ([]Task, error) {
	if !m.Several() {
		return nil, nil
	}
	const query = `SELECT entry, ifNull(host, ''), toString(status), settings['log_comment'],
		toUInt32(greatest(0, dateDiff('second', query_create_time, now()))), ifNull(exception_code, 0), ifNull(exception_text, '')
	FROM system.distributed_ddl_queue WHERE cluster = ? AND status IN ('Inactive', 'Active') ORDER BY entry, host`
	var tasks []Task
	err := m.ask(ctx, c, "the queue of distributed statements", query, []any{m.Cluster}, func(scan func(...any) error) error {
		var (
			t       Task
			seconds uint32
		)
		err := scan(&t.Entry, &t.Host, &t.Status, &t.Comment, &seconds, &t.ExceptionCode, &t.Exception)
		t.Age = time.Duration(seconds) * time.Second
		tasks = append(tasks, t)
		return err
	})
	return tasks, err
}

// Lag is how far an active member is behind the log of a Replicated database.
type Lag struct {
	Database, Replica string
	Entries           uint32
}

// Lags lists the active members that have not replayed all of a Replicated database's log.
func (m Members) Lags(ctx context.Context, c *Conn, databases []string) ([]Lag, error) {
	if !m.Several() || len(databases) == 0 {
		return nil, nil
	}
	const query = `SELECT cluster, database_replica_name, assumeNotNull(replication_lag) FROM system.clusters
	WHERE cluster IN ? AND is_active AND replication_lag > 0 ORDER BY cluster, database_replica_name`
	var lags []Lag
	err := m.ask(ctx, c, "the members behind a database's log", query, []any{databases}, func(scan func(...any) error) error {
		var l Lag
		err := scan(&l.Database, &l.Replica, &l.Entries)
		lags = append(lags, l)
		return err
	})
	return lags, err
}

// Databases lists the databases of every reachable member but the server's own, by host.
func (m Members) Databases(ctx context.Context, c *Conn) (map[string][]string, error) {
	query := "SELECT host, groupArray(name) FROM (SELECT hostName() AS host, name FROM " + m.from("system.databases") +
		" WHERE name NOT IN " + ownDatabases + " ORDER BY name) GROUP BY host"
	found := map[string][]string{}
	err := m.ask(ctx, c, "the members' databases", query, nil, func(scan func(...any) error) error {
		var (
			host  string
			names []string
		)
		err := scan(&host, &names)
		found[host] = names
		return err
	})
	return found, err
}

// Texts reads the definition that each reachable member has under a name, by host; empty where it has none.
func (m Members) Texts(ctx context.Context, c *Conn, kind ast.Kind, name ast.Name) (map[string]string, error) {
	var (
		table, text, where string
		args               = []any{name.Name}
	)
	switch kind {
	case ast.KindDatabase:
		// The arguments of a Replicated database are macros, which each member prints as they are.
		table, text, where = "system.databases", "engine_full", "name = ?"
	case ast.KindFunction:
		table, text, where = "system.functions", "create_query", "origin = 'SQLUserDefined' AND name = ?"
	default:
		if !kind.IsRelation() {
			return nil, fmt.Errorf("no table of a server's is known that has the %s of each member", kind)
		}
		table, text, where = "system.tables", "create_table_query", "name = ? AND database = ?"
		args = append(args, name.Database)
	}
	// system.one makes a member that lacks the object answer, too.
	query := "SELECT host, max(text) FROM (SELECT hostName() AS host, '' AS text FROM " + m.from("system.one") +
		" UNION ALL SELECT hostName(), " + text + " FROM " + m.from(table) + " WHERE " + where + ") GROUP BY host"
	found := map[string]string{}
	err := m.ask(ctx, c, fmt.Sprintf("the %s %s on every member", kind, name), query, args, func(scan func(...any) error) error {
		var host, text string
		err := scan(&host, &text)
		found[host] = text
		return err
	})
	return found, err
}
