package cluster_test

import (
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

// replicatedDatabase makes a database on both members.
const replicatedDatabase = "CREATE DATABASE d ON CLUSTER '{cluster}' ENGINE = Replicated('/clickhouse/databases/d', '{shard}', '{replica}')"

func TestAStatementInAReplicatedDatabaseReachesEveryMember(t *testing.T) {
	urls := clustertest.Servers(t)
	clustertest.Exec(t, urls[0], replicatedDatabase)
	clustertest.Exec(t, urls[0], "CREATE TABLE d.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	clustertest.Exec(t, urls[1], "ALTER TABLE d.t ADD COLUMN b String DEFAULT 'x'")
	const read = "SELECT uuid, engine, create_table_query FROM system.tables WHERE database = 'd' AND name = 't'"
	if one, other := clustertest.Exec(t, urls[0], read), clustertest.Exec(t, urls[1], read); one != other {
		t.Errorf("one member has\n%s\nand the other\n%s", one, other)
	}
}
