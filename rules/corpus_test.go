package rules_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
)

// corpus reads a file of the shared corpus beside the repository's root, a line a record; it skips the test where there
// is none.
func corpus[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "corpus", name))
	if err != nil {
		t.Skipf("no shared corpus: %v", err)
	}
	defer f.Close()
	var list []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var record T
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		list = append(list, record)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

type corpusPair struct {
	ID     string `json:"id"`
	DB     string `json:"db"`
	Source string `json:"source"`
	Live   string `json:"live"`
}

type corpusAlter struct {
	ID     string `json:"id"`
	DB     string `json:"db"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func TestNoDefinitionDiffersFromItself(t *testing.T) {
	for _, p := range corpus[corpusPair](t, "ddl_pairs.jsonl") {
		for side, text := range map[string]string{"source": p.Source, "live": p.Live} {
			o, err := ddl.ParseStatement(text)
			// The parser's own tests tell of the first; the corpus itself has lost the names of the second, which are no UTF-8.
			if err != nil || strings.ContainsRune(text, utf8.RuneError) {
				continue
			}
			for _, c := range rules.Diff(o, o, canon.Env{Database: p.DB}) {
				if c.CannotTell == "" {
					t.Errorf("%s, %s: %s %s", p.ID, side, c.Op, c.Path)
				}
			}
		}
	}
}

// TestADiffNamesItsWayBack states that going back is the mirror of going forth: what is added one way is removed the
// other, at the same path.
func TestADiffNamesItsWayBack(t *testing.T) {
	back := map[ast.Op]ast.Op{ast.Add: ast.Remove, ast.Remove: ast.Add, ast.Modify: ast.Modify}
	for _, a := range corpus[corpusAlter](t, "ddl_alters.jsonl") {
		before, err1 := ddl.ParseStatement(a.Before)
		after, err2 := ddl.ParseStatement(a.After)
		if err1 != nil || err2 != nil {
			continue
		}
		forth := map[string]ast.Op{}
		for _, c := range rules.Diff(before, after, canon.Env{}) {
			forth[c.Path.String()] = back[c.Op]
		}
		for _, c := range rules.Diff(after, before, canon.Env{}) {
			if forth[c.Path.String()] != c.Op {
				t.Errorf("%s: back, %s %s; forth, %q", a.ID, c.Op, c.Path, forth[c.Path.String()])
			}
			delete(forth, c.Path.String())
		}
		for path := range forth {
			t.Errorf("%s: %s differs forth and not back", a.ID, path)
		}
	}
}
