package canon

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

// A value that the definition takes from a secret is never compared. Most servers hide it; what one shows of it is taken
// out of the live side, so that no difference beside it tells it.

// concealed is the live object without the texts that stand where the definition refers to a secret.
func concealed(live, desired ast.Object) ast.Object {
	switch l := live.(type) {
	case *ast.Dictionary:
		d, ok := desired.(*ast.Dictionary)
		if !ok || l.Source == nil || d.Source == nil {
			return live
		}
		if args := concealedSettings(l.Source.Args, d.Source.Args); !same(args, l.Source.Args) {
			c := *l
			c.Source = &ast.Source{Kind: l.Source.Kind, Args: args}
			return &c
		}
	case *ast.Table:
		d, ok := desired.(*ast.Table)
		if !ok {
			return live
		}
		c := *l
		c.Settings = concealedSettings(l.Settings, d.Settings)
		if l.Engine != nil && d.Engine != nil && len(l.Engine.Args) == len(d.Engine.Args) {
			engine := *l.Engine
			i := -1
			engine.Args = each(l.Engine.Args, func(n *ast.Node) *ast.Node { i++; return conceal(n, d.Engine.Args[i]) })
			c.Engine = &engine
		}
		return &c
	}
	return live
}

func concealedSettings(live, desired []ast.Setting) []ast.Setting {
	out := live
	for i, l := range live {
		at := slices.IndexFunc(desired, func(d ast.Setting) bool { return d.Name == l.Name })
		if at < 0 {
			continue
		}
		if value := conceal(l.Value, desired[at].Value); value != l.Value {
			if same(out, live) {
				out = slices.Clone(live)
			}
			out[i].Value = value
		}
	}
	return out
}

func conceal(l, d *ast.Node) *ast.Node {
	if _, ok := ast.SecretOf(d); ok {
		if l != nil && l.Kind == ast.String {
			return at(l, ast.String, hiddenSecret)
		}
		return l
	}
	if l == nil || d == nil || l.Kind != d.Kind || len(l.Kids) != len(d.Kids) || len(l.Kids) == 0 {
		return l
	}
	i := -1
	return with(l, each(l.Kids, func(k *ast.Node) *ast.Node { i++; return conceal(k, d.Kids[i]) }))
}
