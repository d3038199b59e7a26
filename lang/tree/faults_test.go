package tree_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/lang/tree"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const reportSection = "diagnostics"

// TestFaultsAreReportedWithPlaceReasonAndRemedy loads each tree of testdata/faults and compares what is printed about
// it. A tree is one txtar file; its section "vars" holds name=value lines, and its last section the diagnostics.
func TestFaultsAreReportedWithPlaceReasonAndRemedy(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fsys, opts, want := readCase(archive)
			tr, diags := tree.Load(fsys, opts)
			var out bytes.Buffer
			if err := tree.WriteDiagnostics(&out, tr.Files(), diags, false, 110); err != nil {
				t.Fatal(err)
			}
			if *update {
				writeCase(t, file, archive, out.Bytes())
				return
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if len(diags) == 0 {
				t.Error("a case of this directory has at least one fault")
			}
		})
	}
}

func readCase(archive *txtar.Archive) (fs.FS, tree.Options, string) {
	fsys := fstest.MapFS{}
	opts := tree.Options{}
	want := ""
	for _, f := range archive.Files {
		switch f.Name {
		case reportSection:
			want = string(f.Data)
		case "vars":
			opts.Variables = map[string]string{}
			for line := range strings.Lines(string(f.Data)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				opts.Variables[name] = value
			}
		default:
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return fsys, opts, want
}

func writeCase(t *testing.T, file string, archive *txtar.Archive, report []byte) {
	t.Helper()
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if f.Name != reportSection {
			kept = append(kept, f)
		}
	}
	archive.Files = append(kept, txtar.File{Name: reportSection, Data: report})
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
