package tree_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

// clean fails the test with the printed diagnostics when there are any.
func clean(t testing.TB, tr *tree.Tree, diags hcl.Diagnostics) {
	t.Helper()
	if len(diags) > 0 {
		var out bytes.Buffer
		if err := tree.WriteDiagnostics(&out, tr.Files(), diags, false, 110); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%d diagnostics:\n%s", len(diags), out.String())
	}
}

func names(objects []*tree.Declared) []string {
	var out []string
	for _, d := range objects {
		out = append(out, fmt.Sprintf("%s %s", d.Kind, d.Name))
	}
	return out
}

func TestTheCoreReleaseHasNoFault(t *testing.T) {
	tr, diags := tree.Load(stdlib.FS, tree.Options{})
	clean(t, tr, diags)
	if tr.Release != "2026.11.0" || tr.MinServer != "25.8" {
		t.Errorf("release %q, min_server %q", tr.Release, tr.MinServer)
	}
	want := []string{"database dfe", "table dfe.schema_lock", "table dfe.schema_migrations"}
	if diff := cmp.Diff(want, names(tr.Objects)[:3]); diff != "" {
		t.Errorf("the bookkeeping is not first (-want +got):\n%s", diff)
	}
}

func TestTheQuickstartAndEachOfItsNextStepsHaveNoFault(t *testing.T) {
	for _, next := range []string{"", "added-column", "changed-view", "forbidden-order-by"} {
		files := fstest.MapFS{}
		readInto(t, files, "../../examples/quickstart")
		if next != "" {
			readInto(t, files, "../../examples/quickstart/next/"+next)
		}
		tr, diags := tree.Load(files, tree.Options{})
		clean(t, tr, diags)
		want := []string{"database shop", "table shop.orders", "table shop.page_views", "view shop.revenue_by_day", "view shop.top_pages"}
		if diff := cmp.Diff(want, names(tr.Objects)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", next, diff)
		}
	}
}

func TestEveryColumnAndTableOfTheCoreReleaseSaysWhatItIs(t *testing.T) {
	tr, _ := tree.Load(stdlib.FS, tree.Options{})
	for _, d := range tr.Objects {
		switch o := d.Object.(type) {
		case *ast.Table:
			if o.Comment == "" {
				t.Errorf("%s has no comment", d.Name)
			}
			for _, c := range o.Columns {
				if c.Comment == "" {
					t.Errorf("column %s of %s has no comment", c.Name, d.Name)
				}
			}
		case *ast.View:
			if o.Comment == "" {
				t.Errorf("%s has no comment", d.Name)
			}
		}
	}
}

func TestAVariableGivenReachesTheDefinitions(t *testing.T) {
	tr, diags := tree.Load(stdlib.FS, tree.Options{Variables: map[string]string{
		"event_retention_days":     "7",
		"telemetry_retention_days": "{ traces = 3 }",
	}})
	clean(t, tr, diags)
	for name, want := range map[string]string{"dfe.events": "7", "otel.otel_traces": "3", "otel.otel_logs": "30"} {
		parsed, err := tree.ParseName(name, true)
		if err != nil {
			t.Fatal(err)
		}
		table := tr.Find(ast.KindTable, parsed).Object.(*ast.Table)
		if got := numbers(table.TTL); !slices.Equal(got, []string{want}) {
			t.Errorf("TTL of %s has the numbers %v, want %s", name, got, want)
		}
	}
}

func numbers(n *ast.Node) []string {
	var out []string
	n.Walk(func(n *ast.Node) bool {
		if n.Kind == ast.Number {
			out = append(out, n.Text)
		}
		return true
	})
	return out
}

func TestForEachDeclaresOneObjectForEachElementInTheOrderOfTheKeys(t *testing.T) {
	tr, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte(`
release = "1.0.0"
database "d" {}
table "d.logs" {
  for_each = { small = 10, big = 500 }
  name     = "d.${each.key}_logs"
  from     = "logs.hcl"
}
`)},
		"logs.hcl": {Data: []byte(`
column "at" {
  type    = "DateTime"
  comment = "of ${self.database}, ${self.name}, ${each.key}"
}
engine   = "MergeTree"
order_by = "at"
ttl      = "at + INTERVAL ${each.value} DAY"
`)},
	}, tree.Options{})
	clean(t, tr, diags)
	if diff := cmp.Diff([]string{"database d", "table d.big_logs", "table d.small_logs"}, names(tr.Objects)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	table := tr.Objects[1].Object.(*ast.Table)
	if want := "of d, big_logs, big"; table.Columns[0].Comment != want || tr.Objects[1].Key != "big" {
		t.Errorf("comment %q, key %q", table.Columns[0].Comment, tr.Objects[1].Key)
	}
	if got := numbers(table.TTL); !slices.Equal(got, []string{"500"}) {
		t.Errorf("TTL has the numbers %v", got)
	}
}

func TestAnObjectKnowsWhatItDependsOn(t *testing.T) {
	tr, diags := tree.Load(stdlib.FS, tree.Options{})
	clean(t, tr, diags)
	got := map[string][]string{}
	for _, d := range tr.Objects {
		if d.Kind == ast.KindView {
			got[d.Name.String()] = names(d.Depends)
		}
	}
	want := map[string][]string{
		"dfe.lease_holder":    {"database dfe", "table dfe.schema_lock"},
		"dfe.schema_objects":  {"database dfe", "table dfe.schema_migrations"},
		"dfe.schema_refusals": {"database dfe", "table dfe.schema_migrations"},
		"dfe.open_detections": {"database dfe", "table dfe.detections", "table dfe.rule_registry"},
		"dfe.source_health":   {"database dfe", "table dfe.source_registry", "table dfe.ingest_volume"},
		"otel.service_errors": {"database otel", "table otel.otel_traces"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAStructureMeansTheSameInBothForms(t *testing.T) {
	tr, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte(`
release = "1.0.0"
database "d" {}
table "d.a" { from = "a.hcl" }
table "d.b" { from = "b.sql" }
`)},
		"a.hcl": {Data: []byte(`
column "id" {
  type    = "UInt64"
  codec   = "Delta, ZSTD(1)"
  comment = "the id"
}
column "at" {
  type    = "DateTime"
  default = "now()"
  ttl     = "at + INTERVAL 1 DAY"
}
column "twice" {
  type  = "UInt64"
  alias = "id * 2"
}
column "input" {
  type      = "String"
  ephemeral = true
}
index "i" {
  expression  = "lower(input)"
  type        = "set(100)"
  granularity = 2
}
projection "p" {
  query = "SELECT id, count() GROUP BY id"
}
constraint "positive" {
  check = "id > 0"
}
constraint "sane" {
  assume = "id < 1000000"
}
engine       = "ReplacingMergeTree(at)"
partition_by = "toYYYYMM(at)"
primary_key  = "id"
order_by     = ["id", "at"]
sample_by    = "id"
unique_key   = ["id"]
ttl          = ["at + INTERVAL 1 MONTH TO VOLUME 'cold'", "at + INTERVAL 1 YEAR DELETE WHERE id > 5"]
settings     = { index_granularity = 4096, storage_policy = "tiers" }
comment      = "a table"
`)},
		"b.sql": {Data: []byte(`
CREATE TABLE IF NOT EXISTS b
(
    id UInt64 COMMENT 'the id' CODEC(Delta, ZSTD(1)),
    at DateTime DEFAULT now() TTL at + INTERVAL 1 DAY,
    twice UInt64 ALIAS id * 2,
    input String EPHEMERAL,
    INDEX i lower(input) TYPE set(100) GRANULARITY 2,
    PROJECTION p (SELECT id, count() GROUP BY id),
    CONSTRAINT positive CHECK id > 0,
    CONSTRAINT sane ASSUME id < 1000000
)
ENGINE = ReplacingMergeTree(at)
PARTITION BY toYYYYMM(at)
PRIMARY KEY id
ORDER BY (id, at)
UNIQUE KEY id
SAMPLE BY id
TTL at + INTERVAL 1 MONTH TO VOLUME 'cold', at + INTERVAL 1 YEAR DELETE WHERE id > 5
SETTINGS index_granularity = 4096, storage_policy = 'tiers'
COMMENT 'a table';
`)},
	}, tree.Options{})
	clean(t, tr, diags)
	if diff := cmp.Diff(shape(tr.Objects[2].Object), shape(tr.Objects[1].Object)); diff != "" {
		t.Errorf("the .hcl form differs from the .sql form (-sql +hcl):\n%s", diff)
	}
}

// shape prints the parts of an object, without positions.
func shape(o ast.Object) []string {
	var out []string
	for _, p := range o.Parts() {
		for _, a := range p.Attrs {
			out = append(out, ast.Path{Part: p.Kind, Name: p.Name, Attr: a.Name}.String()+" = "+sexpr(a.Value))
		}
	}
	return out
}

func sexpr(n *ast.Node) string {
	if n == nil {
		return "nil"
	}
	s := fmt.Sprintf("%d:%s", n.Kind, n.Text)
	if len(n.Kids) > 0 {
		var kids []string
		for _, kid := range n.Kids {
			kids = append(kids, sexpr(kid))
		}
		s += "(" + strings.Join(kids, " ") + ")"
	}
	return s
}
