package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
)

func (s *stage) status(o engine.Options) *engine.Status {
	s.Helper()
	status, err := s.engine(o).Status(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return status
}

// live lists the answer about each of the test's own objects.
func (s *stage) live(status *engine.Status) map[string]engine.Match {
	found := map[string]engine.Match{}
	for _, o := range status.Objects {
		if name, own := strings.CutPrefix(o.Name, s.db); own {
			found[strings.TrimPrefix(name, ".")] = o.Live
		}
	}
	return found
}

func TestStatusSaysOfEachObjectWhetherItIsStillWhatWasRecorded(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	before := s.live(s.status(engine.Options{}))
	if diff := cmp.Diff(map[string]engine.Match{"": engine.Absent, "books": engine.Absent, "loans": engine.Absent, "latest": engine.Absent}, before); diff != "" {
		t.Errorf("before the first pass:\n%s", diff)
	}
	s.pass(engine.Options{})
	status := s.status(engine.Options{})
	want := map[string]engine.Match{"": engine.Matches, "books": engine.Matches, "loans": engine.Matches, "latest": engine.Matches}
	if diff := cmp.Diff(want, s.live(status)); diff != "" || !status.AllMatch() {
		t.Errorf("after a pass, all match = %t:\n%s", status.AllMatch(), diff)
	}
	s.exec("DROP TABLE DB.loans SYNC")
	s.exec("ALTER TABLE DB.books ADD COLUMN shelf String")
	s.exec("DROP VIEW DB.latest SYNC")
	s.exec("CREATE TABLE DB.latest (a UInt8) ENGINE = Memory")
	status = s.status(engine.Options{})
	want = map[string]engine.Match{"": engine.Matches, "books": engine.Differs, "loans": engine.Gone, "latest": engine.Differs}
	if diff := cmp.Diff(want, s.live(status)); diff != "" || status.AllMatch() {
		t.Errorf("after others were at work, all match = %t:\n%s", status.AllMatch(), diff)
	}
}

func TestStatusTellsReleaseEngineActionAndTimeOfWhatWasLastDone(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	first := s.pass(engine.Options{})
	s.tree(strings.Replace(library, `"1.2.0"`, `"1.3.0"`, 1))
	s.tree(`
-- latest.sql --
CREATE VIEW DB.latest AS SELECT isbn, min(at) AS last FROM DB.loans GROUP BY isbn
`)
	second := s.pass(engine.Options{})
	type line struct{ Release, Engine, Action, Pass string }
	got := map[string]line{}
	for _, o := range s.status(engine.Options{}).Objects {
		if name, own := strings.CutPrefix(o.Name, s.db+"."); own {
			got[name] = line{o.SchemaRelease, o.EngineRelease, o.Action, o.Pass}
			if o.Time == nil || o.Time.IsZero() {
				t.Errorf("%s has no time", name)
			}
		}
	}
	want := map[string]line{
		"books":  {"1.2.0", "test", "create", first.Pass},
		"loans":  {"1.2.0", "test", "create", first.Pass},
		"latest": {"1.3.0", "test", "replace-view", second.Pass},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestARowThatOnlySaysThatAnObjectWasReadAgainIsNoActionOfTheStatus(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	first := s.pass(engine.Options{})
	s.settle()
	s.pass(engine.Options{})
	if newest := s.records()["books"]; newest.Pass == first.Pass || newest.Statement != "" {
		t.Fatalf("the second pass wrote no such row: %+v", newest)
	}
	for _, o := range s.status(engine.Options{}).Objects {
		if o.Name == s.db+".books" && (o.Action != "create" || o.Pass != first.Pass || o.Live != engine.Matches) {
			t.Errorf("the status says %s in pass %s, %s", o.Action, o.Pass, o.Live)
		}
	}
}

func TestWhatATreeNoLongerDeclaresStaysInTheStatus(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.tree(`
-- manifest.hcl --
release = "2.0.0"
database "dfe_unrelated" {}
`)
	if got := s.live(s.status(engine.Options{}))["books"]; got != engine.Matches {
		t.Errorf("books %s", got)
	}
}
