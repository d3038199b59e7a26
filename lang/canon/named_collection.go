package canon

import (
	"cmp"
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

// namedCollection sorts the keys, as the server does (case S90).
func (f *form) namedCollection(o *ast.NamedCollection) ast.Object {
	c := *o
	c.Keys = slices.SortedStableFunc(slices.Values(o.Keys), func(a, b ast.CollectionKey) int { return cmp.Compare(a.Name, b.Name) })
	return &c
}

// namedCollection leaves out the flags where the server does not show them.
func (p *pair) namedCollection(l, d *ast.NamedCollection) (ast.Object, ast.Object) {
	if !l.FlagsUnknown {
		return l, d
	}
	live, desired := *l, *d
	live.FlagsUnknown = false
	desired.Keys = slices.Clone(d.Keys)
	for i := range desired.Keys {
		desired.Keys[i].Overridable = ""
	}
	return &live, &desired
}
