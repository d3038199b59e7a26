package lint_test

import (
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
	"github.com/dfe-engine/dfe/stdlib"
)

// lintAll loads and lints a tree and writes what is found as JSON.
func lintAll(b *testing.B, fsys fs.FS) {
	b.Helper()
	t, diags := tree.Load(fsys, tree.Options{})
	w := lint.NewJSON(io.Discard, lint.Source{Text: tree.NewExcerpts(t.Files(), nil), Objects: len(t.Objects)})
	for f := range lint.Run(t, diags, nil) {
		if f.Severity == lint.Error {
			b.Fatal(f)
		}
		if err := w.Write(f); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCoreRelease loads, lints and reports the core release: all that "dfe schema lint" does.
func BenchmarkCoreRelease(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		lintAll(b, stdlib.FS)
	}
}

// BenchmarkTables lints trees of many tables of 20 columns, two findings each. heap-B/table is what stays reachable
// while the tree is held.
func BenchmarkTables(b *testing.B) {
	for _, count := range []int{500, 5000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			fsys := manyTables(count)
			b.ReportAllocs()
			for b.Loop() {
				lintAll(b, fsys)
			}
			b.StopTimer()
			before := heap()
			t, diags := tree.Load(fsys, tree.Options{})
			n := 0
			for range lint.Run(t, diags, nil) {
				n++
			}
			b.ReportMetric(float64(heap()-before)/float64(count), "heap-B/table")
			if runtime.KeepAlive(t); n != 2*count {
				b.Fatalf("%d findings", n)
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func manyTables(count int) fs.FS {
	files := fstest.MapFS{}
	manifest := shop
	for i := range count {
		name := fmt.Sprintf("t%05d", i)
		manifest += fmt.Sprintf("table \"shop.%s\" {\n  from = \"%s.hcl\"\n}\n", name, name)
		text := ""
		for c := range 19 {
			text += fmt.Sprintf("column \"c%02d\" {\n  type  = \"UInt64\"\n  codec = \"Delta, ZSTD(1)\"\n}\n", c)
		}
		text += "column \"at\" { type = \"DateTime\" }\nengine = \"ReplacingMergeTree\"\norder_by = [\"c00\", \"at\"]\ncomment = \"c\"\n"
		files[name+".hcl"] = &fstest.MapFile{Data: []byte(text)}
	}
	files["manifest.hcl"] = &fstest.MapFile{Data: []byte(manifest)}
	return files
}
