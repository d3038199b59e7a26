package tree_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

func BenchmarkLoadCoreRelease(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := tree.Load(stdlib.FS, tree.Options{}); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// BenchmarkLoad1000Tables loads a tree of 1,000 tables of 20 columns, each in a file of its own with a shared header,
// and 100 views over them.
func BenchmarkLoad1000Tables(b *testing.B) {
	files := wideTree(1000, 100)
	var size int
	for _, f := range files {
		size += len(f.Data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		tr, diags := tree.Load(files, tree.Options{})
		if diags.HasErrors() {
			clean(b, tr, diags)
		}
	}
}

// BenchmarkLoad1000Instances loads a tree in which one entry with for_each declares 1,000 tables of 20 columns.
func BenchmarkLoad1000Instances(b *testing.B) {
	files := wideTree(1, 0)
	files["manifest.hcl"] = &fstest.MapFile{Data: []byte(`release = "1.0.0"
variable "days" {
  type    = number
  default = 30
}
database "d" {}
table "source" {
  for_each = toset([for i in range(1000) : "s${i}"])
  name     = "d.${each.key}"
  from     = "tables/t0.hcl"
}
`)}
	b.ReportAllocs()
	for b.Loop() {
		tr, diags := tree.Load(files, tree.Options{})
		if diags.HasErrors() || len(tr.Objects) != 1001 {
			clean(b, tr, diags)
		}
	}
}

func wideTree(tables, views int) fstest.MapFS {
	files := fstest.MapFS{"header.hcl": {Data: []byte("column \"at\" {\n  type    = \"DateTime64(3, 'UTC')\"\n  codec   = \"DoubleDelta, ZSTD(1)\"\n  comment = \"when\"\n}\ncolumn \"id\" {\n  type = \"UInt64\"\n}\n")}}
	var manifest strings.Builder
	manifest.WriteString("release = \"1.0.0\"\nvariable \"days\" {\n  type    = number\n  default = 30\n}\ndatabase \"d\" {}\n")
	for i := range tables {
		fmt.Fprintf(&manifest, "table \"d.t%d\" { from = \"tables/t%d.hcl\" }\n", i, i)
		var def strings.Builder
		def.WriteString("include = [\"header.hcl\"]\n")
		for c := range 18 {
			fmt.Fprintf(&def, "column \"c%d\" {\n  type    = \"LowCardinality(String)\"\n  default = \"lower('x%d')\"\n  codec   = \"ZSTD(1)\"\n  comment = \"column %d\"\n}\n", c, c, c)
		}
		def.WriteString("engine       = \"ReplacingMergeTree(at)\"\npartition_by = \"toYYYYMM(at)\"\norder_by     = [\"id\", \"at\"]\nttl          = \"toDateTime(at) + INTERVAL ${var.days} DAY\"\n")
		files[fmt.Sprintf("tables/t%d.hcl", i)] = &fstest.MapFile{Data: []byte(def.String())}
	}
	for i := range views {
		fmt.Fprintf(&manifest, "view \"d.v%d\" { from = \"views/v%d.sql\" }\n", i, i)
		files[fmt.Sprintf("views/v%d.sql", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "CREATE VIEW d.v%d AS SELECT c1, count() AS n, max(at) AS newest FROM d.t%d WHERE c2 = 'x' GROUP BY c1", i, i)}
	}
	files["manifest.hcl"] = &fstest.MapFile{Data: []byte(manifest.String())}
	return files
}
