package engine_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/engine/tenants"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
	"github.com/dfe-engine/dfe/stdlib"
)

// TestWhatIsDecidedAboutAConfigStandsInItsCase reads the cases in testdata/parts: a config, the one that was applied before
// it where there is one, and below them what is decided and sent on a self-hosted cluster.
func TestWhatIsDecidedAboutAConfigStandsInItsCase(t *testing.T) {
	core, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	cases, err := filepath.Glob("testdata/parts/*.txtar")
	if err != nil || len(cases) < 10 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			objects := func(name string) []ast.Object {
				var list []ast.Object
				for _, f := range archive.Files {
					if f.Name != name {
						continue
					}
					rendered, diags := partOf(t, f).Render(core)
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					for _, d := range rendered.Objects {
						list = append(list, d.Object)
					}
				}
				return list
			}
			before := objects("before.hcl")
			var pairs []rules.Pair
			for _, o := range slices.Concat(objects("source.hcl"), objects("tenants.hcl"), objects("tenants.json")) {
				if o.Kind() == ast.KindTopic {
					continue
				}
				p := rules.Pair{Kind: o.Kind(), Name: o.ID(), Desired: o}
				for _, b := range before {
					if b.Kind() == o.Kind() && b.ID() == o.ID() {
						p.Live = rules.Render(b, rules.SelfHosted)
						p.Seen = rules.Seen{Kind: b.Kind(), UUID: "00000000-0000-0000-0000-000000000001"}
						p.Recorded = &rules.Recorded{Scope: "source"}
					}
				}
				pairs = append(pairs, p)
			}
			for _, b := range before {
				declared := slices.ContainsFunc(pairs, func(p rules.Pair) bool { return p.Kind == b.Kind() && p.Name == b.ID() })
				if declared || b.Kind() == ast.KindTopic {
					continue
				}
				pairs = append(pairs, rules.Pair{Kind: b.Kind(), Name: b.ID(), Live: rules.Render(b, rules.SelfHosted),
					Seen: rules.Seen{Kind: b.Kind()}, Recorded: &rules.Recorded{Scope: "source", TakenOut: true}})
			}
			var got bytes.Buffer
			if err := plan.WriteText(&got, book.Plan(pairs, rules.Options{Platform: rules.SelfHosted, LedgerRead: true}), plan.TextOptions{Rules: true}); err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "plan" })
			if at < 0 {
				archive.Files = append(archive.Files, txtar.File{Name: "plan"})
				at = len(archive.Files) - 1
			}
			want := archive.Files[at].Data
			if *update {
				archive.Files[at].Data = got.Bytes()
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got.String(), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// partOf is the part that a file of a case declares.
func partOf(t *testing.T, f txtar.File) engine.Part {
	t.Helper()
	if bytes.Contains(f.Data, []byte("organisation \"")) || bytes.HasPrefix(f.Data, []byte("{")) {
		c, err := tenants.Parse(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		return c.Part()
	}
	c, err := sources.Parse(f.Name, f.Data)
	if err != nil {
		t.Fatal(err)
	}
	return c.Part()
}
