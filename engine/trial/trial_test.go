package trial_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/trial"
	"github.com/dfe-engine/dfe/lang/tree"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// refused is the definition of a table after its first column k and its sorting key, and what the trial makes of it.
type refused struct {
	name, definition string
	line             int // of the definition
	path             string
	code             string
}

// TestARefusalStandsAtThePartTheServerNames creates definitions of which each has one fault that only a server finds.
func TestARefusalStandsAtThePartTheServerNames(t *testing.T) {
	cases := []refused{
		{"default_type", "column \"a\" {\n  type    = \"UInt8\"\n  default = \"toUInt8('x')\"\n}", 3, "column.a.default", "Error 6"},
		{"default_enum", "column \"a\" {\n  type    = \"Enum8('x' = 1)\"\n  default = \"'y'\"\n}", 3, "column.a.default", "Error 691"},
		{"codec", "column \"a\" {\n  type  = \"String\"\n  codec = \"Delta, ZSTD(1)\"\n}", 3, "column.a.codec", "Error 36"},
		{"index", "column \"a\" { type = \"UInt8\" }\nindex \"i\" {\n  expression = \"a\"\n  type       = \"tokenbf_v1(256, 2, 0)\"\n}", 4, "index.i.type", "Error 36"},
		{"setting", "column \"a\" { type = \"UInt8\" }\nsettings = { storage_policy = \"nowhere\" }", 3, "engine", "Error 478"},
		{"key", "column \"a\" { type = \"Nullable(UInt8)\" }\npartition_by = \"a\"", 2, "partition_by", "Error 44"},
		{"column_ttl", "column \"a\" {\n  type = \"DateTime\"\n  ttl  = \"a + INTERVAL 1 DAY\"\n}\npartition_by = \"a\"", 3, "column.a.ttl", "Error 44"},
	}
	database := embeddedtest.Database(t)
	manifest := fmt.Sprintf("release = \"1.0.0\"\ndatabase %q {}\n", database+"_trial")
	files := fstest.MapFS{}
	for _, c := range cases {
		manifest += fmt.Sprintf("table %q {\n  from = %q\n}\n", database+"_trial."+c.name, c.name+".hcl")
		engine := "\nengine = \"MergeTree\"\norder_by = \"k\"\ncolumn \"k\" { type = \"UInt8\" }\n"
		files[c.name+".hcl"] = &fstest.MapFile{Data: []byte(c.definition + engine)}
	}
	manifest += fmt.Sprintf("view %q {\n  from = \"v.sql\"\n}\n", database+"_trial.v")
	files["v.sql"] = &fstest.MapFile{Data: []byte(fmt.Sprintf("CREATE VIEW %s.v AS SELECT k FROM %s.codec", database+"_trial", database+"_trial"))}
	files["manifest.hcl"] = &fstest.MapFile{Data: []byte(manifest)}
	tr, diags := tree.Load(files, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: embeddedtest.Server(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	tried := 0
	found, err := trial.Run(t.Context(), conn, tr, func(*tree.Declared) { tried++ })
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range found {
		if strings.Contains(f.Reason, ": code ") {
			t.Errorf("%s: the code is told twice: %s", f.Name, f.Reason)
		}
		code, _, _ := strings.Cut(f.Reason, ":")
		got[f.Name.Name] = fmt.Sprintf("%s:%d %s %s", f.At.Filename, f.At.Start.Line, f.Path, code)
	}
	want := map[string]string{}
	for _, c := range cases {
		want[c.name] = fmt.Sprintf("%s:%d %s %s", c.name+".hcl", c.line, c.path, c.code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
		for _, f := range found {
			t.Log(f.Reason)
		}
	}
	if tried != len(cases)+1 {
		t.Errorf("%d objects were tried: the view rests on a refused table and is not", tried)
	}
}
