package tenants

import (
	"io/fs"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/lang/ident"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

// orgColumn is the column by which a table that organisations share tells their rows apart.
const orgColumn = "org_id"

// Part is what the tenants need on the server. It is all there is of tenants: what is recorded of one that the config
// names no more is reported.
func (c *Config) Part() engine.Part {
	return engine.Part{
		Scope: ledger.ScopeTenant, What: "the tenants", Render: c.render,
		Owns:  func(ast.Kind, string) bool { return true },
		Files: map[string]*hcl.File{c.name: c.file},
	}
}

// definitions are the standard ones.
type definitions struct{ fs.FS }

// Open opens a file.
func (d definitions) Open(name string) (fs.File, error) { return d.FS.Open(path.Join("tenants", name)) }

func (c *Config) render(core *tree.Tree) (*tree.Tree, hcl.Diagnostics) {
	rendered, diags := tree.Load(definitions{stdlib.FS}, tree.Options{Base: core, Variables: c.variables(core)})
	protect(rendered)
	return rendered, diags
}

// User is the name of an organisation's user, and of its quota.
func User(organisation string) string { return sources.Database(organisation) }

// GroupUser is the name of a group's user, and of its quota.
func GroupUser(group string) string { return "group_" + ident.Of(group) }

// protect makes the rights of each tenant in shared tables rest on every row policy for it: where one could not be made,
// nothing is granted that it should have guarded.
func protect(t *tree.Tree) {
	policies := map[string][]*tree.Declared{}
	for _, d := range t.Objects {
		if p, isPolicy := d.Object.(*ast.RowPolicy); isPolicy {
			policies[p.Short] = append(policies[p.Short], d)
		}
	}
	for _, d := range t.Objects {
		if g, isGrant := d.Object.(*ast.Grant); isGrant {
			for _, user := range g.To {
				d.Depends = append(d.Depends, policies[user]...)
			}
		}
	}
}

// variables are the values of the variables of the standard definitions.
func (c *Config) variables(core *tree.Tree) map[string]string {
	databases, tenants := map[string]cty.Value{}, map[string]cty.Value{}
	add := func(user string, t Tenant, organisations []string) {
		var own []string
		for _, id := range organisations {
			databases[sources.Database(id)] = cty.StringVal(id)
			own = append(own, sources.Database(id))
		}
		tenants[user] = cty.ObjectVal(map[string]cty.Value{
			"title": cty.StringVal(t.ID), "organisations": list(organisations), "databases": list(own), "limits": c.limits(t.Tier),
			"secret": cty.ObjectVal(map[string]cty.Value{"source": cty.StringVal(t.Secret.Source), "name": cty.StringVal(t.Secret.Name)}),
		})
	}
	for _, t := range c.Organisations {
		add(User(t.ID), t, []string{t.ID})
	}
	for _, t := range c.Groups {
		add(GroupUser(t.ID), t, t.Organisations)
	}
	return map[string]string{
		"databases": text(cty.ObjectVal(databases)), "tenants": text(cty.ObjectVal(tenants)), "shared": text(list(shared(core))),
	}
}

// limits are those of a tier, by length of time.
func (c *Config) limits(tier string) cty.Value {
	periods := map[string]cty.Value{}
	for _, t := range c.Tiers {
		if t.ID == tier {
			for period, limits := range t.Limits {
				periods[period] = cty.ObjectVal(limits)
			}
		}
	}
	return cty.ObjectVal(periods)
}

// shared are the tables of the core release whose rows say their organisation.
func shared(core *tree.Tree) []string {
	var names []string
	for _, d := range core.Objects {
		if t, isTable := d.Object.(*ast.Table); isTable && t.Column(orgColumn) != nil {
			names = append(names, d.Name.SQL())
		}
	}
	slices.Sort(names)
	return names
}

func list(texts []string) cty.Value {
	if len(texts) == 0 {
		return cty.EmptyTupleVal
	}
	values := make([]cty.Value, len(texts))
	for i, text := range texts {
		values[i] = cty.StringVal(text)
	}
	return cty.TupleVal(values)
}

// text writes a value as it is given to a variable.
func text(v cty.Value) string { return string(hclwrite.TokensForValue(v).Bytes()) }
