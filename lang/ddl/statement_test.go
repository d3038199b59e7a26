package ddl_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// checkCreate reads each statement, prints it on one line and reads that again.
func checkCreate(t *testing.T, cases []printed) {
	t.Helper()
	for _, c := range cases {
		list, err := ddl.ParseScript(c.src)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d statements, %v", c.src, len(list), err)
		}
		st := list[0]
		if st.Err != nil || c.err != "" {
			if got := errorText(st.Err); got != c.err {
				t.Errorf("%s\n got error %s\nwant error %s", c.src, got, c.err)
			}
			continue
		}
		for _, u := range st.Unreadable {
			t.Errorf("%s: %v", c.src, u)
		}
		if c.want == "" {
			c.want = c.src
		}
		got := ast.Create(st.Object, ast.Style{})
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
		for _, text := range []string{got, ast.Create(st.Object, ast.Style{Lines: true})} {
			again, err := ddl.ParseStatement(text)
			if err != nil {
				t.Errorf("%s cannot be read: %v", text, err)
			} else if diff := cmp.Diff(st.Object, again, sameTree()); diff != "" {
				t.Errorf("%s is another tree: %s", text, diff)
			}
		}
	}
}

func TestTablesAreReadWithClausesInAnyOrder(t *testing.T) {
	checkCreate(t, []printed{
		{src: "CREATE TABLE d.t (`a` UInt8) ENGINE = Memory"},
		{
			src: "CREATE TABLE d.t ENGINE = TimeSeries SETTINGS store_min_time_and_max_time = 0 data inner columns (id UUID) SAMPLES ENGINE MergeTree ORDER BY id TAGS INNER UUID 'x' TAGS d.u METRICS INNER ENGINE Memory COMMENT 'c'",
			want: "CREATE TABLE d.t ENGINE = TimeSeries SETTINGS store_min_time_and_max_time = 0 SAMPLES INNER COLUMNS (`id` UUID) " +
				"SAMPLES INNER ENGINE = MergeTree ORDER BY id TAGS d.u METRICS INNER ENGINE = Memory COMMENT 'c'",
		},
		{src: "create table if not exists t on cluster c (a UInt8) engine Memory()", want: "CREATE TABLE t (`a` UInt8) ENGINE = Memory()"},
		{
			src:  "CREATE TABLE d.t (a UInt8 CODEC(ZSTD) COMMENT 'x' DEFAULT 1 TTL d + INTERVAL 1 DAY STATISTICS(minmax) NOT NULL)",
			want: "CREATE TABLE d.t (`a` UInt8 DEFAULT 1 COMMENT 'x' CODEC(ZSTD) STATISTICS(minmax) TTL d + INTERVAL 1 DAY)",
		},
		{
			src:  "CREATE TABLE d.t (a UInt8 NULL, b DEFAULT 1, c MATERIALIZED a + 1, e String ALIAS toString(a), f EPHEMERAL, g String EPHEMERAL 'x', n.a Array(UInt8))",
			want: "CREATE TABLE d.t (`a` Nullable(UInt8), `b` DEFAULT 1, `c` MATERIALIZED a + 1, `e` String ALIAS toString(a), `f` EPHEMERAL, `g` String EPHEMERAL 'x', `n.a` Array(UInt8))",
		},
		{src: "CREATE TABLE d.t (`a` NULL DEFAULT 1)"},
		{src: "CREATE TABLE d.t (`a` String COLLATE `binary` SETTINGS (max_compress_block_size = 1) PRIMARY KEY)", want: "CREATE TABLE d.t (`a` String COLLATE binary SETTINGS (max_compress_block_size = 1) PRIMARY KEY)"},
		{src: "CREATE TABLE d.t (`index` UInt8, `projection` String, `constraint` UInt8, `primary` UInt8)"},
		{src: "CREATE TABLE d.t (index UInt8 DEFAULT 1, projection Array(UInt8), constraint String, ttl Date, type UInt8)", want: "CREATE TABLE d.t (`index` UInt8 DEFAULT 1, `projection` Array(UInt8), `constraint` String, `ttl` Date, `type` UInt8)"},
		{
			src:  "CREATE TABLE d.t (a UInt8, PRIMARY KEY a, INDEX i (a, b) TYPE set(10) GRANULARITY 4, INDEX j lower(b) TYPE text(tokenizer = ngrams(3)), CONSTRAINT c CHECK a > 0, CONSTRAINT e ASSUME a < 9, PROJECTION p (SELECT a, count() GROUP BY a), PROJECTION q INDEX a TYPE basic, FOREIGN KEY (a) REFERENCES x (b) ON DELETE CASCADE)",
			want: "CREATE TABLE d.t (`a` UInt8, INDEX i (a, b) TYPE set(10) GRANULARITY 4, INDEX j lower(b) TYPE text(tokenizer = ngrams(3)), CONSTRAINT c CHECK a > 0, CONSTRAINT e ASSUME a < 9, PROJECTION p (SELECT a, count() GROUP BY a), PROJECTION q INDEX a TYPE basic) PRIMARY KEY a",
		},
		{src: "CREATE TABLE d.t (`a` UInt8, PROJECTION p (SELECT a ORDER BY a) WITH SETTINGS (index_granularity = 1))"},
		{
			src:  "CREATE TABLE d.t (a UInt8) COMMENT 'c' SETTINGS x = 1, y = 'z', disk = disk(type = local, path = '/p/') ORDER BY (a DESC, b) TTL d DELETE WHERE a = 1, d TO DISK 'cold', d + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(17)), d GROUP BY a SET b = max(b), e = any(e) SAMPLE BY a PRIMARY KEY a PARTITION BY toYYYYMM(d) ENGINE = ReplacingMergeTree(v, gone)",
			want: "CREATE TABLE d.t (`a` UInt8) ENGINE = ReplacingMergeTree(v, gone) PARTITION BY toYYYYMM(d) PRIMARY KEY a ORDER BY (a DESC, b) SAMPLE BY a TTL d DELETE WHERE a = 1, d TO DISK 'cold', d + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(17)), d GROUP BY a SET b = max(b), e = any(e) SETTINGS x = 1, y = 'z', disk = disk(type = local, path = '/p/') COMMENT 'c'",
		},
		{
			src:  "CREATE TABLE d.t (a UInt8, b UInt8) ENGINE = MergeTree UNIQUE KEY (a, b) SAMPLE BY a ORDER BY (a, b)",
			want: "CREATE TABLE d.t (`a` UInt8, `b` UInt8) ENGINE = MergeTree ORDER BY (a, b) UNIQUE KEY (a, b) SAMPLE BY a",
		},
		{src: "CREATE TABLE d.t (`a` UInt8) ENGINE = Kafka SETTINGS kafka_format = 'JSON' SETTINGS max_threads = 1", want: "CREATE TABLE d.t (`a` UInt8) ENGINE = Kafka SETTINGS kafka_format = 'JSON'"},
		{src: "CREATE TABLE d.t (`a` UInt8) ENGINE = S3(store, filename = 'x', format = CSV)"},
		{src: "CREATE TABLE d.t (`a` UInt8) ENGINE = MergeTree ORDER BY a FORMAT Null", want: "CREATE TABLE d.t (`a` UInt8) ENGINE = MergeTree ORDER BY a"},
		{src: "CREATE TABLE d.t AS d.other ENGINE = Memory"},
		{src: "CREATE TABLE d.t CLONE AS d.other"},
		{src: "CREATE TABLE d.t AS numbers(10)"},
		{src: "CREATE TABLE d.t (`number` UInt64) AS numbers(10)"},
		{src: "CREATE TABLE d.t ENGINE = Memory AS SELECT 1 AS a"},
		{src: "CREATE TABLE d.t ENGINE = Memory EMPTY AS (SELECT 1 AS a)"},
		{src: "CREATE TABLE d.t ENGINE = Memory ORDER BY a AS WITH 1 AS x SELECT x COMMENT 'why'", want: "CREATE TABLE d.t ENGINE = Memory ORDER BY a COMMENT 'why' AS WITH 1 AS x SELECT x"},
		{src: "ATTACH TABLE d.t UUID '00000000-0000-0000-0000-000000000001' (a UInt8) ENGINE = Log", want: "CREATE TABLE d.t (`a` UInt8) ENGINE = Log"},
	})
}

func TestOtherKindsAreRead(t *testing.T) {
	checkCreate(t, []printed{
		{src: "CREATE DATABASE d ENGINE = Replicated('/p', '{shard}', '{replica}') SETTINGS x = 1 COMMENT 'c'"},
		{src: "CREATE FUNCTION twice ON CLUSTER c AS x -> x * 2", want: "CREATE FUNCTION twice AS x -> x * 2"},
		{src: "CREATE OR REPLACE VIEW d.v (`a` UInt8) DEFINER = alice SQL SECURITY DEFINER AS SELECT a FROM t COMMENT 'c'", want: "CREATE VIEW d.v (`a` UInt8) DEFINER = alice SQL SECURITY DEFINER COMMENT 'c' AS SELECT a FROM t"},
		{src: "CREATE VIEW d.v (a, b) AS SELECT 1, 2"},
		{src: "CREATE VIEW d.v SQL SECURITY INVOKER AS SELECT {p:UInt8} AS x"},
		{src: "CREATE MATERIALIZED VIEW d.m TO d.t (`a` UInt8) AS SELECT a FROM s"},
		{src: "CREATE MATERIALIZED VIEW d.m (`a` UInt8, INDEX i a TYPE minmax) ENGINE = MergeTree ORDER BY a TTL b SETTINGS x = 1 POPULATE AS SELECT a FROM s"},
		{src: "CREATE MATERIALIZED VIEW d.m REFRESH DEPENDS ON d.x, y APPEND TO d.t AS SELECT 1"},
		{
			src:  "CREATE OR REPLACE DEFINER = ann SQL SECURITY DEFINER VIEW d.v AS SELECT 1 FROM a NATURAL LEFT JOIN b",
			want: "CREATE VIEW d.v DEFINER = ann SQL SECURITY DEFINER AS SELECT 1 FROM a NATURAL LEFT JOIN b",
		},
		{
			src: "CREATE MATERIALIZED VIEW d.m REFRESH EVERY 1 DAY 2 HOUR OFFSET 5 MINUTE RANDOMIZE FOR 30 SECOND DEPENDS ON d.x, y SETTINGS refresh_retries = 1 APPEND TO d.t DEFINER = CURRENT_USER SQL SECURITY DEFINER EMPTY AS SELECT 1",
		},
		{
			src:  "create dictionary d.x (k UInt64, v String default 'none' expression upper(w) injective hierarchical is_object_id) primary key (k, v) layout(hashed(initial 5)) source(http(url 'u' headers(header(name 'n' value 'v')) port tcpPort())) lifetime(300) range(min a max b) settings(format_csv_allow_single_quotes = 1) comment 'c'",
			want: "CREATE DICTIONARY d.x (`k` UInt64, `v` String DEFAULT 'none' EXPRESSION upper(w) HIERARCHICAL INJECTIVE IS_OBJECT_ID) PRIMARY KEY k, v SOURCE(http(url 'u' headers(header(name 'n' value 'v')) port tcpPort())) LIFETIME(MIN 0 MAX 300) LAYOUT(hashed(initial 5)) RANGE(MIN a MAX b) SETTINGS(format_csv_allow_single_quotes = 1) COMMENT 'c'",
		},
		{src: "CREATE DICTIONARY d.x (`k` UInt64) PRIMARY KEY k SOURCE(`NULL`()) LIFETIME(MIN 1 MAX 2) LAYOUT(FLAT)"},
		{
			src:  "CREATE DICTIONARY d.x (`k` UInt64) PRIMARY KEY k SOURCE(`NULL`()) LIFETIME(MIN +0x10 MAX 1_000) LAYOUT(FLAT)",
			want: "CREATE DICTIONARY d.x (`k` UInt64) PRIMARY KEY k SOURCE(`NULL`()) LIFETIME(MIN 16 MAX 1000) LAYOUT(FLAT)",
		},
	})
}

func TestWhatIsNoDefinitionSaysSo(t *testing.T) {
	const advice = "; definitions are CREATE DATABASE, TABLE, VIEW, MATERIALIZED VIEW, DICTIONARY, FUNCTION and NAMED COLLECTION"
	checkCreate(t, []printed{
		{src: "INSERT INTO t VALUES (1)", err: "line 1, column 1: expected CREATE, ATTACH or ALTER, found INSERT" + advice},
		{src: "CREATE ROLE r", err: "line 1, column 8: expected a kind of object, found ROLE" + advice},
		{src: "CREATE LIVE VIEW v AS SELECT 1", err: "line 1, column 8: expected a kind of object, found LIVE; live and window views are experimental and not managed" + advice},
		{src: "CREATE TABLE d.t (a UInt8", err: "line 1, column 18: expected its closing bracket behind it, found (; brackets must match"},
		{src: "CREATE TABLE d.t (a UInt8))", err: "line 1, column 27: expected its opening bracket before it, found ); brackets must match"},
		{src: "CREATE TABLE", err: "line 1, column 13: expected a name, found the end of the text"},
		{src: "CREATE TABLE t (a String DEFAULT 'x)", err: "line 1, column 34: expected a token, found 'x); the quote that opens here is never closed"},
	})
}

func TestAFragmentNobodyReadsKeepsItsTokensAndTheRestOfTheObject(t *testing.T) {
	for _, c := range []struct{ src, want, unreadable string }{
		{
			"CREATE TABLE d.t (a UInt8 DEFAULT 1 ~~ 2, b String) ENGINE = Log", "",
			"line 1, column 37: expected a token, found ~; this character begins nothing in SQL",
		},
		{
			"CREATE TABLE d.t (a UInt8 DEFAULT f(1 2) COMMENT 'c', b String) ENGINE = Log",
			"CREATE TABLE d.t (`a` UInt8 DEFAULT f ( 1 2 ) COMMENT 'c', `b` String) ENGINE = Log",
			"line 1, column 39: expected a comma or a closing parenthesis, found 2",
		},
		{
			"CREATE TABLE d.t (a UInt8 SPECIAL(x, y), b String) ENGINE = Log",
			"CREATE TABLE d.t (`a` UInt8 SPECIAL ( x , y ), `b` String) ENGINE = Log",
			"line 1, column 27: expected a clause of the column or a comma, found SPECIAL",
		},
		{
			"CREATE TABLE d.t (a UInt8) ENGINE = Log DISTRIBUTED BY a, b ORDER BY c",
			"CREATE TABLE d.t (`a` UInt8) ENGINE = Log ORDER BY c DISTRIBUTED BY a , b",
			"line 1, column 41: expected a clause of the definition, found DISTRIBUTED",
		},
		{
			"CREATE VIEW d.v AS SELECT a b c FROM t COMMENT 'x'",
			"CREATE VIEW d.v COMMENT 'x' AS SELECT a b c FROM t",
			"line 1, column 31: expected an operator or the end of the clause, found c",
		},
		{
			"CREATE TABLE d.t (a UInt8) ENGINE = Log ORDER BY a ORDER BY b",
			"CREATE TABLE d.t (`a` UInt8) ENGINE = Log ORDER BY a ORDER BY b",
			"line 1, column 52: expected each clause once, found ORDER",
		},
	} {
		list, err := ddl.ParseScript(c.src)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d statements, %v", len(list), err)
		}
		st := list[0]
		if c.want == "" {
			if got := errorText(st.Err); got != c.unreadable {
				t.Errorf("%s\n got %s\nwant %s", c.src, got, c.unreadable)
			}
			continue
		}
		if st.Err != nil || len(st.Unreadable) != 1 {
			t.Errorf("%s: %v, %v", c.src, st.Err, st.Unreadable)
			continue
		}
		if got := ast.Create(st.Object, ast.Style{}); got != c.want || st.Unreadable[0].Error() != c.unreadable {
			t.Errorf("%s\n got %s (%v)\nwant %s (%s)", c.src, got, st.Unreadable[0], c.want, c.unreadable)
		}
	}
}

func TestABrokenStatementNeverStopsTheScript(t *testing.T) {
	src := "CREATE TABLE a (x UInt8);\n;; SELECT 1; CREATE TABLE b (x UInt8; -- never closed\nCREATE VIEW c AS SELECT 1 PARALLEL WITH CREATE TABLE e (y ~ 1); ALTER TABLE f DROP COLUMN g"
	list, err := ddl.ParseScript(src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, st := range list {
		if src[st.Pos:st.End] != st.Text {
			t.Errorf("%q is not at [%d, %d)", st.Text, st.Pos, st.End)
		}
		switch {
		case st.Err != nil:
			got = append(got, "error: "+st.Err.Error())
		case st.Alter != nil:
			got = append(got, st.Alter.String())
		default:
			got = append(got, ast.Create(st.Object, ast.Style{}))
		}
	}
	want := []string{
		"CREATE TABLE a (`x` UInt8)",
		"error: line 2, column 4: expected CREATE, ATTACH or ALTER, found SELECT; definitions are CREATE DATABASE, TABLE, VIEW, MATERIALIZED VIEW, DICTIONARY, FUNCTION and NAMED COLLECTION",
		"error: line 2, column 29: expected its closing bracket behind it, found (; brackets must match",
		"CREATE VIEW c AS SELECT 1",
		"error: line 3, column 59: expected a token, found ~; this character begins nothing in SQL",
		"ALTER TABLE f DROP COLUMN `g`",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHowAStatementCreatesIsNoPartOfItsObject(t *testing.T) {
	list, err := ddl.ParseScript("CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS d.t UUID 'u' ON CLUSTER 'main' (a UInt8) ENGINE = Log")
	if err != nil || list[0].Err != nil {
		t.Fatal(err, list[0].Err)
	}
	st := list[0]
	style := ast.Style{OrReplace: st.Replace, IfNotExists: st.IfNotExists, Temporary: st.Temporary, Cluster: st.Cluster, UUID: st.UUID}
	got := ast.Create(st.Object, style)
	if want := "CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS d.t UUID 'u' ON CLUSTER main (`a` UInt8) ENGINE = Log"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestDeepAndLongTextsEndInAClearError(t *testing.T) {
	deep := strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000)
	long := "1" + strings.Repeat(" - 1", 3000)
	nested := strings.Repeat("Array(", 3000) + "UInt8" + strings.Repeat(")", 3000)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"parentheses", second(ddl.ParseExpr(deep)), "the limit is 1,000 levels of parentheses, subqueries or types"},
		{"operators", second(ddl.ParseExpr(long)), "the limit is 1,000; AND, OR, || and UNION of one kind count once"},
		{"types", second(ddl.ParseType(nested)), "the limit is 1,000 levels of parentheses, subqueries or types"},
		{"queries", second(ddl.ParseQuery(strings.Repeat("SELECT * FROM (", 3000) + "SELECT 1" + strings.Repeat(")", 3000))), "the limit is 1,000 levels of parentheses, subqueries or types"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if _, err := ddl.ParseExpr("a" + strings.Repeat(" AND a", 50000)); err != nil {
		t.Errorf("a long condition: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
