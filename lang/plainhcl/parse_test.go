package plainhcl_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/lang/plainhcl"
)

const limit = 50

// same demands that a file which is read as plain is what HCL's own parser makes of it, without a fault.
func same(t *testing.T, src []byte) (plain bool) {
	t.Helper()
	got, ok := plainhcl.Parse(src, "x.hcl", limit)
	if !ok {
		return false
	}
	file, diags := hclsyntax.ParseConfig(src, "x.hcl", hcl.InitialPos)
	if len(diags) > 0 {
		t.Errorf("read as plain, but %v\n%s", diags, src)
		return true
	}
	everything := cmp.Exporter(func(reflect.Type) bool { return true })
	if !reflect.DeepEqual(file.Body, got) {
		t.Errorf("(-hcl +plain):\n%s\n%q", cmp.Diff(file.Body, got, everything), src)
	}
	return true
}

var plain = []string{
	"",
	"\n",
	"a = 1\n",
	"a = 1",
	"  \t a = 1\n",
	"\n\n# a comment\n// another\na = 1 # behind\n",
	"a = \"\"\n",
	"a=\"x\"\n",
	`a = "\n\t\r\"\\ x \\"` + "\n",
	"a = \"äöü e\u0301 \u3042\" # wide\nb = [\"é\", \"x\"]\n",
	"# äöü — \u3042\na = 1\n",
	"a = true\nb = false\nc = null\nd = 007\n",
	"a = var.x\nb = x\nc = local.a.b.c\n",
	`a = "${var.x}"` + "\n",
	`a = "${ var.x }"` + "\n",
	`a = "x ${var.x} y ${local.y}${each.key}"` + "\n",
	`a = "é ${var.x} é" # x` + "\n",
	"a = []\nb = {}\nc = [ ]\nd = { }\n",
	"a = [1, 2,]\nb = [\n  1, # one\n  // two\n  \"2\"\n]\n",
	"a = { b = 1, c = \"2\" }\nd = {\n  e = 1\n\n  # x\n  \"f g\" : 2, h = var.x\n  i = { j = [true] },\n}\n",
	"a = { b.c = 1 }\n",
	"a = [var.x, each.value]\n",
	"b {}\n",
	"b { }\n",
	"b {\n}\n",
	"b \"l\" m {\n  a = 1\n  c {\n    d = 2\n  }\n}\n",
	"b \"l\" { a = 1 }\nb \"x\\\"y\" { a = [\n1\n] }\n",
	"b { # comment\n  a = 1\n}\n",
	"b{a=1}\n",
	"b \"\" {}",
	"x-y = 1\n_z9 = 2\n",
	"a = \"tab\there\"\n",
}

func TestAPlainFileIsReadAsHCLReadsIt(t *testing.T) {
	for _, src := range plain {
		if !same(t, []byte(src)) {
			t.Errorf("not read as plain: %q", src)
		}
	}
}

func TestAnythingElseIsLeftToHCL(t *testing.T) {
	for _, src := range []string{
		"a", "a =", "a = \n", "= 1\n", "a = 1 b = 2\n", "a = 1, b = 2\n", "a = 1\na = 2\n", "\"a\" = 1\n",
		"a = 1 + 2\n", "a = -1\n", "a = !b\n", "a = 1.5\n", "a = 1e3\n", "a == 1\n", "a => 1\n", "a = b ? c : d\n", "a = (1)\n",
		"a = f(1)\n", "a = f (1)\n", "a = b[0]\n", "a = b.0\n", "a = b.*\n", "a = b .c\n", "a = b\n.c\n", "a = true.x\n", "a = b::c(1)\n",
		"a = \"x\n\"\n", "a = \"x", "a = \"\\u00e9\"\n", "a = \"\\q\"\n", "a = \"\\", "a = \"$${x}\"\n", "a = \"%{if x}y%{endif}\"\n", "a = \"$\"\n", "a = \"5 %\"\n",
		"a = \"${~ x }\"\n", "a = \"${x ~}\"\n", "a = \"${x + 1}\"\n", "a = \"${}\"\n", "a = \"${true}\"\n", "a = \"${x\"\n", "a = \"${\nx}\"\n", "a = \"\xff\"\n", "#\xdd\n",
		"a = <<E\nx\nE\n", "a = [for x in y : x]\n", "a = {for x in y : x => x}\n", "a = { for = 1 }\n", "a = [1 2]\n", "a = [,]\n", "a = [1", "a = [1}\n",
		"a = { b }\n", "a = { b = }\n", "a = { b = 1 c = 2 }\n", "a = { true = 1 }\n", "a = { 1 = 1 }\n", "a = { (b) = 1 }\n", "a = {, }\n", "a = { b == 1 }\n", "a = { b :: c }\n",
		"b {", "b }\n", "b \"x\"\n", "b {} c {}\n", "b { a = 1, c = 2 }\n", "b { a = 1\n}\n", "b { c {} }\n", "b \"${x}\" {}\n", "b = {\n", "}\n", "b \"x\" = 1\n",
		"/* x */ a = 1\n", "a = /* x */ 1\n", "a = 1 /", "a = 1 # no end", "a = 1\r\n", "# x\r\na = 1\n", "\xef\xbb\xbfa = 1\n", "naïve = 1\n", "a = naïve\n", "a = 1;\n", "a = 'x'\n", "a = `x`\n",
		strings.Repeat("b {\n", limit) + strings.Repeat("}\n", limit),
		"a = " + strings.Repeat("[", limit) + strings.Repeat("]", limit) + "\n",
	} {
		if same(t, []byte(src)) {
			t.Errorf("read as plain: %q", src)
		}
	}
}

// TestDefinitionsAreReadAsHCLReadsThem holds the two readers together over every file of the release, the examples and
// the tests of the schema language, and demands that most of the release and the examples is plain:
// templates of sources and tenants call functions.
func TestDefinitionsAreReadAsHCLReadsThem(t *testing.T) {
	all, plain := 0, 0
	for _, dir := range []string{"../../stdlib", "../../examples"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".hcl" {
				return err
			}
			src, err := os.ReadFile(path)
			if all++; err == nil && same(t, src) {
				plain++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if all < 20 || plain*10 < all*7 {
		t.Errorf("%d of %d files are plain", plain, all)
	}
	archives, err := filepath.Glob("../tree/testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			same(t, f.Data)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range plain {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) { same(t, src) })
}

func table() []byte {
	var b strings.Builder
	for c := range 20 {
		fmt.Fprintf(&b, "column \"value_%d\" {\n  type    = \"LowCardinality(String)\"\n  codec   = \"ZSTD(1)\"\n  comment = \"value %d\"\n}\n", c, c)
	}
	b.WriteString("engine       = \"MergeTree\"\npartition_by = \"toYYYYMM(at)\"\norder_by     = [\"value_0\", \"at\"]\nttl          = [\"toDateTime(at) + INTERVAL ${var.days} DAY\"]\nsettings     = { index_granularity = 8192 }\n")
	return []byte(b.String())
}

// BenchmarkParse and BenchmarkParseHCL read the same definition of a table of 20 columns.
func BenchmarkParse(b *testing.B) {
	src := table()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := plainhcl.Parse(src, "x.hcl", limit); !ok {
			b.Fatal("not plain")
		}
	}
}

func BenchmarkParseHCL(b *testing.B) {
	src := table()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := hclsyntax.ParseConfig(src, "x.hcl", hcl.InitialPos); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}
