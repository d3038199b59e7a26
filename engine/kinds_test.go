package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine"
)

// kindsTree declares one object of each kind that holds no access, with those that rest on each other.
const kindsTree = `
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
function "DB_cents" { from = "cents.sql" }
table "DB.orders" { from = "orders.hcl" }
table "DB.daily" { from = "daily.hcl" }
dictionary "DB.names" { from = "names.hcl" }
view "DB.big" { from = "big.sql" }
materialized_view "DB.to_daily" { from = "to_daily.sql" }
materialized_view "DB.inner_daily" { from = "inner_daily.sql" }
materialized_view "DB.hourly" { from = "hourly.sql" }
-- cents.sql --
CREATE FUNCTION DB_cents AS (x) -> toUInt64(x * 100)
-- orders.hcl --
column "id" { type = "UInt64" }
column "day" { type = "Date" }
column "price" { type = "Float64" }
column "cents" {
  type    = "UInt64"
  default = "DB_cents(price)"
}
column "name" {
  type    = "String"
  default = "dictGetOrDefault('DB.names', 'name', id, 'nobody')"
  comment = "who it is for"
}
engine   = "MergeTree"
order_by = "id"
-- daily.hcl --
column "day" { type = "Date" }
column "n" { type = "UInt64" }
engine   = "SummingMergeTree"
order_by = "day"
comment  = "orders of a day"
-- names.hcl --
attribute "id" { type = "UInt64" }
attribute "name" {
  type    = "String"
  default = "'nobody'"
}
primary_key = ["id"]
source      = "NULL()"
layout      = "HASHED()"
lifetime    = 300
-- big.sql --
CREATE VIEW DB.big AS SELECT id, price FROM DB.orders WHERE price > 1000
-- to_daily.sql --
CREATE MATERIALIZED VIEW DB.to_daily TO DB.daily AS SELECT day, count() AS n FROM DB.orders GROUP BY day
-- inner_daily.sql --
CREATE MATERIALIZED VIEW DB.inner_daily ENGINE = SummingMergeTree ORDER BY day AS SELECT day, sum(price) AS total FROM DB.orders GROUP BY day
-- hourly.sql --
CREATE MATERIALIZED VIEW DB.hourly REFRESH EVERY 1 HOUR (day Date, top Float64) ENGINE = MergeTree ORDER BY day AS SELECT day, max(price) AS top FROM DB.orders GROUP BY day
`

// kindsManifestOrder: the dictionary stands before the table whose default asks it.
const kindsManifestOrder = `
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
function "DB_cents" { from = "cents.sql" }
dictionary "DB.names" { from = "names.hcl" }
table "DB.orders" { from = "orders.hcl" }
table "DB.daily" { from = "daily.hcl" }
view "DB.big" { from = "big.sql" }
materialized_view "DB.to_daily" { from = "to_daily.sql" }
materialized_view "DB.inner_daily" { from = "inner_daily.sql" }
materialized_view "DB.hourly" { from = "hourly.sql" }
`

func TestEveryKindIsAppliedReadBackAndItsDriftIsShownAndMended(t *testing.T) {
	s := newStage(t)
	t.Cleanup(func() {
		if err := s.conn.Exec(t.Context(), s.in("SELECT 1"), "", nil); err == nil {
			s.exec("DROP FUNCTION IF EXISTS DB_cents")
		}
	})
	s.tree(kindsTree)
	if _, err := s.engine(engine.Options{}).Plan(t.Context()); err == nil || !strings.Contains(err.Error(), "uses "+s.db+".names before it is declared") {
		t.Fatalf("an object before what it uses: %v", err)
	}
	s.tree(kindsManifestOrder)
	first := s.pass(engine.Options{})
	if first.Summary.Failed+first.Summary.Refused+first.Summary.Blocked > 0 {
		t.Fatalf("%+v", first.Summary)
	}
	again := s.pass(engine.Options{})
	if again.Summary.Statements != 0 || again.Summary.Unchanged != len(again.Objects) {
		t.Fatalf("the second pass: %+v %q", again.Summary, s.outcomes(again))
	}
	// S92: the function is a copy in the default; what it gives is the same.
	s.exec("INSERT INTO DB.orders (id, day, price) VALUES (1, '2026-01-01', 2.5)")
	if got := s.value("SELECT concat(toString(cents), name) FROM DB.orders"); got != "250nobody" {
		t.Errorf("the defaults give %s", got)
	}
	if got := s.value("SELECT sum(n) FROM DB.daily"); got != "1" {
		t.Errorf("the materialized view counted %s", got)
	}

	for _, drift := range []string{
		"ALTER DATABASE DB MODIFY COMMENT 'by hand'",
		"CREATE OR REPLACE FUNCTION DB_cents AS (x) -> toUInt64(x * 1000)",
		"ALTER TABLE DB.orders DROP COLUMN name", "ALTER TABLE DB.orders COMMENT COLUMN price 'by hand'",
		"ALTER TABLE DB.daily MODIFY COMMENT ''",
		"CREATE OR REPLACE DICTIONARY DB.names (id UInt64, name String DEFAULT 'nobody') PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(300)",
		"CREATE OR REPLACE VIEW DB.big AS SELECT id FROM DB.orders",
		"ALTER TABLE DB.to_daily MODIFY QUERY SELECT day, toUInt64(sum(price)) AS n FROM DB.orders GROUP BY day",
		"ALTER TABLE DB.hourly MODIFY REFRESH EVERY 2 HOUR",
	} {
		s.exec(drift)
	}
	doc, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"database remove comment modify-comment", "dictionary change layout.kind replace-dictionary", "function change body replace-function",
		"materialized_view change query refused", "materialized_view change refresh.schedule refused", "table add column.name add-column",
		"table add comment modify-comment", "table remove column.price.comment modify-comment", "view change query replace-view",
	}
	if got := s.changes(doc); !slices.Equal(got, want) {
		t.Errorf("the plan shows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var operator []string
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			if c.Action == "refused" {
				operator = append(operator, c.Statement)
			}
		}
	}
	mended := s.pass(engine.Options{})
	if mended.Summary.Failed > 0 || mended.Summary.Refused != 2 {
		t.Errorf("%+v %q", mended.Summary, s.outcomes(mended))
	}
	left := s.pass(engine.Options{})
	if left.Summary.Statements != 0 || left.Summary.Refused != 2 {
		t.Errorf("not converged: %+v %q", left.Summary, s.outcomes(left))
	}
	// What was refused carries the statement with which an operator mends it.
	for _, statement := range operator {
		if statement == "" {
			t.Fatal("a refusal carries no statement")
		}
		s.exec(statement)
	}
	last := s.pass(engine.Options{})
	if last.Summary.Statements != 0 || last.Summary.Refused != 0 || last.Summary.Unchanged != len(last.Objects) {
		t.Errorf("after the operator: %+v %q", last.Summary, s.outcomes(last))
	}
}
