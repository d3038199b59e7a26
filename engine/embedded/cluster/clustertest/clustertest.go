// Package clustertest gives tests a cluster of real ClickHouse members around a real ZooKeeper. A test package that uses
// it runs its tests through Main, because the members are processes of its own binary:
//
//	func TestMain(m *testing.M) { clustertest.Main(m) }
package clustertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

// urlsVariable names the members of a real cluster to test against, separated by commas.
const urlsVariable = "DFE_TEST_CLUSTER_URLS"

// shared is the cluster of this test binary, which Main closes.
var shared struct {
	sync.Mutex
	cluster *cluster.Cluster
	err     error
	asked   bool
}

// Main runs the tests, or what the members of a test's cluster are, and exits. Tests may use embeddedtest beside it.
func Main(m *testing.M) {
	cluster.Run()
	embeddedtest.Main(tests{m})
}

// tests are those of a binary, and the end of the cluster that they share.
type tests struct{ *testing.M }

func (t tests) Run() int {
	code := t.M.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster == nil {
		return code
	}
	if err := shared.cluster.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// Start starts a cluster for one test and ends it with the test. Where no ZooKeeper is to be had the test is skipped, and
// fails where the variable CI is set.
func Start(t testing.TB, o cluster.Options) *cluster.Cluster {
	t.Helper()
	if o.Progress == nil {
		o.Progress = os.Stderr
	}
	c, err := cluster.Start(t.Context(), o)
	unavailable(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			for _, m := range c.Members() {
				t.Logf("%s printed last:\n%s", m.Name(), m.Log())
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Servers are the members of a cluster of two replicas: those of the real one that DFE_TEST_CLUSTER_URLS names, or of one
// of ours that the whole test binary shares. A test that needs faults uses [Start].
func Servers(t testing.TB) []string {
	t.Helper()
	if given := os.Getenv(urlsVariable); given != "" {
		return strings.Split(given, ",")
	}
	shared.Lock()
	defer shared.Unlock()
	if !shared.asked {
		shared.asked = true
		shared.cluster, shared.err = cluster.Start(context.WithoutCancel(t.Context()), cluster.Options{Progress: os.Stderr})
	}
	unavailable(t, shared.err)
	return shared.cluster.URLs()
}

// SkipWithoutKeeper skips a test where a cluster could not be started because no ZooKeeper is to be had, unless the
// variable CI is set.
func SkipWithoutKeeper(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, cluster.ErrNoKeeper) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
}

// unavailable ends a test that has no cluster.
func unavailable(t testing.TB, err error) {
	t.Helper()
	SkipWithoutKeeper(t, err)
	if err != nil {
		t.Fatal(err)
	}
}

// Database makes a Replicated database on every member for one test and returns its name. It is dropped when the test ends.
func Database(t testing.TB, servers []string) string {
	t.Helper()
	var id [6]byte
	_, _ = rand.Read(id[:]) // crypto/rand does not fail
	name := "test_" + hex.EncodeToString(id[:])
	Exec(t, servers[0], fmt.Sprintf("CREATE DATABASE %[1]s ON CLUSTER '{cluster}' ENGINE = Replicated('/clickhouse/databases/%[1]s', '{shard}', '{replica}')", name))
	t.Cleanup(func() {
		Answer(t, servers[0], "DROP DATABASE IF EXISTS "+name+" ON CLUSTER '{cluster}' SYNC", "distributed_ddl_task_timeout=20")
	})
	return name
}

// Answer is what a member answers to a statement; settings go into the URL.
func Answer(t testing.TB, server, sql string, settings ...string) (text string, code string) {
	t.Helper()
	// Longer than any statement of a test is meant to take.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	at, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	values := at.Query()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		values.Set(name, value)
	}
	at.RawQuery = values.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error(), "lost"
	}
	data, err := io.ReadAll(resp.Body)
	if cerr := resp.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err.Error(), "lost"
	}
	return strings.TrimSpace(string(data)), resp.Header.Get("X-ClickHouse-Exception-Code")
}

// Exec runs a statement that has to succeed and returns its result.
func Exec(t testing.TB, server, sql string, settings ...string) string {
	t.Helper()
	text, code := Answer(t, server, sql, settings...)
	if code != "" {
		t.Fatalf("%s: %s", sql, text)
	}
	return text
}
