package sources_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

func TestMain(m *testing.M) { clustertest.Main(m) }

// TestTwoDeploysAtOnceThroughTwoMembersEndAsOneOnBoth deploys one source from two processes at once, each connected to
// another member of a cluster.
func TestTwoDeploysAtOnceThroughTwoMembersEndAsOneOnBoth(t *testing.T) {
	members := clustertest.Servers(t)
	// A database of organisations has the name of the test's run: on a real cluster it is not alone.
	text := strings.Replace(web, `"acme"`, `"cluster test `+time.Now().Format("150405.000000")+`"`, 1)
	database := parse(t, text).Database()
	reports := make([]engine.Report, 2)
	var wg sync.WaitGroup
	for i := range reports {
		e, err := engine.New(engine.Options{Target: catalog.Target{URL: members[i%len(members)]}, Release: "test", Wait: 3 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		part := parse(t, text).Part()
		wg.Go(func() {
			r, _, err := e.PassPart(t.Context(), part)
			if err != nil || r.State != engine.Converged {
				t.Errorf("member %d: %s, %v", i, r.State, err)
			}
			reports[i] = r
		})
	}
	wg.Wait()
	if applied := reports[0].Summary.Applied + reports[1].Summary.Applied; applied != 5 {
		t.Errorf("%d objects were applied, of 5: %+v, %+v", applied, reports[0].Summary, reports[1].Summary)
	}
	for i, member := range members {
		if got := clustertest.Exec(t, member, "SELECT count() FROM system.tables WHERE database = '"+database+"'"); got != "4" {
			t.Errorf("member %d has %s of 4 tables and views", i, got)
		}
		if got := clustertest.Exec(t, member, "SELECT engine FROM system.tables WHERE database = '"+database+"' AND name = 'webx2daccess'"); got != "ReplicatedMergeTree" {
			t.Errorf("member %d: the engine is %s", i, got)
		}
		if got := clustertest.Exec(t, member, "SELECT count() FROM dfe.schema_migrations WHERE scope = 'source' AND startsWith(name, '"+database+"')"); got != "5" {
			t.Errorf("member %d: the ledger has %s rows of 5", i, got)
		}
	}
}

// TestDeploysAndAPassAtOnceThroughDifferentMembersAllTakeEffect deploys two sources of one organisation, one of them with
// two configs at once, while another engine makes the schema true at boot; each has its own connection to a member.
func TestDeploysAndAPassAtOnceThroughDifferentMembersAllTakeEffect(t *testing.T) {
	members := clustertest.Servers(t)
	one := strings.Replace(web, `"acme"`, `"cluster test `+time.Now().Format("150405.000000")+`"`, 1)
	database := parse(t, one).Database()
	configs := []string{
		one + "column \"first\" { type = \"String\" }\n",
		one + "column \"second\" { type = \"String\" }\n",
		strings.Replace(one, `"web-access"`, `"mail"`, 1),
	}
	engines := make([]*engine.Engine, len(configs)+1)
	for i := range engines {
		e, err := engine.New(engine.Options{Target: catalog.Target{URL: members[i%len(members)]}, Release: "test", Wait: 5 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		engines[i] = e
	}
	var wg sync.WaitGroup
	for i, config := range configs {
		part := parse(t, config).Part()
		wg.Go(func() {
			if r, _, err := engines[i].PassPart(t.Context(), part); err != nil || r.State != engine.Converged {
				t.Errorf("deploy %d: %s, %v", i, r.State, err)
			}
		})
	}
	wg.Go(func() {
		if r, err := engines[len(configs)].Pass(t.Context()); err != nil || r.State != engine.Converged {
			t.Errorf("the pass: %s, %v", r.State, err)
		}
	})
	wg.Wait()
	for i, member := range members {
		if got := clustertest.Exec(t, member, "SELECT groupArray(name) FROM (SELECT name FROM system.columns WHERE database = '"+database+"' AND table = 'webx2daccess' AND name IN ('first', 'second') ORDER BY name)"); got != "['first','second']" {
			t.Errorf("member %d has the columns %s", i, got)
		}
		if got := clustertest.Exec(t, member, "SELECT count() FROM system.tables WHERE database = '"+database+"'"); got != "8" {
			t.Errorf("member %d has %s of 8 tables and views", i, got)
		}
	}
	// Whichever of the two configs came last, the newest deploy says what the views show.
	r, _, err := engines[0].PassPart(t.Context(), parse(t, configs[0]).Part())
	if err != nil || r.State != engine.Converged || r.Summary.Refused > 0 {
		t.Errorf("again: %s, %v", r.State, err)
	}
}
