package cluster_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

func TestRowsComeAfterTheStatementThatWasThereFirst(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.exec(0, "INSERT INTO d.t VALUES (1)", "async_insert=0")
	f.exec(1, "SYSTEM SYNC REPLICA d.t")
	f.must(f.Member(0).Inject(t.Context(), cluster.Fault{What: cluster.Delay, DelayMS: 60_000, Match: cluster.Match{Log: true, Kind: "ALTER"}}))
	var under sync.WaitGroup
	queued := func(n string) {
		eventually(t, n+" entries wait", func() bool {
			return f.exec(0, "SELECT queue_size FROM system.replicas WHERE table = 't'") == n
		})
	}
	under.Go(func() { f.exec(0, "ALTER TABLE d.t DELETE WHERE 1") })
	queued("1")
	under.Go(func() { f.exec(1, "INSERT INTO d.t VALUES (2)", "async_insert=0") })
	queued("2")
	if got := f.exec(1, "SELECT groupArray(a) FROM d.t"); got != "[1]" {
		t.Errorf("before the statement the rows are %s", got)
	}
	f.must(f.Member(0).Lift(t.Context()))
	under.Wait()
	f.exec(0, "SYSTEM SYNC REPLICA d.t")
	f.same("SELECT groupArray(a) FROM d.t", "[2]")
}

func TestEqualRowsAfterTRUNCATEAreNewOnes(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	for range 2 {
		s.exec(0, "INSERT INTO DB.t VALUES (1)", "async_insert=0")
		s.exec(0, "INSERT INTO DB.t VALUES (1)", "async_insert=0")
		s.exec(1, "SYSTEM SYNC REPLICA DB.t")
		s.same("SELECT count() FROM DB.t", "1")
		s.exec(0, "TRUNCATE TABLE DB.t")
	}
}

func TestAnINSERTDoesNotNoticeThatAccessObjectsChange(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE TABLE DB.t (a UInt64) ENGINE = ReplicatedMergeTree ORDER BY a")
	var both sync.WaitGroup
	both.Go(func() {
		for range 5 {
			s.exec(0, "CREATE ROLE DB_r")
			s.exec(0, "DROP ROLE DB_r")
		}
	})
	const rows = 40
	for from := range 4 {
		both.Go(func() {
			for n := from; n < rows; n += 4 {
				s.exec(0, fmt.Sprintf("INSERT INTO DB.t SELECT %d", n), "async_insert=0")
			}
		})
	}
	both.Wait()
	s.exec(1, "SYSTEM SYNC REPLICA DB.t")
	s.same("SELECT count() FROM DB.t", fmt.Sprint(rows))
}

func TestADatabaseThatIsMadeAndDroppedByManyAtOnceIsOne(t *testing.T) {
	f := newFaulty(t, cluster.Options{Members: 1})
	const create = "CREATE DATABASE IF NOT EXISTS e ENGINE = Replicated('/clickhouse/databases/e', '{shard}', '{replica}')"
	many := func(sql ...string) {
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() { f.exec(0, sql[n%len(sql)]) })
		}
		all.Wait()
	}
	many(create)
	many("DROP DATABASE IF EXISTS e")
	many(create, "DROP DATABASE IF EXISTS e")
	many(create)
	f.kill(0)
	f.start(0)
	f.exec(0, "CREATE TABLE e.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	f.same("SELECT engine FROM system.databases WHERE name = 'e'", "Replicated")
}

func TestARepeatedINSERTWaitsForTheQuorumOfTheFirst(t *testing.T) {
	f := newFaulty(t, cluster.Options{SessionTimeout: 10_000_000_000})
	f.exec(0, "INSERT INTO d.t VALUES (1)", sequentialInsert("5000")...)
	f.kill(1)
	for _, parallel := range []string{"0", "1"} {
		settings := []string{"async_insert=0", "insert_quorum=2", "insert_quorum_parallel=" + parallel, "insert_quorum_timeout=300"}
		sql := "INSERT INTO d.t VALUES (2" + parallel + ")"
		for range 2 {
			if text, code := clustertest.Answer(t, f.urls[0], sql, settings...); code != "319" && code != "286" {
				t.Errorf("%s with parallel = %s is answered with %q %s", sql, parallel, code, text)
			}
		}
	}
}
