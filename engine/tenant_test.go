package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/tenants"
)

// shared is a tree with a table whose rows belong to organisations.
const shared = `
-- manifest.hcl --
release = "1.0"
database "DB" {}
table "DB.orders" { from = "orders.hcl" }
-- orders.hcl --
column "org_id" { type = "String" }
engine   = "MergeTree"
order_by = "org_id"
`

// estate is a yard for tenants, whose ids are of the test's own.
type estate struct{ *yard }

func newEstate(t testing.TB) *estate {
	t.Helper()
	y := newYard(t)
	y.tree(shared)
	y.Engine = y.engine(engine.Options{Wait: time.Minute, Secret: func(_ context.Context, source, name string) (string, error) {
		if name == "MISSING" {
			return "", fmt.Errorf("%s %s is not there", source, name)
		}
		return "geheim-" + name, nil
	}})
	if _, err := y.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &estate{y}
}

// apply applies a config in which DB is in every id.
func (e *estate) apply(config string) (engine.Report, error) {
	e.Helper()
	c, err := tenants.Parse("tenants.hcl", []byte(e.in(config)))
	if err != nil {
		e.Fatal(err)
	}
	r, _, err := e.PassPart(e.Context(), c.Part())
	return r, err
}

// grants are the rights of a user or role, in the server's words.
func (e *estate) grants(name string) []string {
	return e.column("SHOW GRANTS FOR " + ast.QuoteIdent(e.in(name)))
}

const twoTenants = `
tier "small" {
  hour = { queries = 100 }
}
organisation "DB_a" {
  tier       = "small"
  secret_env = "A"
}
group "DB_g" {
  tier          = "small"
  organisations = ["DB_a"]
  secret_env    = "G"
}
`

func TestTenantsAreAppliedRecordedAndAssertedEachTime(t *testing.T) {
	e := newEstate(t)
	r, err := e.apply(twoTenants)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"database org_DB_a: applied, create", "role group_DB_g__reader: applied, create", "role org_DB_a__reader: applied, create",
		"user group_DB_g: applied, create", "user org_DB_a: applied, create",
		"row_policy group_DB_g ON DB.orders: applied, create", "row_policy org_DB_a ON DB.orders: applied, create",
		"grant group_DB_g__shared: applied, create", "grant org_DB_a__shared: applied, create",
		"quota group_DB_g: applied, create", "quota org_DB_a: applied, create",
	}
	for i := range want {
		want[i] = e.in(want[i])
	}
	if diff := cmp.Diff(want, did(r)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string][]string{
		"org_DB_a":         {"GRANT SELECT ON DB.orders TO org_DB_a", "GRANT org_DB_a__reader TO org_DB_a"},
		"org_DB_a__reader": {"GRANT SELECT ON org_DB_a.* TO org_DB_a__reader"},
	} {
		for i := range want {
			want[i] = e.in(want[i])
		}
		if diff := cmp.Diff(want, e.grants(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := e.column(e.in("SHOW CREATE ROW POLICY org_DB_a ON DB.orders")); len(got) != 1 || !strings.Contains(got[0], e.in("org_id IN ('DB_a')")) {
		t.Errorf("the policy is %q", got)
	}
	if got := e.column(e.in("SHOW CREATE QUOTA org_DB_a")); len(got) != 1 || !strings.Contains(got[0], "queries = 100") {
		t.Errorf("the quota is %q", got)
	}
	e.exec("REVOKE SELECT ON DB.orders FROM org_DB_a")
	e.exec("GRANT INSERT ON DB.orders TO org_DB_a__reader")
	again, err := e.apply(strings.Replace(twoTenants, "queries = 100", "queries = 200", 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := e.grants("org_DB_a"); len(got) != 2 {
		t.Errorf("the right was not granted again: %q", got)
	}
	if got := e.grants("org_DB_a__reader"); len(got) != 1 {
		t.Errorf("the right beyond was not taken away: %q", got)
	}
	if got := e.column(e.in("SHOW CREATE QUOTA org_DB_a")); len(got) != 1 || !strings.Contains(got[0], "queries = 200") {
		t.Errorf("the quota is %q", got)
	}
	if again.Summary.Reasserted == 0 || again.Summary.Failed > 0 {
		t.Errorf("again: %+v", again.Summary)
	}
	// The pass of the schema knows whose the policies on its table are.
	pass, err := e.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range pass.Objects {
		if o.Outcome == engine.Undeclared {
			t.Errorf("the pass says of %s %s: %s", o.Kind, o.Name, o.Action)
		}
	}
	status, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range status.Objects {
		if o.Scope == string(ledger.ScopeTenant) && o.Live != engine.Matches && o.Kind != ast.KindGrant {
			t.Errorf("status says of %s %s: %s", o.Kind, o.Name, o.Live)
		}
	}
}

func TestATenantThatIsTakenOutIsReportedAndKeepsItsLimits(t *testing.T) {
	e := newEstate(t)
	if _, err := e.apply(twoTenants); err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(twoTenants, "group")
	r, err := e.apply(before)
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, o := range r.Objects {
		if o.Outcome == engine.Undeclared {
			reported = append(reported, string(o.Kind)+" "+strings.ReplaceAll(o.Name, e.db, "DB")+": "+o.Action)
		}
	}
	want := []string{"quota group_DB_g: report", "user group_DB_g: report", "row_policy group_DB_g ON DB.orders: report", "role group_DB_g__reader: report", "grant group_DB_g__shared: report"}
	if diff := cmp.Diff(want, reported); diff != "" || r.State != engine.Converged {
		t.Errorf("%s: %s", r.State, diff)
	}
	if got := e.column(e.in("SHOW CREATE QUOTA group_DB_g")); len(got) != 1 || !strings.Contains(got[0], e.in("TO group_DB_g")) {
		t.Errorf("the quota of the user is %q", got)
	}
}

func TestATenantWhoseUserCannotBeMadeStopsNoOther(t *testing.T) {
	e := newEstate(t)
	r, err := e.apply(strings.Replace(twoTenants, `secret_env    = "G"`, `secret_env    = "MISSING"`, 1))
	if err == nil || r.State != engine.Failed {
		t.Errorf("%s, %v", r.State, err)
	}
	var lost []string
	for _, o := range r.Objects {
		if o.Outcome == ledger.Failed || o.Outcome == ledger.Blocked {
			lost = append(lost, string(o.Kind)+" "+strings.ReplaceAll(o.Name, e.db, "DB")+": "+string(o.Outcome))
		}
	}
	want := []string{"user group_DB_g: failed", "row_policy group_DB_g ON DB.orders: blocked", "grant group_DB_g__shared: blocked", "quota group_DB_g: blocked"}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Error(diff)
	}
	for _, row := range e.column("SELECT concat(statement, error, decisions) FROM dfe.schema_migrations") {
		if strings.Contains(row, "geheim") {
			t.Errorf("the ledger holds a password: %s", row)
		}
	}
}

func TestADatabaseThatASourceMadeIsNotAdoptedByTheTenantsNorTheOtherWayAround(t *testing.T) {
	e := newEstate(t)
	e.deploy(strings.Replace(web, "acme", e.in("DB_a"), 1))
	r, err := e.apply(twoTenants)
	if err != nil {
		t.Fatal(err)
	}
	if again := e.deploy(strings.Replace(web, "acme", e.in("DB_a"), 1)); again.Summary.Statements != 0 {
		t.Errorf("the source again: %+v", again.Summary)
	}
	e.exec(e.in("DROP DATABASE org_DB_a SYNC"))
	if _, err := e.apply(twoTenants); err != nil {
		t.Fatal(err)
	}
	other := e.deploy(strings.Replace(strings.Replace(web, "acme", e.in("DB_a"), 1), "web-access", "mail", 1))
	for _, o := range append(r.Objects, other.Objects...) {
		if o.Kind == ast.KindDatabase && (o.Adopted || o.Outcome != ledger.Unchanged) {
			t.Errorf("%s is %s, adopted: %t", o.Name, o.Outcome, o.Adopted)
		}
	}
}

// TestATenantWhoseUserTheSchemaHasAsARoleIsRefusedByName: users and roles share their names.
func TestATenantWhoseUserTheSchemaHasAsARoleIsRefusedByName(t *testing.T) {
	e := newEstate(t)
	role := e.in("release = \"1\"\nrole \"org_DB_a\" { from = \"mine/r.hcl\" }\n-- mine/r.hcl --\nexclusive = true\n")
	dir := t.TempDir()
	writeTree(t, dir, "-- manifest.hcl --\n"+role)
	e.Engine = e.engine(engine.Options{Overlay: dir, Wait: time.Minute})
	_, err := e.apply(twoTenants)
	if err == nil || !strings.Contains(err.Error(), e.in("org_DB_a belongs to the overlay; A user of this name is needed for the tenants")) {
		t.Errorf("%v", err)
	}
}

// TestOneAccessObjectIsReadAsAllOfThemAre holds the two ways of reading together, which are compared with each other.
func TestOneAccessObjectIsReadAsAllOfThemAre(t *testing.T) {
	e := newEstate(t)
	if _, err := e.apply(threeTenants); err != nil {
		t.Fatal(err)
	}
	e.exec(e.in("GRANT READ ON S3 TO org_DB_a"))
	all, err := catalog.ReadAccess(t.Context(), e.conn)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, kind := range []ast.Kind{ast.KindUser, ast.KindRole, ast.KindQuota, ast.KindRowPolicy, ast.KindSettingsProfile} {
		for _, o := range all.Objects(kind) {
			one, err := catalog.ReadObject(t.Context(), e.conn, kind, o.Name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(o, one); diff != "" {
				t.Errorf("%s %s: %s", kind, o.Name, diff)
			}
			read++
		}
		if none, err := catalog.ReadObject(t.Context(), e.conn, kind, ast.Name{Name: "nobody ON db.nothing"}); none != nil || err != nil {
			t.Errorf("%s: %v, %v", kind, none, err)
		}
	}
	if read < 12 {
		t.Errorf("%d objects were read", read)
	}
	if o, err := catalog.ReadObject(t.Context(), e.conn, ast.KindRole, ast.Name{Name: e.in("org_DB_a")}); err != nil || o == nil || o.Kind != ast.KindUser {
		t.Errorf("the name of a user, asked for as a role: %v, %v", o, err)
	}
}

// TestHowOftenAllAccessObjectsAreReadDoesNotGrowWithTheTenants: each reading costs as much as there are of them.
func TestHowOftenAllAccessObjectsAreReadDoesNotGrowWithTheTenants(t *testing.T) {
	var asked []int
	for _, config := range []string{twoTenants, threeTenants} {
		e := newEstate(t)
		n := 0
		target, err := url.Parse(e.url)
		if err != nil {
			t.Fatal(err)
		}
		forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
		counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(string(body), "SHOW ACCESS") {
				n++
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			forward.ServeHTTP(w, r)
		}))
		e.Engine = e.engine(engine.Options{Wait: time.Minute, Target: catalog.Target{URL: counting.URL},
			Secret: func(context.Context, string, string) (string, error) { return "geheim", nil }})
		if _, err := e.apply(config); err != nil {
			t.Fatal(err)
		}
		counting.Close()
		asked = append(asked, n)
	}
	if asked[0] != asked[1] || asked[0] == 0 {
		t.Errorf("with two tenants, and with three: %v times", asked)
	}
}
