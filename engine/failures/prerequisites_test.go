package failures_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/platform"
)

// everything declares what needs a place that all members share: a function and a named collection.
const everything = `
-- manifest.hcl --
release = "1.0.0"
database "library" {}
table "library.books" { from = "books.hcl" }
function "shelf_of"   { from = "shelf_of.sql" }
named_collection "lender" { from = "lender.sql" }
-- books.hcl --
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = ["isbn"]
-- shelf_of.sql --
CREATE FUNCTION shelf_of AS (isbn) -> left(isbn, 3)
-- lender.sql --
CREATE NAMED COLLECTION lender AS city = 'Delft'
`

// Every one of these makes a schema that looks well on the member that is asked and is another on the next.
func TestWhatAReplicatedSchemaLacksIsRefusedByName(t *testing.T) {
	if os.Getenv("DFE_TEST_CLUSTER_URLS") != "" {
		t.Skip("a real cluster is what it is")
	}
	for _, c := range []struct {
		name string
		o    cluster.Options
		code string
		want []string
	}{
		{"no Keeper", cluster.Options{Without: []string{"keeper"}}, "clickhouse_not_replicated", []string{"no Keeper", "<zookeeper>"}},
		{"no macro {cluster}", cluster.Options{Without: []string{"cluster"}}, "clickhouse_not_replicated", []string{"no macro {cluster}"}},
		{"no macro {shard}", cluster.Options{Without: []string{"shard"}}, "clickhouse_not_replicated", []string{"no macro {shard}"}},
		{"no macro {replica}", cluster.Options{Without: []string{"replica"}}, "clickhouse_not_replicated", []string{"no macro {replica}"}},
		{"no cluster of that name", cluster.Options{Without: []string{"remote_servers"}}, "clickhouse_not_replicated", []string{"no cluster main", "<remote_servers>"}},
		{"users and roles outside Keeper", cluster.Options{AccessOutsideKeeper: true}, "clickhouse_not_replicated", []string{"users and roles in local_directory", "<user_directories>"}},
		{"collections outside Keeper", cluster.Options{CollectionsOutsideKeeper: true}, "clickhouse_not_replicated", []string{"named collections", "named_collections_storage"}},
		{"two shards", cluster.Options{Shards: 2}, "clickhouse_multi_shard", []string{"has 2 shards"}},
		{"all of it", cluster.Options{Without: []string{"keeper", "shard", "replica"}, AccessOutsideKeeper: true, FunctionsOutsideKeeper: true, CollectionsOutsideKeeper: true}, "clickhouse_not_replicated",
			[]string{"no Keeper", "no macro {shard}", "no macro {replica}", "users and roles", "named collections"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stages.turn(t)
			started := clustertest.Start(t, c.o)
			p := &place{TB: t, cluster: started, urls: started.URLs()}
			w := p.wire(0)
			o := engine.Options{Tree: p.tree(everything)}
			o.Target.URL = w.URL
			r, err := p.engine(o).Pass(t.Context())
			var lacks *platform.NotReplicatedError
			var shards *platform.MultiShardError
			if !errors.As(err, &lacks) && !errors.As(err, &shards) || r.State != engine.Failed || r.Code != c.code {
				t.Fatalf("state %s, code %q, error %v", r.State, r.Code, err)
			}
			for _, words := range c.want {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q is not said: %v", words, err)
				}
			}
			// Without a Keeper nothing is in one.
			if lacks != nil && len(lacks.Missing) != 1 && !slices.Contains(c.o.Without, "keeper") {
				t.Errorf("%d things are missing: %q", len(lacks.Missing), lacks.Missing)
			}
			if n := len(w.sent); n != 0 {
				t.Errorf("%d statements were sent", n)
			}
			for i := range p.urls {
				if n := p.number(i, "SELECT count() FROM system.databases WHERE name IN ('dfe', 'library')"); n != 0 {
					t.Errorf("member %d has %d databases", i+1, n)
				}
			}
		})
	}
}

// No server tells where it keeps SQL functions: the first function of a schema shows it, and from then on nothing is sent.
func TestFunctionsThatAreKeptOutsideKeeperAreRefusedByName(t *testing.T) {
	if os.Getenv("DFE_TEST_CLUSTER_URLS") != "" {
		t.Skip("a real cluster is what it is")
	}
	t.Parallel()
	stages.turn(t)
	started := clustertest.Start(t, cluster.Options{FunctionsOutsideKeeper: true})
	p := &place{TB: t, cluster: started, urls: started.URLs()}
	for _, first := range []bool{true, false} {
		w := p.wire(0)
		o := engine.Options{Tree: p.tree(everything), Clock: hurry(), Wait: patience}
		o.Target.URL = w.URL
		r, err := p.engine(o).Pass(t.Context())
		var unshared *executor.NotSharedError
		if !errors.As(err, &unshared) || r.State != engine.Failed || r.Code != "clickhouse_not_replicated" {
			t.Fatalf("state %s, code %q, error %v", r.State, r.Code, err)
		}
		for _, words := range []string{"function shelf_of", "SQL functions", "user_defined_zookeeper_path", started.Member(1).Name()} {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%q is not said: %v", words, err)
			}
		}
		if n := w.count(definition); n > 0 != first {
			t.Errorf("%d statements were sent", n)
		}
		if n := p.number(1, "SELECT count() FROM system.named_collections WHERE name = 'lender'"); n != 0 {
			t.Error("what comes after the function was made")
		}
	}
}

// Where each server has a lease table of its own, two engines that are connected to different ones both have the lease.
func TestBookkeepingThatTheServersDoNotShareIsRefusedByName(t *testing.T) {
	if os.Getenv("DFE_TEST_CLUSTER_URLS") != "" {
		t.Skip("a real cluster has its own")
	}
	t.Parallel()
	stages.turn(t)
	started := clustertest.Start(t, cluster.Options{})
	p := &place{TB: t, cluster: started, urls: started.URLs()}
	columns := "(scope String, epoch UInt64) ENGINE = "
	for _, c := range []struct {
		name  string
		made  []string // on every member
		wants string
	}{
		{"a database that was made by hand", []string{"CREATE DATABASE dfe"}, "the database dfe is Atomic, and each of the cluster's 2 servers has its own"},
		{"a lease table of a single server", []string{"CREATE DATABASE dfe", "CREATE TABLE dfe.schema_lock " + columns + "MergeTree ORDER BY scope"}, "the table dfe.schema_lock is MergeTree"},
		{"a replicated one on its own path", []string{"CREATE DATABASE dfe", "CREATE TABLE dfe.schema_lock " + columns + "ReplicatedMergeTree ORDER BY scope"}, "the database dfe is Atomic"},
	} {
		for i := range p.urls {
			for _, statement := range c.made {
				p.exec(i, statement)
			}
		}
		w := p.wire(0)
		o := engine.Options{Tree: p.tree(everything), Clock: hurry(), Wait: patience}
		o.Target.URL = w.URL
		r, err := p.engine(o).Pass(t.Context())
		var unshared *engine.UnsharedError
		if !errors.As(err, &unshared) || r.State != engine.Failed || r.Code != "clickhouse_not_replicated" || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s: state %s, code %q, error %v", c.name, r.State, r.Code, err)
		}
		if n := len(w.sent); n != 0 {
			t.Errorf("%s: %d statements were sent", c.name, n)
		}
		for i := range p.urls {
			p.exec(i, "DROP DATABASE dfe SYNC")
		}
	}
	// A table in such a database would be on one server, and the next pass would create another one on the next.
	for i := range p.urls {
		p.exec(i, "CREATE DATABASE library")
	}
	for i, url := range p.urls {
		o := engine.Options{Tree: p.tree(everything), Clock: hurry(), Wait: patience}
		o.Target.URL = url
		r, err := p.engine(o).Pass(t.Context())
		if err != nil || r.State != engine.Converged || r.Summary.Refused != 2 {
			t.Errorf("through member %d: state %s, %+v, error %v", i+1, r.State, r.Summary, err)
		}
	}
	for i := range p.urls {
		if n := p.number(i, "SELECT count() FROM system.tables WHERE database = 'library'"); n != 0 {
			t.Errorf("member %d has a table of its own", i+1)
		}
	}
}
