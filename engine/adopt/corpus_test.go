package adopt_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/adopt"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/tree"
)

// liveTexts returns the definitions of the shared corpus as servers printed them, or skips the test where it is absent.
func liveTexts(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		file, err := os.Open(filepath.Join(dir, "..", "shared", "corpus", "ddl_pairs.jsonl"))
		if err == nil {
			defer file.Close()
			var list []string
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 64<<20)
			for lines.Scan() {
				var p struct {
					Live string `json:"live"`
				}
				if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
					t.Fatal(err)
				}
				list = append(list, p.Live)
			}
			return list
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("the shared corpus is not beside the repository")
		}
		dir = parent
	}
}

// TestATreeDeclaresWhatTheServerHas adopts each object of the corpus alone. One that is declared is the object it was; one that is
// not says what is in the way.
func TestATreeDeclaresWhatTheServerHas(t *testing.T) {
	declared, leftOut := 0, 0
	for _, text := range liveTexts(t) {
		object, err := ddl.ParseStatement(text)
		if err != nil {
			continue
		}
		live := []*catalog.Object{{Kind: object.Kind(), Name: object.ID(), Text: text, Tree: object}}
		if database := object.ID().Database; database != "" {
			live = append(live, &catalog.Object{Kind: ast.KindDatabase, Name: ast.Name{Name: database}, Text: "x", Tree: &ast.Database{Name: database}})
		}
		made, err := adopt.New("1.0.0", live)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if len(made.LeftOut) > 0 {
			leftOut++
			t.Log(made.LeftOut[0].Reason)
			continue
		}
		fsys, err := txtar.FS(&txtar.Archive{Files: made.Files})
		if err != nil {
			t.Fatal(err)
		}
		loaded, diags := tree.Load(fsys, tree.Options{})
		d := loaded.Find(object.Kind(), object.ID())
		if diags.HasErrors() || d == nil {
			t.Errorf("%v\n%s", diags, text)
			continue
		}
		declared++
		hidden := strings.Contains(text, "[HIDDEN]")
		if canon.Checksum(canon.Object(object, canon.Env{})) != canon.Checksum(canon.Object(d.Object, canon.Env{})) && !hidden {
			t.Errorf("it is another object:\n%s\n%s", text, made.Files[len(made.Files)-1].Data)
		}
	}
	t.Logf("%d declared, %d left out", declared, leftOut)
	if leftOut*10 > declared {
		t.Errorf("%d of %d objects are left out", leftOut, declared+leftOut)
	}
}
