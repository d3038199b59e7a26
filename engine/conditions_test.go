package engine_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/platform"
)

func TestALedgerOfAnotherShapeIsRefusedByNameAndKept(t *testing.T) {
	for _, create := range []string{
		"CREATE VIEW dfe.schema_migrations AS SELECT 1 AS a",
		"CREATE TABLE dfe.schema_migrations (scope String, kind String) ENGINE = MergeTree ORDER BY scope",
		"CREATE TABLE dfe.schema_migrations (scope Enum8('schema' = 1)) ENGINE = MergeTree ORDER BY scope",
		"CREATE TABLE dfe.schema_migrations (scope String EPHEMERAL, kind String) ENGINE = MergeTree ORDER BY kind",
		"CREATE TABLE dfe.schema_migrations (scope String) ENGINE = Null", // what is recorded is gone
	} {
		s := newStage(t)
		s.tree(library)
		s.exec("CREATE DATABASE dfe")
		s.exec(create)
		before := s.value("SELECT uuid FROM system.tables WHERE database = 'dfe' AND name = 'schema_migrations'")
		_, err := s.engine(engine.Options{}).Pass(t.Context())
		var shape *ledger.ShapeError
		if !errors.As(err, &shape) || !strings.Contains(err.Error(), "dfe.schema_migrations is not the ledger of any release") {
			t.Errorf("error %v, want a *ledger.ShapeError", err)
		}
		if after := s.value("SELECT uuid FROM system.tables WHERE database = 'dfe' AND name = 'schema_migrations'"); after != before {
			t.Error("it is another object now")
		}
	}
}

func TestALedgerOfAnOlderReleaseGainsItsColumnsAndIsWrittenToAtOnce(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("ALTER TABLE dfe.schema_migrations DROP COLUMN decisions")
	s.exec("DROP TABLE DB.loans SYNC")
	r := s.pass(engine.Options{})
	if r.Summary.Statements != 2 {
		t.Errorf("%+v, want the column and the table", r.Summary)
	}
	if got := s.value("SELECT count() FROM dfe.schema_migrations WHERE decisions LIKE '%create%' AND name = 'DB.loans'"); got != "1" {
		t.Errorf("the column that was just added holds %s rows about what came after it", got)
	}
}

func TestAnObjectThatSomeoneDroppedIsCreatedAgainAndReported(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("DROP TABLE DB.loans SYNC")
	s.exec("ALTER TABLE DB.books DROP COLUMN title")
	r := s.pass(engine.Options{})
	reported := map[string]int{}
	for _, o := range r.Objects {
		if name, own := strings.CutPrefix(o.Name, s.db+"."); own {
			reported[name] = o.Reported()
		}
	}
	want := []string{"database : unchanged, none", "table books: applied, alter", "table loans: applied, create", "view latest: unchanged, none"}
	if diff := cmp.Diff(want, s.outcomes(r)); diff != "" || reported["books"] != 1 || reported["loans"] != 1 {
		t.Errorf("reported %v\n%s", reported, diff)
	}
	if again := s.pass(engine.Options{}); again.Summary.Statements != 0 || again.Summary.Reported != 0 {
		t.Errorf("again: %+v", again.Summary)
	}
}

func TestAServerThatIsNotUpYetIsWaitedForAndABrokenOneIsNot(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	w := s.wire()
	w.statement = func(int) bool { return true }
	w.cut = true
	e := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}, Wait: time.Hour})
	waits := 0
	e.SetPause(func(context.Context, time.Duration) error {
		if waits++; waits == 3 {
			w.mu.Lock()
			w.cut = false
			w.mu.Unlock()
		}
		return nil
	})
	if _, err := e.Pass(t.Context()); err != nil || waits != 3 {
		t.Errorf("error %v after %d waits, want none after 3", err, waits)
	}

	refusing := httptest.NewServer(refuse())
	defer refusing.Close()
	e = s.engine(engine.Options{Target: catalog.Target{URL: refusing.URL}, Wait: time.Hour})
	e.SetPause(func(context.Context, time.Duration) error {
		t.Error("a server that refuses the password was waited for")
		return nil
	})
	var fault *catalog.ConnectError
	if _, err := e.Pass(t.Context()); !errors.As(err, &fault) || fault.Fault != catalog.Broken {
		t.Errorf("error %v, want a broken server", err)
	}
}

func TestABrokenOverlayNeverStopsTheCore(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	overlay := t.TempDir()
	writeTree(t, overlay, s.in(`
-- manifest.hcl --
release = "0.1"
table "DB.books" { from = "gone.hcl" }
`))
	r := s.pass(engine.Options{Overlay: overlay})
	if r.State != engine.Converged || r.Summary.Applied == 0 || r.OverlayFault == "" {
		t.Errorf("state %s, summary %+v, overlay fault %q", r.State, r.Summary, r.OverlayFault)
	}
}

func TestAnOverlayAddsObjectsUnderItsOwnRelease(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	overlay := t.TempDir()
	writeTree(t, overlay, s.in(`
-- manifest.hcl --
release = "0.1"
view "DB.titles" { from = "titles.sql" }
-- titles.sql --
CREATE VIEW DB.titles AS SELECT title FROM DB.books
`))
	r := s.pass(engine.Options{Overlay: overlay})
	record := s.records()["titles"]
	if r.OverlayRelease != "0.1" || record == nil || record.Scope != ledger.ScopeOverlay || record.SchemaRelease != "0.1" {
		t.Errorf("overlay release %q, fault %q, recorded as %+v", r.OverlayRelease, r.OverlayFault, record)
	}
}

func TestAServerOlderThanTheReleaseIsRefusedByName(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	manifest := filepath.Join(s.dir, "manifest.hcl")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, append([]byte("min_server = \"99.1\"\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	w := s.wire()
	_, err = s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).Pass(t.Context())
	var old *platform.VersionError
	if !errors.As(err, &old) || old.Need != "99.1" || w.sent() != 0 {
		t.Errorf("error %v after %d statements, want a *VersionError and none", err, w.sent())
	}
}

func TestATreeWithAFaultSendsNothing(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.tree("-- books.hcl --\ncolumn \"isbn\" { typ = \"String\" }\n")
	w := s.wire()
	r, err := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).Pass(t.Context())
	var faults *engine.TreeError
	if !errors.As(err, &faults) || r.State != engine.Failed || w.sent() != 0 {
		t.Errorf("error %v, state %s, %d statements", err, r.State, w.sent())
	}
}

// A deployment cannot loosen a rule of the core: a table for a kind the core decides about is refused by name, and the
// rest of the overlay is applied.
func TestAnOverlayCannotLoosenARuleOfTheCore(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("CREATE TABLE DB.titled (title String, at DateTime) ENGINE = MergeTree ORDER BY at")
	overlay := t.TempDir()
	writeTree(t, overlay, s.in(`
-- manifest.hcl --
release = "0.1"
view "DB.titles" { from = "titles.sql" }
table "DB.titled" { from = "titled.hcl" }
-- titled.hcl --
column "title" { type = "String" }
column "at" { type = "DateTime" }
engine   = "MergeTree"
order_by = "title"
-- titles.sql --
CREATE VIEW DB.titles AS SELECT title FROM DB.books
-- rules/table.rules --
kind table
rule "a sorting key is nobody's business" on any order_by -> none
`))
	o := engine.Options{Overlay: overlay}
	r := s.pass(o)
	if r.State != engine.Converged || r.OverlayFault != "" || s.records()["titles"] == nil {
		t.Errorf("state %s, overlay fault %q", r.State, r.OverlayFault)
	}
	if got := s.outcomes(r); !slices.Contains(got, "table titled: refused, refused") {
		t.Errorf("the release's rule decides about the sorting key: %q", got)
	}
	want := []string{"rules table (rules/table.rules:1): Rules for a core kind"}
	if diff := cmp.Diff(want, refused(r.OverlayRefused)); diff != "" {
		t.Errorf("the pass: %s", diff)
	}
	doc, err := s.engine(o).Plan(t.Context())
	if err != nil || doc.Overlay == nil {
		t.Fatalf("the plan: %v, %+v", err, doc)
	}
	if diff := cmp.Diff(want, refused(doc.Overlay.Refused)); diff != "" {
		t.Errorf("the plan: %s", diff)
	}
	status, err := s.engine(o).Status(t.Context())
	if err != nil || status.Overlay == nil {
		t.Fatalf("the status: %v, %+v", err, status)
	}
	if diff := cmp.Diff(want, refused(status.Overlay.Refused)); diff != "" {
		t.Errorf("the status: %s", diff)
	}
}

// A server looks a name without a database up in the database of the connection.
func TestANameWithoutADatabaseIsNeverOneOfTheConnections(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.exec("CREATE TABLE default.books (isbn String, title String) ENGINE = MergeTree ORDER BY isbn")
	s.exec("CREATE TABLE default.loans (isbn String) ENGINE = MergeTree ORDER BY isbn")
	t.Cleanup(func() {
		conn, err := catalog.Open(context.Background(), catalog.Target{URL: s.url})
		if err == nil {
			err = errors.Join(conn.Exec(context.Background(), "DROP TABLE default.books SYNC", "", nil),
				conn.Exec(context.Background(), "DROP TABLE default.loans SYNC", "", nil), conn.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
	s.tree("-- latest.sql --\nCREATE VIEW DB.latest AS SELECT isbn, title FROM books WHERE isbn IN (SELECT isbn FROM loans)\n")
	s.pass(engine.Options{})
	if got := s.value("SELECT as_select FROM system.tables WHERE database = 'DB' AND name = 'latest'"); strings.Contains(got, "default.") {
		t.Errorf("the view reads %s", got)
	}
	if again := s.pass(engine.Options{}); again.Summary.Statements != 0 {
		t.Errorf("again: %+v", again.Summary)
	}
}

func TestATreeThatDeclaresTheBookkeepingItsOwnWayIsRefusedBeforeAnythingIsSent(t *testing.T) {
	for name, definition := range map[string]string{
		"another shape": "table \"dfe.schema_migrations\" { from = \"own.sql\" }\n-- own.sql --\nCREATE TABLE dfe.schema_migrations (a UInt8) ENGINE = MergeTree ORDER BY a\n",
		"another kind":  "view \"dfe.schema_lock\" { from = \"own.sql\" }\n-- own.sql --\nCREATE VIEW dfe.schema_lock AS SELECT 1 AS a\n",
	} {
		s := newStage(t)
		s.tree("-- manifest.hcl --\nrelease = \"1\"\ndatabase \"dfe\" {}\n" + definition)
		w := s.wire()
		_, err := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).Pass(t.Context())
		var fault *engine.TreeError
		if !errors.As(err, &fault) || w.sent() != 0 || !strings.Contains(err.Error(), "is where the engine keeps its books") {
			t.Errorf("%s: error %v after %d statements", name, err, w.sent())
		}
	}
}

func TestAnOverlayThatDeclaresTheBookkeepingIsLeftOut(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	overlay := t.TempDir()
	writeTree(t, overlay, "-- manifest.hcl --\nrelease = \"0.1\"\ndatabase \"dfe\" {}\ntable \"dfe.schema_lock\" { from = \"own.sql\" }\n"+
		"-- own.sql --\nCREATE TABLE dfe.schema_lock (a UInt8) ENGINE = MergeTree ORDER BY a\n")
	r := s.pass(engine.Options{Overlay: overlay})
	if r.State != engine.Converged || r.OverlayFault == "" {
		t.Errorf("state %s, overlay fault %q", r.State, r.OverlayFault)
	}
}

func TestALiveObjectThatCannotBeReadIsNamedAndCountedAndStopsNothing(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.tree(`
-- manifest.hcl --
release = "1"
database "default" {} # of the embedded engine: it has an engine that no statement names
database "DB" {}
table "DB.loans"  { from = "loans.hcl" }
view  "DB.latest" { from = "latest.sql" }
view  "DB.after"  { from = "after.sql" }
-- after.sql --
CREATE VIEW DB.after AS SELECT isbn FROM DB.loans
`)
	s.exec("CREATE DATABASE DB")
	s.exec("CREATE TABLE DB.loans (at DateTime, isbn String) ENGINE = MergeTree ORDER BY at")
	err := s.conn.Exec(t.Context(), s.in("CREATE WINDOW VIEW DB.latest ENGINE = MergeTree ORDER BY c AS SELECT count() AS c, tumbleStart(w) AS s FROM DB.loans GROUP BY tumble(at, toIntervalSecond(5)) AS w"),
		"", map[string]any{"allow_experimental_window_view": 1, "allow_experimental_analyzer": 0})
	if err != nil {
		t.Fatal(err)
	}
	r := s.pass(engine.Options{})
	want := []string{"database : unchanged, none", "table loans: unchanged, none", "view latest: refused, refused", "view after: applied, create"}
	if diff := cmp.Diff(want, s.outcomes(r)); diff != "" {
		t.Error(diff)
	}
	if r.Summary.Unreadable != 1 || r.Summary.Refused != 1 {
		t.Errorf("%+v, want the database default unreadable and the view refused", r.Summary)
	}
	for _, o := range r.Objects {
		if o.Name == "default" && (o.Outcome != ledger.Unreadable || o.Error == "") {
			t.Errorf("%+v", o)
		}
	}
	status, err := s.engine(engine.Options{}).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status.AllMatch() {
		t.Error("the status says that all is well")
	}
}

// What never came to be was not there before, and nobody dropped it.
func TestWhatWasNeverCreatedIsNotReportedAsGone(t *testing.T) {
	s := newStage(t)
	s.tree(broken)
	for range 2 {
		r, err := s.engine(engine.Options{}).Pass(t.Context())
		if err == nil {
			t.Fatal("the server takes the table")
		}
		for _, o := range r.Objects {
			if o.Reported() > 0 {
				t.Errorf("%s %s is reported: %s", o.Kind, o.Name, o.Changes[0].Reason)
			}
		}
	}
}

func TestAColumnThatWasNeverAddedIsNotReportedAsGone(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.tree("-- books.hcl --\ncolumn \"isbn\" { type = \"String\" }\ncolumn \"title\" { type = \"String\" }\ncolumn \"pages\" {\n  type = \"UInt16\"\n  default = \"nowhere(title)\"\n}\nengine = \"MergeTree\"\norder_by = [\"isbn\"]\n")
	for range 2 {
		r, err := s.engine(engine.Options{}).Pass(t.Context())
		if err == nil {
			t.Fatal("the server takes the column")
		}
		if r.Summary.Reported > 0 {
			t.Errorf("%+v: something is reported as gone", r.Summary)
		}
	}
}
