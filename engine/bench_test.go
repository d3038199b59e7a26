package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
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

// measure reports what an operation cost: ms-cpu is the processor time of this process, all threads together, and ms-waiting
// the time in which nothing but the server worked for us. The server runs in a process of its own. The heap
// grows as the program lets it (engine/cli).
func measure(b *testing.B, log *efforts, op func()) {
	b.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	b.ReportAllocs()
	start := ownCPU(b)
	for b.Loop() {
		op()
	}
	n := float64(b.N)
	b.ReportMetric(float64((ownCPU(b)-start).Microseconds())/1000/n, "ms-cpu/op")
	b.ReportMetric(float64(log.waited.Microseconds())/1000/n, "ms-waiting/op")
	b.ReportMetric(float64(log.queries)/n, "queries/op")
}

// BenchmarkPlanThousandTablesNoChange plans over 1,000 tables that are as declared, the reading and checking of 1,001 files
// and of every live definition included.
func BenchmarkPlanThousandTablesNoChange(b *testing.B) {
	s := stageAt(b, embeddedtest.Process(b), "bench")
	s.tree(thousand())
	s.pass(engine.Options{})
	log := &efforts{}
	e := s.engine(engine.Options{Log: slog.New(log)})
	measure(b, log, func() {
		doc, err := e.Plan(b.Context())
		if err != nil || len(doc.Statements) != 0 || doc.Summary.None != 1004 {
			b.Fatalf("error %v, plan %+v", err, doc.Summary)
		}
	})
}

// BenchmarkLoadThousandTables is the part of it that reads and checks the tree.
func BenchmarkLoadThousandTables(b *testing.B) {
	dir := b.TempDir()
	writeTree(b, dir, strings.ReplaceAll(thousand(), "DB", "d"))
	measure(b, &efforts{}, func() {
		if t, diags := tree.LoadDir(dir, tree.Options{}); diags.HasErrors() || len(t.Objects) != 1001 {
			b.Fatal(diags)
		}
	})
}

// BenchmarkPassThousandTablesNoChange is a boot with nothing to do, from the reading of the tree's 1,001 files to the release of
// the lease. The wait for rivals of the lease is left out.
func BenchmarkPassThousandTablesNoChange(b *testing.B) {
	s := stageAt(b, embeddedtest.Process(b), "bench")
	s.tree(thousand())
	s.pass(engine.Options{})
	s.settle()
	s.pass(engine.Options{})
	log := &efforts{}
	e := s.engine(engine.Options{Log: slog.New(log)})
	measure(b, log, func() {
		r, err := e.Pass(b.Context())
		if err != nil || r.Summary.Statements != 0 || r.Summary.Unchanged != 1004 || len(s.unread(&r)) != 1000 {
			b.Fatalf("error %v, %+v, %d unread", err, r.Summary, len(s.unread(&r)))
		}
	})
}
