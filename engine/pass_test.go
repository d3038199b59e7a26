package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules"
)

const library = `
-- manifest.hcl --
release = "1.2.0"

database "DB" {}
table "DB.books"  { from = "books.hcl" }
table "DB.loans"  { from = "loans.hcl" }
view  "DB.latest" { from = "latest.sql" }
-- books.hcl --
column "isbn"  { type = "String" }
column "title" { type = "String" }
engine   = "MergeTree"
order_by = ["isbn"]
-- loans.hcl --
column "at"   { type = "DateTime" }
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = ["at"]
-- latest.sql --
CREATE VIEW DB.latest AS SELECT isbn, max(at) AS last FROM DB.loans GROUP BY isbn
`

func TestAPassMakesTheServerMatchAndTheNextSendsNothing(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	w := s.wire()
	first := s.pass(engine.Options{Target: catalog.Target{URL: w.URL}})
	want := []string{"database : applied, create", "table books: applied, create", "table loans: applied, create", "view latest: applied, create"}
	if diff := cmp.Diff(want, s.outcomes(first)); diff != "" {
		t.Error(diff)
	}
	if first.State != engine.Converged || first.Summary.Statements != w.sent() || first.SchemaRelease != "1.2.0" {
		t.Errorf("state %s, %d statements reported of %d sent, release %s", first.State, first.Summary.Statements, w.sent(), first.SchemaRelease)
	}
	// Once, a later pass notes that it read late enough for the next ones to trust the record.
	s.settle()
	s.pass(engine.Options{})
	rows, sent := s.value("SELECT count() FROM dfe.schema_migrations"), w.sent()
	second := s.pass(engine.Options{Target: catalog.Target{URL: w.URL}})
	if second.State != engine.Converged || second.Summary.Statements != 0 || w.sent() != sent || second.Summary.Unchanged != len(second.Objects) {
		t.Errorf("the second pass: state %s, summary %+v, %d statements sent", second.State, second.Summary, w.sent()-sent)
	}
	if now := s.value("SELECT count() FROM dfe.schema_migrations"); now != rows {
		t.Errorf("a pass with nothing to do wrote to the ledger: %s rows, then %s", rows, now)
	}
}

func TestTheCoreReleaseConvergesOnTheRealEngine(t *testing.T) {
	s := newStage(t)
	s.exec("DROP DATABASE IF EXISTS otel SYNC")
	t.Cleanup(func() {
		conn, err := catalog.Open(context.Background(), catalog.Target{URL: s.url})
		if err == nil {
			err = errors.Join(conn.Exec(context.Background(), "DROP DATABASE IF EXISTS otel SYNC", "", nil), conn.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: s.url}, Platform: rules.Embedded})
	if err != nil {
		t.Fatal(err)
	}
	newHurry().on(e)
	for _, wantStatements := range []bool{true, false} {
		r, err := e.Pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if (r.Summary.Statements > 0) != wantStatements || r.Summary.Refused+r.Summary.Reported > 0 {
			t.Errorf("summary %+v", r.Summary)
		}
	}
}

func TestPlanChangesNothingAndNamesWhatAnApplySends(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	w := s.wire()
	doc, err := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if w.sent() != 0 || s.value("SELECT count() FROM system.databases WHERE name IN ('DB', 'dfe')") != "0" {
		t.Fatalf("the plan sent %d statements", w.sent())
	}
	var planned, sent []string
	for _, statement := range doc.Statements {
		planned = append(planned, statement.SQL)
	}
	for _, o := range s.pass(engine.Options{}).Objects {
		sent = append(sent, o.Statements...)
	}
	if diff := cmp.Diff(planned, sent); diff != "" {
		t.Errorf("planned and sent:\n%s", diff)
	}
}

func TestWhatIsForbiddenIsRefusedAndTheRestConverges(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("INSERT INTO DB.books VALUES ('1', 'one')")
	s.tree(`
-- books.hcl --
column "isbn"  { type = "String" }
column "title" { type = "String" }
column "pages" { type = "UInt16" }
engine   = "MergeTree"
order_by = ["title", "isbn"]
-- latest.sql --
CREATE VIEW DB.latest AS SELECT isbn, min(at) AS last FROM DB.loans GROUP BY isbn
`)
	r := s.pass(engine.Options{})
	want := []string{"database : unchanged, none", "table books: applied, refused", "table loans: unchanged, none", "view latest: applied, replace"}
	if diff := cmp.Diff(want, s.outcomes(r)); diff != "" {
		t.Error(diff)
	}
	if r.State != engine.Converged || r.Summary.Refused != 1 {
		t.Errorf("state %s, summary %+v", r.State, r.Summary)
	}
	if got := s.value("SELECT sorting_key FROM system.tables WHERE database = 'DB' AND name = 'books'"); got != "isbn" {
		t.Errorf("the sorting key is %s", got)
	}
	if got := s.value("SELECT title || toString(pages) FROM DB.books"); got != "one0" {
		t.Errorf("the row reads %s", got)
	}
	if record := s.records()["books"]; record.Refused != 1 || record.Action != "add-column" {
		t.Errorf("recorded as %+v", record)
	}
	rows := s.value("SELECT count() FROM dfe.schema_migrations")
	again := s.pass(engine.Options{})
	if again.Summary.Statements != 0 || again.Summary.Refused != 1 {
		t.Errorf("again: %+v", again.Summary)
	}
	s.pass(engine.Options{})
	if now := s.value("SELECT count() FROM dfe.schema_migrations WHERE name = 'DB.books'"); now != "3" {
		t.Errorf("%s rows about the refused table (%s in all), want its creation, the column and the refusal that stays", now, rows)
	}
}

const broken = `
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table "DB.first"   { from = "first.sql" }
table "DB.wrong"   { from = "wrong.sql" }
table "DB.last"    { from = "last.sql" }
view  "DB.over"    { from = "over.sql" }
view  "DB.overover" { from = "overover.sql" }
-- first.sql --
CREATE TABLE DB.first (a UInt8) ENGINE = MergeTree ORDER BY a
-- wrong.sql --
CREATE TABLE DB.wrong (a UInt8, b UInt8) ENGINE = MergeTree ORDER BY a TTL toDate(b) + INTERVAL 1 DAY SETTINGS storage_policy = 'nowhere'
-- last.sql --
CREATE TABLE DB.last (a UInt8) ENGINE = MergeTree ORDER BY a
-- over.sql --
CREATE VIEW DB.over AS SELECT a FROM DB.wrong
-- overover.sql --
CREATE VIEW DB.overover AS SELECT a FROM DB.over
`

func TestAnObjectTheServerRejectsBlocksItsDependantsAlone(t *testing.T) {
	s := newStage(t)
	s.tree(broken)
	r, err := s.engine(engine.Options{}).Pass(t.Context())
	if err == nil || r.State != engine.Failed {
		t.Fatalf("state %s, error %v", r.State, err)
	}
	want := []string{"database : applied, create", "table first: applied, create", "table wrong: failed, create",
		"table last: applied, create", "view over: blocked, create", "view overover: blocked, create"}
	if diff := cmp.Diff(want, s.outcomes(&r)); diff != "" {
		t.Error(diff)
	}
	for _, words := range []string{s.db + ".wrong", "code 478", "nowhere"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
	records := s.records()
	for name, outcome := range map[string]ledger.Outcome{"": ledger.Applied, "first": ledger.Applied, "wrong": ledger.Failed, "last": ledger.Applied, "over": ledger.Blocked, "overover": ledger.Blocked} {
		if records[name] == nil || records[name].Outcome != outcome {
			t.Errorf("%q is recorded as %+v, want %s", name, records[name], outcome)
		}
	}
	if wrong := records["wrong"]; wrong != nil && (wrong.ErrorCode != 478 || !strings.Contains(wrong.Error, "nowhere") || wrong.LiveChecksum != "") {
		t.Errorf("the failure is recorded as %+v", wrong)
	}

	s.tree(`
-- wrong.sql --
CREATE TABLE DB.wrong (a UInt8, b UInt8) ENGINE = MergeTree ORDER BY a
`)
	repaired := s.pass(engine.Options{})
	want = []string{"database : unchanged, none", "table first: unchanged, none", "table wrong: applied, create",
		"table last: unchanged, none", "view over: applied, create", "view overover: applied, create"}
	if diff := cmp.Diff(want, s.outcomes(repaired)); diff != "" {
		t.Errorf("once the definition is right:\n%s", diff)
	}
}

func TestACrashAtAnyStatementLeavesALedgerThatTellsTheTruth(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := 1; at <= 7; at++ {
			s := newStage(t)
			s.tree(library)
			w := s.wire()
			w.after = after
			w.statement = func(n int) bool { return n < at }
			r, err := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).Pass(t.Context())
			if err == nil || r.State != engine.Failed {
				t.Fatalf("cut at statement %d: state %s, error %v", at, r.State, err)
			}
			if s.value("SELECT count() FROM system.tables WHERE database = 'dfe' AND name = 'schema_migrations'") == "1" {
				for name, record := range s.records() {
					exists := s.value("SELECT count() FROM system.tables WHERE database = 'DB' AND name = '" + name + "'")
					if name != "" && record.Outcome == ledger.Applied && exists != "1" {
						t.Errorf("cut at statement %d: %s is recorded as applied and is not there", at, name)
					}
				}
			}
			// The lease of the pass that was cut off lapses.
			s.pass(engine.Options{Wait: time.Minute})
			for name, record := range s.records() {
				if record.LiveChecksum == "" {
					t.Errorf("cut at statement %d: %q stays recorded as %s", at, name, record.Outcome)
				}
			}
			if again := s.pass(engine.Options{}); again.Summary.Statements != 0 || again.Summary.Unchanged != len(again.Objects) {
				t.Errorf("cut at statement %d: the pass after the next has %+v to do", at, again.Summary)
			}
		}
	}
}

func TestAPassToldToStopRecordsWhatItDidAndTriesNothingMore(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := s.engine(engine.Options{Progress: func(p engine.Progress) {
		if p.Object == s.db+".books" {
			cancel()
		}
	}}).Pass(ctx)
	if !errors.Is(err, context.Canceled) || r.State != engine.Failed || r.Summary.Failed != 0 {
		t.Fatalf("state %s, error %v", r.State, err)
	}
	for _, o := range r.Objects {
		if o.Name == s.db+".books" || o.Name == s.db+".loans" {
			t.Errorf("an object that nothing was sent for is told of: %+v", o)
		}
	}
	if row := s.records()["books"]; row != nil {
		t.Errorf("and recorded: %+v", row)
	}
	if s.records()[""] == nil {
		t.Error("the database that was created before is not recorded")
	}
}

func TestAPassThatEndsBeforeTheLeaseTellsOfTheBookkeepingItCreated(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := s.engine(engine.Options{Progress: func(p engine.Progress) {
		if p.Step == "waiting for the lease" {
			cancel()
		}
	}}).Pass(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("state %s, error %v", r.State, err)
	}
	var told []string
	for _, o := range r.Objects {
		told = append(told, fmt.Sprintf("%s %s: %s", o.Kind, o.Name, o.Outcome))
	}
	if diff := cmp.Diff([]string{"database dfe: applied", "table dfe.schema_lock: applied", "table dfe.schema_migrations: applied"}, told); diff != "" {
		t.Error(diff)
	}
	if r.Summary.Statements != 3 || r.Summary.Applied != 3 {
		t.Errorf("the summary is %+v", r.Summary)
	}
}

func TestALiveObjectOfAnotherKindIsNeverReplaced(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.exec("CREATE DATABASE DB")
	s.exec("CREATE TABLE DB.latest (isbn String) ENGINE = MergeTree ORDER BY isbn")
	s.exec("INSERT INTO DB.latest VALUES ('kept')")
	r := s.pass(engine.Options{})
	if got := s.outcomes(r); got[len(got)-1] != "view latest: refused, refused" {
		t.Errorf("outcomes %v", got)
	}
	if got := s.value("SELECT isbn FROM DB.latest"); got != "kept" {
		t.Errorf("the row reads %q", got)
	}
}

func TestAnObjectThatWasThereIsAdoptedOnce(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.exec("CREATE DATABASE DB")
	s.exec("CREATE TABLE DB.books (isbn String, title String) ENGINE = MergeTree ORDER BY isbn")
	adopted := func(r *engine.Report) (names []string) {
		for _, o := range r.Objects {
			if o.Adopted {
				names = append(names, strings.TrimPrefix(o.Name, s.db))
			}
		}
		return names
	}
	if diff := cmp.Diff([]string{"", ".books"}, adopted(s.pass(engine.Options{}))); diff != "" {
		t.Error(diff)
	}
	if got := adopted(s.pass(engine.Options{})); len(got) != 0 {
		t.Errorf("adopted again: %v", got)
	}
}

func TestWhatNothingDeclaresIsReportedAndLeftAlone(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("CREATE TABLE DB.private (a UInt8) ENGINE = Memory")
	s.exec("ALTER TABLE DB.books ADD COLUMN shelf String")
	r := s.pass(engine.Options{})
	if r.State != engine.Converged || r.Summary.Statements != 0 || r.Summary.Reported != 2 {
		t.Errorf("state %s, summary %+v", r.State, r.Summary)
	}
	if s.value("SELECT count() FROM system.tables WHERE database = 'DB' AND name = 'private'") != "1" {
		t.Error("the undeclared table is gone")
	}
}

func TestAReviewedPlanIsAppliedExactlyOrNotAtAll(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.tree(`
-- books.hcl --
column "isbn"  { type = "String" }
column "title" { type = "String" }
column "pages" { type = "UInt16" }
engine   = "MergeTree"
order_by = ["isbn"]
`)
	reviewed, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.exec("ALTER TABLE DB.books ADD COLUMN shelf String")
	w := s.wire()
	_, err = s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).PassPlan(t.Context(), reviewed)
	var moved *engine.PlanMovedError
	if !errors.As(err, &moved) || !strings.Contains(err.Error(), s.db+".books changed since") || w.sent() != 0 {
		t.Fatalf("error %v after %d statements, want a *PlanMovedError and none", err, w.sent())
	}
	s.exec("ALTER TABLE DB.books DROP COLUMN shelf")
	r, err := s.engine(engine.Options{}).PassPlan(t.Context(), reviewed)
	if err != nil || r.Summary.Statements != len(reviewed.Statements) {
		t.Errorf("error %v, summary %+v, %d statements reviewed", err, r.Summary, len(reviewed.Statements))
	}
	if _, err = s.engine(engine.Options{}).PassPlan(t.Context(), reviewed); !errors.As(err, &moved) {
		t.Errorf("the same plan again: %v, want a *PlanMovedError", err)
	}
}

func TestALossyTypeChangeIsRefusedUntilTheLossIsAccepted(t *testing.T) {
	s := newStage(t)
	s.tree(`
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table "DB.counts" { from = "counts.sql" }
-- counts.sql --
CREATE TABLE DB.counts (k UInt8, n Int64) ENGINE = MergeTree ORDER BY k
`)
	s.pass(engine.Options{})
	s.exec("INSERT INTO DB.counts VALUES (1, 7), (2, 300)")
	s.tree(`
-- counts.sql --
CREATE TABLE DB.counts (k UInt8, n Int8) ENGINE = MergeTree ORDER BY k
`)
	typeNow := func() string {
		return s.value("SELECT type FROM system.columns WHERE database = 'DB' AND table = 'counts' AND name = 'n'")
	}
	for _, o := range []engine.Options{{}, {AllowDrift: true}} {
		r := s.pass(o)
		if r.Summary.Refused != 1 || r.Summary.Statements != 0 || typeNow() != "Int64" {
			t.Fatalf("with %+v: %+v, the type is %s", o, r.Summary, typeNow())
		}
	}
	s.exec("ALTER TABLE DB.counts DELETE WHERE n = 300 SETTINGS mutations_sync = 2")
	if r := s.pass(engine.Options{AllowDrift: true}); r.Summary.Statements != 1 || typeNow() != "Int8" {
		t.Errorf("once every value fits: %+v, the type is %s", r.Summary, typeNow())
	}
}

func TestWhoWatchesSeesEachObjectWhenThePassIsThroughWithIt(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	e := s.engine(engine.Options{Wait: time.Minute})
	var seen []string
	e.Watch(func(_ context.Context, pass string, o *engine.ObjectReport) {
		now, running := e.Running()
		if !running || now.Pass != pass {
			t.Errorf("%s is shown outside of its pass", o.Name)
		}
		seen = append(seen, o.Name)
	})
	r, err := e.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, o := range r.Objects {
		if o.Outcome != engine.Undeclared {
			reported = append(reported, o.Name)
		}
	}
	if diff := cmp.Diff(reported, seen); diff != "" {
		t.Errorf("(-reported +seen):\n%s", diff)
	}
}
