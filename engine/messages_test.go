package engine_test

import (
	"go/ast"
	"go/constant"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

// TestNoMessagePrintsAListAsGoDoes holds that a message lists words as people do, by package series, and not as "[a b]". A
// file that is in no directory shows that the law bites.
func TestNoMessagePrintsAListAsGoDoes(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	bite := filepath.Join(root, "lang", "series", "bite.go")
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile, Dir: root,
		Overlay: map[string][]byte{bite: []byte("package series\n\nimport \"fmt\"\n\nfunc bite(s []string) string { return fmt.Sprintf(\"%v\", s) }\n")},
	}, "./ast/...", "./lang/...", "./catalog/...", "./rules/...", "./engine/...")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, is := n.(*ast.CallExpr); is && printsList(p.TypesInfo, call) {
					found = append(found, strings.TrimPrefix(p.Fset.Position(call.Pos()).String(), root+"/"))
				}
				return true
			})
		}
	}
	if diff := cmp.Diff([]string{"lang/series/bite.go:5:39"}, found); diff != "" {
		t.Errorf("a list is printed as Go does (-want +got):\n%s", diff)
	}
}

// printsList reports a call with a format, and among what is formatted a slice, an array or a map.
func printsList(info *types.Info, call *ast.CallExpr) bool {
	formatted := false
	for i, argument := range call.Args {
		value := info.Types[argument]
		if value.Value != nil && value.Value.Kind() == constant.String && strings.Contains(constant.StringVal(value.Value), "%") {
			formatted = true
			continue
		}
		if !formatted || value.Type == nil || call.Ellipsis.IsValid() && i == len(call.Args)-1 {
			continue
		}
		switch of := value.Type.Underlying().(type) {
		case *types.Slice:
			if bytes, is := of.Elem().Underlying().(*types.Basic); !is || bytes.Kind() != types.Byte {
				return true
			}
		case *types.Array, *types.Map:
			return true
		}
	}
	return false
}
