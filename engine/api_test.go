package engine_test

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// public are the packages that programs may build on, by pattern.
func public() []string {
	return []string{"./ast/...", "./lang/...", "./catalog/...", "./rules/...", "./engine", "./engine/service", "./engine/ledger", "./engine/embedded", "./stdlib"}
}

// TestTheExportedAPIIsTheGoldenOne shows each change of the exported API in review.
func TestTheExportedAPIIsTheGoldenOne(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps, Dir: "..",
		// The API is that of one platform, whichever machine the test runs on.
		Env: append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"),
	}, public()...)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		path := strings.TrimPrefix(p.PkgPath, module)
		if slices.Contains(strings.Split(path, "/"), "internal") || p.Name == "main" {
			continue
		}
		for _, line := range exported(p.Types) {
			lines = append(lines, path+": "+line)
		}
	}
	slices.Sort(lines)
	got := strings.Join(slices.Compact(lines), "\n") + "\n"
	file := filepath.Join("testdata", "api.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the exported API changed (rewrite %s with -update and read it in review):\n%s", file, diff)
	}
}

// exported lists what a package exports, a line each: constants with their values, functions, types, their exported
// fields and methods.
func exported(p *types.Package) []string {
	short := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
	text := func(o types.Object) string { return types.ObjectString(o, short) }
	var lines []string
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprintf("%s = %s", text(o), o.Val().ExactString()))
		case *types.TypeName:
			lines = append(lines, typeLines(o, short)...)
		default:
			lines = append(lines, text(o))
		}
	}
	return lines
}

func typeLines(o *types.TypeName, short types.Qualifier) []string {
	name := o.Name()
	if o.IsAlias() {
		return []string{fmt.Sprintf("type %s = %s", name, types.TypeString(types.Unalias(o.Type()), short))}
	}
	var lines []string
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		lines = append(lines, fmt.Sprintf("type %s struct", name))
		for i := range u.NumFields() {
			if f := u.Field(i); f.Exported() {
				lines = append(lines, fmt.Sprintf("type %s struct, %s %s `%s`", name, f.Name(), types.TypeString(f.Type(), short), u.Tag(i)))
			}
		}
	default:
		lines = append(lines, fmt.Sprintf("type %s %s", name, types.TypeString(u, short)))
	}
	methods := types.NewMethodSet(types.NewPointer(o.Type()))
	if types.IsInterface(o.Type()) {
		return lines
	}
	for i := range methods.Len() {
		f, ok := methods.At(i).Obj().(*types.Func)
		if !ok || !f.Exported() || len(methods.At(i).Index()) > 1 {
			continue // promoted methods are the embedded type's
		}
		lines = append(lines, types.ObjectString(f, short))
	}
	return lines
}
