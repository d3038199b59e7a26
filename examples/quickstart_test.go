package examples_test

import (
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/examples"
	"github.com/dfe-engine/dfe/lang/tree"
)

func TestMain(m *testing.M) { embeddedtest.MainWith(m, access.New()) }

// over copies the files below a directory of the examples over what is there, the next steps left out.
func over(t *testing.T, files fstest.MapFS, dir string) {
	t.Helper()
	sub, err := fs.Sub(examples.FS, dir)
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(sub, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, "next/") {
			return err
		}
		data, err := fs.ReadFile(sub, path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestClickHouseTakesTheQuickstartAndEachOfItsNextSteps creates the objects of each tree in an engine that has none of
// them, and reads from its views.
func TestClickHouseTakesTheQuickstartAndEachOfItsNextSteps(t *testing.T) {
	url := embeddedtest.Server(t)
	ask := func(statement string) {
		t.Helper()
		resp, err := http.Post(url, "text/plain", strings.NewReader(statement))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if answer, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s\n%s %v", statement, answer, err)
		}
	}
	for _, next := range []string{"", "added-column", "changed-view", "forbidden-order-by"} {
		files := fstest.MapFS{}
		over(t, files, "quickstart")
		if next != "" {
			over(t, files, "quickstart/next/"+next)
		}
		tr, diags := tree.Load(files, tree.Options{})
		if len(diags) > 0 {
			t.Fatalf("%s: %v", next, diags)
		}
		for _, d := range tr.Objects {
			ask(ast.Create(d.Object, ast.Style{}))
			if d.Kind == ast.KindView {
				ask("SELECT * FROM " + d.Name.SQL() + " FORMAT Null")
			}
		}
		ask("DROP DATABASE shop SYNC")
	}
}
