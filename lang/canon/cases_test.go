package canon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/lang/canon"
)

// caseTest is one law of the shared cases, told with other names. want is "" for the same object, otherwise the path that
// differs, or "?path" for a part that cannot be told.
type caseTest struct {
	id, live, desired, want string
	env                     canon.Env
}

// col is a table with one column of that definition.
func col(definition string) string {
	return "CREATE TABLE inn.rooms (k UInt64, s String, ts DateTime, " + definition + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 8192"
}

// tail is a table with that storage clause.
func tail(clauses string) string {
	return "CREATE TABLE inn.rooms (k UInt64, b String, ts DateTime, d Date, v UInt32, del UInt8) " + clauses
}

// with is a table with that element beside its columns.
func with(element string) string {
	return "CREATE TABLE inn.rooms (k UInt64, s String, " + element + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 8192"
}

const mt = "ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 8192"

func TestCases(t *testing.T) {
	for _, c := range slices.Concat(typeCases(), storageCases(), objectCases(t), structureCases(t)) {
		t.Run(c.id, func(t *testing.T) {
			l, d := canon.Pair(mustParse(t, c.live), mustParse(t, c.desired), c.env)
			var got []string
			for _, diff := range compare(l, d) {
				if diff.reason != "" {
					got = append(got, "?"+diff.path)
				} else {
					got = append(got, diff.path)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q\n  live    %s\n  desired %s", strings.Join(got, " "), c.want, c.live, c.desired)
			}
		})
	}
}

func typeCases() []caseTest {
	var list []caseTest
	same := func(id, desired, live string) {
		list = append(list, caseTest{id: id, live: col(live), desired: col(desired)})
	}
	differs := func(id, desired, live, path string) {
		list = append(list, caseTest{id: id, live: col(live), desired: col(desired), want: path})
	}
	same("S01 decimal shorthand", "p Decimal64(3), q DECIMAL(12), r Decimal", "p Decimal(18, 3), q Decimal(12, 0), r Decimal(10, 0)")
	differs("S01 another scale", "p Decimal64(3)", "p Decimal(18, 4)", "column.p.type")
	differs("S01 another precision", "p Decimal(9, 3)", "p Decimal(18, 3)", "column.p.type")
	same("S02 SQL names", "a INT, b BIGINT, c VARCHAR(255), e DOUBLE, f BOOLEAN, g SMALLINT UNSIGNED, h CHAR(3)",
		"a Int32, b Int64, c String, e Float64, f Bool, g UInt16, h String")
	same("S02 the length means nothing", "c VARCHAR(20)", "c String")
	differs("S02 a fixed string has a length", "c BINARY(4)", "c FixedString(8)", "column.c.type")
	same("S03 NULL modifier", "a Int8 NULL, c String NOT NULL", "a Nullable(Int8), c String")
	differs("S03 nullable is real", "a Int8", "a Nullable(Int8)", "column.a.type")
	same("S04 scale of DateTime64", "x DateTime64, y DateTime32", "x DateTime64(3), y DateTime")
	differs("S05 time zone of DateTime64", "x DateTime64(3, 'UTC')", "x DateTime64(3)", "column.x.type")
	differs("S05 time zone of DateTime", "x DateTime('UTC')", "x DateTime", "column.x.type")
	same("S06 enum spacing", "x Enum8('new'=1,'paid'=2)", "x Enum8('new' = 1, 'paid' = 2)")
	same("S07 enum order and numbers", "x Enum('z'=3,'m'=1), y Enum('x','y'), w Enum('far'=300)",
		"x Enum8('m' = 1, 'z' = 3), y Enum8('x' = 1, 'y' = 2), w Enum16('far' = 300)")
	differs("S08 enum value added", "x Enum8('new'=1,'paid'=2,'void'=3)", "x Enum8('new' = 1, 'paid' = 2)", "column.x.type")
	differs("S07 enum renumbered", "x Enum8('new'=2,'paid'=1)", "x Enum8('new' = 1, 'paid' = 2)", "column.x.type")
	same("S10 nested is flattened", "n Nested(a UInt8, b varchar)", "`n.a` Array(UInt8), `n.b` Array(String)")
	differs("S10 a new element", "n Nested(a UInt8, b String, c Date)", "`n.a` Array(UInt8), `n.b` Array(String)", "column.`n.c`.type")
	same("S11 nested not flattened", "n Nested(a UInt8, b varchar)", "n Nested(a UInt8, b String)")
	differs("S11 another element type", "n Nested(a UInt16, b String)", "n Nested(a UInt8, b String)", "column.n.type")
	same("S12 variant order", "x Variant(String, UInt64, Array(UInt64))", "x Variant(Array(UInt64), String, UInt64)")
	differs("S12 variant member", "x Variant(String, UInt64)", "x Variant(String, UInt32)", "column.x.type")
	same("S13 JSON arguments", "x JSON(max_dynamic_paths=16, a.b UInt32, SKIP a.c, SKIP REGEXP 'x.*'), y Dynamic(max_types=8)",
		"x JSON(max_dynamic_paths = 16, `a.b` UInt32, SKIP `a.c`, SKIP REGEXP 'x.*'), y Dynamic(max_types = 8)")
	differs("S13 another path type", "x JSON(a.b UInt32)", "x JSON(`a.b` UInt64)", "column.x.type")
	differs("S14 LowCardinality", "x LowCardinality(String)", "x String", "column.x.type")
	same("S15 no written type", "a DEFAULT 1, m MATERIALIZED k+1, e ALIAS k*2+1, w ALIAS e || 'x'",
		"a UInt8 DEFAULT 1, m UInt64 MATERIALIZED k + 1, e UInt64 ALIAS (k * 2) + 1, w String ALIAS concat(e, 'x')")
	differs("S15 the type the text gives is another", "a DEFAULT 1", "a UInt16 DEFAULT 1", "column.a.type")
	differs("S15 what the text does not say", "a DEFAULT mystery(k)", "a UInt8 DEFAULT mystery(k)", "?column.a.type")
	same("S15 NULL and no type", "a NULL DEFAULT 1, c DEFAULT 'x' NOT NULL", "a Nullable(UInt8) DEFAULT 1, c String DEFAULT 'x'")
	same("DEFAULT NULL makes the type Nullable", "a UInt8 DEFAULT NULL", "a Nullable(UInt8) DEFAULT NULL")
	same("S17 float literal", "x Float64 DEFAULT 1.0", "x Float64 DEFAULT 1.")
	differs("S17 a float is no integer", "x Float64 DEFAULT 1.0", "x Float64 DEFAULT 1", "column.x.default")
	same("S18 other literals", "x Float64 DEFAULT 0.10 + 1e3, y UInt64 DEFAULT 0x1F + 1_000_000, z Decimal(9, 3) DEFAULT 3.10",
		"x Float64 DEFAULT 0.1 + 1000., y UInt64 DEFAULT 31 + 1000000, z Decimal(9, 3) DEFAULT 3.1")
	differs("S18 another number", "x Float64 DEFAULT 0.10", "x Float64 DEFAULT 0.01", "column.x.default")
	same("S19 function case and aliases", "x DateTime DEFAULT NOW(), y String DEFAULT SUBSTR(UCASE(s), 1, 2), z UInt64 DEFAULT CHAR_LENGTH(s)",
		"x DateTime DEFAULT now(), y String DEFAULT substring(upper(s), 1, 2), z UInt64 DEFAULT lengthUTF8(s)")
	differs("S19 another function", "x String DEFAULT upper(s)", "x String DEFAULT lower(s)", "column.x.default")
	same("S20 operators become functions", "a String DEFAULT k::String, b2 String DEFAULT CAST(k AS varchar), c String DEFAULT CASE WHEN k > 1 THEN 'a' ELSE 'b' END, "+
		"e UInt8 DEFAULT k BETWEEN 1 AND 3, f String DEFAULT s || 'x', g UInt8 DEFAULT k<>3, h String DEFAULT k > 1 ? 'a' : 'b', i String DEFAULT CASE k WHEN 1 THEN 'a' END",
		"a String DEFAULT CAST(k, 'String'), b2 String DEFAULT CAST(k, 'String'), c String DEFAULT multiIf(k > 1, 'a', 'b'), "+
			"e UInt8 DEFAULT (k >= 1) AND (k <= 3), f String DEFAULT concat(s, 'x'), g UInt8 DEFAULT k != 3, h String DEFAULT if(k > 1, 'a', 'b'), "+
			"i String DEFAULT caseWithExpression(k, 1, 'a', NULL)")
	differs("S20 another bound", "e UInt8 DEFAULT k BETWEEN 1 AND 3", "e UInt8 DEFAULT (k >= 1) AND (k < 3)", "column.e.default")
	same("S20 a literal is cast from its text", "x Decimal(9, 2) DEFAULT 1.50::Decimal(9, 2), y Array(UInt8) DEFAULT [1, 2]::Array(UInt8)",
		"x Decimal(9, 2) DEFAULT CAST('1.50', 'Decimal(9, 2)'), y Array(UInt8) DEFAULT CAST('[1,2]', 'Array(UInt8)')")
	same("S21 parentheses", "x UInt64 DEFAULT ((k)) + (k*2+1)", "x UInt64 DEFAULT k + ((k * 2) + 1)")
	same("S21 conjunctions", "x UInt8 DEFAULT (k = 1 AND k = 2) AND k = 3", "x UInt8 DEFAULT (k = 1) AND (k = 2) AND (k = 3)")
	differs("S21 parentheses that mean something", "x UInt64 DEFAULT k - (k - 1)", "x UInt64 DEFAULT (k - k) - 1", "column.x.default")
	same("S22 spacing", "x UInt64 DEFAULT cityHash64(s,k)", "x UInt64 DEFAULT cityHash64(s, k)")
	differs("S23 true is written otherwise than 1", "x Bool DEFAULT true", "x Bool DEFAULT 1", "column.x.default")
	same("S24 intervals", "x DateTime DEFAULT today() + INTERVAL 1 DAY, y DateTime DEFAULT ts + INTERVAL '2' HOUR, z DateTime DEFAULT DATE_ADD(DAY, 1, ts)",
		"x DateTime DEFAULT today() + toIntervalDay(1), y DateTime DEFAULT ts + toIntervalHour('2'), z DateTime DEFAULT plus(ts, toIntervalDay(1))")
	differs("S24 another unit", "x DateTime DEFAULT ts + INTERVAL 1 DAY", "x DateTime DEFAULT ts + toIntervalHour(1)", "column.x.default")
	differs("S25 a default removed", "x UInt32", "x UInt32 DEFAULT 1", "column.x.kind column.x.default")
	differs("S26 a comment removed", "x UInt32", "x UInt32 COMMENT 'c'", "column.x.comment")
	same("S26 an empty comment is none", "x UInt32 COMMENT ''", "x UInt32")
	differs("S27 plain to ALIAS", "x UInt64 ALIAS k * 10", "x UInt64", "column.x.kind column.x.default")
	differs("S28 DEFAULT to MATERIALIZED", "x UInt64 MATERIALIZED 1", "x UInt64 DEFAULT 1", "column.x.kind")
	same("S30 EPHEMERAL", "x UInt64 EPHEMERAL 5, y String EPHEMERAL unhex('00')", "x UInt64 EPHEMERAL 5, y String EPHEMERAL unhex('00')")
	same("S42 codec levels and widths", "x UInt64 CODEC(Delta, ZSTD), y Nullable(Float32) CODEC(Gorilla, LZ4HC), z DateTime CODEC(Delta, LZ4)",
		"x UInt64 CODEC(Delta(8), ZSTD(1)), y Nullable(Float32) CODEC(Gorilla(4), LZ4HC(0)), z DateTime CODEC(Delta(4), LZ4)")
	same("S42 one width in all streams of a column", "x Array(Tuple(Float64)) CODEC(Gorilla), y Tuple(a UInt32, b DateTime) CODEC(Delta), m Map(UInt64, Int64) CODEC(Delta), p Point CODEC(Delta), j JSON CODEC(Delta), v Variant(UInt8, Int8) CODEC(Delta)",
		"x Array(Tuple(Float64)) CODEC(Gorilla(8)), y Tuple(a UInt32, b DateTime) CODEC(Delta(4)), m Map(UInt64, Int64) CODEC(Delta(8)), p Point CODEC(Delta(8)), j JSON CODEC(Delta(1)), v Variant(Int8, UInt8) CODEC(Delta(1))")
	differs("a type without its arguments is no type to infer from", "x Array() DEFAULT [], y DEFAULT x[1]", "x Array() DEFAULT [], y UInt8 DEFAULT x[1]", "?column.y.type")
	same("a path of JSON that is none", "x JSON(b UInt8, SKIP, SKIP a)", "x JSON(b UInt8, SKIP, SKIP a)")
	differs("S42 a type without its arguments has no width", "x FixedString CODEC(Delta), y SimpleAggregateFunction CODEC(Gorilla), z Decimal() CODEC(Delta)",
		"x FixedString CODEC(Delta), y SimpleAggregateFunction CODEC(Gorilla)", "column.z.type column.z.codec")
	same("S42 streams of several widths", "y Tuple(a UInt32, b UInt64) CODEC(Delta), m Map(UInt8, Int64) CODEC(Delta), v Variant(UInt64, Int64) CODEC(Delta)",
		"y Tuple(a UInt32, b UInt64) CODEC(Delta), m Map(UInt8, Int64) CODEC(Delta), v Variant(Int64, UInt64) CODEC(Delta)")
	differs("S42 streams of several widths and a width", "y Tuple(a UInt32, b UInt64) CODEC(Delta)", "y Tuple(a UInt32, b UInt64) CODEC(Delta(8))", "column.y.codec")
	same("an element by its name", "a UInt8 DEFAULT (t).x, b UInt8 DEFAULT ((t.y).z).w, c UInt8 DEFAULT arr[1].x",
		"a UInt8 DEFAULT tupleElement((t), 'x'), b UInt8 DEFAULT tupleElement((tupleElement((t.y), 'z')), 'w'), c UInt8 DEFAULT tupleElement(arr[1], 'x')")
	differs("an element of another name", "a UInt8 DEFAULT (t).x", "a UInt8 DEFAULT tupleElement((t), 'y')", "column.a.default")
	same("statistics are a set", "a UInt64 STATISTICS(minmax, tdigest, uniq)", "a UInt64 STATISTICS(tdigest, uniq, minmax)")
	differs("statistics of another kind", "a UInt64 STATISTICS(minmax)", "a UInt64 STATISTICS(tdigest)", "column.a.statistics")
	same("nan has no sign", "a Float64 DEFAULT -nan", "a Float64 DEFAULT nan")
	differs("S42 another level", "x String CODEC(ZSTD)", "x String CODEC(ZSTD(3))", "column.x.codec")
	differs("S43 a stale width", "x UInt64 CODEC(Delta, LZ4)", "x UInt64 CODEC(Delta(4), LZ4)", "column.x.codec")
	differs("S44 CODEC(Default) is no absence", "x UInt64 CODEC(Default)", "x UInt64", "column.x.codec")
	same("S49 column TTL", "x String COMMENT 'c' CODEC(ZSTD) TTL ts + INTERVAL 2 WEEK", "x String COMMENT 'c' CODEC(ZSTD(1)) TTL ts + toIntervalWeek(2)")
	same("S64 comment escapes", "x String COMMENT 'it''s a\\ttab -- and more'", "x String COMMENT 'it\\'s a\\ttab -- and more'")
	same("S65 quoting of names", `"dq" UInt8, `+"`a.b`"+` UInt8`, "`dq` UInt8, `a.b` UInt8")
	same("S66 names that look reserved", "key UInt8, index UInt8, type UInt8, ttl UInt8, end UInt8, interval UInt8",
		"`key` UInt8, `index` UInt8, `type` UInt8, `ttl` UInt8, `end` UInt8, `interval` UInt8")
	same("COLLATE is read and forgotten", "x String COLLATE binary", "x String")
	same("tuple elements keep their names", "x Tuple(a int, b varchar)", "x Tuple(a Int32, b String)")
	differs("tuple element renamed", "x Tuple(a Int32)", "x Tuple(c Int32)", "column.x.type")
	same("aggregate states", "x AggregateFunction(SUM, int), y AggregateFunction(quantiles(0.50, 0.9), double), z AggregateFunction(sumMap, Array(int), Array(int))",
		"x AggregateFunction(sum, Int32), y AggregateFunction(quantiles(0.5, 0.9), Float64), z AggregateFunction(1, sumMap, Array(Int32), Array(Int32))")
	return list
}
