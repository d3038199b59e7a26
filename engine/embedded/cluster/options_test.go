package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

func TestOptionsNobodyCanMeanAreRefused(t *testing.T) {
	for _, c := range []struct {
		options cluster.Options
		want    string
	}{
		{cluster.Options{Members: 10}, "from 1 to 9"},
		{cluster.Options{Shards: 3}, "3 shards of 2 members"},
		{cluster.Options{Cloud: true, Shards: 2}, "one shard"},
		{cluster.Options{Cloud: true, Without: []string{"keeper"}}, "leave nothing out"},
		{cluster.Options{Ports: []int{1}}, "1 ports for 2 members"},
		{cluster.Options{Without: []string{"kepeer"}}, `without "kepeer"`},
		{cluster.Options{SessionTimeout: time.Minute}, "from 1 s to 10 s"},
	} {
		_, err := cluster.Start(t.Context(), c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.want)
		}
	}
}

func TestWithoutJavaThereIsOneClearSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := cluster.Start(t.Context(), cluster.Options{})
	if !errors.Is(err, cluster.ErrNoKeeper) || !strings.Contains(err.Error(), "install a Java 17 runtime") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestWhatIsLeftOutIsNotThere(t *testing.T) {
	for _, c := range []struct{ without, query string }{
		{"keeper", "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper'"},
		{"remote_servers", "SELECT count() FROM system.clusters"},
		{"cluster", "SELECT count() FROM system.macros WHERE macro = 'cluster'"},
		{"shard", "SELECT count() FROM system.macros WHERE macro = 'shard'"},
		{"replica", "SELECT count() FROM system.macros WHERE macro = 'replica'"},
	} {
		t.Run(c.without, func(t *testing.T) {
			url := clustertest.Start(t, cluster.Options{Members: 1, Without: []string{c.without}}).URLs()[0]
			if got := clustertest.Exec(t, url, c.query); got != "0" {
				t.Errorf("%s are there", got)
			}
		})
	}
}

func TestStoragesOutsideKeeperAreToldOf(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{AccessOutsideKeeper: true, CollectionsOutsideKeeper: true, FunctionsOutsideKeeper: true})
	urls := c.URLs()
	const told = "SELECT type FROM system.user_directories ORDER BY precedence DESC LIMIT 1 UNION ALL SELECT value FROM system.server_settings WHERE name = 'named_collections_storage.type'"
	if got := clustertest.Exec(t, urls[0], told); got != "local_directory\nlocal" && got != "local\nlocal_directory" {
		t.Errorf("the server tells of %q", got)
	}
	clustertest.Exec(t, urls[0], "CREATE ROLE r")
	clustertest.Exec(t, urls[0], "CREATE FUNCTION f AS (x) -> x + 1")
	if got := clustertest.Exec(t, urls[1], "SELECT (SELECT count() FROM system.roles), (SELECT count() FROM system.functions WHERE name = 'f')"); got != "0\t0" {
		t.Errorf("the other member has %s", got)
	}
}

func TestShardsHaveTheirOwnReplicas(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Shards: 2})
	urls := c.URLs()
	clustertest.Exec(t, urls[0], "CREATE DATABASE d ON CLUSTER main ENGINE = Replicated('/clickhouse/databases/d', '{shard}', '{replica}')")
	clustertest.Exec(t, urls[0], "CREATE TABLE d.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	clustertest.Exec(t, urls[0], "INSERT INTO d.t VALUES (1)", "async_insert=0")
	if got := clustertest.Exec(t, urls[1], "SELECT count() FROM d.t"); got != "0" {
		t.Errorf("the other shard has %s rows", got)
	}
	if got := clustertest.Exec(t, urls[1], "SELECT groupArray((shard_num, host_name)) FROM (SELECT * FROM system.clusters WHERE cluster = 'main' ORDER BY shard_num)"); got != "[(1,'member1'),(2,'member2')]" {
		t.Errorf("the cluster is %s", got)
	}
}

func TestAServiceOfCloudSharesEverything(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Cloud: true})
	urls := c.URLs()
	clustertest.Exec(t, urls[0], "CREATE DATABASE d")
	clustertest.Exec(t, urls[1], "CREATE TABLE d.t (a UInt8) ENGINE = ReplicatedReplacingMergeTree ORDER BY a")
	clustertest.Exec(t, urls[0], "CREATE TABLE d.u (a UInt8) ENGINE = MergeTree ORDER BY a")
	if got := clustertest.Exec(t, urls[0], "SELECT value FROM system.settings WHERE name = 'cloud_mode'"); got != "1" {
		t.Errorf("cloud_mode is %s", got)
	}
	const shown = "SELECT engine, engine_full FROM system.tables WHERE database = 'd' ORDER BY name FORMAT TSVRaw"
	const want = "SharedReplacingMergeTree\tSharedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY a SETTINGS index_granularity = 8192\n" +
		"SharedMergeTree\tSharedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY a SETTINGS index_granularity = 8192"
	for _, url := range urls {
		if diff := cmp.Diff(want, clustertest.Exec(t, url, shown)); diff != "" {
			t.Error(diff)
		}
		if got := clustertest.Exec(t, url, "SELECT engine FROM system.databases WHERE name = 'd'"); got != "Shared" {
			t.Errorf("the database is %s", got)
		}
	}
	clustertest.Exec(t, urls[0], "INSERT INTO d.t VALUES (1)", "async_insert=0")
	if err := c.Member(0).Kill(); err != nil {
		t.Fatal(err)
	}
	// A sequential read waits for what the service has acknowledged, whoever took it.
	if got := clustertest.Exec(t, urls[1], "SELECT count() FROM d.t", "select_sequential_consistency=1"); got != "1" {
		t.Errorf("%s rows are read", got)
	}
}

func TestADirectoryKeepsItsClusterAndNoOther(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	c, err := cluster.Start(t.Context(), cluster.Options{Members: 1, Dir: dir})
	clustertest.SkipWithoutKeeper(t, err)
	if err != nil {
		t.Fatal(err)
	}
	if !cluster.Holds(dir) || cluster.Holds(filepath.Dir(dir)) {
		t.Error("a cluster's directory is not told from another")
	}
	url := c.URLs()[0]
	clustertest.Exec(t, url, "CREATE DATABASE d ON CLUSTER main ENGINE = Replicated('/clickhouse/databases/d', '{shard}', '{replica}')")
	clustertest.Exec(t, url, "CREATE TABLE d.t (a UInt8) ENGINE = ReplicatedMergeTree ORDER BY a")
	clustertest.Exec(t, url, "INSERT INTO d.t VALUES (7)", "async_insert=0")
	if _, err := cluster.Start(t.Context(), cluster.Options{Members: 1, Dir: dir}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second cluster on the directory: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Start(t.Context(), cluster.Options{Members: 2, Dir: dir}); err == nil || !strings.Contains(err.Error(), "holds another cluster") {
		t.Errorf("another cluster on the directory: %v", err)
	}
	if _, err := cluster.Start(t.Context(), cluster.Options{Members: 1, Dir: filepath.Dir(dir)}); err == nil || !strings.Contains(err.Error(), "no cluster") {
		t.Errorf("a cluster on a directory of something else: %v", err)
	}
	again := clustertest.Start(t, cluster.Options{Members: 1, Dir: dir})
	if got := clustertest.Exec(t, again.URLs()[0], "SELECT a FROM d.t"); got != "7" {
		t.Errorf("the rows are %q", got)
	}
	clustertest.Exec(t, again.URLs()[0], "ALTER TABLE d.t ADD COLUMN b UInt8")
}

func TestAPortThatIsTakenIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	_, err = cluster.Start(t.Context(), cluster.Options{Members: 1, Ports: []int{port}})
	clustertest.SkipWithoutKeeper(t, err)
	if err == nil || !strings.Contains(err.Error(), "member1") || !strings.Contains(err.Error(), "cannot be had") {
		t.Errorf("error %v", err)
	}
}

func TestAMemberThatNeverComesUpIsNamed(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	c, err := cluster.Start(ctx, cluster.Options{Members: 1})
	clustertest.SkipWithoutKeeper(t, err)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Member(0).Kill(); err != nil {
		t.Fatal(err)
	}
	cancel(errors.New("the patience is over"))
	if err := c.Member(0).Start(ctx); err == nil || !strings.Contains(err.Error(), "member1 did not come up: the patience is over") {
		t.Errorf("error %v", err)
	}
}

func TestTheControlRouteDoesWhatTheMethodsDo(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	route := httptest.NewServer(c.Handler())
	defer route.Close()
	send := func(method, path, body string, want int, into any) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, route.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s %s: %s, want %d", method, path, resp.Status, want)
		}
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	var state cluster.State
	send("POST", "/members/member2/kill", "", http.StatusOK, &state)
	if state.Members[1].Running || !state.Members[0].Running || !state.KeeperRunning {
		t.Errorf("the state is %+v", state)
	}
	for how, end := range map[string]string{"kill": "start", "pause": "resume"} {
		send("POST", "/members/member2/"+how, "", http.StatusOK, &state)
		for _, ask := range [][2]string{{"GET", "faults"}, {"DELETE", "faults"}, {"POST", "refuse"}, {"POST", "accept"}} {
			var failed struct{ Error string }
			send(ask[0], "/members/member2/"+ask[1], "", http.StatusConflict, &failed)
			if !strings.Contains(failed.Error, "member2") || !strings.Contains(failed.Error, end+" it first") || strings.Contains(failed.Error, "http") {
				t.Errorf("%s of a member after %s: %s", ask[1], how, failed.Error)
			}
		}
		send("POST", "/members/member2/"+end, "", http.StatusOK, &state)
	}
	send("POST", "/members/member1/faults", `{"what": "fail", "code": 60, "text": "gone", "match": {"text": "SELECT 7"}}`, http.StatusOK, &state)
	if text, code := clustertest.Answer(t, c.URLs()[0], "SELECT 7"); code != "60" {
		t.Errorf("the fault did not happen: %s", text)
	}
	send("POST", "/keeper/stop", "", http.StatusOK, &state)
	if state.KeeperRunning {
		t.Error("ZooKeeper is told to stop, and is said to run")
	}
	send("POST", "/keeper/start", "", http.StatusOK, &state)
	if !state.KeeperRunning {
		t.Error("ZooKeeper is told to start, and is said not to run")
	}
	var fired []cluster.Fired
	send("GET", "/members/member1/faults", "", http.StatusOK, &fired)
	if diff := cmp.Diff([]cluster.Fired{{What: cluster.Fail, Statement: "SELECT 7"}}, fired); diff != "" {
		t.Error(diff)
	}
	var failed struct{ Error string }
	send("POST", "/members/member1/faults", `{"what": "fial"}`, http.StatusBadRequest, &failed)
	if !strings.Contains(failed.Error, "lose_answer") {
		t.Errorf("the error does not say what is possible: %s", failed.Error)
	}
	send("POST", "/members/member1/faults", `{"what": "drop", "mach": {}}`, http.StatusBadRequest, &failed)
	send("POST", "/members/member1/dance", "", http.StatusNotFound, &failed)
	send("POST", "/members/member9/kill", "", http.StatusNotFound, &failed)
	if !strings.Contains(failed.Error, "member1 to member2") {
		t.Errorf("the error does not say which members there are: %s", failed.Error)
	}
	send("GET", "/members/member2/kill", "", http.StatusMethodNotAllowed, &failed)
	send("GET", "/keeper/stop", "", http.StatusMethodNotAllowed, &failed)
	send("GET", "/member/member2", "", http.StatusNotFound, &failed)
}
