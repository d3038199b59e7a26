package engine

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
	"github.com/dfe-engine/dfe/rules"
)

// inlinedIn names the live objects that hold a copy of a function's body which the definition changes: the server puts
// the body into a default or a query when it stores one (case S92). "" where the body stays, and where none calls it. Only
// a definition tells: what is stored names the function no more.
func (c *comparison) inlinedIn(live ast.Object, function *declared) string {
	if live == nil || len(rules.Diff(live, function.Object, c.options.Env)) == 0 {
		return ""
	}
	return c.using(deps.Function, function)
}

// madeWith names the live objects that take their arguments from a named collection: the server copies them when it makes or
// loads one.
func (c *comparison) madeWith(live ast.Object, collection *declared) string {
	if live == nil {
		return ""
	}
	return c.using(deps.Collection, collection)
}

// using names the live objects whose definitions refer to one that lives in no database. Functions are left out: what they
// copy is in what calls them.
func (c *comparison) using(kind deps.Kind, of *declared) string {
	var names []string
	for _, d := range c.schema.objects {
		if d.Kind == ast.KindFunction || d.Kind.IsAccess() || d == of || c.liveOf(d) == nil {
			continue
		}
		for _, ref := range deps.Of(d.Object) {
			if ref.Kind == kind && ref.Name.Name == of.Name.Name {
				names = append(names, d.Name.String())
				break
			}
		}
	}
	return strings.Join(names, ", ")
}
