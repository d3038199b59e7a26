package canon_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
)

func objectCases(t *testing.T) []caseTest {
	plusOne := mustParse(t, "CREATE FUNCTION plus_one AS x -> x + 1").(*ast.Function)
	functions := canon.Env{Function: func(name string) *ast.Function {
		if name == plusOne.Name {
			return plusOne
		}
		return nil
	}}
	dictionary := func(rest string) string {
		return "CREATE DICTIONARY inn.names (id UInt64, name String) PRIMARY KEY id " + rest
	}
	textKey := func(rest string) string {
		return "CREATE DICTIONARY inn.names (code String, name String) PRIMARY KEY code " + rest
	}
	source := mustParse(t, "CREATE TABLE inn.src (id int, note varchar(10), n Nested(a UInt8)) ENGINE = MergeTree ORDER BY id")
	tree := canon.Env{Lookup: func(n ast.Name) ast.Object {
		if n == source.ID() {
			return source
		}
		return nil
	}}
	const view = "CREATE VIEW inn.v "
	const mv = "CREATE MATERIALIZED VIEW inn.m "
	return []caseTest{
		{id: "S72 the password of a database's engine", live: "CREATE DATABASE inn ENGINE = PostgreSQL('h:5432', 'd', 'u', '[HIDDEN]')", desired: "CREATE DATABASE inn ENGINE = PostgreSQL('h:5432', 'd', 'u', 'secret')"},
		{id: "S72 all of it but the password", live: "CREATE DATABASE inn ENGINE = PostgreSQL('h:5432', 'd', 'u', '[HIDDEN]')", desired: "CREATE DATABASE inn ENGINE = PostgreSQL('h:5432', 'd', 'w', 'secret')", want: "engine.args"},
		{id: "S75 view text", live: view + "(`i` UInt64, `c` UInt64) AS SELECT s.id AS i, count(*) AS c FROM inn.src AS s LEFT JOIN inn.dim ON s.id = dim.id WHERE s.at >= (now() - toIntervalDay(1)) GROUP BY 1 ORDER BY c DESC",
			desired: view + "as select s.id as i, count(*) c /* how many */ from src s left outer join dim on s.id = dim.id where s.at >= now() - interval 1 day group by 1 order by c desc"},
		{id: "S75 FROM first", live: view + "(`id` UInt64) AS SELECT id FROM inn.src", desired: view + "AS FROM src SELECT id"},
		{id: "S75 a table of another database", live: view + "(`id` UInt64) AS SELECT id FROM inn.src", desired: view + "AS SELECT id FROM barn.src", want: "query"},
		{id: "S75 a CTE is no table", live: view + "(`id` UInt64) AS WITH a AS (SELECT id FROM inn.src) SELECT id FROM a WHERE id IN (inn.dim)",
			desired: view + "AS WITH a AS (SELECT id FROM src) SELECT id FROM a WHERE id IN dim"},
		{id: "S75 WITH in IN", live: view + "(`id` UInt64) AS WITH (1, 2) AS few SELECT id FROM inn.src WHERE id IN ((1, 2) AS few)",
			desired: view + "AS WITH (1, 2) AS few SELECT id FROM src WHERE id IN few"},
		{id: "S75 a union shares its WITH", live: view + "(`a` UInt8) AS WITH q AS (SELECT 1 AS a) SELECT a FROM q UNION ALL WITH q AS (SELECT 1 AS a) SELECT a FROM q",
			desired: view + "AS WITH q AS (SELECT 1 AS a) SELECT a FROM q UNION ALL SELECT a FROM q"},
		{id: "S75 a union's member has a WITH of its own", live: view + "(`a` UInt8) AS WITH q AS (SELECT 1 AS a) SELECT a FROM q UNION ALL WITH q AS (SELECT 2 AS a) SELECT a FROM q",
			desired: view + "AS WITH q AS (SELECT 1 AS a) SELECT a FROM q UNION ALL SELECT a FROM q", want: "query"},
		{id: "S75 join kind", live: view + "(`id` UInt64) AS SELECT id FROM inn.a INNER JOIN inn.b USING (id)", desired: view + "AS SELECT id FROM a LEFT JOIN b USING id", want: "query"},
		{id: "S75 union mode", live: view + "(`id` UInt64) AS SELECT id FROM inn.a UNION ALL SELECT id FROM inn.b", desired: view + "AS SELECT id FROM a UNION DISTINCT SELECT id FROM b", want: "query"},
		{id: "S75 EXPLAIN", live: view + "(`explain` String) AS SELECT * FROM (SELECT * FROM viewExplain('EXPLAIN', 'indexes = 1', (SELECT id FROM inn.src)))",
			desired: view + "AS SELECT * FROM (EXPLAIN indexes = 1 SELECT id FROM src)"},
		{id: "S76 inferred list", live: view + "(`id` UInt64, `w` String) AS SELECT * FROM inn.src", desired: view + "AS SELECT * FROM src"},
		{id: "S76 authored list", live: view + "(`id` UInt64, `w` String) AS SELECT * FROM inn.src", desired: view + "(id UInt64, w LowCardinality(String)) AS SELECT * FROM src", want: "column.w.type"},
		{id: "S76 aliases", live: view + "(`a` UInt64, `b` String) (a, b) AS SELECT id AS a, w AS b FROM inn.src", desired: view + "(a, b) AS SELECT id, w FROM src"},
		{id: "S76 a column of the view's own without a type", live: view + "(`a` Int32, `b` Int64 ALIAS a + 1) AS SELECT 1 AS a", desired: view + "(a int, b ALIAS a + 1) AS SELECT 1 AS a"},
		{id: "S78 changed query", live: view + "(`id` UInt64) AS SELECT id FROM inn.src", desired: view + "AS SELECT id FROM src WHERE id > 1", want: "query"},
		{id: "S79 materialized view to a table", live: mv + "TO inn.dst (`day` Date, `cnt` UInt64) AS SELECT day, count() AS cnt FROM inn.src GROUP BY day",
			desired: mv + "TO dst AS SELECT day, count() AS cnt FROM src GROUP BY day"},
		{id: "S79 authored list", live: mv + "TO inn.dst (`w` String) AS SELECT w FROM inn.src", desired: mv + "TO dst (w LowCardinality(String)) AS SELECT w FROM src", want: "column.w.type"},
		{id: "S79 another target", live: mv + "TO inn.dst (`w` String) AS SELECT w FROM inn.src", desired: mv + "TO other AS SELECT w FROM src", want: "to"},
		{id: "S80 changed query", live: mv + "TO inn.dst (`w` String) AS SELECT w FROM inn.src", desired: mv + "TO dst AS SELECT upper(w) AS w FROM src", want: "query"},
		{id: "S80 inner table", live: mv + "(`w` String) ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 8192 AS SELECT w FROM inn.src", desired: mv + "ORDER BY () AS SELECT w FROM src"},
		{id: "S80 inner engine", live: mv + "(`w` String) ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 8192 AS SELECT w FROM inn.src",
			desired: mv + "ENGINE = ReplacingMergeTree ORDER BY () AS SELECT w FROM src", want: "inner_engine.family"},
		{id: "S81 POPULATE and EMPTY", live: mv + "(`w` String) ENGINE = Memory AS SELECT w FROM inn.src", desired: mv + "ENGINE = Memory POPULATE AS SELECT w FROM src"},
		{id: "S82 parameters", live: view + "AS SELECT id FROM inn.src WHERE id = {p:UInt64}", desired: view + "AS SELECT id FROM src WHERE id = {p:UInt64}"},
		{id: "S83 current user", live: view + "(`id` UInt64) DEFINER = ann SQL SECURITY DEFINER AS SELECT id FROM inn.src",
			desired: view + "DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT id FROM src", env: canon.Env{User: "ann"}},
		{id: "S83 another user", live: view + "(`id` UInt64) DEFINER = ann SQL SECURITY DEFINER AS SELECT id FROM inn.src",
			desired: view + "DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT id FROM src", env: canon.Env{User: "bob"}, want: "security.definer"},
		{id: "S83 nobody says who applied it", live: view + "(`id` UInt64) DEFINER = ann SQL SECURITY DEFINER AS SELECT id FROM inn.src",
			desired: view + "DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT id FROM src", want: "?security.definer"},
		{id: "S83 security added by hand", live: view + "(`id` UInt64) DEFINER = ann SQL SECURITY DEFINER AS SELECT id FROM inn.src", desired: view + "AS SELECT id FROM src", want: "security.mode security.definer"},
		{id: "S84 refreshable", live: mv + "REFRESH EVERY 5 MINUTE TO inn.dst (`w` String) DEFINER = ann SQL SECURITY DEFINER AS SELECT w FROM inn.src",
			desired: mv + "REFRESH EVERY 5 MINUTES TO dst AS SELECT w FROM src"},
		{id: "S84 a period is a calendar time", live: mv + "REFRESH AFTER 1 YEAR 6 MONTH 1 WEEK 2 DAY 1 HOUR RANDOMIZE FOR 2 MINUTE TO inn.dst (`w` String) DEFINER = ann SQL SECURITY DEFINER AS SELECT w FROM inn.src",
			desired: mv + "REFRESH AFTER 18 MONTH 8 DAY 25 HOUR RANDOMIZE FOR 120 SECOND TO dst AS SELECT w FROM src"},
		{id: "S84 another calendar time", live: mv + "REFRESH AFTER 1 MONTH TO inn.dst (`w` String) DEFINER = ann SQL SECURITY DEFINER AS SELECT w FROM inn.src",
			desired: mv + "REFRESH AFTER 30 DAY TO dst AS SELECT w FROM src", want: "refresh.schedule"},
		{id: "S75 columns by a pattern", live: view + "(`id` UInt64) AS SELECT s.COLUMNS('^i.*_d.\\\\..$'), COLUMNS('(?i)a'), (*) LIKE 'x' FROM inn.src AS s",
			desired: view + "AS SELECT s.* LIKE 'i%\\_d_.%_', * ILIKE '%a%', (*) LIKE 'x' FROM src s", want: "query"},
		{id: "S75 columns by LIKE", live: view + "(`id` UInt64) AS SELECT s.COLUMNS('^i.*_d.$'), COLUMNS('(?i)a'), COLUMNS('^a\\\\.') FROM inn.src AS s",
			desired: view + "AS SELECT s.* LIKE 'i%\\_d_', * ILIKE '%a%', * LIKE 'a.%' FROM src s"},
		{id: "S75 a time zone", live: view + "AS SELECT toTimeZone(at, 'UTC') AS z, toTimeZone(-at, 'a'), 2 * toTimeZone(at, lower('B')), NOT toTimeZone(toTimeZone(at, 'a'), 'b') FROM inn.src",
			desired: view + "AS SELECT at AT TIME ZONE 'UTC' z, -at at time zone 'a', 2 * at AT TIME ZONE lower('B'), NOT at AT TIME ZONE 'a' AT TIME ZONE 'b' FROM src"},
		{id: "S84 another interval", live: mv + "REFRESH EVERY 5 MINUTE TO inn.dst (`w` String) DEFINER = ann SQL SECURITY DEFINER AS SELECT w FROM inn.src",
			desired: mv + "REFRESH EVERY 6 MINUTE TO dst AS SELECT w FROM src", want: "refresh.schedule"},
		{id: "S85 lifetime and layout", live: textKey("SOURCE(CLICKHOUSE(TABLE 't')) LIFETIME(MIN 0 MAX 300) LAYOUT(COMPLEX_KEY_HASHED())"),
			desired: textKey("layout(hashed()) lifetime(300) source(clickhouse(table 't'))")},
		{id: "S85 integer keys keep their layout", live: dictionary("SOURCE(CLICKHOUSE(TABLE 't')) LIFETIME(MIN 0 MAX 300) LAYOUT(HASHED())"),
			desired: dictionary("SOURCE(CLICKHOUSE(TABLE 't')) LIFETIME(300) LAYOUT(COMPLEX_KEY_HASHED())"), want: "layout.kind"},
		{id: "S86 source as a map", live: dictionary("SOURCE(CLICKHOUSE(USER 'x' TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(clickhouse(table 't' user 'x')) LIFETIME(1) LAYOUT(FLAT())")},
		{id: "S87 hidden password", live: dictionary("SOURCE(CLICKHOUSE(USER 'x' PASSWORD '[HIDDEN]' TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(CLICKHOUSE(USER 'x' PASSWORD 'pw' TABLE 't')) LIFETIME(1) LAYOUT(FLAT())")},
		{id: "S87 password left out", live: dictionary("SOURCE(CLICKHOUSE(USER 'x' PASSWORD '[HIDDEN]' TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(CLICKHOUSE(USER 'x' TABLE 't')) LIFETIME(1) LAYOUT(FLAT())"), want: "source.PASSWORD"},
		{id: "S88 layout parameters", live: dictionary("SOURCE(NULL()) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT(INITIAL_ARRAY_SIZE 1024 MAX_ARRAY_SIZE 500000))"),
			desired: dictionary("SOURCE(NULL()) LIFETIME(1) LAYOUT(FLAT(MAX_ARRAY_SIZE 400000 INITIAL_ARRAY_SIZE 1024))"), want: "layout.MAX_ARRAY_SIZE"},
		{id: "the server's own port", live: dictionary("SOURCE(CLICKHOUSE(PORT 9000 TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(CLICKHOUSE(PORT tcpPort() TABLE 't')) LIFETIME(1) LAYOUT(FLAT())")},
		{id: "a host that the server knows", live: dictionary("SOURCE(CLICKHOUSE(HOST 'alpha' TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(CLICKHOUSE(HOST hostName() TABLE 't')) LIFETIME(1) LAYOUT(FLAT())"), want: "?source.HOST"},
		{id: "a port nobody told", live: dictionary("SOURCE(CLICKHOUSE(PORT 9440 TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(CLICKHOUSE(PORT tcpPort() TABLE 't')) LIFETIME(1) LAYOUT(FLAT())"), want: "?source.PORT"},
		{id: "a port that was told", live: dictionary("SOURCE(CLICKHOUSE(PORT 9440 TABLE 't')) LIFETIME(MIN 0 MAX 1) LAYOUT(FLAT())"),
			desired: dictionary("SOURCE(CLICKHOUSE(PORT tcpPort() TABLE 't')) LIFETIME(1) LAYOUT(FLAT())"), env: canon.Env{TCPPort: 9001}, want: "source.PORT"},
		{id: "S91 function body", live: "CREATE FUNCTION area AS (x, y) -> ((x * y) + 1)", desired: "CREATE FUNCTION area AS (x, y) -> x*y+1"},
		{id: "S91 another body", live: "CREATE FUNCTION area AS (x, y) -> ((x * y) + 1)", desired: "CREATE FUNCTION area AS (x, y) -> x*(y+1)", want: "body"},
		{id: "S92 an inlined function", live: col("b UInt64 DEFAULT k + 1"), desired: col("b UInt64 DEFAULT plus_one(k)"), env: functions},
		{id: "S92 its body changed", live: col("b UInt64 DEFAULT k + 2"), desired: col("b UInt64 DEFAULT plus_one(k)"), env: functions, want: "column.b.default"},
		{id: "S92 its body unknown", live: col("b UInt64 DEFAULT k + 1"), desired: col("b UInt64 DEFAULT plus_one(k)"), want: "?column.b.default"},
		{id: "a structure copied from a table of the tree", live: "CREATE TABLE inn.t (`id` Int32, `note` String, `n.a` Array(UInt8)) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 8192",
			desired: "CREATE TABLE inn.t AS src", env: tree},
		{id: "a structure copied from an unknown table", live: "CREATE TABLE inn.t (`id` Int32) ENGINE = Memory", desired: "CREATE TABLE inn.t AS elsewhere ENGINE = Memory", want: "?column.id.type"},
	}
}
