package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/lang/ident"
	"github.com/dfe-engine/dfe/rules"
)

const web = `
id           = "web-access"
organisation = "acme"
profile      = "timeseries"
keys         = ["host"]
ttl_days     = 30

column "host" { type = "LowCardinality(String)" }
column "status" { type = "UInt16" }
`

// yard is a stage for data sources, with one engine for all of a test's deploys.
type yard struct {
	*stage
	*engine.Engine
}

func newYard(t testing.TB) *yard {
	t.Helper()
	s := newStage(t)
	s.tree(library)
	y := &yard{stage: s}
	for _, name := range y.databases() {
		s.exec("DROP DATABASE " + ast.QuoteIdent(name) + " SYNC")
	}
	y.Engine = s.engine(engine.Options{Wait: time.Minute})
	return y
}

// databases are those of the engine and of organisations.
func (y *yard) databases() []string {
	return y.column("SELECT name FROM system.databases WHERE name = 'dfe' OR startsWith(name, 'org_') ORDER BY name")
}

func (y *yard) column(query string) []string {
	y.Helper()
	list := []string{}
	err := y.conn.Select(y.Context(), query, nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		list = append(list, text)
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return list
}

func part(t testing.TB, text string) engine.Part {
	t.Helper()
	c, err := sources.Parse("web.hcl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c.Part()
}

// deploy is a deploy that has to succeed.
func (y *yard) deploy(text string) engine.Report {
	y.Helper()
	r, _, err := y.PassPart(y.Context(), part(y.TB, text))
	if err != nil {
		y.Fatal(err)
	}
	return r
}

// process is an engine as another process has it: nothing of its lease is hurried.
func (y *yard) process() *engine.Engine {
	y.Helper()
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: y.url}, Tree: y.dir, Platform: rules.Embedded, Release: "test", Wait: 5 * time.Minute})
	if err != nil {
		y.Fatal(err)
	}
	return e
}

// did lists what became of objects, as "table name: applied, create".
func did(r engine.Report) []string {
	var list []string
	for _, o := range r.Objects {
		list = append(list, fmt.Sprintf("%s %s: %s, %s", o.Kind, o.Name, o.Outcome, o.Action))
	}
	return list
}

func TestADeployIsAppliedRecordedAndDoneOnce(t *testing.T) {
	s := newYard(t)
	r := s.deploy(web)
	want := []string{
		"database org_acme: applied, create", "table org_acme.webx2daccess: applied, create", "view org_acme.webx2daccess__daily_volume: applied, create",
		"view org_acme.webx2daccess__errors: applied, create", "view org_acme.webx2daccess__latest: applied, create",
	}
	if diff := cmp.Diff(want, did(r)); diff != "" || r.State != engine.Converged || r.Scope != "source" || r.Epoch == 0 {
		t.Errorf("%s of scope %s, epoch %d: %s", r.State, r.Scope, r.Epoch, diff)
	}
	s.exec("INSERT INTO org_acme.webx2daccess (timestamp, host, status, load_error) VALUES (now(), 'a', 200, ''), (now() - 60, 'a', 404, ''), (now(), 'b', 500, 'no number')")
	if got := s.column("SELECT concat(host, ' ', toString(status)) FROM org_acme.webx2daccess__latest ORDER BY host"); cmp.Diff([]string{"a 200", "b 500"}, got) != "" {
		t.Errorf("the latest rows are %q", got)
	}
	if got := s.column("SELECT load_error FROM org_acme.webx2daccess__errors"); cmp.Diff([]string{"no number"}, got) != "" {
		t.Errorf("the errors are %q", got)
	}
	if got := s.column("SELECT concat(toString(rows), ' ', toString(errors)) FROM org_acme.webx2daccess__daily_volume"); cmp.Diff([]string{"3 1"}, got) != "" {
		t.Errorf("the volume is %q", got)
	}
	recorded := s.column("SELECT concat(scope, ' ', kind, ' ', name) FROM dfe.schema_migrations WHERE scope = 'source' ORDER BY sequence")
	if len(recorded) != 5 || recorded[1] != "source table org_acme.webx2daccess" {
		t.Errorf("recorded: %q", recorded)
	}
	again := s.deploy(web)
	if again.Summary.Statements != 0 || again.Summary.Unchanged != 5 {
		t.Errorf("again: %+v", again.Summary)
	}
	if rows := s.column("SELECT toString(count()) FROM dfe.schema_migrations WHERE scope = 'source'"); rows[0] != "5" {
		t.Errorf("the ledger has %s rows", rows[0])
	}
	// The pass of the schema leaves it alone, and status knows whose it is.
	pass, err := s.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	status, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range pass.Objects {
		if strings.HasPrefix(o.Name, "org_acme") {
			t.Errorf("the pass says of %s: %s, %s", o.Name, o.Outcome, o.Action)
		}
	}
	known := 0
	for _, o := range status.Objects {
		if o.Scope == string(ledger.ScopeSource) && o.Live == engine.Matches {
			known++
		}
	}
	if known != 5 {
		t.Errorf("status knows %d objects of the source", known)
	}
}

func TestWhatIsAddedToAConfigIsAddedAndTheViewsShowIt(t *testing.T) {
	s := newYard(t)
	s.deploy(web)
	r := s.deploy(web + "column \"path\" { type = \"String\" }\n")
	want := []string{
		"database org_acme: unchanged, none", "table org_acme.webx2daccess: applied, alter", "view org_acme.webx2daccess__daily_volume: unchanged, none",
		"view org_acme.webx2daccess__errors: applied, replace", "view org_acme.webx2daccess__latest: applied, replace",
	}
	if diff := cmp.Diff(want, did(r)); diff != "" {
		t.Error(diff)
	}
}

func TestAChangeThatIsRefusedKeepsAllOfTheDeployFromBeingSent(t *testing.T) {
	s := newYard(t)
	s.deploy(web)
	changed := strings.Replace(web, `type = "UInt16"`, `type = "String"`, 1) + "column \"path\" { type = \"String\" }\n"
	r, doc, err := s.PassPart(t.Context(), part(t, changed))
	var refused *engine.RefusedError
	if !errors.As(err, &refused) || r.Code != "refused" || r.Summary.Statements != 0 || r.Summary.Withheld == 0 || doc == nil || doc.Summary.Refused != 1 {
		t.Errorf("code %q, %+v, error %v", r.Code, r.Summary, err)
	}
	if !strings.Contains(err.Error(), "table org_acme.webx2daccess column.status.type") {
		t.Errorf("error %v", err)
	}
	if got := s.column("SELECT name FROM system.columns WHERE database = 'org_acme' AND name = 'path'"); len(got) != 0 {
		t.Errorf("%q were added", got)
	}
	if again := s.deploy(web); again.Summary.Statements != 0 {
		t.Errorf("again: %+v", again.Summary)
	}
}

func TestTwoDeploysOfOneSourceAtOnceEndAsOne(t *testing.T) {
	s := newYard(t)
	// Two processes, with the clocks of the machine.
	one, other := s.process(), s.process()
	var wg sync.WaitGroup
	reports := make([]engine.Report, 4)
	for i := range reports {
		e := one
		if i%2 == 1 {
			e = other
		}
		wg.Go(func() {
			r, _, err := e.PassPart(t.Context(), part(t, web))
			if err != nil {
				t.Error(err)
			}
			reports[i] = r
		})
	}
	wg.Wait()
	applied := 0
	for _, r := range reports {
		applied += r.Summary.Applied
		if r.State != engine.Converged {
			t.Errorf("%s: %s", r.State, r.Error)
		}
	}
	if applied != 5 {
		t.Errorf("%d objects were applied, of 5", applied)
	}
	if rows := s.column("SELECT toString(count()) FROM dfe.schema_migrations WHERE scope = 'source'"); rows[0] != "5" {
		t.Errorf("the ledger has %s rows", rows[0])
	}
}

func TestAnOrganisationThatLooksLikeAStatementIsHarmless(t *testing.T) {
	s := newYard(t)
	const organisation = "a\\\"b; DROP DATABASE dfe; --`'${x"
	text := strings.Replace(web, `"acme"`, `"`+strings.ReplaceAll(organisation, "${", "$${")+`"`, 1)
	s.deploy(text)
	if again := s.deploy(text); again.Summary.Statements != 0 {
		t.Errorf("again: %+v", again.Summary)
	}
	want := []string{"dfe", "org_" + ident.Of("a\"b; DROP DATABASE dfe; --`'${x")}
	if diff := cmp.Diff(want, s.databases()); diff != "" {
		t.Error(diff)
	}
}

func TestAPlanOfASourceSaysWhatADeployWouldDoAndDoesNothing(t *testing.T) {
	s := newYard(t)
	doc, err := s.PlanPart(t.Context(), part(t, web))
	if err != nil || doc.Summary.Create != 5 || len(s.databases()) != 0 {
		t.Errorf("%v: %+v, databases %q", err, doc, s.databases())
	}
}

func TestEveryProfileHasTheSameFateOnTheRealEngine(t *testing.T) {
	s := newYard(t)
	for _, profile := range []string{"minimal", "timeseries", "passthrough"} {
		for _, more := range []string{"", "keys = [\"id\"]\nttl_days = 7\n", "keys = [\"ingested_at\", \"id\"]\nviews = []\n"} {
			text := fmt.Sprintf("id = \"%s %s\"\norganisation = \"acme\"\nprofile = %q\n%scolumn \"id\" { type = \"UInt64\" }\n", profile, strings.ReplaceAll(strings.ReplaceAll(more, "\n", " "), "\"", "."), profile, more)
			first, again := s.deploy(text), s.deploy(text)
			if first.Summary.Applied == 0 || again.Summary.Statements != 0 {
				t.Errorf("%s: %+v, and again %+v", text, first.Summary, again.Summary)
			}
		}
	}
}

// TestAnOperatorChangesATypeAndATTLOfASource has the words that a deploy over HTTP does not have.
func TestAnOperatorChangesATypeAndATTLOfASource(t *testing.T) {
	y := newYard(t)
	y.deploy(web)
	changed := strings.NewReplacer(`"UInt16"`, `"UInt32"`, "= 30", "= 7").Replace(web)
	if _, _, err := y.PassPart(t.Context(), part(t, changed)); err == nil {
		t.Error("it was not refused")
	}
	operator := y.engine(engine.Options{Wait: time.Minute, AllowDrift: true, AcceptLoss: []string{"org_acme.webx2daccess.status"}})
	r, _, err := operator.PassPart(t.Context(), part(t, changed))
	if err != nil || r.Summary.Statements != 2 {
		t.Errorf("%v: %+v", err, r.Summary)
	}
	wrong := y.engine(engine.Options{AllowDrift: true, AcceptLoss: []string{"org_acme.webx2daccess.state"}})
	var column *engine.ColumnError
	if _, _, err := wrong.PassPart(t.Context(), part(t, changed)); !errors.As(err, &column) {
		t.Errorf("a column that is none: %v", err)
	}
}

// TestADeployThatIsCutOffIsFinishedByTheNext cuts the way to the server at each statement, before the server has it and
// behind.
func TestADeployThatIsCutOffIsFinishedByTheNext(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, after := range []bool{false, true} {
			y := newYard(t)
			y.pass(engine.Options{})
			w := y.wire()
			w.statement, w.after = func(sent int) bool { return sent < n }, after
			cut := y.engine(engine.Options{Target: catalog.Target{URL: w.URL}})
			r, _, err := cut.PassPart(t.Context(), part(t, web))
			if err == nil || r.State != engine.Failed {
				t.Fatalf("statement %d: %s, %v", n, r.State, err)
			}
			before := len(y.column("SELECT name FROM system.tables WHERE database = 'org_acme'"))
			done := y.deploy(web)
			if got := len(y.column("SELECT name FROM system.tables WHERE database = 'org_acme'")); got != 4 || done.Summary.Failed > 0 {
				t.Errorf("statement %d, after %t: %d tables and views, before %d: %+v", n, after, got, before, done.Summary)
			}
			told := y.column("SELECT concat(kind, ' ', argMax(outcome, (epoch, recorded_at, sequence))) FROM dfe.schema_migrations WHERE scope = 'source' GROUP BY kind, name HAVING argMax(live_checksum, (epoch, recorded_at, sequence)) != ''")
			if len(told) != 5 {
				t.Errorf("statement %d, after %t: the ledger tells of %q", n, after, told)
			}
			if again := y.deploy(web); again.Summary.Statements != 0 {
				t.Errorf("statement %d, after %t: again %+v", n, after, again.Summary)
			}
		}
	}
}

// TestASourceInADatabaseThatTheSchemaDeclaresIsNotTaken keeps the two apart: neither writes to what is the other's.
func TestASourceInADatabaseThatTheSchemaDeclaresIsNotTaken(t *testing.T) {
	y := newYard(t)
	y.tree("-- manifest.hcl --\nrelease = \"1\"\ndatabase \"org_acme\" {}\n")
	_, _, err := y.PassPart(t.Context(), part(t, web))
	var fault *engine.TreeError
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "org_acme belongs to the core release") || len(y.databases()) != 0 {
		t.Errorf("%v, databases %q", err, y.databases())
	}
}

// TestThePassOfTheSchemaLeavesTheObjectsOfASourceToIt holds also where the schema came to declare their database.
func TestThePassOfTheSchemaLeavesTheObjectsOfASourceToIt(t *testing.T) {
	y := newYard(t)
	y.deploy(web)
	y.exec("CREATE TABLE org_acme.by_hand (a UInt8) ENGINE = Memory")
	y.tree("-- manifest.hcl --\nrelease = \"1\"\ndatabase \"org_acme\" { comment = \"Data sources of the organisation acme\" }\n")
	r, err := y.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, o := range r.Objects {
		if o.Outcome == engine.Undeclared {
			reported = append(reported, o.Name)
		}
	}
	if diff := cmp.Diff([]string{"org_acme.by_hand"}, reported); diff != "" {
		t.Error(diff)
	}
}

// TestWhatASourceHasIsNotTakenByTheOverlay declares in the overlay what a source of that name has, or would have.
func TestWhatASourceHasIsNotTakenByTheOverlay(t *testing.T) {
	const (
		topic = "-- manifest.hcl --\nrelease = \"1\"\ntopic \"acme__webx2daccess_land\" { from = \"mine/t.hcl\" }\n-- mine/t.hcl --\npartitions = 1\n"
		table = "-- manifest.hcl --\nrelease = \"1\"\ndatabase \"org_acme\" {\n  comment = \"mine\"\n}\ntable \"org_acme.webx2daccess\" { from = \"mine/t.sql\" }\ntable \"org_acme.more\" { from = \"mine/more.sql\" }\n" +
			"-- mine/t.sql --\nCREATE TABLE org_acme.webx2daccess (a UInt8) ENGINE = MergeTree ORDER BY a\n-- mine/more.sql --\nCREATE TABLE org_acme.more (a UInt8) ENGINE = MergeTree ORDER BY a\n"
	)
	y := newYard(t)
	with := func(overlay string) *engine.Engine {
		dir := t.TempDir()
		writeTree(t, dir, overlay)
		return y.engine(engine.Options{Overlay: dir, Wait: time.Minute})
	}
	for overlay, name := range map[string]string{topic: "acme__webx2daccess_land", table: "org_acme"} {
		_, _, err := with(overlay).PassPart(t.Context(), part(t, web))
		var fault *engine.TreeError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), name+" belongs to the overlay") || len(y.databases()) != 0 {
			t.Errorf("%s: %v, databases %q", name, err, y.databases())
		}
	}
	y.deploy(web)
	for range 2 { // the row about the first refusal does not make it the overlay's
		r, err := with(table).Pass(t.Context())
		if err != nil || r.State != engine.Converged {
			t.Fatalf("%s, %v", r.State, err)
		}
		got := map[string]ledger.Outcome{}
		for _, o := range r.Objects {
			if o.Scope == string(ledger.ScopeOverlay) {
				got[o.Name] = o.Outcome
			}
		}
		if got["org_acme"] != ledger.Refused || got["org_acme.webx2daccess"] != ledger.Refused || got["org_acme.more"] == ledger.Refused {
			t.Errorf("the overlay: %v", got)
		}
	}
	if again := y.deploy(web); again.Summary.Statements != 0 {
		t.Errorf("the source again: %+v", again.Summary)
	}
}

// TestDeploysDuringThePassAtBootOfTheSameEngineTakeTheirTurns is what a service does whose routes are open while it starts.
func TestDeploysDuringThePassAtBootOfTheSameEngineTakeTheirTurns(t *testing.T) {
	y := newYard(t)
	e := y.process()
	var wg sync.WaitGroup
	wg.Go(func() {
		if r, err := e.Pass(t.Context()); err != nil || r.State != engine.Converged {
			t.Errorf("the pass: %s, %v", r.State, err)
		}
	})
	for _, id := range []string{"web-access", "mail", "web-access"} {
		p := part(t, strings.Replace(web, `"web-access"`, `"`+id+`"`, 1))
		wg.Go(func() {
			if r, _, err := e.PassPart(t.Context(), p); err != nil || r.State != engine.Converged {
				t.Errorf("%s: %s, %v", id, r.State, err)
			}
		})
	}
	wg.Wait()
	if got := y.column("SELECT toString(count()) FROM dfe.schema_migrations WHERE scope = 'source' AND outcome = 'applied'"); got[0] != "9" {
		t.Errorf("%s objects were applied, of 9", got[0])
	}
	if got := y.column("SELECT toString(countIf(action = 'claim') - countIf(action = 'release')) FROM dfe.schema_lock"); got[0] != "0" {
		t.Errorf("%s claims of the lease are not given back", got[0])
	}
}
