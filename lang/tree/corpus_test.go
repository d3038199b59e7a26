package tree_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/tree"
)

// corpus returns the shared file, or skips the test where it is absent.
func corpus(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		path := filepath.Join(dir, "..", "shared", "corpus", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Skipf("the shared corpus is not here: %s", name)
	}
}

type pair struct {
	Kind   string `json:"kind"`
	Source string `json:"source"`
	Live   string `json:"live"`
}

func pairs(t testing.TB) []pair {
	t.Helper()
	file, err := os.Open(corpus(t, "ddl_pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []pair
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// declaredElsewhere are functions and views with parameters that the tests these statements come from created first.
var declaredElsewhere = []string{"plusone", "plustwo", "plusthreemonths", "test_func_1", "inner_view"}

func elsewhere(d *hcl.Diagnostic) bool {
	return slices.ContainsFunc(declaredElsewhere, func(name string) bool { return strings.Contains(d.Summary, name) })
}

// TestWhatAServerAcceptedIsNoFault loads statements a real server ran, each as the definition of a tree of its own, and
// demands that no word and no column of it is called unknown. What the platform decides, and the objects a statement
// uses that are not part of its tree, are faults of the tree and not of the statement.
func TestWhatAServerAcceptedIsNoFault(t *testing.T) {
	checked := 0
	for _, p := range pairs(t) {
		for _, text := range []string{p.Source, p.Live} {
			object, err := ddl.ParseStatement(text)
			if err != nil {
				continue
			}
			kind := object.Kind()
			name := object.ID()
			if name.Database == "" && kind != ast.KindFunction {
				name.Database = "d"
			}
			if strings.ContainsAny(name.Database+name.Name, "`/\"\\") {
				continue
			}
			label := "`" + name.Database + "`.`" + name.Name + "`"
			manifest := "release = \"1.0.0\"\ndatabase \"`" + name.Database + "`\" {}\n" + string(kind) + " \"" + label + "\" {\n  from = \"x.sql\"\n}\n"
			_, diags := tree.Load(fstest.MapFS{
				"manifest.hcl": {Data: []byte(manifest)},
				"x.sql":        {Data: []byte(text)},
			}, tree.Options{})
			checked++
			for _, d := range diags {
				switch code := tree.CodeOf(d); code {
				case tree.CodeSyntax, tree.CodeType, tree.CodeCodec, tree.CodeColumn, tree.CodeFunction, tree.CodeDuplicate:
					if !elsewhere(d) {
						t.Errorf("%s: %s: %s\n%s", code, d.Summary, d.Detail, text)
					}
				case tree.CodeEngine:
					if strings.HasPrefix(d.Summary, "Unknown") || strings.HasPrefix(d.Summary, "Wrong") || strings.Contains(d.Summary, "takes no") {
						t.Errorf("%s: %s: %s\n%s", code, d.Summary, d.Detail, text)
					}
				case tree.CodeSetting:
					if strings.HasPrefix(d.Summary, "Unknown") {
						t.Errorf("%s: %s: %s\n%s", code, d.Summary, d.Detail, text)
					}
				}
			}
		}
	}
	t.Logf("%d statements", checked)
	if checked < 5000 {
		t.Errorf("only %d statements were checked", checked)
	}
}
