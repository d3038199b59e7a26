package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
)

// A changed function is replaced and the objects that hold its old body are named; a view follows in the next pass, and
// the default of a column is refused, because it changes what stored rows read.
func TestAChangedFunctionNamesWhatHoldsItsOldBody(t *testing.T) {
	s := newStage(t)
	t.Cleanup(func() { _ = s.conn.Exec(context.Background(), s.in("DROP FUNCTION IF EXISTS DB_gross"), "", nil) })
	const tree = `
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
function "DB_gross" { from = "gross.hcl" }
table    "DB.sales" { from = "sales.sql" }
table    "DB.plain" { from = "plain.sql" }
view     "DB.dear"  { from = "dear.sql" }
-- gross.hcl --
body = "net -> net * 2"
-- sales.sql --
CREATE TABLE DB.sales (net UInt32, gross UInt64 DEFAULT DB_gross(net)) ENGINE = MergeTree ORDER BY net
-- plain.sql --
CREATE TABLE DB.plain (net UInt32) ENGINE = MergeTree ORDER BY net
-- dear.sql --
CREATE VIEW DB.dear AS SELECT net FROM DB.plain WHERE DB_gross(net) > 100
`
	s.tree(tree)
	s.pass(engine.Options{})
	s.tree(strings.Replace(tree, "net * 2", "net * 3", 1))
	outcomes := func(want ...string) *engine.Report {
		t.Helper()
		r := s.pass(engine.Options{})
		var got []string
		for _, o := range r.Objects {
			if strings.HasPrefix(o.Name, s.db) && o.Action != "none" {
				got = append(got, strings.TrimPrefix(strings.TrimPrefix(o.Name, s.db), ".")+": "+o.Action)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return r
	}
	// The view follows in the same pass, the default is an operator's.
	first := outcomes("_gross: replace", "sales: refused", "dear: replace")
	told := false
	for _, o := range first.Objects {
		for _, c := range o.Changes {
			told = told || c.Report && c.Action == "replace-function" && c.Reason == s.in("DB.sales, DB.dear was created with the old body inlined and keeps it")
		}
	}
	if !told {
		t.Error("what holds the old body is not named")
	}
	outcomes("sales: refused")
}

func TestAFunctionThatWasChangedByHandIsPutBackAndNamesNothing(t *testing.T) {
	s := newStage(t)
	t.Cleanup(func() { _ = s.conn.Exec(context.Background(), s.in("DROP FUNCTION IF EXISTS DB_gross"), "", nil) })
	s.tree(`
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
function "DB_gross" { from = "gross.hcl" }
table    "DB.sales" { from = "sales.sql" }
-- gross.hcl --
body = "net -> net * 2"
-- sales.sql --
CREATE TABLE DB.sales (net UInt32, gross UInt64 DEFAULT DB_gross(net)) ENGINE = MergeTree ORDER BY net
`)
	s.pass(engine.Options{})
	if err := s.conn.Exec(t.Context(), s.in("CREATE OR REPLACE FUNCTION DB_gross AS net -> net * 3"), "", nil); err != nil {
		t.Fatal(err)
	}
	for _, o := range s.pass(engine.Options{}).Objects {
		for _, c := range o.Changes {
			if c.Report || o.Name != s.in("DB_gross") {
				t.Errorf("%s: %s %s", o.Name, c.Action, c.Reason)
			}
		}
	}
}
