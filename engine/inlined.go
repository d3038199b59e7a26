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
	var names []string
	for _, d := range c.schema.objects {
		if d.Kind == ast.KindFunction || c.liveOf(d) == nil {
			continue
		}
		for _, ref := range deps.Of(d.Object) {
			if ref.Kind == deps.Function && ref.Name.Name == function.Name.Name {
				names = append(names, d.Name.String())
				break
			}
		}
	}
	return strings.Join(names, ", ")
}
