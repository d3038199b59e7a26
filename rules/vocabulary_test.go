package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/rulelang"
	"github.com/dfe-engine/dfe/rules"
)

func kind(name string) ast.Kind { return ast.Kind(name) }

// full are definitions that have every part of their kinds.
var full = []string{
	`CREATE DATABASE d ENGINE = Replicated('/p', 's', 'r') SETTINGS max_broken_tables_ratio = 1 COMMENT 'c'`,
	`CREATE TABLE d.t (a UInt8 DEFAULT 1 COMMENT 'c' CODEC(ZSTD(1)) STATISTICS(tdigest) TTL toDateTime(b) SETTINGS (max_compress_block_size = 1),
		b UInt8 PRIMARY KEY, s String COLLATE en, INDEX i a TYPE minmax GRANULARITY 2, PROJECTION p (SELECT a ORDER BY a) WITH SETTINGS (index_granularity = 1),
		PROJECTION q INDEX a TYPE basic, CONSTRAINT c CHECK a > 1)
		ENGINE = ReplicatedReplacingMergeTree('/p', 'r', a) PARTITION BY a PRIMARY KEY a ORDER BY (a, b) UNIQUE KEY a SAMPLE BY a TTL toDateTime(b) SETTINGS index_granularity = 1 COMMENT 'c'`,
	`CREATE TABLE d.t AS d.u`,
	`CREATE TABLE d.t ENGINE = TimeSeries SAMPLES d.s TAGS d.s METRICS d.s`,
	timeSeries(),
	`CREATE VIEW d.v (a UInt8 COMMENT 'c') DEFINER = u SQL SECURITY DEFINER AS SELECT 1 AS a COMMENT 'c'`,
	`CREATE VIEW d.v (a, b) AS SELECT 1, 2`,
	`CREATE MATERIALIZED VIEW d.m REFRESH EVERY 1 HOUR OFFSET 5 MINUTE RANDOMIZE FOR 1 MINUTE DEPENDS ON d.x SETTINGS refresh_retries = 1 APPEND TO d.t (a UInt8)
		DEFINER = u SQL SECURITY DEFINER AS SELECT 1 AS a`,
	`CREATE MATERIALIZED VIEW d.m (a UInt8, INDEX i a TYPE minmax, PROJECTION p (SELECT a ORDER BY a), CONSTRAINT c CHECK a > 1)
		ENGINE = SummingMergeTree(a) PARTITION BY a PRIMARY KEY a ORDER BY (a) UNIQUE KEY a SAMPLE BY a TTL toDateTime(a) SETTINGS index_granularity = 1 AS SELECT 1 AS a COMMENT 'c'`,
	`CREATE DICTIONARY d.d (a UInt64 DEFAULT 1 EXPRESSION a HIERARCHICAL BIDIRECTIONAL INJECTIVE IS_OBJECT_ID, s Date, e Date) PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 't'))
		LAYOUT(RANGE_HASHED(range_lookup_strategy 'max')) LIFETIME(MIN 1 MAX 2) RANGE(MIN s MAX e) SETTINGS(format_csv_allow_single_quotes = 0) COMMENT 'c'`,
	`CREATE FUNCTION f AS x -> x`,
	`CREATE NAMED COLLECTION c AS url = 'x' OVERRIDABLE`,
}

// timeSeries is a table whose inner tables have every part of theirs.
func timeSeries() string {
	text := "CREATE TABLE d.t ENGINE = TimeSeries"
	for _, kind := range []string{"SAMPLES", "TAGS", "METRICS"} {
		text += strings.ReplaceAll(` KIND INNER COLUMNS (a UInt8 DEFAULT 1 COMMENT 'c' CODEC(ZSTD(1)) STATISTICS(tdigest) TTL toDateTime(b) SETTINGS (max_compress_block_size = 1),
			b UInt8 PRIMARY KEY, s String COLLATE en, INDEX i a TYPE minmax GRANULARITY 2, PROJECTION p (SELECT a ORDER BY a) WITH SETTINGS (index_granularity = 1),
			PROJECTION q INDEX a TYPE basic, CONSTRAINT c CHECK a > 1)
			KIND INNER ENGINE = ReplicatedMergeTree('/p', 'r', a) PARTITION BY a PRIMARY KEY a ORDER BY (a, b) UNIQUE KEY a SAMPLE BY a TTL toDateTime(b)
			SETTINGS index_granularity = 1`, "KIND", kind)
	}
	return text
}

// fullAccess are definitions of access that have every part of their kinds.
var fullAccess = []string{
	`CREATE ROLE r SETTINGS max_threads = 1 MIN 1 MAX 2 CONST, PROFILE p; GRANT SELECT ON d.* TO r; REVOKE SELECT ON d.t FROM r; GRANT x TO r`,
	`CREATE USER u IDENTIFIED WITH no_password HOST LOCAL DEFAULT ROLE x DEFAULT DATABASE d SETTINGS max_threads = 1, PROFILE p GRANTEES NONE;
		GRANT SELECT ON d.* TO u; REVOKE SELECT ON d.t FROM u; GRANT x TO u`,
	`CREATE SETTINGS PROFILE p SETTINGS max_threads = 1, INHERIT q TO u`,
	`CREATE QUOTA q KEYED BY ip_address IPV4_PREFIX_BITS 8 IPV6_PREFIX_BITS 8 FOR INTERVAL 1 hour MAX queries = 1 TO u`,
	`CREATE ROW POLICY p ON d.t USING 1 TO u`,
}

// fullObjects are all of them.
func fullObjects(t *testing.T) []ast.Object {
	t.Helper()
	list := []ast.Object{&ast.Topic{Name: "t", Partitions: 1, Replicas: 1, Landing: true, DeadLetter: true,
		Configs: []ast.TopicConfig{{Name: "preallocate", Value: "true"}}}}
	for _, text := range full {
		o, err := ddl.ParseStatement(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		list = append(list, o)
	}
	for _, text := range fullAccess {
		placed, err := access.ParseScript(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var statements []*access.Statement
		for _, p := range placed {
			statements = append(statements, p.Statement)
		}
		objects := access.Collect(statements)
		list = append(list, objects...)
		if r, isRole := objects[0].(*ast.Role); isRole {
			list = append(list, &ast.Grant{Name: "g", To: []string{"r"}, Rights: r.Rights})
		}
	}
	return list
}

func TestARuleCanNameEveryPartOfEveryKind(t *testing.T) {
	words := rules.Vocabulary()
	met := map[string]bool{}
	for _, o := range fullObjects(t) {
		at := slices.IndexFunc(words.Kinds, func(k rulelang.KindWords) bool { return k.Name == string(o.Kind()) })
		if at < 0 {
			t.Errorf("no rule can be about kind %s", o.Kind())
			continue
		}
		for _, part := range o.Parts() {
			i := slices.IndexFunc(words.Kinds[at].Parts, func(p rulelang.PartWords) bool { return p.Name == part.Kind })
			if i < 0 {
				t.Errorf("no rule can name the %s of a %s", part.Kind, o.Kind())
				continue
			}
			p := words.Kinds[at].Parts[i]
			met[words.Kinds[at].Name+" "+p.Name] = true
			if p.Named != (part.Name != "") {
				t.Errorf("the %s of a %s: named in the words %v, in the tree %v", part.Kind, o.Kind(), p.Named, part.Name != "")
			}
			for _, a := range part.Attrs {
				word, _, _ := strings.Cut(a.Name, " ")
				met[words.Kinds[at].Name+" "+p.Name+"."+word] = true
				if word != "" && !p.Open && !slices.Contains(p.Attrs, word) {
					t.Errorf("no rule can name the %s of a %s of a %s", a.Name, part.Kind, o.Kind())
				}
			}
		}
	}
	// And no word is about what there is not. Orders are changes without a part; what nobody reads has no example.
	for _, k := range words.Kinds {
		for _, p := range k.Parts {
			if strings.HasSuffix(p.Name, "_order") || p.Name == "unread" || p.Name == "inner_structure" {
				continue
			}
			if !met[k.Name+" "+p.Name] {
				t.Errorf("no %s has a part %s", k.Name, p.Name)
			}
		}
	}
}
