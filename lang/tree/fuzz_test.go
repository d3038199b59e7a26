package tree_test

import (
	"io"
	"path/filepath"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/lang/tree"
)

// FuzzLoad feeds a tree of three files anything at all: it loads or says why not, and every fault it reports stands
// inside the file it names.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var seed [3][]byte
		for _, file := range archive.Files {
			switch {
			case file.Name == "manifest.hcl":
				seed[0] = file.Data
			case filepath.Ext(file.Name) == ".hcl":
				seed[1] = file.Data
			case filepath.Ext(file.Name) == ".sql":
				seed[2] = file.Data
			}
		}
		f.Add(seed[0], seed[1], seed[2])
		f.Add([]byte(threeFiles), seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, manifest, definition, statement []byte) {
		tr, diags := tree.Load(fstest.MapFS{
			"manifest.hcl": {Data: manifest},
			"a.hcl":        {Data: definition},
			"a.sql":        {Data: statement},
		}, tree.Options{Limits: tree.Limits{ValueBytes: 1 << 16, Objects: 100}})
		for _, d := range diags {
			if d.Summary == "" || d.Detail == "" {
				t.Errorf("a fault without words: %+v", d)
			}
			if s := d.Subject; s != nil {
				file := tr.Files()[s.Filename]
				if file == nil || s.Start.Byte > len(file.Bytes) || s.End.Byte < s.Start.Byte || s.Start.Line < 1 || s.Start.Column < 1 {
					t.Errorf("%s stands nowhere: %v", d.Summary, s)
				}
			}
		}
		if err := tree.WriteDiagnostics(io.Discard, tr.Files(), diags, true, 80); err != nil {
			t.Error(err)
		}
		tree.Plain(tr.Files(), diags)
	})
}

const threeFiles = `release = "1.0.0"
database "shop" {}
table "shop.a" { from = "a.hcl" }
view "shop.v" { from = "a.hcl" }
table "shop.b" { from = "a.sql" }
view "shop.w" { from = "a.sql" }
`
