package canon_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
)

// structureCases are definitions that take their columns from elsewhere. What each becomes was measured on 26.7.
func structureCases(t *testing.T) []caseTest {
	objects := map[ast.Name]ast.Object{}
	for _, text := range []string{
		"CREATE TABLE inn.guests (id UInt64, since Date, note varchar(9) COMMENT 'free text' CODEC(ZSTD) TTL since + INTERVAL 3 DAY, " +
			"INDEX i note TYPE minmax, PROJECTION p (SELECT note ORDER BY note), CONSTRAINT c CHECK id > 1) ENGINE = MergeTree " +
			"PARTITION BY toYYYYMM(since) PRIMARY KEY id ORDER BY (id, since) TTL since + INTERVAL 5 DAY " +
			"SETTINGS min_bytes_for_wide_part = 7, index_granularity = 64 COMMENT 'who stays'",
		"CREATE TABLE inn.beds (id UInt64 DEFAULT 7 COMMENT 'no', made Date MATERIALIZED today(), hint UInt8 EPHEMERAL) ENGINE = Memory",
		"CREATE TABLE inn.keyed (id UInt64 PRIMARY KEY, x UInt8) ENGINE = MergeTree",
		"CREATE TABLE inn.five AS numbers(5)",
		"CREATE TABLE inn.second AS guests",
		"CREATE VIEW inn.shown (id UInt64) COMMENT 'a view' AS SELECT id FROM guests",
		"CREATE MATERIALIZED VIEW inn.sums (id UInt64, n UInt64) ENGINE = SummingMergeTree ORDER BY id AS SELECT id, count() AS n FROM guests GROUP BY id",
		"CREATE DICTIONARY inn.names (id UInt64 DEFAULT 3, name String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)",
		"CREATE TABLE inn.loop_a AS loop_b",
		"CREATE TABLE inn.loop_b AS loop_a",
	} {
		o := mustParse(t, text)
		objects[o.ID()] = o
	}
	env := canon.Env{Lookup: func(n ast.Name) ast.Object { return objects[n] }}
	const (
		columns  = "(`id` UInt64, `since` Date, `note` String COMMENT 'free text' CODEC(ZSTD(1)) TTL since + toIntervalDay(3)"
		untimed  = "(`id` UInt64, `since` Date, `note` String COMMENT 'free text' CODEC(ZSTD(1)), CONSTRAINT c CHECK id > 1) "
		elements = ", INDEX i note TYPE minmax GRANULARITY 1, CONSTRAINT c CHECK id > 1, PROJECTION p (SELECT note ORDER BY note)) "
		keys     = "PARTITION BY toYYYYMM(since) PRIMARY KEY id ORDER BY (id, since) "
	)
	list := []caseTest{
		{id: "AS takes the whole table", desired: "AS guests",
			live: columns + elements + "ENGINE = MergeTree " + keys + "TTL since + toIntervalDay(5) SETTINGS min_bytes_for_wide_part = 7, index_granularity = 64 COMMENT 'who stays'"},
		{id: "AS a table that is itself a copy", desired: "AS second",
			live: columns + elements + "ENGINE = MergeTree " + keys + "TTL since + toIntervalDay(5) SETTINGS min_bytes_for_wide_part = 7, index_granularity = 64 COMMENT 'who stays'"},
		{id: "AS keeps the clauses written beside it", desired: "AS guests ORDER BY id TTL since + INTERVAL 9 DAY SETTINGS index_granularity = 5 COMMENT 'mine'",
			live: columns + elements + "ENGINE = MergeTree PARTITION BY toYYYYMM(since) ORDER BY id TTL since + toIntervalDay(9) SETTINGS min_bytes_for_wide_part = 7, index_granularity = 5 COMMENT 'mine'"},
		{id: "AS with a MergeTree of its own takes keys, but neither TTL nor settings", desired: "AS guests ENGINE = MergeTree",
			live: columns + elements + "ENGINE = MergeTree " + keys + "SETTINGS index_granularity = 8192 COMMENT 'who stays'"},
		{id: "AS with another engine takes no TTL, index or projection", desired: "AS guests ENGINE = Memory", live: untimed + "ENGINE = Memory COMMENT 'who stays'"},
		{id: "AS with another engine, and the TTL was added by hand", desired: "AS guests ENGINE = Memory", want: "column.note.ttl",
			live: columns + ", CONSTRAINT c CHECK id > 1) ENGINE = Memory COMMENT 'who stays'"},
		{id: "AS a table keyed by its columns", desired: "AS keyed ENGINE = MergeTree",
			live: "(`id` UInt64, `x` UInt8) ENGINE = MergeTree PRIMARY KEY tuple(id) ORDER BY tuple(id) SETTINGS index_granularity = 8192"},
		{id: "AS a view", desired: "AS shown ENGINE = Memory", live: "(`id` UInt64) ENGINE = Memory COMMENT 'a view'"},
		{id: "AS a materialized view", desired: "AS sums", live: "(`id` UInt64, `n` UInt64) ENGINE = SummingMergeTree ORDER BY id SETTINGS index_granularity = 8192"},
		{id: "AS a dictionary", desired: "AS names ENGINE = Memory", live: "(`id` UInt64, `name` String) ENGINE = Memory"},
		{id: "AS a table of a table function", desired: "AS five", live: "(`number` UInt64) AS numbers(5)"},
		{id: "AS a table of a table function, with an engine", desired: "AS five ENGINE = Memory", live: "(`number` UInt64) ENGINE = Memory"},
		{id: "tables that copy each other", desired: "AS loop_a ENGINE = Memory", live: "(`id` UInt64) ENGINE = Memory", want: "?column.id.type"},
		{id: "AS a table nobody knows", desired: "AS elsewhere ENGINE = MergeTree", want: "?column.id.type",
			live: "(`id` UInt64, CONSTRAINT c CHECK id > 1) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 8192 COMMENT 'hm'"},
		{id: "AS a table nobody knows, and another engine", desired: "AS elsewhere ENGINE = Memory", want: "?column.id.type engine.family",
			live: "(`id` UInt64) ENGINE = Log"},
		{id: "AS a table function", desired: "AS values('a int, b varchar(3)', (1, 'x'))", live: "(`a` Int32, `b` String) AS `values`('a int, b varchar(3)', (1, 'x'))"},
		{id: "AS a table function with names", desired: "AS format(TSV, 'a int', '1')", live: "(`a` Int32) AS format('TSV', 'a int', '1')"},
		{id: "AS a table function and a database", desired: "AS merge(currentDatabase(), '^beds$')", live: "(`id` UInt64) AS merge('inn', '^beds$')", want: "?column.id.type"},
		{id: "AS a table function with a dotted name", desired: "AS remote('alpha', inn.beds)", live: "(`id` UInt64) AS remote('alpha', 'inn.beds')", want: "?column.id.type"},
		{id: "AS a table function with a secret", desired: "AS mongodb('h:1', 'd', 'c', 'u', 'pw', 'a int')", live: "(`a` Int32) AS mongodb('h:1', 'd', 'c', 'u', '[HIDDEN]', 'a int')"},
		{id: "AS another table function", desired: "AS numbers(6)", live: "(`number` UInt64) AS numbers(5)", want: "structure"},
		{id: "AS a table function of another structure", desired: "AS null('a int')", live: "(`a` Int64) AS `null`('a int')", want: "column.a.type"},
		{id: "AS dictionary()", desired: "AS dictionary(names)", live: "(`id` UInt64, `name` String) AS dictionary('names')"},
		{id: "a Buffer without columns", desired: "ENGINE = Buffer(inn, beds, 16, 10, 100, 10000, 1000000, 10000000, 100000000)",
			live: "(`id` UInt64 DEFAULT 7, `made` Date MATERIALIZED today(), `hint` UInt8 EPHEMERAL defaultValueOfTypeName('UInt8')) " +
				"ENGINE = Buffer('inn', 'beds', 16, 10, 100, 10000, 1000000, 10000000, 100000000)"},
		{id: "an Alias has its target's columns", desired: "ENGINE = Alias(beds)", live: "(`id` UInt64, `added_later` Date) ENGINE = Alias('beds')"},
		{id: "an Alias of another table", desired: "ENGINE = Alias(guests)", live: "(`id` UInt64) ENGINE = Alias('beds')", want: "engine.args"},
		{id: "a Merge without columns", desired: "ENGINE = Merge(inn, '^beds$')", live: "(`id` UInt64) ENGINE = Merge('inn', '^beds$')", want: "?column.id.type"},
		{id: "a format by the file's name", desired: "(id UInt8) ENGINE = URL('http://h/x.csv')", live: "(`id` UInt8) ENGINE = URL('http://h/x.csv', 'CSV')"},
		{id: "a format by the file's name, of two", desired: "(id UInt8) ENGINE = URL('http://h/x.csv', TSV)", live: "(`id` UInt8) ENGINE = URL('http://h/x.csv', 'CSV')", want: "engine.args"},
		{id: "a format found out", desired: "(id UInt8) ENGINE = S3('http://h/x.tsv', 'k', 'secret', auto, 'gzip')", live: "(`id` UInt8) ENGINE = S3('http://h/x.tsv', 'k', '[HIDDEN]', 'TSV', 'gzip')"},
		{id: "a format and a secret", desired: "(id UInt8) ENGINE = S3('http://h/x.tsv', 'k', 'secret') SETTINGS s3_truncate_on_insert = 1", live: "(`id` UInt8) ENGINE = S3('http://h/x.tsv', 'k', '[HIDDEN]', 'TSV')"},
		{id: "a format before names", desired: "(id UInt8) ENGINE = S3('http://h/x.tsv', access_key_id = 'k')", live: "(`id` UInt8) ENGINE = S3('http://h/x.tsv', 'TSV', access_key_id = 'k')"},
		{id: "an argument that is a sum", desired: "(id UInt8) ENGINE = GenerateRandom(1 + 2 * 3, 2 - 1)", live: "(`id` UInt8) ENGINE = GenerateRandom(7, 1)"},
		{id: "an argument that is another sum", desired: "(id UInt8) ENGINE = GenerateRandom(1 + 1)", live: "(`id` UInt8) ENGINE = GenerateRandom(3)", want: "engine.args"},
		{id: "an argument that the clock decides", desired: "(id UInt8) ENGINE = GenerateRandom(now() % 9)", live: "(`id` UInt8) ENGINE = GenerateRandom(7)", want: "?engine.args"},
	}
	const outer, inner = "(`metric_name` String, `help` String) ", " SAMPLES INNER COLUMNS (`id` UUID, `value` Float64) SAMPLES INNER ENGINE = MergeTree ORDER BY id"
	list = append(list,
		caseTest{id: "what TimeSeries fills in", desired: "ENGINE = TimeSeries", want: "?column.metric_name.type ?column.help.type ?samples_column.id.type ?samples_column.value.type",
			live: outer + "ENGINE = TimeSeries" + inner},
		caseTest{id: "an inner table of TimeSeries", desired: outer + "ENGINE = TimeSeries DATA INNER COLUMNS (value Float64, id UUID) DATA ENGINE MergeTree ORDER BY (id)",
			live: outer + "ENGINE = TimeSeries" + inner},
		caseTest{id: "another inner engine of TimeSeries", desired: outer + "ENGINE = TimeSeries SAMPLES INNER COLUMNS (value Float64, id UUID) SAMPLES INNER ENGINE Memory",
			live: outer + "ENGINE = TimeSeries" + inner, want: "samples_engine.family samples_order_by samples_setting.index_granularity"},
		caseTest{id: "another target of TimeSeries", desired: outer + "ENGINE = TimeSeries TAGS guests", live: outer + "ENGINE = TimeSeries TAGS inn.beds", want: "tags"},
		caseTest{id: "the same target of TimeSeries", desired: outer + "ENGINE = TimeSeries METRICS guests", live: outer + "ENGINE = TimeSeries METRICS inn.guests"},
	)
	for i := range list {
		list[i].env = env
		list[i].live = "CREATE TABLE inn.copy " + list[i].live
		list[i].desired = "CREATE TABLE inn.copy " + list[i].desired
	}
	return list
}
