package rules_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
)

// fleet writes the definitions of n tables of twenty columns as a server prints them; each of those that changed
// returns true has one column more, another comment and another setting.
func fleet(n int, changed func(int) bool) []string {
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		fmt.Fprintf(&b, "CREATE TABLE fleet.ship_%d\n(\n    `id` UInt64,\n    `at` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),\n", i)
		for c := range 18 {
			fmt.Fprintf(&b, "    `reading_%d` %s DEFAULT %d COMMENT 'what gauge %d shows',\n", c, [...]string{"Float64", "Nullable(Float64)", "LowCardinality(String)", "UInt32"}[c%4], c, c)
		}
		settings := "index_granularity = 8192"
		if changed(i) {
			b.WriteString("    `crew` UInt16,\n")
			settings += ", merge_with_ttl_timeout = 3600"
		}
		fmt.Fprintf(&b, "    INDEX by_reading reading_0 TYPE minmax GRANULARITY 4\n)\nENGINE = MergeTree\nPARTITION BY toYYYYMM(at)\nORDER BY (id, at)\nTTL toDateTime(at) + toIntervalDay(30)\nSETTINGS %s\nCOMMENT 'readings of ship %d'", settings, i)
		texts[i] = b.String()
	}
	return texts
}

func all(int) bool  { return true }
func none(int) bool { return false }

// parseAll parses on two processors, as the product does.
func parseAll(tb testing.TB, texts []string) []ast.Object {
	objects := make([]ast.Object, len(texts))
	var workers sync.WaitGroup
	for worker := range 2 {
		workers.Go(func() {
			for i := worker; i < len(texts); i += 2 {
				o, err := ddl.ParseStatement(texts[i])
				if err != nil {
					tb.Error(err)
					return
				}
				objects[i] = o
			}
		})
	}
	workers.Wait()
	return objects
}

func pairsOf(live, desired []ast.Object) []rules.Pair {
	pairs := make([]rules.Pair, len(live))
	for i := range pairs {
		pairs[i] = rules.Pair{Kind: desired[i].Kind(), Name: desired[i].ID(), Live: live[i], Desired: desired[i]}
	}
	return pairs
}

// BenchmarkPlan10000ChangedTables decides about 10,000 tables that each gain a column and a setting, and plans their
// statements.
func BenchmarkPlan10000ChangedTables(b *testing.B) {
	release := book(b)
	pairs := pairsOf(parseAll(b, fleet(10000, none)), parseAll(b, fleet(10000, all)))
	b.ReportAllocs()
	for b.Loop() {
		doc := release.Plan(pairs, rules.Options{Platform: rules.Embedded})
		if len(doc.Statements) != 10000 {
			b.Fatal(len(doc.Statements))
		}
	}
}

// BenchmarkDecide10000 is deciding alone, of the same changes, once the tables are compared.
func BenchmarkDecide10000(b *testing.B) {
	release := book(b)
	pair := pairsOf(parseAll(b, fleet(1, none)), parseAll(b, fleet(1, all)))[0]
	options := rules.Options{Platform: rules.Embedded}
	b.ReportAllocs()
	for b.Loop() {
		for range 10000 {
			release.Decide(&pair, &options)
		}
	}
}

// BenchmarkParseAndPlan5000Tables is all of `dfe schema diff` but reading the files: both sides of 5,000 tables of twenty
// columns are parsed, one in a hundred differs.
func BenchmarkParseAndPlan5000Tables(b *testing.B) {
	release := book(b)
	live := fleet(5000, none)
	desired := fleet(5000, func(i int) bool { return i%100 == 0 })
	b.ReportAllocs()
	for b.Loop() {
		doc := release.Plan(pairsOf(parseAll(b, live), parseAll(b, desired)), rules.Options{})
		if doc.Summary.Alter != 50 {
			b.Fatalf("%+v", doc.Summary)
		}
	}
}

// BenchmarkDiffSame is the diff of a wide table against itself.
func BenchmarkDiffSame(b *testing.B) {
	o := parseAll(b, fleet(1, none))[0]
	b.ReportAllocs()
	for b.Loop() {
		if changes := rules.Diff(o, o, canon.Env{}); len(changes) > 0 {
			b.Fatal(changes)
		}
	}
}
