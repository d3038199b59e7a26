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
