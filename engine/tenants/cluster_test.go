package tenants_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
	"github.com/dfe-engine/dfe/engine/tenants"
)

func TestMain(m *testing.M) { clustertest.Main(m) }

// TestATenantIsKnownToEveryMember applies tenants through one member of a cluster and asks the other.
func TestATenantIsKnownToEveryMember(t *testing.T) {
	members := clustertest.Servers(t)
	// On a real cluster a test is not alone.
	id := "cluster test " + time.Now().Format("150405.000000")
	c, err := tenants.Parse("tenants.hcl", []byte(strings.ReplaceAll("tier \"t\" {\n  hour = { queries = 100 }\n}\norganisation \"ID\" {\n  tier = \"t\"\n  secret_env = \"P\"\n}\n", "ID", id)))
	if err != nil {
		t.Fatal(err)
	}
	o := small(t)
	o.Target, o.Release, o.Wait = catalog.Target{URL: members[0]}, "test", 3*time.Minute
	o.Secret = func(context.Context, string, string) (string, error) { return "a-secret-of-the-test", nil }
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := e.Pass(t.Context()); err != nil {
		t.Fatalf("%v: %+v", err, r.Summary)
	}
	for _, again := range []bool{false, true} {
		r, _, err := e.PassPart(t.Context(), c.Part())
		if err != nil || again && r.Summary.Statements != 0 {
			t.Fatalf("again %t: %v, %+v", again, err, r.Summary)
		}
	}
	user := tenants.User(id)
	for i, member := range members {
		if got := clustertest.Exec(t, member, "SHOW GRANTS FOR "+user); !strings.Contains(got, "GRANT SELECT ON shop.orders TO "+user) || !strings.Contains(got, user+"__reader TO "+user) {
			t.Errorf("member %d: the grants are %s", i, got)
		}
		if got := clustertest.Exec(t, member, "SHOW CREATE ROW POLICY "+user+" ON shop.orders"); !strings.Contains(got, "org_id IN (") {
			t.Errorf("member %d: the policy is %s", i, got)
		}
		if got := clustertest.Exec(t, member, "SHOW CREATE QUOTA "+user); !strings.Contains(got, "queries = 100") {
			t.Errorf("member %d: the quota is %s", i, got)
		}
	}
}
