package canon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// tableText is a table of so many columns, as a person writes it or as a server prints it.
func tableText(name string, columns int, printed bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE bench.%s (", name)
	for i := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		switch kind := i % 5; {
		case printed:
			fmt.Fprintf(&b, [...]string{"`c%d` UInt64", "`c%d` LowCardinality(String)", "`c%d` DateTime64(3) CODEC(Delta(8), ZSTD(1))",
				"`c%d` Nullable(Int32) DEFAULT toInt32(c0 + 1)", "`c%d` Decimal(18, 4) COMMENT 'amount'"}[kind], i)
		default:
			fmt.Fprintf(&b, [...]string{"c%d bigint unsigned", "c%d LowCardinality(varchar)", "c%d DateTime64 CODEC(Delta, ZSTD)",
				"c%d int NULL DEFAULT toInt32(c0+1)", "c%d Decimal64(4) COMMENT 'amount'"}[kind], i)
		}
	}
	if printed {
		b.WriteString(") ENGINE = MergeTree PARTITION BY toYYYYMM(c2) ORDER BY (c0, c1) TTL toDateTime(c2) + toIntervalDay(30) SETTINGS index_granularity = 8192")
	} else {
		b.WriteString(") ENGINE = MergeTree() ORDER BY (c0, c1) PARTITION BY toYYYYMM(c2) TTL toDateTime(c2) + INTERVAL 30 DAY DELETE")
	}
	return b.String()
}

func mustParse(t testing.TB, text string) ast.Object {
	o, err := ddl.ParseStatement(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func BenchmarkCanonPair(b *testing.B) {
	for _, columns := range []int{20, 6224} {
		live, desired := mustParse(b, tableText("t", columns, true)), mustParse(b, tableText("t", columns, false))
		b.Run(fmt.Sprintf("written/%d", columns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				canon.Pair(live, desired, canon.Env{})
			}
		})
		b.Run(fmt.Sprintf("itself/%d", columns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				canon.Pair(live, live, canon.Env{})
			}
		})
		b.Run(fmt.Sprintf("itself+parts/%d", columns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l, d := canon.Pair(live, live, canon.Env{})
				lp, dp := l.Parts(), d.Parts()
				for i := range lp {
					for j, a := range lp[i].Attrs {
						if ast.Compare(a.Value, dp[i].Attrs[j].Value) != ast.Same {
							b.Fatal("differs")
						}
					}
				}
			}
		})
		text := tableText("t", columns, true)
		b.Run(fmt.Sprintf("parse/%d", columns), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				mustParse(b, text)
			}
		})
	}
}

func BenchmarkCanonPairOfCorpus(b *testing.B) {
	pairs := corpus[pairCase](b, "ddl_pairs.jsonl")
	type objects struct{ live, source ast.Object }
	var list []objects
	for _, p := range pairs {
		live, err := ddl.ParseStatement(p.Live)
		if err != nil {
			b.Fatal(err)
		}
		source, err := firstStatement(p.Source)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, objects{live, source})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range list {
			canon.Pair(o.live, o.source, canon.Env{})
		}
	}
}
