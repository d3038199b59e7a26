package cluster_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

func TestEveryMemberIsAskedAndSaysItsOwnName(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8) ENGINE = MergeTree ORDER BY a") // its rows are each member's own
	s.exec(0, "INSERT INTO DB.t VALUES (1)", "async_insert=0")
	s.exec(1, "INSERT INTO DB.t VALUES (2), (3)", "async_insert=0")
	const all = "clusterAllReplicas('{cluster}', "
	s.same("SELECT groupArray(n) FROM (SELECT hostName() AS host, count() AS n FROM "+all+"DB.t) GROUP BY host ORDER BY n)", "[1,2]")
	s.same("SELECT uniqExact(hostName()), sum(a) FROM "+all+"DB, t)", "2\t6")
	s.same("SELECT count() FROM (SELECT hostName() AS h, '' AS text FROM "+all+"system.one) UNION ALL SELECT hostName(), create_table_query FROM "+all+"system.tables) WHERE database = 'DB' AND name = 't') WHERE text != ''", "2")
	s.same("SELECT count() FROM "+all+"system.clusters) WHERE is_local AND cluster = (SELECT substitution FROM system.macros WHERE macro = 'cluster')", "2")
	s.same("SELECT count(DISTINCT h) FROM (SELECT hostName() AS h FROM "+all+"system.tables) AS x WHERE x.database = 'DB')", "2")
	s.same("SELECT max(a) FROM "+all+"DB.t) WHERE a IN (SELECT toUInt8(2))", "2")
	if one, other := s.exec(0, "SELECT hostName()"), s.exec(1, "SELECT hostName()"); one == other {
		t.Errorf("both members are %s", one)
	}
	if got := s.exec(0, "SELECT hostName(), 1 FORMAT TSVWithNames"); got[:len("hostName()\t1\n")] != "hostName()\t1\n" {
		t.Errorf("the columns are named otherwise: %s", got)
	}
	s.refused(0, "701", "SELECT 1 FROM clusterAllReplicas('nowhere', system.one)")
}

func TestTheServerSaysHowItIsConfigured(t *testing.T) {
	s := newStage(t)
	s.same("SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper'", "1")
	s.same("SELECT type FROM system.user_directories ORDER BY precedence LIMIT 1 OFFSET 1", "replicated")
	s.same("SELECT count() > 0 FROM system.zookeeper WHERE path = '/clickhouse/databases'", "1")
	s.same("SELECT count(), countIf(is_active), sum(replication_lag) FROM system.clusters WHERE cluster = 'DB'", "2\t2\t0")
	s.same("SELECT count() FROM system.macros WHERE macro IN ('cluster', 'shard', 'replica')", "3")
}

func TestAccessObjectsAreEveryMembers(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE ROLE DB_reader")
	t.Cleanup(func() { s.exec(0, "DROP ROLE DB_reader") })
	s.exec(0, "GRANT SELECT ON DB.* TO DB_reader")
	awaited := func() bool {
		text, code := clustertest.Answer(t, s.urls[1], s.in("SHOW GRANTS FOR DB_reader"))
		return code == "" && text == s.in("GRANT SELECT ON DB.* TO DB_reader")
	}
	eventually(t, "the other member has the role and its grant", awaited)
	s.exec(1, "CREATE TABLE DB.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.same("SELECT engine FROM system.tables WHERE database = 'DB'", "ReplicatedMergeTree")
}

// TestDefinitionsOfDatabasesAndAccessObjectsDoNotHoldEachOtherUp makes them on every member at once.
func TestDefinitionsOfDatabasesAndAccessObjectsDoNotHoldEachOtherUp(t *testing.T) {
	s, other := newStage(t), newStage(t)
	var making sync.WaitGroup
	for n := range 12 {
		making.Go(func() {
			s.exec(n%2, fmt.Sprintf("CREATE TABLE DB.t%d (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a", n))
			other.exec(1-n%2, fmt.Sprintf("CREATE TABLE DB.t%d (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a", n))
		})
	}
	making.Go(func() {
		for range 6 {
			s.exec(0, "CREATE ROLE DB_reader")
			s.exec(1, "DROP ROLE IF EXISTS DB_reader")
		}
		s.exec(0, "DROP ROLE IF EXISTS DB_reader")
	})
	making.Wait()
	for _, of := range []*stage{s, other} {
		of.same("SELECT count() FROM system.tables WHERE database = 'DB' AND engine = 'ReplicatedMergeTree'", "12")
	}
}

// TestWhatTheStageCannotDoIsRefusedByName is about ours alone: a server does all of it.
func TestWhatTheStageCannotDoIsRefusedByName(t *testing.T) {
	url := clustertest.Start(t, cluster.Options{Members: 1}).URLs()[0]
	clustertest.Exec(t, url, "CREATE TABLE default.t (a UInt8) ENGINE = MergeTree ORDER BY a")
	clustertest.Exec(t, url, "CREATE DATABASE r ENGINE = Replicated('/clickhouse/databases/r', '{shard}', '{replica}')")
	for _, sql := range []string{
		"SELECT * FROM remote('127.0.0.1', system.one)",
		"SELECT * FROM cluster('main', system.one)",
		"SELECT getMacro('replica') FROM clusterAllReplicas('main', system.one)",
		"SELECT * FROM information_schema.tables",
		"SELECT * FROM system.replication_queue",
		"SYSTEM DROP REPLICA 'x'",
		"SYSTEM FLUSH DISTRIBUTED default.t ON CLUSTER main",
		"CREATE ROLE x ON CLUSTER main",
		"CREATE FUNCTION f ON CLUSTER main AS (x) -> x",
		"CREATE TABLE default.d (a UInt8) ENGINE = Distributed(main, default, t)",
		"CREATE TABLE default.u AS default.t",
		"DETACH TABLE default.t",
		"CREATE MATERIALIZED VIEW default.m REFRESH EVERY 1 DAY (a UInt8) ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a",
		"ALTER TABLE default.t MODIFY SETTING non_replicated_deduplication_window = 0",
		"CREATE VIEW default.v AS SELECT name FROM system.tables",
		"BACKUP TABLE default.t TO Disk('x', 'y')",
		"ALTER TABLE default.t ON CLUSTER main DELETE WHERE a = 1",
		"RENAME TABLE default.t TO r.t",
		"RENAME TABLE r.t TO default.u",
		"RENAME r.t TO r.u",
		"CREATE INDEX i ON r.t (a) TYPE minmax",
		"DROP INDEX i ON r.t",
		"TRUNCATE DATABASE r",
		"TRUNCATE ALL TABLES FROM r",
		"SHOW FULL TABLES FROM r",
		"SELECT engine FROM merge('system', '^tables$')",
	} {
		if text, code := clustertest.Answer(t, url, sql); code != "48" {
			t.Errorf("%s is answered with %q: %s", sql, code, text)
		}
	}
	if got := clustertest.Exec(t, url, "EXISTS TABLE system.zookeeper"); got != "1" {
		t.Errorf("system.zookeeper is there: %s", got)
	}
	if text, code := clustertest.Answer(t, url, "DROP r.t"); code != "62" {
		t.Errorf("what is no statement is answered with %q: %s", code, text)
	}
	if text, code := clustertest.Answer(t, url, "SELECT * FROM _dfe_stage.tables"); code != "81" {
		t.Errorf("the stage's own database is there: %q: %s", code, text)
	}
	for _, sql := range []string{"SHOW DATABASES", "SELECT name FROM system.databases", "SELECT database FROM system.tables", "SELECT query FROM system.processes"} {
		if text := clustertest.Exec(t, url, sql); contains(text, "_dfe") || contains(text, "1234567891") {
			t.Errorf("%s shows the stage: %s", sql, text)
		}
	}
}
