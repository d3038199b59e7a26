package executor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
)

// A library has neither members nor Keeper. The tests of this file put tables of the same columns in place of what it
// lacks: every query is the product's own and runs on the real engine, only the name of the system table in it is
// another. hostName() becomes the column that says which member the row is of.
var (
	everywhere = regexp.MustCompile(`clusterAllReplicas\('main', system\.(\w+)\)`)
	ownKeeper  = regexp.MustCompile(`FROM system\.(distributed_ddl_queue|clusters)\b`)
)

// standIn creates the tables of a cluster main of two members, a and b, and sends the questions about it to them.
func (b *bench) standIn(t *testing.T) {
	t.Helper()
	for _, sql := range []string{
		"CREATE TABLE %s.one (host String) ENGINE = Memory",
		"INSERT INTO %s.one VALUES ('a'), ('b')",
		"CREATE TABLE %s.other_tables (host String, database String, name String, create_table_query String) ENGINE = Memory",
		"CREATE VIEW %[1]s.tables AS SELECT 'a' AS host, database, name, create_table_query FROM system.tables UNION ALL SELECT * FROM %[1]s.other_tables",
		"CREATE TABLE %s.processes (host String, query_id String, Settings Map(String, String), elapsed Float64) ENGINE = Memory",
		"CREATE TABLE %s.clusters AS system.clusters ENGINE = Memory",
		"INSERT INTO %s.clusters (cluster, host_name, is_local) VALUES ('main', 'a', 1), ('main', 'b', 1)",
		"CREATE TABLE %s.distributed_ddl_queue AS system.distributed_ddl_queue ENGINE = Memory",
	} {
		b.exec(t, fmt.Sprintf(sql, b.db))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rewrite = func(sql string) string {
		sql = strings.ReplaceAll(ownKeeper.ReplaceAllString(sql, "FROM "+b.db+".$1"), "hostName()", "host")
		return everywhere.ReplaceAllString(sql, b.db+".$1")
	}
}

// rewritten is the request with its query as the line rewrites it.
func (l *line) rewritten(r *http.Request) *http.Request {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if text := string(body); strings.HasPrefix(text, "SELECT") {
		body = []byte(l.rewrite(text))
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

func (b *bench) insert(t *testing.T, sql string) {
	t.Helper()
	b.exec(t, fmt.Sprintf("INSERT INTO %s."+sql, b.db))
}

var main = catalog.Members{Cluster: "main"}

func TestAppliedMeansSeenOnEveryMemberThatAnswers(t *testing.T) {
	for _, c := range []struct {
		what   string
		others string // rows of member b
		gone   bool   // b does not answer
		behind bool
	}{
		{"the same on both", "('b', 'DB', 't', 'TEXT')", false, false},
		{"the same in other words", "('b', 'DB', 't', 'CREATE TABLE DB.t (a UInt8) ENGINE = MergeTree ORDER BY (a) SETTINGS index_granularity = 8192')", false, false},
		{"another column on the second", "('b', 'DB', 't', 'CREATE TABLE DB.t (a UInt8, b UInt8) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 8192')", false, true},
		{"another on the second", "('b', 'DB', 't', 'CREATE TABLE t')", false, true},
		{"none on the second", "", false, true},
		{"the second is away", "", true, false},
	} {
		b := setUp(t, executor.Options{Members: main, Attempts: 3})
		b.standIn(t)
		text := fmt.Sprintf("CREATE TABLE %s.t (`a` UInt8) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 8192", b.db)
		if c.others != "" {
			b.insert(t, "other_tables VALUES "+strings.NewReplacer("DB", b.db, "TEXT", text).Replace(c.others))
		}
		if c.gone {
			b.exec(t, "TRUNCATE TABLE "+b.db+".one")
			b.insert(t, "one VALUES ('a')")
		}
		_, err := b.x.Apply(t.Context(), b.statement(t, create, "`a` UInt8"))
		var unseen *executor.NotSeenError
		if got := errors.As(err, &unseen); got != c.behind || !got && err != nil || got && !strings.Contains(unseen.Missing, "on b its definition") {
			t.Errorf("%s: error %v", c.what, err)
		}
	}
}

func TestQuietMeansThatNoMemberHasAStatementOfAnotherPassUnderWay(t *testing.T) {
	other := executor.Comment{By: "dfe", Scope: "schema", Pass: "p0", Object: "table x.y", Statement: "dfe-schema-p0-4"}.String()
	own := executor.Comment{By: "dfe", Scope: "schema", Pass: "p1", Object: "table x.y", Statement: "dfe-schema-p1-4"}.String()
	queued := func(host, comment, status, age string) string {
		return fmt.Sprintf("distributed_ddl_queue (entry, cluster, host, settings, status, query_create_time) VALUES ('query-0000000042', 'main', '%s', map('log_comment', '%s'), '%s', now() - %s)", host, comment, status, age)
	}
	for _, c := range []struct {
		what   string
		insert string
		want   string // what is named; "" for quiet
	}{
		{"nothing", "", ""},
		{"a statement of this pass", "processes VALUES ('b', 'q', map('log_comment', '" + own + "'), 2)", ""},
		{"a statement of somebody else", "processes VALUES ('b', 'q', map('log_comment', 'backup'), 2)", ""},
		{"a statement on another member", "processes VALUES ('b', 'q-7', map('log_comment', '" + other + "'), 2)", "b runs one for table x.y of pass p0 for 2s (query id q-7)"},
		{"one not begun", queued("b", other, "Inactive", "5"), "b has one for table x.y of pass p0 in its queue (query-0000000042)"},
		{"one at work", queued("b", other, "Active", "5"), "b has one for table x.y of pass p0 in its queue"},
		{"one that is finished", queued("b", other, "Finished", "5"), ""},
		{"one of a member that is away", queued("c", other, "Inactive", "5"), ""},
		{"one of a member that has been away for long", queued("c", other, "Inactive", "90000"), ""},
		{"one of somebody else, still young", queued("b", "", "Active", "5"), ""},
		{"a member behind a database's log", "clusters (cluster, database_replica_name, is_active, replication_lag) VALUES ('otel', 'b', 1, 3)", "the member b is 3 entries behind the log of the database otel"},
		{"a member that is away behind it", "clusters (cluster, database_replica_name, is_active, replication_lag) VALUES ('otel', 'b', 0, 3)", ""},
		{"the log of another database", "clusters (cluster, database_replica_name, is_active, replication_lag) VALUES ('foreign', 'b', 1, 3)", ""},
	} {
		b := setUp(t, executor.Options{Members: main})
		b.standIn(t)
		if c.insert != "" {
			b.insert(t, c.insert)
		}
		err := b.x.Quiet(t.Context(), []string{"otel"}, 2*time.Second)
		var busy *executor.BusyError
		if got := errors.As(err, &busy); got != (c.want != "") || !got && err != nil || got && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// TestAQueueStuckAtItsHeadIsNamed is case S99.
func TestAQueueStuckAtItsHeadIsNamed(t *testing.T) {
	b := setUp(t, executor.Options{Members: main})
	b.standIn(t)
	b.insert(t, "distributed_ddl_queue (entry, cluster, host, status, query_create_time, exception_code, exception_text) VALUES ('query-0000000041', 'main', 'b', 'Active', now() - 3600, 341, 'Mutation is not finished'), ('query-0000000042', 'main', 'b', 'Inactive', now(), NULL, NULL)")
	words := []string{"stuck on b", "query-0000000041", "1h0m", "code 341: Mutation is not finished", "Keeper"}
	for what, err := range map[string]error{
		"before the first statement": b.x.Quiet(t.Context(), nil, time.Hour),
		"after a statement that timed out": func() error {
			b.cut = func(_ int, _ http.Handler, w http.ResponseWriter, _ *http.Request) {
				answer(w, 159, "Distributed DDL task is not finished on 1 of 2 hosts. (TIMEOUT_EXCEEDED)")
			}
			_, err := b.x.Apply(t.Context(), b.statement(t, create, "`a` UInt8"))
			return err
		}(),
	} {
		if !executor.IsStuck(err) {
			t.Errorf("%s: error %v, want a *StuckQueueError", what, err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", what, err, w)
			}
		}
	}
}

func TestATimeoutOfTheDistributedWaitIsWaitedOutInTheQueue(t *testing.T) {
	b := setUp(t, executor.Options{Members: main})
	b.standIn(t)
	b.insert(t, "other_tables VALUES ('b', '"+b.db+"', 't', concat('CREATE TABLE "+b.db+".t (`a` UInt8) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 8192'))")
	statement := b.statement(t, create, "`a` UInt8")
	b.cut = func(_ int, _ http.Handler, w http.ResponseWriter, _ *http.Request) {
		comment := executor.Comment{By: "dfe", Scope: "schema", Pass: "p1", Object: statement.Object(), Statement: "dfe-schema-p1-1"}.String()
		b.insert(t, "distributed_ddl_queue (entry, cluster, host, settings, status, query_create_time) VALUES ('query-0000000001', 'main', 'a', map('log_comment', '"+comment+"'), 'Active', now())")
		answer(w, 159, "Distributed DDL task is not finished on 1 of 2 hosts. (TIMEOUT_EXCEEDED)")
	}
	looks := 0
	b.pause(func(context.Context, time.Duration) error {
		if looks++; looks == 3 {
			b.exec(t, statement.SQL)
			b.exec(t, "TRUNCATE TABLE "+b.db+".distributed_ddl_queue")
		}
		return nil
	})
	result, err := b.x.Apply(t.Context(), statement)
	if err != nil || result.Attempts != 1 || looks != 3 {
		t.Errorf("%d attempts, %d looks, error %v; want 1, 3 and none", result.Attempts, looks, err)
	}
}

func TestEveryMemberIsAskedForItsDatabases(t *testing.T) {
	b := setUp(t, executor.Options{})
	b.standIn(t)
	b.exec(t, "CREATE TABLE "+b.db+".databases (host String, name String) ENGINE = Memory")
	b.insert(t, "databases VALUES ('a', 'otel'), ('a', 'dfe'), ('b', 'dfe'), ('b', 'system')")
	got, err := main.Databases(t.Context(), b.conn)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"a": {"dfe", "otel"}, "b": {"dfe"}}, got); diff != "" {
		t.Error(diff)
	}
}
