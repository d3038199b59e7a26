package lint_test

import (
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/rules/lint"
)

// TestNeighboursOfAFindingAreNone holds checks to what they are about: each line is a table of two columns k and t
// (a DateTime('UTC')), with what it adds, that a code must not be found in although it is near to it.
func TestNeighboursOfAFindingAreNone(t *testing.T) {
	for _, test := range []struct {
		not        lint.Code
		definition string
	}{
		{"DFE201", `order_by = ["k", "assumeNotNull(n)"] | column "n" { type = "Nullable(UInt8)" } | engine = "MergeTree"`},
		{"DFE202", `order_by = ["k", "toInt64(f)"] | column "f" { type = "Float64" } | engine = "MergeTree"`},
		{"DFE203", `order_by = ["u", "t"] | column "u" { type = "UUID" } | engine = "MergeTree"`},
		{"DFE204", `order_by = ["toDate(t)", "c", "t"] | column "c" { type = "LowCardinality(String)" } | engine = "MergeTree"`},
		{"DFE204", `order_by = ["d", "c", "t"] | column "d" { type = "Date" } | column "c" { type = "LowCardinality(String)" } | engine = "MergeTree"`},
		{"DFE205", `engine = "Null"`},
		{"DFE211", `partition_by = "toStartOfInterval(t, INTERVAL 1 DAY)" | order_by = "k" | engine = "MergeTree"`},
		{"DFE211", `partition_by = "toHour(k)" | order_by = "k" | engine = "MergeTree"`},
		{"DFE212", `partition_by = "s" | order_by = "s" | column "s" { type = "LowCardinality(String)" } | engine = "MergeTree"`},
		{"DFE212", `partition_by = "k % 100" | order_by = "k" | engine = "MergeTree"`},
		{"DFE212", `partition_by = "k" | order_by = "k" | engine = "MergeTree"`},
		{"DFE213", `partition_by = "toDate(t)" | order_by = "t" | ttl = "t + INTERVAL 2 YEAR" | engine = "MergeTree"`},
		{"DFE213", `partition_by = "toDate(x)" | column "x" { type = "DateTime('UTC')" } | order_by = "t" | ttl = "t + INTERVAL 20 YEAR" | engine = "MergeTree"`},
		{"DFE214", `partition_by = "toYYYYMM(t)" | order_by = ["k", "toDate(t)"] | engine = "ReplacingMergeTree(k)"`},
		{"DFE214", `partition_by = "m" | column "m" { type = "Date"` + "\n" + `materialized = "toMonday(t)"` + "\n" + `} | order_by = ["k", "t"] | engine = "ReplacingMergeTree(k)"`},
		{"DFE221", `order_by = "t" | engine = "MergeTree"`},
		{"DFE221", `partition_by = "toYYYYMM(t)" | order_by = "t" | ttl = "t + INTERVAL 1 DAY TO DISK 'cold'" | engine = "MergeTree"`},
		{"DFE222", `partition_by = "toYYYYMM(t)" | order_by = "t" | ttl = "t + INTERVAL 90 DAY DELETE WHERE k = 1" | engine = "MergeTree"`},
		{"DFE222", `partition_by = "toYYYYMM(t)" | order_by = "t" | ttl = "t + INTERVAL 7 DAY" | engine = "MergeTree"`},
		{"DFE222", `partition_by = "toYYYYMM(t)" | column "x" { type = "DateTime('UTC')" } | order_by = "t" | ttl = "x + INTERVAL 90 DAY" | engine = "MergeTree"`},
		{"DFE223", `partition_by = "toYYYYMM(t)" | order_by = "t" | ttl = "t + INTERVAL 7 DAY" | engine = "MergeTree"`},
		{"DFE231", `column "s" { type = "LowCardinality(String)" } | constraint "c" { check = "s IN ('a', 'b')" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE231", `column "s" { type = "String" } | constraint "c" { check = "s NOT IN ('a', 'b')" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE231", `column "s" { type = "String" } | constraint "c" { check = "k IN (1, 2)" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE232", `column "s" { type = "Map(LowCardinality(String), UInt8)" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE232", `column "s" { type = "LowCardinality(Nullable(FixedString(2)))" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE234", `column "s" { type = "FixedString(16)" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE235", `column "guide" { type = "String" } | column "uuid_count" { type = "String" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE236", `column "zip" { type = "String" } | column "ship" { type = "String" } | column "ip_count" { type = "UInt8" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE238", `column "d" { type = "Decimal(9, 2)"` + "\n" + `default = "1.100"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE239", `column "priced" { type = "Float64" } | column "amount" { type = "Float64" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE240", `column "e" { type = "Enum8('open' = 1, 'shut' = 2)" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE240", `column "e" { type = "Nullable(Enum8('bad' = -1, 'ok' = 0))" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE251", `column "a" { type = "Array(UInt64)"` + "\n" + `codec = "Delta, ZSTD(1)"` + "\n" + `} | column "b" { type = "Nullable(IPv4)"` + "\n" + `codec = "Delta, ZSTD(1)"` + "\n" + `} | column "c" { type = "Enum8('x' = 1)"` + "\n" + `codec = "T64, ZSTD(1)"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE252", `column "a" { type = "UInt64"` + "\n" + `codec = "T64"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE253", `column "a" { type = "UInt64"` + "\n" + `codec = "Delta, DoubleDelta, LZ4HC(9)"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE254", `column "a" { type = "UInt64"` + "\n" + `codec = "ZSTD(9)"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE255", `column "a" { type = "DateTime64(9, 'UTC')"` + "\n" + `codec = "Delta(8), ZSTD(1)"` + "\n" + `} | column "b" { type = "Decimal(9, 2)"` + "\n" + `codec = "Delta(4), ZSTD(1)"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE256", `column "a" { type = "UInt64"` + "\n" + `default = "k + 1"` + "\n" + `codec = "Delta, ZSTD(1)"` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE261", `index "i" { expression = "lower(toString(k))"` + "\n" + `type = "tokenbf_v1(256, 2, 0)"` + "\n" + `} | order_by = "t" | engine = "MergeTree"`},
		{"DFE261", `column "m" { type = "Map(String, String)" } | index "i" { expression = "mapKeys(m)"` + "\n" + `type = "bloom_filter(0.01)"` + "\n" + `} | order_by = "t" | engine = "MergeTree"`},
		{"DFE264", `index "i" { expression = "t"` + "\n" + `type = "minmax"` + "\n" + `} | order_by = ["k", "t"] | engine = "MergeTree"`},
		{"DFE264", `column "s" { type = "String" } | index "i" { expression = "s"` + "\n" + `type = "ngrambf_v1(3, 256, 2, 0)"` + "\n" + `} | order_by = "s" | engine = "MergeTree"`},
		{"DFE266", `column "v" { type = "Array(Float32)" } | index "i" { expression = "v"` + "\n" + `type = "vector_similarity('hnsw', 'L2Distance', 3)"` + "\n" + `granularity = 100000000` + "\n" + `} | order_by = "k" | engine = "MergeTree"`},
		{"DFE272", `order_by = "t" | engine = "ReplacingMergeTree(k)"`},
		{"DFE274", `order_by = "t" | engine = "SummingMergeTree"`},
		{"DFE275", `column "d" { type = "Date"` + "\n" + `materialized = "toDate(t)"` + "\n" + `} | column "x" { type = "UInt8"` + "\n" + `alias = "k"` + "\n" + `} | order_by = ["k", "t"] | engine = "AggregatingMergeTree"`},
		{"DFE276", `projection "p" { query = "SELECT k, t ORDER BY t" } | order_by = "k" | engine = "MergeTree"`},
		{"DFE277", `engine = "Null"`},
		{"DFE291", `order_by = "k" | settings = { index_granularity = 8192, old_parts_lifetime = 60 } | engine = "MergeTree"`},
		{"DFE293", `order_by = "k" | settings = { allow_nullable_key = false } | engine = "MergeTree"`},
	} {
		text := "column \"k\" { type = \"UInt32\" }\ncolumn \"t\" { type = \"DateTime('UTC')\" }\ncomment = \"c\"\n" + block(test.definition)
		_, found := load(map[string]string{"manifest.hcl": shop + "table \"shop.t\" {\n  from = \"t.hcl\"\n}\n", "t.hcl": text})
		codes, lines := standing(found)
		for _, code := range codes {
			if code == test.not || code < "DFE200" {
				t.Errorf("%s in\n%s%s", code, text, lines)
			}
		}
	}
}

// block turns the compact form of the cases into HCL.
func block(definition string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(definition, " | ") {
		if name, body, more := strings.Cut(part, " { "); more && strings.Contains(body, "\n") {
			part = name + " {\n" + body
		}
		b.WriteString(part + "\n")
	}
	return b.String()
}

// TestNeighboursOfAViewsFindingAreNone does the same for queries.
func TestNeighboursOfAViewsFindingAreNone(t *testing.T) {
	for query, not := range map[string]lint.Code{
		"SELECT count(*) AS n FROM system.parts":                                                                          "DFE281",
		"SELECT * FROM (SELECT table, rows FROM system.parts)":                                                            "DFE281",
		"WITH p AS (SELECT table, rows FROM system.parts) SELECT * FROM p":                                                "DFE281",
		"SELECT table FROM (SELECT * FROM system.parts)":                                                                  "DFE281",
		"SELECT rows FROM system.parts ORDER BY rows LIMIT 1 BY table":                                                    "DFE282",
		"SELECT toDate(modification_time) AS d FROM system.parts ORDER BY d WITH FILL":                                    "DFE282",
		"SELECT rows FROM (SELECT rows FROM system.parts ORDER BY rows)":                                                  "DFE282",
		"SELECT rows FROM system.parts ORDER BY rows LIMIT 1":                                                             "DFE283",
		"SELECT rows FROM system.parts LIMIT 1 BY table":                                                                  "DFE283",
		"SELECT p.rows AS rows FROM system.parts AS p CROSS JOIN system.one AS o":                                         "DFE284",
		"SELECT p.rows AS rows FROM system.parts AS p, system.disks AS d WHERE d.name = p.disk_name":                      "DFE284",
		"SELECT p.rows AS rows, m.m AS m FROM system.parts AS p, (SELECT max(rows) AS m FROM system.parts) AS m":          "DFE284",
		"SELECT p.rows AS rows, c AS c FROM system.parts AS p ARRAY JOIN [1, 2] AS c":                                     "DFE284",
		"SELECT p.rows AS rows FROM system.parts AS p INNER JOIN system.disks AS d USING (name)":                          "DFE284",
		"SELECT rows FROM system.parts UNION ALL SELECT rows FROM system.parts ORDER BY rows LIMIT 3":                     "DFE282",
		"SELECT arrayJoin([1, 2]) AS a, (SELECT max(rows) FROM system.parts) AS b FROM system.one WHERE a IN (SELECT 1) ": "DFE284",
	} {
		text := "CREATE VIEW shop.v AS " + query + " COMMENT 'c'\n"
		_, found := load(map[string]string{"manifest.hcl": shop + "view \"shop.v\" {\n  from = \"v.sql\"\n}\n", "v.sql": text})
		codes, lines := standing(found)
		for _, code := range codes {
			if code == not || code < "DFE200" {
				t.Errorf("%s in\n%s%s", code, text, lines)
			}
		}
	}
}
