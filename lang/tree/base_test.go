package tree_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

func TestAnOverlayStandsOnTheTreeBelowItAndTakesNoNameOfIt(t *testing.T) {
	base, diags := tree.Load(stdlib.FS, tree.Options{})
	clean(t, base, diags)
	overlay := fstest.MapFS{
		"manifest.hcl": {Data: []byte(`
release = "7"
view "dfe.recent" { from = "recent.sql" }
view "dfe.source_health" { from = "recent.sql" }
view "dfe.wrong" { from = "wrong.sql" }
`)},
		"recent.sql": {Data: []byte("CREATE VIEW recent AS SELECT org_id, timestamp FROM dfe.events WHERE timestamp > now() - INTERVAL 1 HOUR")},
		"wrong.sql":  {Data: []byte("CREATE VIEW wrong AS SELECT orgid FROM dfe.events")},
	}
	tr, diags := tree.Load(overlay, tree.Options{Base: base})
	if got, want := summaries(diags), `dfe.source_health belongs to the core release; Unknown column "orgid"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"database dfe", "table dfe.events"}, names(tr.Objects[0].Depends)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAValueInATemplateIsQuotedForClickHouse(t *testing.T) {
	tr, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte("release = \"1\"\nlocals {\n  hostile = \"a'b\\\\c\"\n  column  = \"or`der by\"\n}\ndatabase \"d\" {}\ntable \"d.t\" { from = \"t.hcl\" }\n")},
		"t.hcl":        {Data: []byte("column \"id\" {\n  type    = \"String\"\n  default = quote(local.hostile)\n}\ncolumn \"or`der by\" {\n  type = \"UInt8\"\n}\nengine   = \"MergeTree\"\norder_by = ident(local.column)\n")},
	}, tree.Options{})
	clean(t, tr, diags)
	want := []string{"column.id.default = 5:a'b\\c", "order_by = 3:or`der by"}
	var got []string
	for _, line := range shape(tr.Objects[1].Object) {
		for _, w := range want {
			if line == w {
				got = append(got, line)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, shape(tr.Objects[1].Object))
	}
}

// refusals lists what an overlay leaves out, with why.
func refusals(tr *tree.Tree) []string {
	var list []string
	for _, r := range tr.Refused {
		list = append(list, r.Name.String()+": "+r.Fault.Summary)
	}
	return list
}

// below is a release with a header that it uses and one that it does not.
func below(t *testing.T) *tree.Tree {
	t.Helper()
	base, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte(`
release = "1"
variable "days" {
  type    = number
  default = 7
}
locals { codec = "ZSTD(3)" }
database "d" {}
table "d.events" { from = "tables/core/events.hcl" }
view "d.recent" { from = "views/recent.sql" }
`)},
		"common-header/event.hcl": {Data: []byte("column \"at\" {\n  type  = \"DateTime('UTC')\"\n  codec = local.codec\n}\n")},
		"common-header/spare.hcl": {Data: []byte("column \"spare\" {\n  type    = \"String\"\n  default = \"'${var.days}'\"\n}\n")},
		"tables/core/events.hcl":  {Data: []byte("include = [\"common-header/event.hcl\"]\nengine = \"MergeTree\"\norder_by = \"at\"\n")},
		"views/recent.sql":        {Data: []byte("CREATE VIEW recent AS SELECT at FROM d.events")},
	}, tree.Options{Variables: map[string]string{"days": "9"}})
	clean(t, base, diags)
	return base
}

func TestAnOverlayUsesHeadersVariablesAndViewsOfTheTreeBelow(t *testing.T) {
	tr, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte(`
release = "1"
locals { codec = "LZ4" }
database "site" {}
table "site.visits" { from = "site/visits.hcl" }
view "site.now" { from = "site/now.sql" }
`)},
		"site/visits.hcl": {Data: []byte("include = [\"common-header/event.hcl\", \"common-header/spare.hcl\"]\nengine = \"MergeTree\"\norder_by = \"at\"\nttl = \"at + INTERVAL ${var.days} DAY\"\n")},
		"site/now.sql":    {Data: []byte("CREATE VIEW now AS SELECT at FROM d.recent")},
	}, tree.Options{Base: below(t)})
	clean(t, tr, diags)
	got := shape(tr.Objects[1].Object)
	for _, want := range []string{"column.at.codec = 20:(9:ZSTD(4:3))", "column.spare.default = 5:9"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in\n%v", want, got)
		}
	}
}

func TestAnOverlayLeavesOutByNameWhatIsNotItsOwn(t *testing.T) {
	const table = "column \"id\" { type = \"UInt8\" }\nengine   = \"MergeTree\"\norder_by = \"id\"\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.hcl": `
release = "1"
database "d" {}
database "site" {}
table "site.a" { from = "tables/core/a.hcl" }
table "site.b" { from = "../b.hcl" }
table "site.c" { from = "site/link.hcl" }
table "site.d" { from = "site/around.hcl" }
table "site.e" { from = "site/e.hcl" }
table "site.f" { from = "site/f.hcl" }
table "d.recent" { from = "site/g.hcl" }
table "site.g" { from = "site/g.hcl" }
view "site.of_a" { from = "site/of_a.sql" }
view "site.of_of_a" { from = "site/of_of_a.sql" }
view "site.of_g" { from = "site/of_g.sql" }
`,
		"tables/core/a.hcl":      table,
		"site/e.hcl":             "include = [\"../../shared.hcl\"]\n" + table,
		"site/f.hcl":             "include = [\"common-header/mine.hcl\"]\n" + table,
		"common-header/mine.hcl": "column \"mine\" { type = \"UInt8\" }",
		"site/g.hcl":             table,
		"site/of_a.sql":          "CREATE VIEW of_a AS SELECT id FROM site.a",
		"site/of_of_a.sql":       "CREATE VIEW of_of_a AS SELECT id FROM site.of_a",
		"site/of_g.sql":          "CREATE VIEW of_g AS SELECT id FROM site.g",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("/etc/hostname", filepath.Join(dir, "site/link.hcl")), os.Symlink("../tables/core/a.hcl", filepath.Join(dir, "site/around.hcl"))); err != nil {
		t.Fatal(err)
	}
	tr, diags := tree.LoadDir(dir, tree.Options{Base: below(t)})
	want := []string{
		"d: d belongs to the core release",
		"site.a: A directory of the core release",
		"site.b: Path leaves the tree",
		"site.c: Symbolic link leaves the tree",
		"site.d: A directory of the core release",
		"site.e: Path leaves the tree",
		"site.f: A directory of the core release",
		"d.recent: d.recent belongs to the core release",
		"site.of_a: site.of_a uses site.a, which is refused",
		"site.of_of_a: site.of_of_a uses site.of_a, which is refused",
	}
	if diff := cmp.Diff(want, refusals(tr)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"database site", "table site.g", "view site.of_g"}, names(tr.Objects)); diff != "" || len(diags) != len(want) {
		t.Errorf("%d faults (-want +got):\n%s%v", len(diags), diff, diags)
	}
}

func TestAnOverlaySetsNoVariableOfTheTreeBelow(t *testing.T) {
	_, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte("release = \"1\"\nvariable \"days\" { default = 1 }\ndatabase \"site\" {}\n")},
	}, tree.Options{Base: below(t)})
	if got, want := summaries(diags), `Variable "days" belongs to the core release`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
