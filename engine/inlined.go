package engine

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/deps"
	"github.com/dfe-engine/dfe/rules"
)

// inlinedIn names the live objects that hold a copy of a function's body which the definition changes: the server puts
// the body into a default or a query when it stores one (case S92). "" where the body stays, and where none calls it. Only
// a definition tells: what is stored names the function no more. An object that is as declared holds the declared body:
// the function alone was changed by hand.
func (c *comparison) inlinedIn(live ast.Object, function *declared) string {
	if live == nil || len(rules.Diff(live, function.Object, c.options.Env)) == 0 {
		return ""
	}
	return c.using(deps.Function, function, func(d *declared, o *catalog.Object) bool {
		return o.Tree == nil || len(rules.Diff(o.Tree, d.Object, c.options.Env)) > 0
	})
}

// madeWith names the live objects that take their arguments from a named collection: the server copies them when it makes or
// loads one.
func (c *comparison) madeWith(live ast.Object, collection *declared) string {
	if live == nil {
		return ""
	}
	return c.using(deps.Collection, collection, func(*declared, *catalog.Object) bool { return true })
}

// using names the live objects whose definitions refer to one that lives in no database, and that hold an old copy of it.
// Functions are left out: what they copy is in what calls them.
func (c *comparison) using(kind deps.Kind, of *declared, old func(*declared, *catalog.Object) bool) string {
	var names []string
	for _, d := range c.schema.objects {
		if d.Kind == ast.KindFunction || d.Kind.IsAccess() || d == of {
			continue
		}
		live := c.liveOf(d)
		refers := slices.ContainsFunc(d.Refs(), func(r deps.Ref) bool { return r.Kind == kind && r.Name.Name == of.Name.Name })
		if live != nil && refers && old(d, live) {
			names = append(names, d.Name.String())
		}
	}
	return strings.Join(names, ", ")
}
