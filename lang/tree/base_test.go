package tree_test

import (
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
