package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/dfe-engine/dfe/"

// mayImport is the law of imports: the top-level directories a package may use, by its own.
func mayImport() map[string][]string {
	return map[string][]string{
		"ast":     {"ast"},
		"lang":    {"ast", "lang"},
		"catalog": {"ast", "lang", "catalog"},
		"rules":   {"ast", "lang", "catalog", "rules", "stdlib"},
		"engine":  {"ast", "lang", "catalog", "rules", "engine", "stdlib", "examples"},
		// Data with a thin embed file.
		"stdlib":   {},
		"examples": {"ast", "lang", "catalog", "rules", "engine", "stdlib", "examples"},
		"golden":   {},
	}
}

// leaf is the real ClickHouse, which tests of every package may start and which uses nothing of ours.
const leaf = "engine/embedded"

// stageOfMembers is several of them behind a front end that reads statements; it stands beside the leaf.
const stageOfMembers = leaf + "/cluster"

// breach says why a file may not import a package of the module; "" where it may. Both are paths in the module.
func breach(file, imported string) string {
	own, _, _ := strings.Cut(file, "/")
	other, _, _ := strings.Cut(imported, "/")
	allowed, known := mayImport()[own]
	// A generator is a program of its own that go generate runs; like a test, it is no part of the product.
	test := strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/internal/gen/")
	inLeaf := strings.HasPrefix(file, leaf+"/") && !strings.HasPrefix(file, stageOfMembers+"/")
	switch {
	case !known:
		return fmt.Sprintf("%s is outside the layout", file)
	case inLeaf && (!within(imported, leaf) || within(imported, stageOfMembers)) && !test:
		return fmt.Sprintf("%s is part of a leaf and imports %s", file, imported)
	case inLeaf, slices.Contains(allowed, other):
		return ""
	case test && (within(imported, leaf) || other == "stdlib"):
		return ""
	case test && len(allowed) == 0:
		return "" // the tests of data stand on everything
	}
	return fmt.Sprintf("%s imports %s", file, imported)
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// imports returns the packages of the module that each Go file of the repository imports.
func imports(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		found[relative] = nil
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(imported, module); ok {
				found[relative] = append(found[relative], ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNoImportGoesAgainstTheLaw(t *testing.T) {
	var breaches []string
	files := imports(t, root(t))
	for file, packages := range files {
		for _, imported := range packages {
			if b := breach(file, imported); b != "" {
				breaches = append(breaches, b)
			}
		}
	}
	slices.Sort(breaches)
	if diff := cmp.Diff([]string(nil), breaches); diff != "" {
		t.Error(diff)
	}
	if len(files["engine/law_test.go"]) != 0 || len(files) < 20 {
		t.Errorf("%d files read: the law was tested on too little", len(files))
	}
}

func TestTheLawOfImportsBites(t *testing.T) {
	for _, c := range []struct {
		file, imported string
		forbidden      bool
	}{
		{"ast/node.go", "lang/ddl", true},
		{"lang/ddl/parse.go", "ast", false},
		{"lang/ddl/parse.go", "catalog", true},
		{"lang/ddl/parse_test.go", "engine/embedded", false},
		{"lang/ddl/parse_test.go", "engine/executor", true},
		{"lang/ddl/parse.go", "engine/embedded", true},
		{"lang/facts/internal/gen/main.go", "engine/embedded", false},
		{"lang/facts/internal/gen/main.go", "engine/executor", true},
		{"catalog/read.go", "lang/ddl", false},
		{"catalog/read.go", "rules", true},
		{"rules/diff.go", "catalog", false},
		{"rules/diff.go", "engine", true},
		{"engine/pass.go", "rules", false},
		{"engine/embedded/server.go", "ast", true},
		{"engine/embedded/embeddedtest/start.go", "engine/embedded", false},
		{"engine/embedded/cluster/query.go", "lang/lex", false},
		{"engine/embedded/server.go", "engine/embedded/cluster", true},
		{"stdlib/stdlib.go", "ast", true},
		{"stdlib/stdlib_test.go", "lang/tree", false},
		{"utils/strings.go", "ast", true},
	} {
		if got := breach(c.file, c.imported) != ""; got != c.forbidden {
			t.Errorf("%s importing %s: forbidden %t, want %t", c.file, c.imported, got, c.forbidden)
		}
	}
}

func TestTheTopLevelHoldsTheLayoutAndNothingElse(t *testing.T) {
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		_, known := mayImport()[name]
		files := []string{"go.mod", "go.sum", "README.md", "LICENSE"}
		if ignored := []string{".test", ".prof", ".out"}; name == "dfe" || slices.Contains(ignored, filepath.Ext(name)) {
			continue // what the Go tool leaves in a checkout; .gitignore names them
		}
		if !strings.HasPrefix(name, ".") && !(e.IsDir() && known) && !slices.Contains(files, name) {
			t.Errorf("%s is not of the layout", name)
		}
	}
}

// definition finds the beginning of a statement that makes or changes an object.
var definition = regexp.MustCompile(`(?i)\b(CREATE|ALTER|DROP|ATTACH|DETACH|RENAME|EXCHANGE|TRUNCATE)\s+(OR\s+REPLACE\s+)?(TEMPORARY\s+)?(TABLE|VIEW|MATERIALIZED|DATABASE|DICTIONARY|FUNCTION|ROLE|USER)\s+[\w%{]`)

// definitions returns the literals of a Go source that hold such a statement.
func definitions(t *testing.T, name string, source any) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if ok && literal.Kind == token.STRING && definition.MatchString(literal.Value) {
			found = append(found, literal.Value)
		}
		return true
	})
	return found
}

func TestNoDefinitionOfAnObjectStandsInTheController(t *testing.T) {
	dir := root(t)
	read := 0
	for file := range imports(t, dir) {
		ours := strings.HasPrefix(file, "engine/") || strings.HasPrefix(file, "catalog/")
		if !ours || strings.HasSuffix(file, "_test.go") || within(file, leaf) {
			continue
		}
		read++
		if found := definitions(t, filepath.Join(dir, file), nil); len(found) > 0 {
			t.Errorf("%s holds %q: every statement is rendered from the tree", file, found)
		}
	}
	if read < 20 {
		t.Errorf("%d files read: the law was tested on too little", read)
	}
	const bad = "package p\n\nconst q = `CREATE TABLE dfe.schema_lock (a UInt8) ENGINE = Memory`\n"
	if len(definitions(t, "bad.go", bad)) != 1 {
		t.Error("the law does not bite")
	}
}
