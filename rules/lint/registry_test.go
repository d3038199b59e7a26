package lint_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
)

// TestEveryCodeIsListedOnceInOrder holds the registry closed.
func TestEveryCodeIsListedOnceInOrder(t *testing.T) {
	var codes []string
	for _, c := range lint.Checks() {
		codes = append(codes, string(c.Code))
		if c.Title == "" || c.Severity != lint.Error && c.Severity != lint.Warning && c.Severity != lint.Note {
			t.Errorf("%+v", c)
		}
	}
	if len(codes) < 80 || !slices.IsSorted(codes) || len(slices.Compact(slices.Clone(codes))) != len(codes) {
		t.Errorf("%d codes: %v", len(codes), codes)
	}
}

// TestEveryFaultOfTheLoaderHasACode reads the loader's codes from its source: a new one needs a code here.
func TestEveryFaultOfTheLoaderHasACode(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "lang", "tree", "fault.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Code") || len(spec.Values) != 1 {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		count++
		for f := range lint.Run(&tree.Tree{}, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "s", Detail: "d", Extra: tree.Code(value)}}, nil) {
			if f.Code == "DFE199" || f.Remedy == "" {
				t.Errorf("the fault %q has no code of its own: %+v", value, f)
			}
		}
		return true
	})
	if count < 20 {
		t.Errorf("only %d codes were found", count)
	}
}

// TestAnIncludeChainBeyondTheLimitHasItsCode shows the code whose example does not fit on its page.
func TestAnIncludeChainBeyondTheLimitHasItsCode(t *testing.T) {
	files := map[string]string{"manifest.hcl": shop + "table \"shop.orders\" {\n  from = \"0.hcl\"\n}\n", "19.hcl": "column \"id\" { type = \"UInt64\" }\n"}
	for i := range 19 {
		files[fmt.Sprintf("%d.hcl", i)] = fmt.Sprintf("include = [\"%d.hcl\"]\n", i+1)
	}
	files["0.hcl"] += "engine = \"MergeTree\"\norder_by = \"id\"\ncomment = \"Orders\"\n"
	_, found := load(files)
	if codes, lines := standing(found); !slices.Contains(codes, "DFE105") {
		t.Error(lines)
	}
}

// TestADefinitionBeyondMaxQuerySizeHasItsCode shows DFE295, and that one below does not have it.
func TestADefinitionBeyondMaxQuerySizeHasItsCode(t *testing.T) {
	table := func(columns int) map[string]string {
		var b strings.Builder
		for i := range columns {
			fmt.Fprintf(&b, "column \"column_%05d\" {\n  type    = \"UInt64\"\n  comment = \"Number %d of many, in units of its own\"\n}\n", i, i)
		}
		b.WriteString("engine = \"MergeTree\"\norder_by = \"column_00000\"\ncomment = \"Measurements\"\n")
		return map[string]string{"manifest.hcl": shop + "table \"shop.wide\" {\n  from = \"wide.hcl\"\n}\n", "wide.hcl": b.String()}
	}
	for columns, want := range map[int][]lint.Code{4500: {"DFE295"}, 2000: nil} {
		_, found := load(table(columns))
		if codes, lines := standing(found); !slices.Equal(codes, want) {
			t.Errorf("%d columns: %s", columns, lines)
		}
	}
}
