package catalog_test

import (
	"slices"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
)

func TestACatalogueFindsListsAndForgetsAnObjectOfEveryKind(t *testing.T) {
	for _, kind := range ast.Kinds() {
		if !kind.InClickHouse() || kind == ast.KindGrant { // what a grant gives is with whom it gives it to
			continue
		}
		c := &catalog.Catalog{}
		name := ast.Name{Name: "x"}
		if kind.IsRelation() {
			name.Database = "d"
		}
		o := &catalog.Object{Kind: kind, Name: name}
		c.Put(kind, name, o)
		if c.Find(kind, name) != o {
			t.Errorf("the %s is not found", kind)
		}
		if got := slices.Collect(c.All()); !slices.Equal(got, []*catalog.Object{o}) {
			t.Errorf("the %s is not listed once: %v", kind, got)
		}
		if !kind.IsRelation() && len(c.Relations) > 0 {
			t.Errorf("a %s is among the tables", kind)
		}
		c.Put(kind, name, nil)
		if c.Find(kind, name) != nil || len(slices.Collect(c.All())) > 0 {
			t.Errorf("the %s is not forgotten", kind)
		}
	}
}
