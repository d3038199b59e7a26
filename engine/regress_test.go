package engine_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/rules/plan"
)

// libraryNext is the release after library: a column, a view and another text of the view there was.
var libraryNext = strings.NewReplacer(
	`release = "1.2.0"`, `release = "1.10.0"`,
	`view  "DB.latest" { from = "latest.sql" }`, "view  \"DB.latest\" { from = \"latest.sql\" }\nview  \"DB.titles\" { from = \"titles.sql\" }",
	`column "title" { type = "String" }`, "column \"title\" { type = \"String\" }\ncolumn \"pages\" { type = \"UInt16\" }",
	"max(at) AS last", "min(at) AS last",
).Replace(library) + "-- titles.sql --\nCREATE VIEW DB.titles AS SELECT title, pages FROM DB.books\n"

func TestAnOlderReleaseIsNotAppliedOverANewerOne(t *testing.T) {
	s := newStage(t)
	s.tree(libraryNext)
	s.pass(engine.Options{})
	rows := s.value("SELECT count() FROM dfe.schema_migrations")
	s.tree(library)
	w := s.wire()
	r := s.pass(engine.Options{Target: catalog.Target{URL: w.URL}})
	if r.State != engine.Converged || r.Code != "release_regressed" || w.sent() != 0 || s.value("SELECT count() FROM dfe.schema_migrations") != rows {
		t.Errorf("state %s, code %q, %d statements, %s rows in the ledger after %s", r.State, r.Code, w.sent(), s.value("SELECT count() FROM dfe.schema_migrations"), rows)
	}
	if len(r.Notices) != 1 || !strings.Contains(r.Notices[0].Text, "1.2.0 is older than 1.10.0") || !strings.Contains(r.Notices[0].Text, "--allow-downgrade") {
		t.Errorf("notices %+v", r.Notices)
	}
	want := []string{"database : unchanged, none", "table books: unchanged, report", "table loans: unchanged, none", "view latest: withheld, replace", "view titles: undeclared, report"}
	if diff := cmp.Diff(want, s.outcomes(r)); diff != "" {
		t.Error(diff)
	}
}

// A plan says what an apply would send: where the ledger has a newer release, nothing.
func TestAPlanOfAnOlderReleaseSaysThatNothingOfItWouldBeSent(t *testing.T) {
	s := newStage(t)
	s.tree(libraryNext)
	s.pass(engine.Options{})
	s.tree(library)
	for _, c := range []struct {
		allow bool
		want  *plan.Regressed
	}{{false, &plan.Regressed{Release: "1.2.0", Ledger: "1.10.0"}}, {true, nil}} {
		doc, err := s.engine(engine.Options{AllowDowngrade: c.allow}).Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, doc.Regressed); diff != "" {
			t.Errorf("with downgrades allowed %t:\n%s", c.allow, diff)
		}
		var text bytes.Buffer
		if err := plan.WriteText(&text, doc, plan.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(text.String(), "release_regressed"); told == c.allow {
			t.Errorf("with downgrades allowed %t the text is\n%s", c.allow, text.String())
		}
	}
}

func TestAnOlderReleaseThatCannotWorkWithWhatIsThereFails(t *testing.T) {
	s := newStage(t)
	s.tree(libraryNext)
	s.pass(engine.Options{})
	s.exec("DROP TABLE DB.loans SYNC")
	s.tree(library)
	r, err := s.engine(engine.Options{}).Pass(t.Context())
	var regressed *engine.RegressedError
	if !errors.As(err, &regressed) || r.State != engine.Failed || r.Code != "release_regressed" || !strings.Contains(err.Error(), s.db+".loans") {
		t.Errorf("state %s, code %q, error %v", r.State, r.Code, err)
	}
	// What is not there is not unchanged.
	want := []string{"database : unchanged, none", "table books: unchanged, report", "table loans: withheld, create", "view latest: withheld, replace", "view titles: undeclared, report"}
	if diff := cmp.Diff(want, s.outcomes(&r)); diff != "" || r.Summary.Withheld != 2 {
		t.Errorf("%d withheld:\n%s", r.Summary.Withheld, diff)
	}
}

func TestARegressedReleaseNamesFiveOfTheObjectsItLacks(t *testing.T) {
	absent := []string{"table shop.a", "table shop.b", "view shop.c", "role d", "function e", "table shop.f", "table shop.g"}
	for n, want := range map[int]string{
		1: "the server lacks table shop.a; run the newer release",
		5: "the server lacks table shop.a, table shop.b, view shop.c, role d and function e; run the newer release",
		6: "the server lacks table shop.a, table shop.b, view shop.c, role d, function e and 1 more; run the newer release",
		7: "function e and 2 more; run the newer release",
	} {
		err := &engine.RegressedError{Tree: "1.2.0", Ledger: "1.10.0", Absent: absent[:n]}
		if text := err.Error(); !strings.Contains(text, want) || !strings.Contains(text, "1.2.0 is older than 1.10.0") {
			t.Errorf("of %d: %s", n, text)
		}
	}
}

func TestADowngradeRestoresViewsAndLeavesWhatTheNewerReleaseAdded(t *testing.T) {
	s := newStage(t)
	s.tree(libraryNext)
	s.pass(engine.Options{})
	s.exec("INSERT INTO DB.books VALUES ('1', 'one', 7)")
	s.tree(library)
	r := s.pass(engine.Options{AllowDowngrade: true})
	if r.State != engine.Converged || r.Summary.Statements != 1 || r.Code != "" {
		t.Errorf("state %s, code %q, %+v", r.State, r.Code, r.Summary)
	}
	if !strings.Contains(s.value("SELECT create_table_query FROM system.tables WHERE database = 'DB' AND name = 'latest'"), "max(at)") {
		t.Error("the view is the newer release's")
	}
	if got := s.value("SELECT title || toString(pages) FROM DB.titles"); got != "one7" {
		t.Errorf("what the newer release added reads %q", got)
	}
	// The older release stands now: its next pass is an ordinary one, and so is that of the newer one after it.
	if again := s.pass(engine.Options{}); again.Code != "" || again.Summary.Statements != 0 || len(again.Notices) != 0 {
		t.Errorf("again: code %q, %+v, %+v", again.Code, again.Summary, again.Notices)
	}
	s.tree(libraryNext)
	if r := s.pass(engine.Options{}); r.Summary.Statements != 1 || r.Code != "" {
		t.Errorf("the newer release again: code %q, %+v", r.Code, r.Summary)
	}
}

func TestALedgerWithColumnsOfANewerReleaseIsReadAndWritten(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("ALTER TABLE dfe.schema_migrations ADD COLUMN verdict String DEFAULT 'unknown' AFTER scope")
	s.exec("ALTER TABLE dfe.schema_lock ADD COLUMN region String DEFAULT 'here' FIRST")
	s.exec("DROP TABLE DB.loans SYNC")
	if r := s.pass(engine.Options{}); r.Summary.Applied != 1 {
		t.Errorf("%+v", r.Summary)
	}
	if got := s.value("SELECT any(verdict) FROM dfe.schema_migrations WHERE name = 'DB.loans'"); got != "unknown" {
		t.Errorf("the column it does not know reads %q", got)
	}
}
