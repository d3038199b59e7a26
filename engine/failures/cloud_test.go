package failures_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

// checksums are those of the declared objects as a pass reports them, declared and live, by name.
func checksums(t testing.TB, r engine.Report) map[string][2]string {
	t.Helper()
	found := map[string][2]string{}
	for _, o := range r.Objects {
		if o.Checksum == "" || o.LiveChecksum == "" {
			t.Errorf("%s %s has the checksums %q and %q", o.Kind, o.Name, o.Checksum, o.LiveChecksum)
		}
		found[string(o.Kind)+" "+o.Name] = [2]string{o.Checksum, o.LiveChecksum}
	}
	return found
}

func TestOneSchemaHasTheSameChecksumsOnAServiceOfCloudAndOnAClusterOfOnesOwn(t *testing.T) {
	if os.Getenv("DFE_TEST_CLUSTER_URLS") != "" {
		t.Skip("it compares two clusters")
	}
	t.Parallel()
	own := at(t, 2)
	tree := own.core()
	of := own.pass(engine.Options{Tree: tree})

	started := clustertest.Start(t, cluster.Options{Cloud: true})
	service := &place{TB: t, cluster: started, urls: started.URLs()}
	for i, url := range service.urls {
		r := service.pass(engine.Options{Tree: tree, Target: catalog.Target{URL: url}})
		if r.Platform != "cloud" || i > 0 && r.Summary.Statements != 0 {
			t.Errorf("by way of member %d: platform %s, %+v", i+1, r.Platform, r.Summary)
		}
		if i == 0 {
			if diff := cmp.Diff(checksums(t, of), checksums(t, r)); diff != "" {
				t.Errorf("on a cluster of one's own and on the service:\n%s", diff)
			}
		}
	}
	service.settled(engine.Options{Tree: tree})
	for _, c := range []struct {
		what, query string
		of          *place
		want        string
	}{
		{"engines of a cluster of one's own", "SELECT arraySort(groupUniqArray(extract(engine, '^[A-Z][a-z]+'))) FROM system.tables WHERE database IN ('dfe', 'otel') AND engine LIKE '%MergeTree'", own, "['Replicated']"},
		{"engines of the service", "SELECT arraySort(groupUniqArray(extract(engine, '^[A-Z][a-z]+'))) FROM system.tables WHERE database IN ('dfe', 'otel') AND engine LIKE '%MergeTree'", service, "['Shared']"},
	} {
		if got := c.of.exec(0, c.query); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
