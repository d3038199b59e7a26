package engine_test

import (
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine"
)

// Case S83: the server keeps the name of whoever applied the definition in the place of CURRENT_USER.
func TestADefinerThatIsWhoeverAppliesIsNoDifference(t *testing.T) {
	s := newStage(t)
	s.tree(`
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table "DB.sales" { from = "sales.sql" }
view "DB.dear" { from = "dear.sql" }
materialized_view "DB.kept" { from = "kept.sql" }
materialized_view "DB.own" { from = "own.sql" }
-- sales.sql --
CREATE TABLE DB.sales (net UInt32) ENGINE = MergeTree ORDER BY net
-- dear.sql --
CREATE VIEW DB.dear DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT net FROM DB.sales
-- kept.sql --
CREATE MATERIALIZED VIEW DB.kept TO DB.sales SQL SECURITY DEFINER AS SELECT net FROM DB.sales WHERE 0
-- own.sql --
CREATE MATERIALIZED VIEW DB.own REFRESH EVERY 1 DAY APPEND TO DB.sales DEFINER = CURRENT_USER SQL SECURITY DEFINER EMPTY AS SELECT net FROM DB.sales WHERE 0
`)
	s.pass(engine.Options{})
	for _, o := range s.pass(engine.Options{}).Objects {
		if strings.HasPrefix(o.Name, s.db) && len(o.Changes) > 0 {
			t.Errorf("%s: %+v", o.Name, o.Changes)
		}
	}
}
