package deps_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/deps"
)

// TestAnObjectRefersToWhatItUses lists the references of a statement, functions left out; "?" marks a name that may be
// something else, ">" one that is written to.
func TestAnObjectRefersToWhatItUses(t *testing.T) {
	for statement, want := range map[string][]string{
		"CREATE VIEW d.v AS SELECT a FROM t":                                               {"relation d.t"},
		"CREATE VIEW d.v AS SELECT a FROM x.t AS t, `odd.one` FINAL":                       {"relation x.t", "relation d.odd.one"},
		"CREATE VIEW d.v AS WITH t AS (SELECT 1 AS a) SELECT a FROM t":                     nil,
		"CREATE VIEW d.v AS WITH t AS (SELECT a FROM t) SELECT a FROM t":                   {"relation d.t"},
		"CREATE VIEW d.v AS WITH RECURSIVE t AS (SELECT a FROM t) SELECT a FROM t":         nil,
		"CREATE VIEW d.v AS WITH t AS (SELECT 1 AS a) SELECT a FROM d.t":                   {"relation d.t"},
		"CREATE VIEW d.v AS SELECT a FROM (WITH t AS (SELECT 1 AS a) SELECT a FROM t), t":  {"relation d.t"},
		"CREATE VIEW d.v AS SELECT a FROM t UNION ALL SELECT a FROM u":                     {"relation d.t", "relation d.u"},
		"CREATE VIEW d.v AS SELECT t.a FROM t LEFT JOIN u ON t.a = u.a ARRAY JOIN t.b":     {"relation d.t", "relation d.u"},
		"CREATE VIEW d.v AS SELECT a FROM t JOIN (SELECT a FROM u WHERE a IN x.w) USING a": {"relation d.t", "relation d.u", "relation x.w?"},
		"CREATE VIEW d.v AS SELECT a FROM t WHERE a IN (SELECT a FROM u) AND a IN w":       {"relation d.t", "relation d.u", "relation d.w?"},
		"CREATE VIEW d.v AS SELECT (SELECT max(a) FROM u) AS m FROM t":                     {"relation d.u", "relation d.t"},
		"CREATE VIEW d.v AS SELECT number FROM numbers(10)":                                {"relation d.numbers?"},
		"CREATE VIEW d.v AS SELECT a FROM remote('h', x.t)":                                nil,
		"CREATE VIEW d.v AS SELECT a FROM view(SELECT a FROM t)":                           {"relation d.view?", "relation d.t"},
		"CREATE VIEW d.v AS SELECT name FROM dictionary('x.rates')":                        {"dictionary x.rates"},
		"CREATE VIEW d.v AS SELECT dictGet('rates', 'r', a), dictHas(x.rates, a) FROM t":   {"dictionary d.rates", "dictionary x.rates", "relation d.t"},
		"CREATE VIEW d.v AS SELECT joinGet('x.j', 'r', a) FROM t":                          {"relation x.j", "relation d.t"},
		"CREATE TABLE d.t (a UInt8 DEFAULT dictGet('x.rates', 'r', 1)) ENGINE = Memory":    {"dictionary x.rates"},
		"CREATE TABLE d.t AS x.u":                                                                                           {"relation x.u"},
		"CREATE TABLE d.t ENGINE = Memory AS SELECT a FROM x.u":                                                             {"relation x.u"},
		"CREATE TABLE d.t (a UInt8) ENGINE = Distributed('{cluster}', 'x', 'u', rand())":                                    {"relation x.u"},
		"CREATE TABLE d.t (a UInt8) ENGINE = Distributed(c, currentDatabase(), u)":                                          {"relation d.u"},
		"CREATE TABLE d.t (a UInt8) ENGINE = Buffer(x, u, 1, 1, 1, 1, 1, 1, 1)":                                             {"relation x.u"},
		"CREATE TABLE d.t (a UInt8) ENGINE = Merge(x, '^u')":                                                                nil,
		"CREATE MATERIALIZED VIEW d.m TO x.u AS SELECT a FROM t":                                                            {"relation x.u>", "relation d.t"},
		"CREATE MATERIALIZED VIEW d.m REFRESH EVERY 1 HOUR DEPENDS ON n TO u AS SELECT a FROM t":                            {"relation d.u>", "relation d.n", "relation d.t"},
		"CREATE DICTIONARY d.r (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'x' TABLE 'u')) LAYOUT(FLAT())":              {"relation x.u"},
		"CREATE DICTIONARY d.r (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'u')) LAYOUT(FLAT())":                     {"relation d.u"},
		"CREATE DICTIONARY d.r (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT id FROM x.u')) LAYOUT(FLAT())":    {"relation x.u"},
		"CREATE DICTIONARY d.r (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(HOST 'other' TABLE 'u' DB 'x')) LAYOUT(FLAT())": {},
		"CREATE DICTIONARY d.r (id UInt64) PRIMARY KEY id SOURCE(HTTP(URL 'http://h/t' FORMAT 'TSV')) LAYOUT(FLAT())":       {},
		"CREATE FUNCTION f AS x -> dictGet('d.rates', 'r', x)":                                                              {"dictionary d.rates"},
	} {
		object, err := ddl.ParseStatement(statement)
		if err != nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		var got []string
		for _, ref := range deps.Of(object) {
			if ref.Kind == deps.Function {
				continue
			}
			s := fmt.Sprintf("%s %s", ref.Kind, ref.Name)
			if ref.Perhaps {
				s += "?"
			}
			if ref.Writes {
				s += ">"
			}
			got = append(got, s)
		}
		if len(got)+len(want) > 0 {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", statement, diff)
			}
		}
	}
}

func TestEveryCallOfAFunctionIsAReference(t *testing.T) {
	object, err := ddl.ParseStatement("CREATE VIEW d.v AS SELECT twice(sum(a)), quantile(0.5)(thrice(b)) FROM t GROUP BY lower(c) ORDER BY upper(d)")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ref := range deps.Of(object) {
		if ref.Kind == deps.Function {
			got = append(got, ref.Name.Name)
		}
	}
	if diff := cmp.Diff([]string{"twice", "sum", "quantile", "thrice", "lower", "upper"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
