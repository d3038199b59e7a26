package sources_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
)

const web = `
id           = "web-access"
organisation = "acme"
profile      = "timeseries"
keys         = ["host"]
ttl_days     = 30

column "host" {
  type    = "LowCardinality(String)"
  comment = "Who answered"
}
column "status" { type = "UInt16" }
column "only_on_insert" {
  type      = "String"
  ephemeral = true
}
index "idx_status" {
  expression  = "status"
  type        = "set(100)"
  granularity = 4
}
`

// offline is an engine without a server.
func offline(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: "http://localhost:1"}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func parse(t testing.TB, text string) *sources.Config {
	t.Helper()
	c, err := sources.Parse("web.hcl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// faults lists what is wrong, as "line: summary".
func faults(err error) string {
	var fault *engine.TreeError
	if !errors.As(err, &fault) {
		return fmt.Sprint(err)
	}
	var list []string
	for _, d := range fault.Diags {
		place := "nowhere"
		if d.Subject != nil {
			place = fmt.Sprintf("%s:%d", d.Subject.Filename, d.Subject.Start.Line)
			if fault.Files[d.Subject.Filename] == nil {
				place += " of no file"
			}
		}
		list = append(list, place+": "+d.Summary)
	}
	return strings.Join(list, "; ")
}

func TestASourceIsADatabaseATableAndItsStandardViews(t *testing.T) {
	rendered, err := offline(t).CheckPart(parse(t, web).Part())
	if err != nil {
		t.Fatal(faults(err))
	}
	var got []string
	for _, d := range rendered.Objects {
		got = append(got, string(d.Kind)+" "+d.Name.String())
	}
	want := []string{
		"database org_acme", "table org_acme.webx2daccess", "view org_acme.webx2daccess__daily_volume",
		"view org_acme.webx2daccess__errors", "view org_acme.webx2daccess__latest",
		"topic acme__webx2daccess_land", "topic acme__webx2daccess_load",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// config writes a config around what a case is about.
func config(more string) string {
	return "id = \"web\"\norganisation = \"acme\"\nprofile = \"minimal\"\n" + more + "\n"
}

func TestEveryFaultOfAConfigStandsAtItsPlaceInIt(t *testing.T) {
	const column = "column \"a\" { type = \"String\" }\n"
	for _, c := range []struct{ name, text, want string }{
		{"no HCL", "id = ", "web.hcl:1: Missing expression"},
		{"nothing", "", `web.hcl:1: Missing required argument; web.hcl:1: Missing required argument; web.hcl:1: Missing required argument`},
		{"an unknown attribute", config("key = [\"a\"]"), "web.hcl:4: Unsupported argument"},
		{"an unknown block", config("columns \"a\" {}"), "web.hcl:4: Unsupported block type"},
		{"an empty id", strings.Replace(config(""), `"web"`, `""`, 1), `web.hcl:1: Wrong value for "id"`},
		{"a zero byte in an id", strings.Replace(config(""), `"web"`, `"a\u0000"`, 1), `web.hcl:1: Wrong value for "id"`},
		{"half a surrogate pair in an id", strings.Replace(config(""), `"web"`, `"a\ud800"`, 1), "web.hcl:1: Invalid escape sequence"},
		{"the letter for what was lost in an id", strings.Replace(config(""), `"web"`, `"a\ufffd"`, 1), `web.hcl:1: Wrong value for "id"`},
		{"a long id", strings.Replace(config(""), `"acme"`, `"`+strings.Repeat("a", 513)+`"`, 1), `web.hcl:2: Wrong value for "organisation"`},
		{"an unknown profile", strings.Replace(config(""), "minimal", "maximal", 1), `web.hcl:3: Unknown profile "maximal"`},
		{"an unknown view", config(`views = ["newest"]`), `web.hcl:4: Unknown standard view "newest"`},
		{"a view twice", config(`views = ["latest", "latest"]`), `web.hcl:4: "latest" stands twice in "views"`},
		{"a key that is no column", config(`keys = ["b"]` + "\n" + column), `web.hcl:4: Unknown key "b"`},
		{"a key that is not stored", config(`keys = ["a"]` + "\ncolumn \"a\" {\n  type  = \"UInt8\"\n  alias = \"1\"\n}"), `web.hcl:4: "a" is no key`},
		{"a fraction of a day", config("ttl_days = 1.5"), `web.hcl:4: Wrong value for "ttl_days"`},
		{"less than nothing", config("ttl_days = -1"), `web.hcl:4: Wrong value for "ttl_days"`},
		{"more than a century", config("ttl_days = 1e300"), `web.hcl:4: Wrong value for "ttl_days"`},
		{"days in words", config(`ttl_days = "ten"`), `web.hcl:4: Wrong value for "ttl_days"`},
		{"a column of the profile", config("column \"load_error\" { type = \"String\" }"), `web.hcl:4: The profile has a column "load_error"`},
		{"a column twice", config(column + column), `web.hcl:5: Column "a" is declared twice`},
		{"an unknown type", config("column \"a\" { type = \"Strin\" }"), `web.hcl:4: Unknown type "Strin"`},
		{"a column without a type", config("column \"a\" {}"), `web.hcl:4: Missing attribute "type"`},
		{"an unknown word of a column", config("column \"a\" {\n  type = \"String\"\n  code = \"LZ4\"\n}"), `web.hcl:6: Unknown attribute "code"`},
		{"an index over nothing", config("index \"i\" {\n  expression = \"b\"\n  type = \"set(1)\"\n}"), `web.hcl:5: Unknown column "b"`},
		{"a variable", config("column \"a\" { type = \"FixedString(${var.ttl_days})\" }"), "web.hcl:4: A config has no variables"},
		{"a variable of its own", config("title = \"${var.source}\""), "web.hcl:4: Unsuitable value type; web.hcl:4: Variables not allowed"},
		{"too deep", config("keys = " + strings.Repeat("[", 1<<19)), "web.hcl:4: Nested too deeply"},
		{"too much", config("# " + strings.Repeat("a", 1<<20)), "web.hcl:0: A config is too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := sources.Parse("web.hcl", []byte(c.text))
			if err == nil {
				_, err = offline(t).CheckPart(parsed.Part())
			}
			got := ""
			if err != nil {
				got = faults(err)
			}
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// lintOf are the codes that lint finds in what a config is rendered to.
func lintOf(t *testing.T, text string) []string {
	t.Helper()
	rendered, err := offline(t).CheckPart(parse(t, text).Part())
	if err != nil {
		t.Fatal(faults(err))
	}
	var codes []string
	for f := range lint.Run(rendered, nil, nil) {
		if f.Waived != "" {
			continue
		}
		codes = append(codes, fmt.Sprintf("%s %s:%d %s", f.Code, f.At.Filename, f.At.Start.Line, f.Summary))
	}
	return codes
}

func TestLintHasNothingToRemarkOnTheStandardDefinitions(t *testing.T) {
	for _, profile := range []string{"minimal", "timeseries", "passthrough"} {
		text := strings.Replace(config("keys = [\"id\"]\nttl_days = 30\ncolumn \"id\" {\n  type    = \"UInt64\"\n  comment = \"Number\"\n}"), "minimal", profile, 1)
		if found := lintOf(t, text); len(found) > 0 {
			t.Errorf("%s: %q", profile, found)
		}
	}
}

// TestLintSeesTheColumnsOfAConfigAtTheirPlace holds because what is linted is a tree like any other.
func TestLintSeesTheColumnsOfAConfigAtTheirPlace(t *testing.T) {
	const column = "column \"at\" {\n  type    = \"DateTime\"\n  comment = \"Time\"\n}"
	found := lintOf(t, config("ttl_days = 30\n"+column))
	if len(found) != 1 || !strings.HasPrefix(found[0], "DFE237 config.hcl:6") {
		t.Errorf("%q", found)
	}
	if found := lintOf(t, config("ttl_days = 30\n# dfe:ignore DFE237 all is in UTC\n"+column)); len(found) != 0 {
		t.Errorf("waived: %q", found)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(web)
	f.Add(config("keys = [\"load_error\"]\nttl_days = 1e2\ntitle = \"$${x}\""))
	f.Add(config("column \"a`b\" {\n  type = \"Array(Tuple(a String))\"\n  codec = \"ZSTD\"\n  ttl = \"ingested_at + INTERVAL 1 DAY\"\n}"))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := sources.Parse("web.hcl", []byte(text))
		if err != nil {
			var fault *engine.TreeError
			if !errors.As(err, &fault) || !fault.Diags.HasErrors() {
				t.Fatalf("%v", err)
			}
			return
		}
		rendered, diags := c.Part().Render(nil)
		for _, d := range diags {
			if d.Severity == hcl.DiagError && (d.Subject == nil || d.Subject.Filename != "web.hcl") {
				t.Errorf("a fault of the config stands elsewhere: %v", d)
			}
		}
		if diags.HasErrors() {
			return
		}
		for _, d := range rendered.Objects {
			if d.Kind == ast.KindTopic || d.Kind == ast.KindDatabase {
				continue
			}
			if d.Name.Database != c.Database() {
				t.Errorf("%s is not in %s", d.Name, c.Database())
			}
			if o, err := ddl.ParseStatement(ast.Create(d.Object, ast.Style{})); err != nil || o.ID() != d.Name {
				t.Errorf("%s does not read back: %v", d.Name, err)
			}
		}
	})
}

// BenchmarkCheckWideSource renders and checks a source with as many columns as a config has room for.
func BenchmarkCheckWideSource(b *testing.B) {
	var text strings.Builder
	text.WriteString("id = \"wide\"\norganisation = \"acme\"\nprofile = \"timeseries\"\n")
	for i := range 28_000 {
		fmt.Fprintf(&text, "column \"c%d\" {\n type = \"Int8\"\n}\n", i)
	}
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: "http://localhost:1"}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := e.CheckPart(parse(b, text.String()).Part()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTheFaultsOfAConfigAreBoundedHoweverManyThereAre holds for one without lines too: each of its faults would show all
// of it, and sixty thousand of them are more than a service has memory for.
func TestTheFaultsOfAConfigAreBoundedHoweverManyThereAre(t *testing.T) {
	head := `id = "wide"` + "\n" + `organisation = "acme"` + "\n" + `profile = "timeseries"` + "\n"
	var keys, unknown, typos, twice, columns strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&keys, "%q, ", fmt.Sprint("key", i))
		fmt.Fprintf(&unknown, "unknown%d = 1\n", i)
		fmt.Fprintf(&columns, "column \"c%d\" { type = \"Int8\" }\n", i)
		fmt.Fprintf(&typos, "d%d, ", i)
		fmt.Fprintf(&twice, "column \"c\" { type = \"Int8\" }\n")
	}
	for name, text := range map[string]string{
		"keys": "keys = [" + keys.String() + "]", "attributes": unknown.String(), "duplicates": twice.String(),
		"references": columns.String() + `column "sum" { ` + "\n type = \"Int8\"\n default = \"greatest(" + typos.String() + "1)\"\n}",
	} {
		c, err := sources.Parse("wide.hcl", []byte(head+text))
		if err == nil {
			_, err = offline(t).CheckPart(c.Part())
		}
		var faults *engine.TreeError
		if !errors.As(err, &faults) || len(faults.Diags) != 1001 {
			t.Errorf("%s: %.300v", name, err)
			continue
		}
		size := 0
		for _, d := range tree.Plain(faults.Files, faults.Diags) {
			size += len(d.Source) + len(d.Detail)
		}
		if size > 3<<20 {
			t.Errorf("%s: the faults take %d bytes", name, size)
		}
	}
}
