package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	schema "github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/lang/lex"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

// releases are all schema trees that this repository ships: the core, every example, which is an overlay where it
// declares no database of its own bookkeeping, and what the standard definitions make of a source of each profile.
func releases(t *testing.T) map[string]*tree.Tree {
	t.Helper()
	core, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	found := map[string]*tree.Tree{"stdlib": core}
	manifests, err := filepath.Glob(filepath.Join(root(t), "examples", "*", "manifest.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	carried, err := filepath.Glob(filepath.Join(root(t), "examples", "*", "*", "manifest.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, manifest := range append(manifests, carried...) {
		dir := filepath.Dir(manifest)
		loaded, diags := tree.LoadDir(dir, tree.Options{Base: core})
		if diags.HasErrors() {
			t.Fatalf("%s: %v", dir, diags)
		}
		found[dir] = loaded
	}
	for _, profile := range []string{"minimal", "timeseries", "passthrough"} {
		c, err := sources.Parse("", fmt.Appendf(nil, "id = \"gate\"\norganisation = \"gate\"\nprofile = %q\nttl_days = 7\ncolumn \"id\" { type = \"UInt64\" }\n", profile))
		if err != nil {
			t.Fatal(err)
		}
		rendered, diags := c.Part().Render(core)
		if diags.HasErrors() || len(rendered.Objects) < 5 {
			t.Fatalf("%s: %d objects, %v", profile, len(rendered.Objects), diags)
		}
		found["sources/"+profile] = rendered
	}
	return found
}

// created is the statement a pass sends for an absent object, by the very code that renders it.
func created(t *testing.T, o schema.Object, p rules.Platform) string {
	t.Helper()
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	doc := book.Plan([]rules.Pair{{Kind: o.Kind(), Name: o.ID(), Desired: o}}, rules.Options{Platform: p})
	if len(doc.Statements) != 1 {
		t.Fatalf("%s: %d statements create it", o.ID(), len(doc.Statements))
	}
	return doc.Statements[0].SQL
}

// replication says what is wrong with the engines of a statement that creates a table or a materialized view; "" where
// every one is a Replicated family without arguments of replication, and no part of it goes ON CLUSTER.
func replication(statement string) string {
	tokens, problem := lex.All(nil, statement)
	if problem != "" {
		return problem
	}
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].Text(statement)
	}
	engines := 0
	for i := range tokens {
		switch strings.ToUpper(word(i)) {
		case "CLUSTER":
			if strings.EqualFold(word(i-1), "ON") {
				return "it goes ON CLUSTER"
			}
		case "ENGINE":
			if word(i+1) != "=" {
				continue
			}
			engines++
			family := word(i + 2)
			switch {
			case !strings.HasPrefix(family, "Replicated"):
				return "its engine is " + family
			case word(i+3) == "(" && strings.HasPrefix(word(i+4), "'"):
				return "its engine names a path: " + word(i+4)
			}
		}
	}
	if engines == 0 {
		return "it names no engine"
	}
	return ""
}

// stores reports an object that keeps rows of its own.
func stores(o schema.Object) bool {
	switch o := o.(type) {
	case *schema.Table:
		return true
	case *schema.MaterializedView:
		return o.Inner != nil
	}
	return false
}

func TestGateEveryTableIsReplicatedWithoutArguments(t *testing.T) {
	looked := 0
	for name, release := range releases(t) {
		for _, d := range release.Objects {
			if !stores(d.Object) {
				continue
			}
			for _, p := range []rules.Platform{rules.SelfHosted, rules.Cloud} {
				looked++
				if wrong := replication(created(t, d.Object, p)); wrong != "" {
					t.Errorf("%s: %s %s for %s: %s", name, d.Kind, d.Name, p, wrong)
				}
			}
		}
	}
	if looked < 20 {
		t.Errorf("%d tables were looked at: the gate saw too little", looked)
	}
}

func TestTheGateOfReplicationBites(t *testing.T) {
	for statement, wrong := range map[string]string{
		"CREATE TABLE a.b (x UInt8) ENGINE = ReplicatedMergeTree ORDER BY x":                                         "",
		"CREATE TABLE a.b (x UInt8) ENGINE = ReplicatedReplacingMergeTree(x) ORDER BY x":                             "",
		"CREATE TABLE a.b (x UInt8 COMMENT 'ON CLUSTER, ENGINE = Log') ENGINE = ReplicatedMergeTree() ORDER BY x":    "",
		"CREATE TABLE a.b (x UInt8) ENGINE = MergeTree ORDER BY x":                                                   "its engine is MergeTree",
		"CREATE TABLE a.b (x UInt8) ENGINE = SharedMergeTree ORDER BY x":                                             "its engine is SharedMergeTree",
		"CREATE TABLE a.b (x UInt8) ENGINE = Log":                                                                    "its engine is Log",
		"CREATE TABLE a.b ON CLUSTER c (x UInt8) ENGINE = ReplicatedMergeTree ORDER BY x":                            "it goes ON CLUSTER",
		"CREATE TABLE a.b (x UInt8) ENGINE = ReplicatedMergeTree('/p/{shard}', '{replica}') ORDER BY x":              "its engine names a path: '/p/{shard}'",
		"CREATE MATERIALIZED VIEW a.b ENGINE = AggregatingMergeTree ORDER BY x AS SELECT x FROM a.c":                 "its engine is AggregatingMergeTree",
		"CREATE MATERIALIZED VIEW a.b ENGINE = ReplicatedAggregatingMergeTree ORDER BY x AS SELECT x FROM a.cluster": "",
		"CREATE TABLE a.b (x UInt8)": "it names no engine",
	} {
		if got := replication(statement); got != wrong {
			t.Errorf("%s: %q, want %q", statement, got, wrong)
		}
	}
}

// written finds the beginning of a statement that makes a table, a database or a materialized view.
var written = regexp.MustCompile(`(?i)\bCREATE\s+(OR\s+REPLACE\s+)?(TABLE|DATABASE|MATERIALIZED\s+VIEW)\b`)

// owners are the packages whose Go source may spell such statements: those that read and print them, and the real
// ClickHouse with what probes it.
func owners() []string {
	return []string{"ast", "lang/lex", "lang/ddl", "lang/canon", "lang/facts", "rules", "engine/embedded"}
}

// qualified finds an object with its database where SQL names one.
var qualified = regexp.MustCompile("(?i)\\b(?:FROM|INTO|JOIN|TABLE|VIEW|DATABASE|DICTIONARY|EXISTS)\\s+`?([a-z_][a-z0-9_]*)`?\\.`?([a-z_][a-z0-9_]*)`?")

// serversOwn are databases that no manifest declares.
func serversOwn(database string) bool {
	return slices.Contains([]string{"system", "information_schema", "INFORMATION_SCHEMA"}, database)
}

// strays says what a Go source holds that only the manifest may: a statement that makes an object, outside of its
// owners, and the qualified name of an object that is not declared, as a literal or as an ast.Name.
func strays(file string, source any, declared map[string]bool) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	// Names of privileges are no statements.
	owned := filepath.ToSlash(file) == "lang/facts/privileges_gen.go" || slices.ContainsFunc(owners(), func(dir string) bool { return within(filepath.ToSlash(filepath.Dir(file)), dir) })
	var found []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind != token.STRING || owned {
				return true
			}
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				return true
			}
			if made := written.FindString(text); made != "" {
				found = append(found, "it spells "+made)
			}
			for _, name := range qualified.FindAllStringSubmatch(text, -1) {
				// "--from dump.sql" is a file.
				isFile := slices.Contains([]string{"sql", "hcl", "json"}, name[2])
				if object := name[1] + "." + name[2]; !isFile && !serversOwn(name[1]) && !declared[object] {
					found = append(found, "it names "+object+", which nothing declares")
				}
			}
		case *ast.CompositeLit:
			if object := nameLiteral(n); object != "" && !declared[object] {
				found = append(found, "it names "+object+", which nothing declares")
			}
		}
		return true
	})
	return found, nil
}

// nameLiteral is the name that an ast.Name literal spells out, or "".
func nameLiteral(n *ast.CompositeLit) string {
	parts := map[string]string{}
	for _, e := range n.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return ""
		}
		key, isName := pair.Key.(*ast.Ident)
		value, isText := pair.Value.(*ast.BasicLit)
		if isName && isText && value.Kind == token.STRING {
			parts[key.Name], _ = strconv.Unquote(value.Value)
		}
	}
	if parts["Database"] == "" || parts["Name"] == "" || serversOwn(parts["Database"]) {
		return ""
	}
	return parts["Database"] + "." + parts["Name"]
}

func declaredNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, release := range releases(t) {
		for _, d := range release.Objects {
			names[d.Name.String()] = true
		}
	}
	return names
}

func TestGateNoObjectIsMadeOrNamedInGoThatTheManifestDoesNotDeclare(t *testing.T) {
	dir, declared, read := root(t), declaredNames(t), 0
	for file := range imports(t, dir) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		read++
		source, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		found, err := strays(file, source, declared)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			t.Errorf("%s: %s", file, f)
		}
	}
	if read < 100 {
		t.Errorf("%d files read: the gate saw too little", read)
	}
}

func TestTheGateOfGoSourceBites(t *testing.T) {
	declared := map[string]bool{"dfe.schema_lock": true}
	for _, c := range []struct {
		file, literal string
		found         int
	}{
		{"engine/x.go", "`CREATE TABLE dfe.schema_lock (a UInt8) ENGINE = Memory`", 1},
		{"engine/x.go", `"create  or replace table if not exists t"`, 1},
		{"engine/x.go", `"CREATE DATABASE x"`, 1},
		{"catalog/x.go", "`CREATE MATERIALIZED\n VIEW x`", 1},
		{"rules/x.go", `"CREATE TABLE "`, 0},
		{"engine/x.go", `"SELECT 1 FROM dfe.schema_lock"`, 0},
		{"engine/x.go", `"SELECT 1 FROM dfe.schema_luck"`, 1},
		{"engine/x.go", "\"INSERT INTO `otel`.`logs` VALUES\"", 1},
		{"engine/x.go", `"SELECT 1 FROM system.tables"`, 0},
		{"engine/x.go", `ast.Name{Database: "dfe", Name: "schema_lock"}`, 0},
		{"engine/x.go", `ast.Name{Database: "dfe", Name: "schema_luck"}`, 1},
	} {
		got, err := strays(c.file, fmt.Sprintf("package p\n\nvar v = %s\n", c.literal), declared)
		if err != nil || len(got) != c.found {
			t.Errorf("%s with %s: %q, %v; want %d", c.file, c.literal, got, err, c.found)
		}
	}
}
