package tree_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/tree"
)

// TestAFaultInsideATextStandsAtItsOwnCharacter loads a view whose query is written in every way HCL has, with one unknown
// column, and demands the place of that column in the file: «mark» is where it stands and is no part of the file.
func TestAFaultInsideATextStandsAtItsOwnCharacter(t *testing.T) {
	for name, source := range map[string]string{
		"a quoted string":          `query = "SELECT id, «lost» FROM d.t"`,
		"behind an escape":         `query = "SELECT 'a\"\t\u00e9\U0001F600' AS s, «lost» FROM d.t"`,
		"behind other characters":  `query = "SELECT 'größe 世界' AS s, «lost» FROM d.t"`,
		"behind an interpolation":  `query = "SELECT ${local.long} AS n, «lost» FROM d.t"`,
		"behind an escaped one":    `query = "SELECT '$${x} %%{y}' AS s, «lost» FROM d.t"`,
		"a heredoc":                "query = <<SQL\nSELECT\n  id,\n  «lost»\nFROM d.t\nSQL",
		"an indented heredoc":      "query = <<-SQL\n    SELECT\n      id,\n\n      «lost»\n    FROM d.t\nSQL",
		"a heredoc with templates": "query = <<-SQL\n    SELECT\n    %{ for c in [\"id\", \"id\"] ~}\n    ${c},\n    %{ endfor ~}\n      «lost»\n    FROM d.t\nSQL",
		"a branch of a template":   "query = <<-SQL\n    SELECT\n      %{ if local.long > 5 }«lost»%{ else }id%{ endif }\n    FROM d.t\nSQL",
		"a trimmed literal":        `query = "SELECT 5  ${~ "+" ~}   1 AS n, «lost» FROM d.t"`,
		"Windows line ends":        "query = <<SQL\r\nSELECT\r\n  id,\r\n  «lost»\r\nFROM d.t\r\nSQL\r",
		"in parentheses":           `query = ("SELECT «lost» FROM d.t")`,
		"what was computed":        `query = «join(" ", ["SELECT lost", "FROM d.t"])»`,
		"a local":                  `query = «local.query»`,
		"one part of a template":   `query = "SELECT ${«local.word»} FROM d.t"`,
	} {
		before, rest, _ := strings.Cut(source, "«")
		marked, after, _ := strings.Cut(rest, "»")
		text := before + marked + after
		tr, diags := tree.Load(fstest.MapFS{
			"manifest.hcl": {Data: []byte("release = \"1.0.0\"\nlocals {\n  long  = 1234567890\n  word  = \"lost\"\n  query = \"SELECT lost FROM d.t\"\n}\ndatabase \"d\" {}\ntable \"d.t\" { from = \"t.hcl\" }\nview \"d.v\" { from = \"v.hcl\" }\n")},
			"t.hcl":        {Data: []byte(oneTable)},
			"v.hcl":        {Data: []byte(text + "\n")},
		}, tree.Options{})
		if len(diags) != 1 || diags[0].Summary != `Unknown column "lost"` {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		at := diags[0].Subject
		line := strings.Count(before, "\n") + 1
		column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
		if at.Start.Byte != len(before) || at.Start.Line != line || at.Start.Column != column {
			t.Errorf("%s: at %d (%d:%d), want %d (%d:%d)", name, at.Start.Byte, at.Start.Line, at.Start.Column, len(before), line, column)
		}
		if got := text[at.Start.Byte:at.End.Byte]; got != marked {
			t.Errorf("%s: marks %q, want %q", name, got, marked)
		}
		_ = tr
	}
}

func TestThePlaceOfAPartIsWhereItIsWritten(t *testing.T) {
	tr, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte("release = \"1.0.0\"\ndatabase \"d\" {}\ntable \"d.a\" { from = \"a.hcl\" }\ntable \"d.b\" { from = \"b.sql\" }\n")},
		"a.hcl":        {Data: []byte(oneTable + "settings = {\n  index_granularity = 1024\n}\nttl = [\"now() + INTERVAL 1 DAY\", \"now() + INTERVAL 2 DAY\"]\n")},
		"b.sql":        {Data: []byte("CREATE TABLE d.b\n(\n    id UInt64\n)\nENGINE = MergeTree\nORDER BY id\nSETTINGS index_granularity = 1024\n")},
	}, tree.Options{})
	clean(t, tr, diags)
	table := tr.Objects[1].Object.(*ast.Table)
	for _, c := range []struct {
		object int
		path   ast.Path
		node   *ast.Node
		want   string
	}{
		{1, ast.Path{Part: "column", Name: "id"}, nil, "a.hcl:1,8-12"},
		{1, ast.Path{Part: "column", Name: "id", Attr: "type"}, table.Columns[0].Type, "a.hcl:2,11-17"},
		{1, ast.Path{Part: "engine"}, nil, "a.hcl:4,12-23"},
		{1, ast.Path{Part: "order_by"}, nil, "a.hcl:5,12-16"},
		{1, ast.Path{Part: "setting", Name: "index_granularity"}, nil, "a.hcl:7,3-27"},
		{1, ast.Path{Part: "ttl"}, table.TTL.Kids[1], "a.hcl:9,41-42"},
		{1, ast.Path{}, nil, "manifest.hcl:3,7-12"},
		{2, ast.Path{Part: "column", Name: "id"}, nil, "b.sql:3,5-7"},
		{2, ast.Path{Part: "engine"}, nil, "b.sql:5,1-7"},
		{2, ast.Path{Part: "order_by"}, nil, "b.sql:6,1-9"},
		{2, ast.Path{Part: "setting", Name: "index_granularity"}, nil, "b.sql:7,10-27"},
	} {
		if got := fmt.Sprint(tr.Objects[c.object].Place(c.path, c.node)); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.path, tr.Objects[c.object].Name, got, c.want)
		}
	}
}
