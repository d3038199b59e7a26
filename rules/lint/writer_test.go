package lint_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
	"github.com/dfe-engine/dfe/stdlib"
)

// written lints the files and returns what a writer makes of the findings.
func written(t *testing.T, files map[string]string, make func(*bytes.Buffer, lint.Source) lint.Writer) string {
	t.Helper()
	tr, diags := loaded(files)
	var b bytes.Buffer
	w := make(&b, lint.Source{Text: tree.NewExcerpts(tr.Files(), diags), Prefix: "a tree", Release: tr.Release, Objects: len(tr.Objects)})
	for f := range lint.Run(tr, diags, nil) {
		if err := w.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func examples() map[string]string {
	return map[string]string{
		"manifest.hcl": shop + "table \"shop.orders\" {\n  from = \"ordérs.hcl\"\n}\n\nview \"shop.parts\" {\n  from = \"parts.sql\"\n}\n",
		"ordérs.hcl":   "# dfe:ignore DFE237 the exporter's own\n" + atColumn + "column \"ü\" { type = \"LowCardinality(UInt8)\" }\n" + engine,
		"parts.sql":    "CREATE VIEW shop.parts\nAS SELECT\t*\n  FROM system.parts\nCOMMENT 'c'\n",
	}
}

func TestTextShowsTheSourceUnderTheFinding(t *testing.T) {
	got := written(t, examples(), func(b *bytes.Buffer, s lint.Source) lint.Writer {
		return lint.NewText(b, s, lint.TextOptions{Width: 100})
	})
	want := `a tree/ordérs.hcl:5:37: error DFE232: LowCardinality(UInt8) on "ü"
    5 | column "ü" { type = "LowCardinality(UInt8)" }
      |                                     ^^^^^
  ClickHouse refuses it (error 455 or 43): a dictionary of values as small as its own indexes saves
  nothing and costs a look-up for each row.
  Write UInt8 alone; a codec such as T64 or ZSTD does better.

a tree/ordérs.hcl:7:12: note DFE205: The table has no order
    7 | order_by = []
      |            ^^
  Without a sorting key there is no primary index: every query reads every row, and nothing
  compresses by its neighbours. The key cannot be changed later.
  Sort by what queries filter by, the columns with few values first.

a tree/parts.sql:2:11: warning DFE281: shop.parts selects whatever columns there are
    2 | AS SELECT	*
      |          	^
  ClickHouse works the list out when it creates the view and keeps it: a column added to the table
  later is not in the view until that is created again, and one that is dropped breaks it.
  Name the columns.

3 objects: 1 error, 1 warning, 1 note; 1 waived. "dfe schema explain CODE" says more.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAHostileSourceDoesNotSteerTheTerminal holds that escape sequences of a definition are not printed.
func TestAHostileSourceDoesNotSteerTheTerminal(t *testing.T) {
	files := examples()
	files["parts.sql"] = "CREATE VIEW shop.parts\nAS SELECT\t*, \x1b[2J\n  FROM system.parts\n"
	got := written(t, files, func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewText(b, s, lint.TextOptions{}) })
	if strings.Contains(got, "\x1b") || !strings.Contains(got, "parts.sql:2:") {
		t.Errorf("%q", got)
	}
}

func TestJSONIsOneDocument(t *testing.T) {
	got := written(t, examples(), func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewJSON(b, s) })
	var doc struct {
		Version  int
		Release  string
		Objects  int
		Summary  map[string]int
		Findings []map[string]any
	}
	if err := json.Unmarshal([]byte(got), &doc); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if doc.Version != 1 || doc.Release != "1.0.0" || doc.Objects != 3 || doc.Summary["waived"] != 1 || len(doc.Findings) == 0 {
		t.Errorf("%+v", doc)
	}
	want := map[string]any{
		"code": "DFE232", "severity": "error", "kind": "table", "object": "shop.orders", "path": "column.`ü`.type",
		"file": "a tree/ordérs.hcl", "line": 5., "column": 37., "end_line": 5., "end_column": 42.,
		"source":  `column "ü" { type = "LowCardinality(UInt8)" }`,
		"summary": `LowCardinality(UInt8) on "ü"`,
	}
	for key, value := range want {
		if diff := cmp.Diff(value, doc.Findings[0][key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// TestSARIFFollowsItsSchema validates the documents of trees with every sort of finding against the schema that OASIS
// publishes.
func TestSARIFFollowsItsSchema(t *testing.T) {
	schema := sarifSchema(t)
	sarif := func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewSARIF(b, s, "1.2.3") }
	core, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	files := map[string]string{}
	for name, file := range core.Files() {
		files[name] = string(file.Bytes)
	}
	trees := map[string]map[string]string{"clean": {"manifest.hcl": shop}, "findings": examples(), "the core release": files,
		"no manifest": {}, "broken": {"manifest.hcl": "release = \n"}}
	for name, files := range trees {
		t.Run(name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(written(t, files, sarif)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Error(err)
			}
		})
	}
	for _, check := range lint.Checks() {
		page, err := lint.Explain(string(check.Code))
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range page.Examples() {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(written(t, example.Files, sarif)))
			if err == nil {
				err = schema.Validate(doc)
			}
			if err != nil {
				t.Errorf("%s: %v", check.Code, err)
			}
		}
	}
}

// TestTheSchemaOfSARIFRefusesWhatIsNone makes sure that the validation above can fail.
func TestTheSchemaOfSARIFRefusesWhatIsNone(t *testing.T) {
	got := written(t, examples(), func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewSARIF(b, s, "1.2.3") })
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(got, `"level":"error","message"`, `"level":"grave","message"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if sarifSchema(t).Validate(doc) == nil {
		t.Error("a level that does not exist is taken")
	}
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.Open(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	doc, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestWaivedFindingsAreSuppressedResults holds that a code host sees a waiver with its reason.
func TestWaivedFindingsAreSuppressedResults(t *testing.T) {
	got := written(t, examples(), func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewSARIF(b, s, "1.2.3") })
	if !strings.Contains(got, `"suppressions":[{"kind":"inSource","justification":"the exporter's own"}]`) || !strings.Contains(got, `"uri":"a%20tree/ord%C3%A9rs.hcl"`) {
		t.Error(got)
	}
}

// TestAnEmptyTreeIsAFault holds that having checked nothing is no clean answer.
func TestAnEmptyTreeIsAFault(t *testing.T) {
	tr, diags := tree.Load(fstest.MapFS{}, tree.Options{})
	n := 0
	for range lint.Run(tr, diags, nil) {
		n++
	}
	if n == 0 {
		t.Error("no finding")
	}
}

// A secret is hidden in the line about it, and in the lines of every other finding that stands where it does.
func TestNoFindingShowsASecret(t *testing.T) {
	for _, c := range []struct{ entry, file, text string }{
		{`user "u"`, "x.sql", "CREATE USER u IDENTIFIED WITH sha256_password BY 'Qx7-canary'"},
		{`user "u"`, "x.hcl", "authentication \"sha256_password\" { password = \"Qx7-canary\" }\n"},
		{`named_collection "c"`, "x.hcl", "keys = { url = \"https://u:Qx7-canary@h/\" }\n"},
		{`table "shop.t"`, "x.sql", "CREATE TABLE shop.t (a Int8, b Nope) ENGINE = PostgreSQL('h:1', 'd', 't', 'u',\n'Qx7-canary')"},
		{`table "shop.t"`, "x.hcl", "column \"a\" { type = \"Int8\" }\nengine = \"PostgreSQL('h:1', 'd', 't', 'u', 'Qx7-canary')\"\n"},
		{`view "shop.t"`, "x.sql", "CREATE VIEW shop.t AS SELECT nope(a) FROM mysql('h:1', 'd', 't', 'u', 'Qx7-canary')"},
	} {
		files := map[string]string{
			"manifest.hcl": "release = \"1.0.0\"\ndatabase \"shop\" {}\n" + c.entry + " { from = \"" + c.file + "\" }\n",
			c.file:         c.text,
		}
		for name, make := range map[string]func(*bytes.Buffer, lint.Source) lint.Writer{
			"text":  func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewText(b, s, lint.TextOptions{}) },
			"json":  func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewJSON(b, s) },
			"sarif": func(b *bytes.Buffer, s lint.Source) lint.Writer { return lint.NewSARIF(b, s, "1.0.0") },
		} {
			out := written(t, files, make)
			if !strings.Contains(out, "DFE124") {
				t.Errorf("%s: %s is taken", name, c.text)
			}
			if strings.Contains(out, "Qx7-canary") {
				t.Errorf("%s: %s is shown", name, c.text)
			}
		}
	}
}
