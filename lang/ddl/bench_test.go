package ddl_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	aftership "github.com/AfterShip/clickhouse-sql-parser/parser"
	doubleclick "github.com/sqlc-dev/doubleclick/parser"

	"github.com/dfe-engine/dfe/lang/ddl"
)

// The parsers that the field uses, beside this one, on the same texts: each on those it can read.
func parseOurs(src string) error {
	_, err := ddl.ParseStatement(src)
	return err
}

func parseAfterShip(src string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	_, err = aftership.NewParser(src).ParseStmts()
	return err
}

func parseDoubleclick(src string) error {
	_, err := doubleclick.Parse(context.Background(), strings.NewReader(src))
	return err
}

// BenchmarkCorpus parses every text that the parser beside ours can read; ns/statement compares them.
func BenchmarkCorpus(b *testing.B) {
	texts := corpusTexts(b)
	for _, rival := range []struct {
		name  string
		parse func(string) error
	}{{"aftership", parseAfterShip}, {"doubleclick", parseDoubleclick}} {
		var readable []string
		for _, text := range texts {
			if rival.parse(text) == nil && parseOurs(text) == nil { // ours takes one statement a text
				readable = append(readable, text)
			}
		}
		for _, who := range []struct {
			name  string
			parse func(string) error
		}{{"ours", parseOurs}, {rival.name, rival.parse}} {
			b.Run("readable by "+rival.name+"/"+who.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for _, text := range readable {
						if err := who.parse(text); err != nil {
							b.Fatal(err)
						}
					}
				}
				statements := float64(b.N) * float64(len(readable))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/statements, "ns/statement")
				b.ReportMetric(float64(len(readable)), "statements")
			})
		}
	}
}

// wideTable returns a CREATE TABLE of 6,224 columns with comments and codecs, about 688 KB.
func wideTable() string {
	var b bytes.Buffer
	b.WriteString("CREATE TABLE lake.wide\n(\n    `at` DateTime64(3) CODEC(Delta(8), ZSTD(1))")
	for i := 1; i < 6224; i++ {
		fmt.Fprintf(&b, ",\n    `measure_%05d` LowCardinality(Nullable(String)) CODEC(ZSTD(1)) COMMENT 'what the sensor reads, number %05d'", i, i)
	}
	b.WriteString("\n)\nENGINE = MergeTree\nORDER BY at\nSETTINGS index_granularity = 8192")
	return b.String()
}

func BenchmarkWideTable(b *testing.B) {
	text := wideTable()
	for _, who := range []struct {
		name  string
		parse func(string) error
	}{{"ours", parseOurs}, {"doubleclick", parseDoubleclick}} {
		b.Run(who.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := who.parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
