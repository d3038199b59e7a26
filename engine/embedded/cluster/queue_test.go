package cluster_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOnClusterRunsOnEveryHostAndTheQueueTellsOfEach(t *testing.T) {
	s := newStage(t)
	s.exec(0, "CREATE DATABASE DB_plain ON CLUSTER '{cluster}' ENGINE = Atomic", s.in("log_comment=who asked for DB"))
	t.Cleanup(func() { s.exec(0, "DROP DATABASE DB_plain ON CLUSTER '{cluster}' SYNC") })
	s.exec(1, "CREATE TABLE DB_plain.t ON CLUSTER '{cluster}' (a UInt8) ENGINE = MergeTree ORDER BY a")
	s.same("SELECT count() FROM system.tables WHERE database = 'DB_plain' AND name = 't'", "1")
	s.same("SELECT status, count(), any(exception_code) FROM system.distributed_ddl_queue WHERE settings['log_comment'] = 'who asked for DB' GROUP BY status", "Finished\t2\t0")
	text := s.refused(1, "57", "CREATE TABLE DB_plain.t ON CLUSTER '{cluster}' (a UInt8) ENGINE = MergeTree ORDER BY a")
	if !strings.Contains(text, "There was an error on [") {
		t.Errorf("the answer does not name the host: %s", text)
	}
	s.same("SELECT DISTINCT exception_code FROM system.distributed_ddl_queue WHERE exception_code != 0 AND query LIKE '%DB\\_plain.t%'", "57")
}

func TestTheAnswerOfADistributedStatementFollowsTheOutputMode(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		mode string
		want []string
	}{
		{"throw", []string{"shard", "replica", "status", "num_hosts_remaining", "num_hosts_active"}},
		{"throw_only_active", []string{"shard", "replica", "status", "num_hosts_remaining", "num_hosts_active"}},
		{"never_throw", []string{"shard", "replica", "status", "num_hosts_remaining", "num_hosts_active"}},
		{"none", nil},
	} {
		head, _, _ := strings.Cut(s.exec(0, "CREATE TABLE DB."+c.mode+" (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a FORMAT TSVWithNames", "distributed_ddl_output_mode="+c.mode), "\n")
		var got []string
		if head != "" {
			got = strings.Split(head, "\t")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.mode, diff)
		}
	}
}

func TestOnClusterInsideAReplicatedDatabaseIsRefused(t *testing.T) {
	s := newStage(t)
	s.refused(0, "80", "CREATE TABLE DB.t ON CLUSTER '{cluster}' (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	s.refused(0, "701", "CREATE DATABASE DB_other ON CLUSTER nowhere")
}
