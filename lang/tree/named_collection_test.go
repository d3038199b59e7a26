package tree_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/tree"
)

func collectionFrom(t *testing.T, file, text string) *ast.NamedCollection {
	t.Helper()
	loaded, diags := tree.Load(fstest.MapFS{
		"manifest.hcl": {Data: []byte("release = \"1.0.0\"\nnamed_collection \"bus\" { from = \"" + file + "\" }\n")},
		file:           {Data: []byte(text)},
	}, tree.Options{})
	if diags.HasErrors() {
		t.Fatalf("%s\n%v", text, diags)
	}
	return loaded.Objects[0].Object.(*ast.NamedCollection)
}

// sameCollection leaves out where things were written.
var sameCollection = cmp.Options{cmpopts.IgnoreFields(ast.Node{}, "Pos", "Quote"), cmpopts.IgnoreFields(ast.NamedCollection{}, "Origin"), cmpopts.EquateEmpty()}

func TestANamedCollectionIsTheSameInBothLanguagesAndAsItPrints(t *testing.T) {
	const sql = "CREATE NAMED COLLECTION bus AS broker = 'bus:9092' OVERRIDABLE, `a key` = -5, compress = true, fraction = 1.5, " +
		"password = secret('env:P') NOT OVERRIDABLE, ca = secret('file:/run/ca'), login = '[HIDDEN]'"
	fromSQL := collectionFrom(t, "bus.sql", sql)
	if len(fromSQL.Keys) != 7 {
		t.Fatalf("%+v", fromSQL.Keys)
	}
	// In statements that anybody sees stands no value; as a definition it is printed with them.
	if got, want := ast.Create(fromSQL, ast.Style{}), "CREATE NAMED COLLECTION bus AS broker = definition('broker') OVERRIDABLE, `a key` = definition('a key'), "+
		"compress = definition('compress'), fraction = definition('fraction'), password = secret('env:P') NOT OVERRIDABLE, ca = secret('file:/run/ca'), login = '[HIDDEN]'"; got != want {
		t.Errorf("printed as\n%s\nwant\n%s", got, want)
	}
	printed, err := ddl.ParseStatement(ast.Create(fromSQL, ast.Style{Values: true}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromSQL, printed.(*ast.NamedCollection), sameCollection); diff != "" {
		t.Errorf("printed and read again (-first +again):\n%s", diff)
	}
	for _, style := range []ast.Style{{Values: true, Lines: true, IfNotExists: true}, {Values: true, Cluster: "main"}} {
		if _, err := ddl.ParseStatement(ast.Create(fromSQL, style)); err != nil {
			t.Errorf("%s: %v", ast.Create(fromSQL, style), err)
		}
	}
	fromSQL.Keys[3].Value = ast.N(ast.String, "1.5") // HCL's numbers are written as HCL writes them
	text, err := tree.Render(fromSQL)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromSQL, collectionFrom(t, "bus.hcl", string(text)), sameCollection); diff != "" {
		t.Errorf("rendered as\n%s\nand read again (-sql +hcl):\n%s", text, diff)
	}
}
