package cluster_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

// inKeeper is a query for the nodes under a path.
func inKeeper(path string) string {
	return "SELECT groupArray(name) FROM (SELECT name FROM system.zookeeper WHERE path = '" + path + "' ORDER BY name)"
}

func TestWhatAKilledMemberTookFromALogIsDoneOnce(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.exec(0, "INSERT INTO d.t VALUES (1)", "async_insert=0")
	f.exec(1, "SYSTEM SYNC REPLICA d.t")
	for _, sql := range []string{"ALTER TABLE d.t UPDATE b = b + 1 WHERE 1", "CREATE ROLE r", "CREATE DATABASE e ON CLUSTER main ENGINE = Replicated('/clickhouse/databases/e', '{shard}', '{replica}')"} {
		if contains(sql, "UPDATE") {
			f.exec(0, "ALTER TABLE d.t ADD COLUMN b UInt8")
		}
		for killed := range 2 {
			f.must(f.Member(killed).Inject(t.Context(), cluster.Fault{What: cluster.KillAfter, Match: cluster.Match{Log: true, Text: sql[:11]}}))
		}
		clustertest.Answer(t, f.urls[0], sql) // lost with the member
		for killed := range 2 {
			eventually(t, "the member is gone", func() bool { return !f.Member(killed).Running() })
			f.start(killed)
		}
		f.there(0)
	}
	f.exec(0, "SYSTEM SYNC REPLICA d.t")
	f.exec(1, "SYSTEM SYNC REPLICA d.t")
	f.same("SELECT a, b FROM d.t", "1\t1")
	for i := range 2 {
		eventually(t, "the member has the role", func() bool { return f.exec(i, "SELECT count() FROM system.roles WHERE name = 'r'") == "1" })
		eventually(t, "the member has the database", func() bool {
			return f.exec(i, "SELECT count() FROM system.clusters WHERE cluster = 'e' AND is_active") == "2"
		})
	}
	f.exec(1, "DROP ROLE r")
}

func TestALightweightUpdateIsDoneOnceByAMemberThatIsKilledAfterIt(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.exec(0, "CREATE TABLE d.u (a UInt8, b UInt8) ENGINE = ReplicatedMergeTree ORDER BY a SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1")
	f.exec(0, "INSERT INTO d.u VALUES (1, 0)", "async_insert=0")
	f.exec(1, "SYSTEM SYNC REPLICA d.u")
	// The first one leaves a patch, which the second one is told from.
	for range 2 {
		for killed := range 2 {
			f.must(f.Member(killed).Inject(t.Context(), cluster.Fault{What: cluster.KillAfter, Match: cluster.Match{Log: true, Text: "UPDATE d.u"}}))
		}
		clustertest.Answer(t, f.urls[0], "UPDATE d.u SET b = b + 1 WHERE a = 1") // lost with the member
		for killed := range 2 {
			eventually(t, "the member is gone", func() bool { return !f.Member(killed).Running() })
			f.start(killed)
		}
		f.there(0)
	}
	f.exec(0, "SYSTEM SYNC REPLICA d.u")
	f.exec(1, "SYSTEM SYNC REPLICA d.u")
	f.same("SELECT a, b FROM d.u", "1\t2")
}

// TestWhatAKilledProcessLeftOfATableIsNotTheTable leaves the directory as an engine does that is killed in CREATE.
func TestWhatAKilledProcessLeftOfATableIsNotTheTable(t *testing.T) {
	dir := t.TempDir()
	f := newFaulty(t, cluster.Options{Members: 1, Dir: dir})
	const id = "b3d2f6a0-5c1e-4f7a-9d38-6e0c1a2b4f55"
	f.must(os.MkdirAll(filepath.Join(dir, "member1", "data", "store", id[:3], id), 0o700))
	f.exec(0, "CREATE TABLE d.u UUID '"+id+"' (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	f.exec(0, "INSERT INTO d.u VALUES (1)", "async_insert=0")
	f.refused(0, "57", "CREATE TABLE d.u UUID '"+id+"' (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	f.same("SELECT a FROM d.u", "1")
}

func TestATableComesAndGoesWhileZooKeeperIsAway(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	two := f.Member(1)
	for i := range 2 {
		f.exec(i, "CREATE DATABASE p")
	}
	const table = " ENGINE = ReplicatedMergeTree('/tables/{table}', '{replica}') ORDER BY a"
	f.exec(0, "CREATE TABLE p.come (a UInt8)"+table)
	f.exec(0, "CREATE TABLE p.go (a UInt8)"+table)
	f.exec(1, "CREATE TABLE p.go (a UInt8)"+table)
	f.must(two.CutKeeper())
	f.refused(1, "999", "CREATE TABLE p.come (a UInt8)"+table)
	f.refused(1, "999", "DROP TABLE p.go")
	f.must(two.JoinKeeper())
	eventually(t, "the table takes rows", func() bool {
		_, code := clustertest.Answer(t, f.urls[1], "INSERT INTO p.come VALUES (1)", "async_insert=0")
		return code == ""
	})
	f.exec(0, "SYSTEM SYNC REPLICA p.come")
	f.same("SELECT a FROM p.come", "1")
	f.kill(1)
	f.start(1)
	if got := f.exec(0, inKeeper("/tables/go/replicas")); got != "['member1']" {
		t.Errorf("the replicas of a table that one member has dropped are %s", got)
	}
}

func TestADatabaseThatAMemberCannotHaveIsNotWaitedFor(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.exec(1, "CREATE DATABASE e ENGINE = Atomic")
	const create = "CREATE DATABASE e ON CLUSTER main ENGINE = Replicated('/clickhouse/databases/e', '{shard}', '{replica}')"
	f.refused(0, "82", create)
	f.exec(0, "CREATE TABLE e.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a", "distributed_ddl_task_timeout=20")
	f.exec(0, "DROP DATABASE e ON CLUSTER main")
	f.exec(0, create)
	f.same("SELECT count() FROM system.tables WHERE database = 'e'", "0")
}

func TestADatabaseDroppedWhileZooKeeperIsAwayIsNotWaitedFor(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.must(f.Member(1).CutKeeper())
	f.refused(1, "999", "DROP DATABASE d")
	f.must(f.Member(1).JoinKeeper())
	f.kill(1)
	f.start(1)
	if got := f.exec(0, inKeeper("/clickhouse/databases/d/replicas")); got != "['01|member1']" {
		t.Errorf("the replicas of a database that one member has dropped are %s", got)
	}
	f.exec(0, "CREATE TABLE d.u (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a", "distributed_ddl_task_timeout=20")
}

// TestAMemberOutlivesAZooKeeperThatIsAwayWhenAccessObjectsChange is about the engine, which is closed for the change and
// cannot be opened without its ZooKeeper.
func TestAMemberOutlivesAZooKeeperThatIsAwayWhenAccessObjectsChange(t *testing.T) {
	f := newFaulty(t, cluster.Options{Members: 1, AccessOutsideKeeper: true})
	f.exec(0, "CREATE ROLE before")
	f.must(f.StopKeeper())
	if text := f.refused(0, "1002", "CREATE ROLE during"); !contains(text, "which later statements try") {
		t.Errorf("the exception is %s", text)
	}
	f.must(f.StartKeeper(t.Context()))
	eventually(t, "the member answers", func() bool {
		_, code := clustertest.Answer(t, f.urls[0], "SELECT 1")
		return code == ""
	})
	f.exec(0, "CREATE ROLE after")
	f.same("SELECT groupArray(name) FROM (SELECT name FROM system.roles WHERE name IN ('before', 'during', 'after') ORDER BY name)", "['after','before']")
}
