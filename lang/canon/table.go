package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func (f *form) table(t *ast.Table) *ast.Table {
	c := *t
	f.structure(&c)
	if c.PrimaryKey == nil {
		c.PrimaryKey = primaryKey(c.Columns)
	}
	c.Columns = f.inferred(f.columns(c.Columns))
	if c.Engine == nil && (c.Structure == nil || c.Structure.Kind != ast.Func && c.Structure.Kind != ast.Ident) {
		c.Engine = &ast.Engine{Name: "MergeTree"} // default_table_engine
	}
	f.storage(&c)
	c.Targets = f.targets(c.Targets)
	return &c
}

// storage is what a table and the inner table of a materialized view have in common: engine, keys, TTL, settings and the
// elements beside the columns. It changes c, which is the caller's own copy.
func (f *form) storage(c *ast.Table) {
	c.Engine = f.engine(c.Engine)
	c.Indexes = f.indexes(c.Indexes)
	c.Projections = f.projections(c.Projections)
	c.Constraints = f.constraints(c.Constraints)
	c.TTL = f.ttl(c.TTL)
	if c.Engine == nil {
		f.keys(c, false)
		c.Settings = f.settingList(c.Settings, nil)
		return
	}
	modern := mergeTree(c.Engine.Name) && !legacy(c)
	f.keys(c, modern)
	c.Settings = f.settings(c.Engine.Name, c.Settings)
	if modern {
		c.Settings = withGranularity(c.Settings)
	}
}

func mergeTree(engine string) bool { return strings.HasSuffix(engine, "MergeTree") }

// legacy is MergeTree(date, key, 8192), the syntax before ORDER BY.
func legacy(t *ast.Table) bool {
	if t.OrderBy != nil || t.PrimaryKey != nil || len(t.Engine.Args) < 3 {
		return false
	}
	for _, a := range t.Engine.Args[2:] {
		if a.Kind == ast.Number {
			return true
		}
	}
	return false
}

// withGranularity adds index_granularity, which the server always shows (case S54).
func withGranularity(settings []ast.Setting) []ast.Setting {
	at := len(settings)
	for i, s := range settings {
		if s.Name == "index_granularity" {
			return settings
		}
		if s.Name > "index_granularity" {
			at = i
			break
		}
	}
	out := make([]ast.Setting, 0, len(settings)+1)
	out = append(out, settings[:at]...)
	out = append(out, ast.Setting{Name: "index_granularity", Value: ast.N(ast.Number, defaultGranularity)})
	return append(out, settings[at:]...)
}

func (f *form) indexes(list []*ast.Index) []*ast.Index {
	var out []*ast.Index
	for i, x := range list {
		c := f.index(x)
		if c != x && out == nil {
			out = append(make([]*ast.Index, 0, len(list)), list[:i]...)
		}
		if out != nil {
			out = append(out, c)
		}
	}
	if out == nil {
		return list
	}
	return out
}

// index fills in the granularity: 1, or for a text or vector index the whole part, which a text index has whatever is
// written (case S58).
func (f *form) index(x *ast.Index) *ast.Index {
	expr, typ, granularity := f.key(x.Expr), f.lowerWord(x.Type, f.indexArg), x.Granularity
	if typ != nil {
		switch {
		case typ.Text == "text":
			granularity = wholePart
			typ = sortedArgs(typ)
		case granularity == 0 && typ.Text == "vector_similarity":
			granularity = wholePart
		case granularity == 0:
			granularity = 1
		}
	}
	if expr == x.Expr && typ == x.Type && granularity == x.Granularity {
		return x
	}
	return &ast.Index{Name: x.Name, Expr: expr, Type: typ, Granularity: granularity}
}

// indexArg is an argument of an index. A tokenizer is a word, a call or a text, and no function: array() makes no array.
func (f *form) indexArg(n *ast.Node) *ast.Node {
	if n.Kind != ast.Equals || n.Text != "tokenizer" || len(n.Kids) != 1 {
		return f.expr(n)
	}
	name := n.Kids[0]
	switch name.Kind {
	case ast.String:
		name = at(name, ast.Ident, name.Text)
	case ast.Ident, ast.Func:
		name = word(name, each(name.Kids, f.expr))
	}
	return with(n, []*ast.Node{name})
}

const wholePart = 100_000_000

func (f *form) projections(list []*ast.Projection) []*ast.Projection {
	var out []*ast.Projection
	for i, p := range list {
		c := f.projection(p)
		if c != p && out == nil {
			out = append(make([]*ast.Projection, 0, len(list)), list[:i]...)
		}
		if out != nil {
			out = append(out, c)
		}
	}
	if out == nil {
		return list
	}
	return out
}

// projection: ORDER BY (a, b) is ORDER BY a, b (case S61).
func (f *form) projection(p *ast.Projection) *ast.Projection {
	query, index, typ := p.Query, f.key(p.Index), f.lowerWord(p.Type, f.expr)
	if query != nil {
		query = f.expr(query)
		query = with(query, each(query.Kids, func(k *ast.Node) *ast.Node {
			if k.Kind == ast.Clause && k.Text == "ORDER BY" && len(k.Kids) == 1 && k.Kids[0].Kind == ast.Tuple {
				return with(k, k.Kids[0].Kids)
			}
			return k
		}))
	}
	settings := f.settingList(p.Settings, nil)
	if query == p.Query && index == p.Index && typ == p.Type && same(settings, p.Settings) {
		return p
	}
	return &ast.Projection{Name: p.Name, Query: query, Index: index, Type: typ, Settings: settings}
}

func (f *form) constraints(list []*ast.Constraint) []*ast.Constraint {
	var out []*ast.Constraint
	for i, x := range list {
		expr := f.expr(x.Expr)
		if expr != x.Expr && out == nil {
			out = append(make([]*ast.Constraint, 0, len(list)), list[:i]...)
		}
		if out != nil {
			out = append(out, &ast.Constraint{Name: x.Name, Kind: x.Kind, Expr: expr})
		}
	}
	if out == nil {
		return list
	}
	return out
}
