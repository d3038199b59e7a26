package cluster_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

// stage is a Replicated database on two members, of a real cluster or of ours.
type stage struct {
	testing.TB
	urls []string
	db   string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	urls := clustertest.Servers(t)
	return &stage{t, urls, clustertest.Database(t, urls)}
}

// in puts the database's name where a text says DB.
func (s *stage) in(sql string) string { return strings.ReplaceAll(sql, "DB", s.db) }

func (s *stage) exec(member int, sql string, settings ...string) string {
	s.Helper()
	return clustertest.Exec(s, s.urls[member], s.in(sql), settings...)
}

// refused wants a statement to be answered with an exception.
func (s *stage) refused(member int, code, sql string, settings ...string) string {
	s.Helper()
	text, got := clustertest.Answer(s, s.urls[member], s.in(sql), settings...)
	if got != code {
		s.Errorf("%s is answered with %q %s, want the code %s", sql, got, text, code)
	}
	return text
}

// same wants both members to answer a query alike, and with this.
func (s *stage) same(sql, want string) {
	s.Helper()
	for i := range s.urls {
		if diff := cmp.Diff(s.in(want), s.exec(i, sql)); diff != "" {
			s.Errorf("member %d answers %s with\n%s", i+1, sql, diff)
		}
	}
}

// sequentialInsert are the settings of an INSERT whose rows a sequential read has to see.
func sequentialInsert(timeout string) []string {
	return []string{"async_insert=0", "insert_quorum=auto", "insert_quorum_parallel=0", "insert_quorum_timeout=" + timeout}
}

func TestAStatementInAReplicatedDatabaseReachesEveryMember(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.exec(1, "ALTER TABLE DB.t ADD COLUMN b String DEFAULT 'x'")
	s.exec(0, "CREATE VIEW DB.v AS SELECT b FROM DB.t")
	s.exec(1, "CREATE OR REPLACE VIEW DB.v AS SELECT a, b FROM DB.t")
	s.exec(1, "CREATE TABLE DB.u (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.exec(0, "RENAME TABLE DB.u TO DB.w")
	s.exec(0, "CREATE TABLE DB.x (a UInt8) ENGINE = MergeTree ORDER BY a")
	s.exec(1, "DROP TABLE DB.x")
	const read = "SELECT uuid, name, engine, create_table_query FROM system.tables WHERE database = 'DB' ORDER BY name"
	s.same(read, s.exec(0, read))
	s.same("SELECT groupArray(name) FROM (SELECT name FROM system.tables WHERE database = 'DB' ORDER BY name)", "['t','v','w']")
	if got := s.exec(0, "SELECT count() FROM system.columns WHERE database = 'DB' AND table = 'v'"); got != "2" {
		t.Errorf("the view has %s columns", got)
	}
}

func TestAStatementThatFailsWhereItIsAskedReachesNobody(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.refused(1, "15", "ALTER TABLE DB.t ADD COLUMN a String")
	s.refused(0, "57", "CREATE TABLE DB.t (b UInt8) ENGINE = ReplicatedMergeTree ORDER BY b")
	s.exec(1, "ALTER TABLE DB.t ADD COLUMN b String")
	s.same("SELECT groupArray(name) FROM system.columns WHERE database = 'DB' AND table = 't'", "['a','b']")
}

func TestReplicatedTablesAreShownAsSuch(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.plain (a UInt8 COMMENT 'not an ENGINE = MergeTree') ENGINE = ReplicatedMergeTree ORDER BY a COMMENT 'ENGINE = MergeTree'")
	s.exec(0, "CREATE TABLE DB.version (a UInt8, v UInt64) ENGINE = ReplicatedReplacingMergeTree(v) ORDER BY a SETTINGS index_granularity = 1024")
	s.exec(0, "CREATE TABLE DB.local (a UInt8) ENGINE = MergeTree ORDER BY a")
	s.exec(0, "ALTER TABLE DB.plain MODIFY SETTING merge_with_ttl_timeout = 7200")
	const path = "'/clickhouse/tables/{uuid}/{shard}', '{replica}'"
	s.same("SELECT engine_full FROM system.tables WHERE database = 'DB' ORDER BY name FORMAT TSVRaw", fmt.Sprintf(
		"MergeTree ORDER BY a SETTINGS index_granularity = 8192\n"+
			"ReplicatedMergeTree(%[1]s) ORDER BY a SETTINGS index_granularity = 8192, merge_with_ttl_timeout = 7200\n"+
			"ReplicatedReplacingMergeTree(%[1]s, v) ORDER BY a SETTINGS index_granularity = 1024", path))
	s.same("SELECT groupArray(engine) FROM (SELECT engine FROM system.tables WHERE database = 'DB' ORDER BY name)", "['MergeTree','ReplicatedMergeTree','ReplicatedReplacingMergeTree']")
	s.same("SHOW CREATE TABLE DB.plain FORMAT TSVRaw", "CREATE TABLE DB.plain\n(\n    `a` UInt8 COMMENT 'not an ENGINE = MergeTree'\n)\n"+
		"ENGINE = ReplicatedMergeTree("+path+")\nORDER BY a\nSETTINGS index_granularity = 8192, merge_with_ttl_timeout = 7200\nCOMMENT 'ENGINE = MergeTree'")
	s.same("SELECT engine, engine_full FROM system.databases WHERE name = 'DB' FORMAT TSVRaw", "Replicated\tReplicated('/clickhouse/databases/DB', '{shard}', '{replica}')")
	s.same("SELECT table, engine, total_replicas, active_replicas, is_readonly FROM system.replicas WHERE database = 'DB' ORDER BY table",
		fmt.Sprintf("plain\tReplicatedMergeTree\t%[1]d\t%[1]d\t0\nversion\tReplicatedReplacingMergeTree\t%[1]d\t%[1]d\t0", len(s.urls)))
}

func TestRowsReachEveryMemberOnceAndAlike(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8, at DateTime64(6) DEFAULT now64(6), b String MATERIALIZED toString(a)) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.exec(0, "INSERT INTO DB.t (a) VALUES (1), (2)", "async_insert=0")
	s.exec(1, "INSERT INTO DB.t (a, at) SELECT 3, 0", "async_insert=0")
	s.exec(0, "INSERT INTO DB.t (a, at) FORMAT JSONEachRow {\"a\": 3, \"at\": \"1970-01-01 00:00:00\"}", "async_insert=0") // the same block
	s.exec(0, "SYSTEM SYNC REPLICA DB.t")
	s.exec(1, "SYSTEM SYNC REPLICA DB.t")
	const read = "SELECT a, at, b FROM DB.t ORDER BY a"
	s.same(read, s.exec(0, read))
	s.same("SELECT groupArray(a), groupArray(b) FROM (SELECT a, b FROM DB.t ORDER BY a)", "[1,2,3]\t['1','2','3']")
}

func TestWhatAMaterializedViewWritesReachesEveryMember(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.exec(0, "CREATE MATERIALIZED VIEW DB.sum (a UInt8, n UInt64) ENGINE = ReplicatedSummingMergeTree ORDER BY a AS SELECT a, count() AS n FROM DB.t GROUP BY a")
	s.exec(0, "INSERT INTO DB.t VALUES (1), (1), (2)", "async_insert=0")
	inner := s.exec(1, "SELECT name FROM system.tables WHERE database = 'DB' AND name LIKE '.inner%' FORMAT TSVRaw")
	s.exec(1, "SYSTEM SYNC REPLICA DB.`"+inner+"`")
	s.same("SELECT a, sum(n) FROM DB.sum GROUP BY a ORDER BY a", "1\t2\n2\t1")
	const read = "SELECT name, uuid, engine, create_table_query FROM system.tables WHERE database = 'DB' ORDER BY name FORMAT TSVRaw"
	shown := s.exec(1, read)
	s.same(read, shown)
	if !strings.Contains(shown, "ENGINE = ReplicatedSummingMergeTree") {
		t.Errorf("the view and its table are shown as\n%s", shown)
	}
}

func TestStatementsThatChangeRowsReachEveryMember(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8, p UInt8) ENGINE = ReplicatedMergeTree PARTITION BY p ORDER BY a")
	s.exec(0, "INSERT INTO DB.t VALUES (1, 1), (2, 1), (3, 2), (4, 3)", "async_insert=0")
	s.exec(0, "ALTER TABLE DB.t DELETE WHERE a = 1", "mutations_sync=2")
	s.exec(0, "ALTER TABLE DB.t DROP PARTITION 2", "alter_sync=2")
	s.exec(1, "SYSTEM SYNC REPLICA DB.t")
	s.same("SELECT groupArray(a) FROM (SELECT a FROM DB.t ORDER BY a)", "[2,4]")
	s.refused(0, "47", "ALTER TABLE DB.t DELETE WHERE nothing = 1", "mutations_sync=2")
	s.exec(0, "TRUNCATE TABLE DB.t")
	s.exec(1, "SYSTEM SYNC REPLICA DB.t")
	s.same("SELECT count() FROM DB.t", "0")
}

func TestARowThatBreaksAConstraintIsNobodys(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8, e UInt8 EPHEMERAL 3, d UInt8 DEFAULT e, CONSTRAINT small CHECK a < 10) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.refused(0, "469", "INSERT INTO DB.t (a) VALUES (20)", "async_insert=0")
	s.exec(1, "INSERT INTO DB.t (a, e) VALUES (2, 7)", "async_insert=0")
	s.exec(0, "SYSTEM SYNC REPLICA DB.t")
	s.same("SELECT a, d FROM DB.t", "2\t7")
}

func TestADefinitionMayBeLong(t *testing.T) {
	s := newStage(t)
	var columns strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&columns, ", column_with_a_rather_long_name_of_its_own_to_fill_the_statement_%d UInt8", i)
	}
	sql := "CREATE TABLE DB.t (a UInt8" + columns.String() + ") ENGINE = ReplicatedMergeTree ORDER BY a"
	s.exec(0, sql, "max_query_size=4000000", "max_ast_elements=1000000", "max_expanded_ast_elements=1000000")
	s.same("SELECT count() FROM system.columns WHERE database = 'DB' AND table = 't'", "20001")
	s.same("SELECT length(engine_full) > 40 FROM system.tables WHERE database = 'DB' AND name = 't'", "1")
}

func TestARequestByGETChangesNothing(t *testing.T) {
	s := newStage(t)
	for _, sql := range []string{"CREATE TABLE DB.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a", "DROP DATABASE DB", "CREATE ROLE DB_r"} {
		resp, err := http.Get(s.urls[0] + "/?query=" + url.QueryEscape(s.in(sql)))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if code := resp.Header.Get("X-ClickHouse-Exception-Code"); code != "164" {
			t.Errorf("%s is answered with %q", sql, code)
		}
	}
}
