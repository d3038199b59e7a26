package cluster_test

import (
	"strconv"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

// BenchmarkAMemberStarts is from the start of its process to its first answers, beside one that runs.
func BenchmarkAMemberStarts(b *testing.B) {
	c := clustertest.Start(b, cluster.Options{Members: 2})
	m := c.Member(1)
	for b.Loop() {
		b.StopTimer()
		if err := m.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := m.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkADefinition is a statement in a Replicated database until both members have carried it out.
func BenchmarkADefinition(b *testing.B) {
	urls := clustertest.Servers(b)
	db := clustertest.Database(b, urls)
	clustertest.Exec(b, urls[0], "CREATE TABLE "+db+".t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	for b.Loop() {
		clustertest.Exec(b, urls[0], "ALTER TABLE "+db+".t COMMENT COLUMN a 'c'")
	}
}

// BenchmarkAnInsertWithAQuorum is one row that both members have.
func BenchmarkAnInsertWithAQuorum(b *testing.B) {
	urls := clustertest.Servers(b)
	db := clustertest.Database(b, urls)
	clustertest.Exec(b, urls[0], "CREATE TABLE "+db+".t (a UInt64) ENGINE = ReplicatedMergeTree ORDER BY a")
	n := 0
	for b.Loop() {
		n++
		clustertest.Exec(b, urls[0], "INSERT INTO "+db+".t SELECT "+strconv.Itoa(n), sequentialInsert("60000")...)
	}
}
