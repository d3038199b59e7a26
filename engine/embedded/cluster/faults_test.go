package cluster_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// eventually waits for something that other processes do.
func eventually(t testing.TB, what string, yes func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !yes() {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to be that %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// faulty is a cluster of our own with a replicated table on each member.
type faulty struct {
	*stage
	*cluster.Cluster
}

func newFaulty(t testing.TB, o cluster.Options) *faulty {
	t.Helper()
	c := clustertest.Start(t, o)
	f := &faulty{&stage{t, c.URLs(), "d"}, c}
	f.exec(0, "CREATE DATABASE d ON CLUSTER '{cluster}' ENGINE = Replicated('/clickhouse/databases/d', '{shard}', '{replica}')")
	f.exec(0, "CREATE TABLE d.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	return f
}

func (f *faulty) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *faulty) kill(i int)  { f.Helper(); f.must(f.Member(i).Kill()) }
func (f *faulty) start(i int) { f.Helper(); f.must(f.Member(i).Start(f.Context())) }

// gone waits until ZooKeeper has given a member up.
func (f *faulty) gone(from int) {
	f.Helper()
	eventually(f, "a member counts as gone", func() bool {
		return f.exec(from, "SELECT countIf(NOT is_active) FROM system.clusters WHERE cluster = 'd'") == "1"
	})
}

func (f *faulty) there(from int) {
	f.Helper()
	eventually(f, "all members are active and have the whole log", func() bool {
		return f.exec(from, "SELECT countIf(NOT is_active) + sum(replication_lag) FROM system.clusters WHERE cluster = 'd'") == "0"
	})
}

func TestAQuorumNeedsItsReplicas(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.exec(0, "INSERT INTO d.t VALUES (1)", sequentialInsert("5000")...)
	f.refused(0, "2", "INSERT INTO d.t VALUES (9)", "insert_quorum=auto", "insert_quorum_parallel=0", "async_insert=1")
	f.kill(1)
	// ZooKeeper still takes the member for alive: the row waits for it in vain, and holds up what comes after.
	f.refused(0, "319", "INSERT INTO d.t VALUES (2)", sequentialInsert("300")...)
	f.refused(0, "286", "INSERT INTO d.t VALUES (3)", sequentialInsert("300")...)
	if got := f.exec(0, "SELECT groupArray(a) FROM d.t", "select_sequential_consistency=1"); got != "[1]" {
		t.Errorf("a sequential read sees a row without its quorum: %s", got)
	}
	f.gone(0)
	f.refused(0, "285", "INSERT INTO d.t VALUES (4)", sequentialInsert("300")...)
	f.start(1)
	eventually(t, "the row has its quorum", func() bool {
		text, code := clustertest.Answer(t, f.urls[0], "INSERT INTO d.t VALUES (5)", sequentialInsert("5000")...)
		return code == "" && text == ""
	})
	// The stage shows a row once it has its quorum, which the other member hears of a moment later.
	eventually(t, "both members show the row", func() bool {
		const rows = "SELECT groupArray(a) FROM (SELECT a FROM d.t ORDER BY a)"
		return f.exec(0, rows) == "[1,2,5]" && f.exec(1, rows) == "[1,2,5]"
	})
}

func TestAReplicaOutsideTheQuorumSaysSo(t *testing.T) {
	f := newFaulty(t, cluster.Options{Members: 3})
	f.exec(0, "INSERT INTO d.t VALUES (1)", sequentialInsert("5000")...)
	// Two of three make the quorum: the third has the row a moment later.
	eventually(t, "the third member has the row", func() bool { return f.exec(2, "SELECT count() FROM d.t") == "1" })
	f.must(f.Member(2).CutKeeper())
	f.exec(0, "INSERT INTO d.t VALUES (2)", sequentialInsert("5000")...)
	f.refused(2, "999", "SELECT a FROM d.t", "select_sequential_consistency=1")
	f.refused(2, "242", "INSERT INTO d.t VALUES (3)", "async_insert=0")
	if got := f.exec(2, "SELECT groupArray(a) FROM d.t"); got != "[1]" {
		t.Errorf("a member without ZooKeeper reads %s", got)
	}
	f.must(f.Member(2).JoinKeeper())
	eventually(t, "the member is in the quorum again", func() bool {
		text, _ := clustertest.Answer(t, f.urls[2], "SELECT count() FROM d.t", "select_sequential_consistency=1")
		return text == "2"
	})
}

func TestAMemberThatWasDownCatchesUp(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.kill(1)
	f.gone(0)
	text := f.exec(0, "ALTER TABLE d.t ADD COLUMN b String DEFAULT 'b'", "distributed_ddl_output_mode=throw_only_active")
	if want := "01\tmember1\tOK\t1\t0\n01\tmember2\tQUEUED\t1\t0"; text != want {
		t.Errorf("the answer is\n%s\nwant\n%s", text, want)
	}
	f.refused(0, "159", "ALTER TABLE d.t ADD COLUMN c String", "distributed_ddl_task_timeout=1")
	f.exec(0, "INSERT INTO d.t (a) VALUES (1)", "async_insert=0")
	f.exec(0, "ALTER TABLE d.t DROP COLUMN c", "distributed_ddl_output_mode=none_only_active")
	f.exec(0, "CREATE ROLE r")
	f.start(1)
	f.there(0)
	f.exec(1, "SYSTEM SYNC REPLICA d.t")
	f.same("SELECT a, b FROM d.t", "1\tb")
	f.same("SELECT groupArray(name) FROM system.columns WHERE database = 'd' AND table = 't'", "['a','b']")
	eventually(t, "it has the role", func() bool { return f.exec(1, "SELECT count() FROM system.roles WHERE name = 'r'") == "1" })
}

func TestAMemberKilledInAStatementEndsWithIt(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	for i, c := range []struct {
		what  cluster.What
		sql   string
		there bool
	}{
		{cluster.KillAfter, "ALTER TABLE d.t ADD COLUMN after String", true},
		{cluster.KillBefore, "ALTER TABLE d.t ADD COLUMN before String", false},
		{cluster.KillAfter, "CREATE TABLE d.after (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a", true},
		{cluster.KillAfter, "INSERT INTO d.t (a) VALUES (1)", true},
		{cluster.KillAfter, "DROP TABLE d.after", true},
	} {
		asked := i % 2
		f.must(f.Member(asked).Inject(t.Context(), cluster.Fault{What: c.what, Match: cluster.Match{Text: strings.TrimSuffix(c.sql, " VALUES (1)")}}))
		f.refused(asked, "lost", c.sql)
		eventually(t, "the member is gone", func() bool { return !f.Member(asked).Running() })
		f.start(asked)
		f.there(1 - asked)
	}
	f.exec(0, "SYSTEM SYNC REPLICA d.t")
	f.exec(1, "SYSTEM SYNC REPLICA d.t")
	f.same("SELECT groupArray(name) FROM system.columns WHERE database = 'd' AND table = 't'", "['a','after']")
	f.same("SELECT count() FROM d.t", "1")
	f.same("SELECT groupArray(name) FROM system.tables WHERE database = 'd'", "['t']")
}

func TestFaultsHappenToTheStatementsTheyMatch(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	one := f.Member(0)
	inject := func(fault cluster.Fault) { t.Helper(); f.must(one.Inject(t.Context(), fault)) }

	inject(cluster.Fault{What: cluster.LoseAnswer, Match: cluster.Match{Kind: "alter", Nth: 2}})
	f.exec(0, "ALTER TABLE d.t ADD COLUMN b UInt8")
	f.refused(0, "lost", "ALTER TABLE d.t ADD COLUMN c UInt8")
	inject(cluster.Fault{What: cluster.Drop, Match: cluster.Match{Comment: "mine"}})
	f.refused(0, "lost", "ALTER TABLE d.t ADD COLUMN d UInt8", "log_comment=this is mine")
	inject(cluster.Fault{What: cluster.Fail, Code: 241, Text: "no memory", Match: cluster.Match{Text: "COLUMN e"}})
	if text := f.refused(0, "241", "ALTER TABLE d.t ADD COLUMN e UInt8"); !contains(text, "no memory. (MEMORY_LIMIT_EXCEEDED)") {
		t.Errorf("the exception is %s", text)
	}
	f.same("SELECT groupArray(name) FROM system.columns WHERE database = 'd' AND table = 't'", "['a','b','c']")

	inject(cluster.Fault{What: cluster.Delay, DelayMS: 60_000, Match: cluster.Match{Text: "SELECT 'held'"}})
	answered := make(chan string, 1)
	go func() {
		text, _ := clustertest.Answer(t, f.urls[0], "SELECT 'held'", "log_comment=waits")
		answered <- text
	}()
	eventually(t, "the held statement is seen among the processes", func() bool {
		return f.exec(1, "SELECT count() FROM clusterAllReplicas('main', system.processes) WHERE Settings['log_comment'] = 'waits'") == "1"
	})
	f.must(one.Lift(t.Context()))
	if text := <-answered; text != "held" {
		t.Errorf("the held statement ends with %q", text)
	}
	fired, err := one.Fired(t.Context())
	f.must(err)
	var what []cluster.What
	for _, x := range fired {
		what = append(what, x.What)
	}
	if diff := cmp.Diff([]cluster.What{cluster.LoseAnswer, cluster.Drop, cluster.Fail, cluster.Delay}, what); diff != "" {
		t.Error(diff)
	}

	f.must(one.Refuse(t.Context()))
	f.refused(0, "lost", "SELECT 1")
	if got := f.exec(1, "SELECT count() FROM clusterAllReplicas('main', system.one)"); got != "2" {
		t.Errorf("the others reach %s members", got)
	}
	f.must(one.Accept(t.Context()))
	f.exec(0, "SELECT 1")
}

func TestAMemberThatHangsIsLeftOut(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.must(f.Member(1).Pause())
	f.refused(0, "279", "SELECT hostName() FROM clusterAllReplicas('main', system.one)")
	if got := f.exec(0, "SELECT hostName() FROM clusterAllReplicas('main', system.one)", "skip_unavailable_shards=1"); got != "member1" {
		t.Errorf("the members that answer are %s", got)
	}
	f.gone(0)
	f.exec(0, "ALTER TABLE d.t ADD COLUMN b UInt8", "distributed_ddl_output_mode=throw_only_active")
	f.must(f.Member(1).Resume())
	f.there(0)
	f.same("SELECT groupArray(name) FROM system.columns WHERE database = 'd' AND table = 't'", "['a','b']")
}

func TestWithoutZooKeeperNothingIsReplicatedAndRowsAreRead(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.exec(0, "INSERT INTO d.t VALUES (1)", "async_insert=0")
	f.there(0)
	f.must(f.StopKeeper())
	eventually(t, "the members know", func() bool {
		_, code := clustertest.Answer(t, f.urls[0], "INSERT INTO d.t VALUES (2)", "async_insert=0")
		return code == "242"
	})
	f.refused(0, "999", "ALTER TABLE d.t ADD COLUMN b UInt8")
	if got := f.exec(0, "SELECT count(), countIf(is_active IS NULL), any(host_name) != '' FROM system.clusters WHERE cluster = 'd'"); got != "2\t2\t1" {
		t.Errorf("the cluster of the database is not shown as it is known: %s", got)
	}
	if text, code := clustertest.Answer(t, f.urls[0], "SELECT count() FROM system.distributed_ddl_queue"); code != "999" || contains(text, "http://") {
		t.Errorf("the queue that nobody can read is answered with %q: %s", code, text)
	}
	if got := f.exec(0, "SELECT count() FROM d.t"); got != "1" {
		t.Errorf("%s rows are read", got)
	}
	f.must(f.StartKeeper(t.Context()))
	eventually(t, "rows are taken again", func() bool {
		_, code := clustertest.Answer(t, f.urls[0], "INSERT INTO d.t VALUES (3)", "async_insert=0")
		return code == ""
	})
	f.there(0)
	f.exec(1, "SYSTEM SYNC REPLICA d.t")
	f.same("SELECT groupArray(a) FROM (SELECT a FROM d.t ORDER BY a)", "[1,3]")
}

func TestAMemberAwayForLongerThanTheQueueKeepsMissesADatabase(t *testing.T) {
	f := newFaulty(t, cluster.Options{TaskMaxLifetime: time.Second})
	f.kill(1)
	f.gone(0)
	f.exec(0, "CREATE DATABASE e ON CLUSTER main ENGINE = Replicated('/clickhouse/databases/e', '{shard}', '{replica}')", "distributed_ddl_output_mode=none_only_active")
	eventually(t, "the entry's time is over", func() bool {
		return f.exec(0, "SELECT count() FROM system.distributed_ddl_queue WHERE query LIKE '%CREATE DATABASE e %'") == "0"
	})
	f.start(1)
	f.there(0)
	if got := f.exec(1, "SELECT count() FROM system.databases WHERE name = 'e'"); got != "0" {
		t.Error("the member has the database all the same")
	}
}

func TestAFaultMayHappenToWhatAMemberCarriesOutFromALog(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	two := f.Member(1)
	f.must(two.Inject(t.Context(), cluster.Fault{What: cluster.Delay, DelayMS: 60_000, Match: cluster.Match{Log: true, Text: "COLUMN slow"}}))
	f.refused(0, "159", "ALTER TABLE d.t ADD COLUMN slow UInt8", "distributed_ddl_task_timeout=1", "log_comment=slow one")
	if got := f.exec(0, "SELECT hostName(), Settings['log_comment'] FROM clusterAllReplicas('main', system.processes) WHERE Settings['log_comment'] = 'slow one'"); got != "member2\tslow one" {
		t.Errorf("what runs is %q", got)
	}
	if got := f.exec(0, "SELECT host_name, replication_lag FROM system.clusters WHERE cluster = 'd' AND replication_lag > 0"); got != "member2\t1" {
		t.Errorf("behind is %q", got)
	}
	f.must(two.Lift(t.Context()))
	f.there(0)
	f.must(two.Inject(t.Context(), cluster.Fault{What: cluster.Fail, Code: 241, Text: "no memory", Match: cluster.Match{Log: true, Kind: "CREATE"}}))
	text := f.refused(0, "241", "CREATE DATABASE e ON CLUSTER main ENGINE = Atomic")
	if !contains(text, "There was an error on [member2:9000]") {
		t.Errorf("the answer is %s", text)
	}
	f.same("SELECT groupArray((host, exception_code)) FROM (SELECT host, exception_code FROM system.distributed_ddl_queue WHERE query LIKE 'CREATE DATABASE e%' ORDER BY host)", "[('member1',0),('member2',241)]")
	f.must(two.Inject(t.Context(), cluster.Fault{What: cluster.KillAfter, Match: cluster.Match{Log: true, Text: "COLUMN last"}}))
	f.exec(0, "ALTER TABLE d.t ADD COLUMN last UInt8", "distributed_ddl_output_mode=none_only_active")
	eventually(t, "the member is gone", func() bool { return !two.Running() })
	f.start(1)
	f.there(0)
	f.same("SELECT groupArray(name) FROM system.columns WHERE database = 'd' AND table = 't'", "['a','slow','last']")
}

func TestAMemberThatIsStoppedFinishesWhatRuns(t *testing.T) {
	f := newFaulty(t, cluster.Options{})
	f.must(f.Member(0).Inject(t.Context(), cluster.Fault{What: cluster.Delay, DelayMS: 2000, Match: cluster.Match{Log: true, Kind: "ALTER"}}))
	type answer struct{ text, code string }
	answered := make(chan answer, 1)
	go func() {
		text, code := clustertest.Answer(t, f.urls[0], "ALTER TABLE d.t ADD COLUMN b UInt8")
		answered <- answer{text, code}
	}()
	eventually(t, "the statement is at work", func() bool {
		return f.exec(0, "SELECT count() FROM system.processes WHERE query_id LIKE 'ddl-%'") == "1"
	})
	f.must(f.Member(0).Stop())
	if got := <-answered; got.code != "" {
		t.Errorf("the statement is answered with %q: %s", got.code, got.text)
	}
	f.start(0)
	f.there(0)
	f.same("SELECT groupArray(name) FROM system.columns WHERE database = 'd' AND table = 't'", "['a','b']")
}

func TestAStatementGoesOnWhenItsClientHasLeft(t *testing.T) {
	f := newFaulty(t, cluster.Options{Members: 1})
	f.must(f.Member(0).Inject(t.Context(), cluster.Fault{What: cluster.Delay, DelayMS: 60_000, Match: cluster.Match{Kind: "ALTER"}}))
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.urls[0], strings.NewReader("ALTER TABLE d.t ADD COLUMN b UInt8"))
	f.must(err)
	left := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		left <- err
	}()
	running := func() string { return f.exec(0, "SELECT count() FROM system.processes WHERE query LIKE 'ALTER%'") }
	eventually(t, "the statement is held", func() bool { return running() == "1" })
	leave()
	if err := <-left; err == nil {
		t.Error("it was answered")
	}
	if got := running(); got != "1" {
		t.Errorf("%s statements run without their client", got)
	}
	f.must(f.Member(0).Lift(t.Context()))
	eventually(t, "it has done its work", func() bool {
		return f.exec(0, "SELECT count() FROM system.columns WHERE database = 'd' AND table = 't'") == "2"
	})
}
