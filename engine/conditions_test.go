package engine_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
)

func TestALedgerOfAnotherShapeIsRefusedByNameAndKept(t *testing.T) {
	for _, create := range []string{
		"CREATE VIEW dfe.schema_migrations AS SELECT 1 AS a",
		"CREATE TABLE dfe.schema_migrations (scope String, kind String) ENGINE = MergeTree ORDER BY scope",
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
	var old *engine.VersionError
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

// A deployment cannot loosen a rule of the core: an overlay with a table for a kind the core decides about is left out.
func TestAnOverlayCannotLoosenARuleOfTheCore(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	overlay := t.TempDir()
	writeTree(t, overlay, s.in(`
-- manifest.hcl --
release = "0.1"
view "DB.titles" { from = "titles.sql" }
-- titles.sql --
CREATE VIEW DB.titles AS SELECT title FROM DB.books
-- rules/table.rules --
kind table
rule "a sorting key is nobody's business" on any order_by -> none
`))
	r := s.pass(engine.Options{Overlay: overlay})
	if r.State != engine.Converged || !strings.Contains(r.OverlayFault, "Rules for a core kind") || s.records()["titles"] != nil {
		t.Errorf("state %s, overlay fault %q", r.State, r.OverlayFault)
	}
}
