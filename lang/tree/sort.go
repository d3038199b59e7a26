package tree

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// Sort returns objects in an order in which a manifest can list them: each behind what it rests on, and otherwise in the order
// of [ast.Kinds], by name within a kind. Objects that rest on each other stay together, and loading them tells of the circle.
func Sort(objects []ast.Object) []ast.Object {
	t := &Tree{byName: make(map[nameKey]*Declared, len(objects))}
	for _, o := range objects {
		d := &Declared{Kind: o.Kind(), Name: o.ID(), Object: o}
		t.Objects = append(t.Objects, d)
		t.byName[keyOf(d.Kind, d.Name)] = d
	}
	order := ast.Kinds()
	slices.SortStableFunc(t.Objects, func(a, b *Declared) int {
		return cmp.Or(slices.Index(order, a.Kind)-slices.Index(order, b.Kind), strings.Compare(a.Name.String(), b.Name.String()))
	})
	edges := t.uses()
	for _, d := range t.Objects {
		for _, name := range named(d.Object) {
			edges.add(d, t.Find(ast.KindRole, ast.Name{Name: name}))
		}
	}
	sorted := make([]ast.Object, 0, len(objects))
	seen := make(map[*Declared]bool, len(objects))
	var visit func(*Declared)
	visit = func(d *Declared) {
		if seen[d] {
			return
		}
		seen[d] = true
		for _, to := range edges[d] {
			visit(to)
		}
		sorted = append(sorted, d.Object)
	}
	for _, d := range t.Objects {
		visit(d)
	}
	return sorted
}

// named are the roles and users that an object names besides those it is granted.
func named(o ast.Object) []string {
	var r *ast.Recipients
	switch o := o.(type) {
	case *ast.SettingsProfile:
		r = o.To
	case *ast.User:
		r = o.Grantees
	}
	if r == nil {
		return nil
	}
	return slices.Concat(r.Names, r.Except)
}
