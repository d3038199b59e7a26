package tree_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

// reload renders an object and loads what was rendered, under its own name.
func reload(o ast.Object) (ast.Object, string, error) {
	text, err := tree.Render(o)
	if err != nil {
		return nil, "", err
	}
	name := o.ID()
	label := "`" + name.Name + "`"
	manifest := "release = \"1.0.0\"\n"
	if name.Database != "" {
		label = "`" + name.Database + "`." + label
		manifest += "database \"`" + name.Database + "`\" {}\n"
	}
	if o.Kind() == ast.KindDatabase {
		manifest += fmt.Sprintf("database %q {\n%s}\n", label, text)
	} else {
		manifest += fmt.Sprintf("%s %q { from = \"x.hcl\" }\n", o.Kind(), label)
	}
	tr, diags := tree.Load(fstest.MapFS{"manifest.hcl": {Data: []byte(manifest)}, "x.hcl": {Data: text}}, tree.Options{})
	for _, d := range diags {
		switch tree.CodeOf(d) {
		case tree.CodeSyntax, tree.CodeHCL, tree.CodeMissing, tree.CodeValue, tree.CodeUnknown, tree.CodeName:
			return nil, string(text), d
		}
	}
	if len(tr.Objects) == 0 {
		return nil, string(text), errors.New("nothing was declared")
	}
	return tr.Objects[len(tr.Objects)-1].Object, string(text), nil
}

func TestRenderedObjectsOfTheCoreReleaseLoadAsTheyWere(t *testing.T) {
	tr, diags := tree.Load(stdlib.FS, tree.Options{})
	clean(t, tr, diags)
	for _, d := range tr.Objects {
		back, text, err := reload(d.Object)
		if err != nil {
			t.Errorf("%s: %v\n%s", d.Name, err, text)
			continue
		}
		if diff := cmp.Diff(shape(d.Object), shape(back)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", d.Name, diff, text)
		}
	}
}

// TestEveryObjectAServerPrintsRendersAndLoadsAsItWas holds Load(Render(x)) = x over the objects of the corpus as 26.7
// printed them, as parsed and in canonical form. The few that .hcl cannot state say so.
func TestEveryObjectAServerPrintsRendersAndLoadsAsItWas(t *testing.T) {
	done, without := 0, 0
	for _, p := range pairs(t) {
		object, err := ddl.ParseStatement(p.Live)
		if err != nil || strings.ContainsAny(object.ID().Database+object.ID().Name, "`/\"\\$%") {
			continue
		}
		back, text, err := reload(object)
		var none *tree.NoFormError
		if errors.As(err, &none) {
			without++
			t.Logf("%v", err)
			continue
		}
		if err != nil {
			t.Errorf("%v\n%s\n%s", err, p.Live, text)
			continue
		}
		done++
		if diff := cmp.Diff(shape(object), shape(back)); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s\n%s", diff, p.Live, text)
		}
		canonical := canon.Object(object, canon.Env{})
		back, text, err = reload(canonical)
		if err != nil {
			t.Errorf("canonical: %v\n%s\n%s", err, p.Live, text)
			continue
		}
		if diff := cmp.Diff(shape(canonical), shape(canon.Object(back, canon.Env{}))); diff != "" {
			t.Errorf("canonical (-want +got):\n%s\n%s\n%s", diff, p.Live, text)
		}
	}
	t.Logf("%d objects, %d without a .hcl form", done, without)
	if without*100 > done {
		t.Errorf("%d of %d objects have no .hcl form", without, done+without)
	}
}
