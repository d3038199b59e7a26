package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/lang/tree"
)

// efforts is a log that adds up what the connections cost.
type efforts struct {
	queries int64
	waited  time.Duration
}

func (e *efforts) Enabled(context.Context, slog.Level) bool { return true }
func (e *efforts) WithAttrs([]slog.Attr) slog.Handler       { return e }
func (e *efforts) WithGroup(string) slog.Handler            { return e }
func (e *efforts) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "queries":
			e.queries += a.Value.Int64()
		case "waited":
			e.waited += a.Value.Duration()
		}
		return true
	})
	return nil
}

// thousand is a tree of 1,000 tables of twelve columns, each with a definition file of its own.
func thousand() string {
	var manifest, definitions strings.Builder
	manifest.WriteString("-- manifest.hcl --\nrelease = \"1.0.0\"\ndatabase \"DB\" {}\n")
	for i := range 1000 {
		fmt.Fprintf(&manifest, "table \"DB.t%04d\" { from = \"t%04d.hcl\" }\n", i, i)
		fmt.Fprintf(&definitions, "-- t%04d.hcl --\n", i)
		for c := range 8 {
			fmt.Fprintf(&definitions, "column \"value_%d\" {\n  type    = \"LowCardinality(String)\"\n  codec   = \"ZSTD(1)\"\n  comment = \"value %d of table %d\"\n}\n", c, c, i)
		}
		definitions.WriteString(`column "at" {
  type  = "DateTime64(3, 'UTC')"
  codec = "Delta, ZSTD"
}
column "id" {
  type    = "UUID"
  default = "generateUUIDv4()"
}
column "size" { type = "Nullable(UInt64)" }
column "tags" { type = "Map(LowCardinality(String), String)" }
engine       = "MergeTree"
partition_by = "toYYYYMM(at)"
order_by     = ["value_0", "at"]
ttl          = ["toDateTime(at) + INTERVAL 30 DAY"]
settings     = { index_granularity = 8192 }
`)
	}
	return manifest.String() + definitions.String()
}

// BenchmarkPlanThousandTablesNoChange plans over 1,000 tables that are as declared. ms-waiting is the time in which
// nothing but the server worked for us; ms-ours is the rest, the reading and checking of 1,001 files included.
func BenchmarkPlanThousandTablesNoChange(b *testing.B) {
	s := newStage(b)
	s.tree(thousand())
	s.pass(engine.Options{})
	log := &efforts{}
	e := s.engine(engine.Options{Log: slog.New(log)})
	b.ReportAllocs()
	start := time.Now()
	for b.Loop() {
		doc, err := e.Plan(b.Context())
		if err != nil || len(doc.Statements) != 0 || doc.Summary.None != 1004 {
			b.Fatalf("error %v, plan %+v", err, doc.Summary)
		}
	}
	total, n := time.Since(start), float64(b.N)
	b.ReportMetric(float64(log.waited.Microseconds())/1000/n, "ms-waiting/op")
	b.ReportMetric(float64((total-log.waited).Microseconds())/1000/n, "ms-ours/op")
	b.ReportMetric(float64(log.queries)/n, "queries/op")
}

// BenchmarkLoadThousandTables is the part of it that reads and checks the tree.
func BenchmarkLoadThousandTables(b *testing.B) {
	dir := b.TempDir()
	writeTree(b, dir, strings.ReplaceAll(thousand(), "DB", "d"))
	b.ReportAllocs()
	for b.Loop() {
		if t, diags := tree.LoadDir(dir, tree.Options{}); diags.HasErrors() || len(t.Objects) != 1001 {
			b.Fatal(diags)
		}
	}
}

// BenchmarkPassThousandTablesNoChange is a boot with nothing to do, the tree's loading included: ms-ours is
// what remains when the time in which nothing but the server worked for us, ms-waiting, is taken off. The wait for rivals
// of the lease is left out.
func BenchmarkPassThousandTablesNoChange(b *testing.B) {
	s := newStage(b)
	s.tree(thousand())
	s.pass(engine.Options{})
	s.settle()
	s.pass(engine.Options{})
	log := &efforts{}
	e := s.engine(engine.Options{Log: slog.New(log)})
	b.ReportAllocs()
	start := time.Now()
	for b.Loop() {
		r, err := e.Pass(b.Context())
		if err != nil || r.Summary.Statements != 0 || r.Summary.Unchanged != 1004 || len(s.unread(&r)) != 1000 {
			b.Fatalf("error %v, %+v, %d unread", err, r.Summary, len(s.unread(&r)))
		}
	}
	total, n := time.Since(start), float64(b.N)
	b.ReportMetric(float64(log.waited.Microseconds())/1000/n, "ms-waiting/op")
	b.ReportMetric(float64((total-log.waited).Microseconds())/1000/n, "ms-ours/op")
	b.ReportMetric(float64(log.queries)/n, "queries/op")
}
