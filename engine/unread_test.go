package engine_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
)

// unread lists the test's own objects that a pass left unread, by the name in the database.
func (s *stage) unread(r *engine.Report) []string {
	names := []string{}
	for _, o := range r.Objects {
		if name, own := strings.CutPrefix(o.Name, s.db+"."); own && o.Unread {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// settle waits until what was made is two seconds old by the server's clock, which is what a read has to see.
func (s *stage) settle() {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); s.value("SELECT count() FROM system.tables WHERE database IN ('DB', 'dfe') AND metadata_modification_time > now() - 2") != "0"; {
		if time.Now().After(deadline) {
			s.Fatal("the server's clock stands still")
		}
	}
}

func TestWhatTheLedgerKnowsToBeUnchangedIsNotReadInFull(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	if got := s.unread(s.pass(engine.Options{})); len(got) != 0 {
		t.Errorf("unread right after they were made, when the server's clock cannot tell: %v", got)
	}
	s.settle()
	if got := s.unread(s.pass(engine.Options{})); len(got) != 0 {
		t.Errorf("unread without a record that was read late enough: %v", got)
	}
	all := []string{"books", "latest", "loans"}
	rows := s.value("SELECT count() FROM dfe.schema_migrations")
	r := s.pass(engine.Options{})
	if diff := cmp.Diff(all, s.unread(r)); diff != "" || r.Summary.Unchanged != len(r.Objects) || s.value("SELECT count() FROM dfe.schema_migrations") != rows {
		t.Errorf("%+v\n%s", r.Summary, diff)
	}
	for _, o := range r.Objects {
		if o.Checksum == "" || o.LiveChecksum == "" {
			t.Errorf("%s has the checksums %q and %q", o.Name, o.Checksum, o.LiveChecksum)
		}
	}
}

func TestNothingButTheVeryObjectThatWasRecordedIsLeftUnread(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*stage)
		unread []string
		sent   int
	}{
		{"a column is dropped by hand", func(s *stage) { s.exec("ALTER TABLE DB.books DROP COLUMN title") }, []string{"latest", "loans"}, 1},
		{"a table that a view reads is altered by hand", func(s *stage) { s.exec("ALTER TABLE DB.loans MODIFY COMMENT 'x'") }, []string{"books"}, 1},
		{"a table is made anew by hand, with another type", func(s *stage) {
			s.exec("DROP TABLE DB.books SYNC")
			s.exec("CREATE TABLE DB.books (isbn String, title FixedString(3)) ENGINE = MergeTree ORDER BY isbn")
		}, []string{"latest", "loans"}, 0},
		{"a view takes a table's name", func(s *stage) {
			s.exec("DROP TABLE DB.books SYNC")
			s.exec("CREATE VIEW DB.books AS SELECT 1 AS isbn")
		}, []string{"latest", "loans"}, 0},
		{"a definition changes", func(s *stage) {
			s.tree("-- books.hcl --\ncolumn \"isbn\" { type = \"String\" }\ncolumn \"title\" { type = \"String\" }\ncolumn \"pages\" { type = \"UInt16\" }\nengine = \"MergeTree\"\norder_by = [\"isbn\"]\n")
		}, []string{"latest", "loans"}, 1},
		{"another member answers", func(s *stage) {
			s.exec("ALTER TABLE dfe.schema_migrations UPDATE member = 'elsewhere' WHERE 1 SETTINGS mutations_sync = 2")
		}, []string{}, 0},
		{"the record was read too soon", func(s *stage) {
			s.exec("ALTER TABLE dfe.schema_migrations UPDATE read_at = addSeconds(metadata_modification_time, 1) WHERE name = 'DB.books' SETTINGS mutations_sync = 2")
		}, []string{"latest", "loans"}, 0},
		{"another engine recorded it", func(s *stage) {
			s.exec("ALTER TABLE dfe.schema_migrations UPDATE engine_release = 'older' WHERE name = 'DB.books' SETTINGS mutations_sync = 2")
		}, []string{"latest", "loans"}, 0},
	} {
		s := newStage(t)
		s.tree(library)
		s.pass(engine.Options{})
		s.settle()
		s.pass(engine.Options{})
		c.change(s)
		r, err := s.engine(engine.Options{}).Pass(t.Context())
		if diff := cmp.Diff(c.unread, s.unread(&r)); diff != "" || err != nil || r.Summary.Statements != c.sent {
			t.Errorf("%s: error %v, %+v\n%s", c.what, err, r.Summary, diff)
		}
	}
}

func TestAProgramWithoutAReleaseReadsEverything(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	e := s.engine(engine.Options{})
	e.SetRelease("dev")
	for range 3 {
		r, err := e.Pass(t.Context())
		if got := s.unread(&r); err != nil || len(got) != 0 {
			t.Errorf("error %v, unread %v", err, got)
		}
		s.settle()
	}
}

// TestALedgerThatAnotherMadeMeanwhileIsTakenUp has the pass ask for a ledger that is not there yet, and make it when it is:
// by then another has recorded it, so that it is left unread.
func TestALedgerThatAnotherMadeMeanwhileIsTakenUp(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.settle()
	s.pass(engine.Options{})
	var made atomic.Bool
	address := s.rewriting(func(sql string) string {
		switch {
		case strings.HasPrefix(sql, "CREATE TABLE IF NOT EXISTS dfe.schema_migrations"):
			made.Store(true)
		case !made.Load():
			sql = strings.ReplaceAll(sql, "'schema_migrations'", "'not yet'")
		}
		return sql
	})
	r, err := s.engine(engine.Options{Target: catalog.Target{URL: address}}).Pass(t.Context())
	if err != nil || r.State != engine.Converged || r.Summary.Applied != 1 {
		t.Errorf("%s after %+v: %v", r.State, r.Summary, err)
	}
	if got := s.unread(&r); len(got) != 3 {
		t.Errorf("unread is %v", got)
	}
}
