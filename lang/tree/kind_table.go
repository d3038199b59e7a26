package tree

import (
	"fmt"
	"math"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/dfe-engine/dfe/ast"
)

// tableKind is a table of any engine.
func tableKind() kind {
	return kind{
		name:      ast.KindTable,
		qualified: true,
		shape: shape{
			what: "a table definition",
			attrs: []string{"include", "drop", "engine", "order_by", "primary_key", "partition_by", "sample_by",
				"unique_key", "ttl", "settings", "comment"},
			blocks: partBlocks,
		},
		build: buildTable,
		statement: func(o ast.Object, name ast.Name, origin ast.Origin) bool {
			t, ok := o.(*ast.Table)
			if ok {
				t.Name, t.Origin = name, origin
			}
			return ok
		},
		render: renderTable,
	}
}

func buildTable(d *definition) ast.Object {
	t := &ast.Table{Name: d.declared.Name, Origin: d.origin()}
	d.into(t, d.parts(d, d.content, []string{d.source.name}))
	if len(t.Columns) == 0 && !d.declared.Broken {
		d.fault(CodeMissing, d.content.at, "A table without columns", `A table has at least one column, as in column "id" { type = "UInt64" }.`)
	}
	d.require(d.content, "engine", `A table states its engine, as in engine = "MergeTree": the family only, the platform makes it Replicated.`)
	d.storage(t)
	t.Comment = d.comment(d, d.content, ast.Path{Part: "comment"})
	return t
}

// storage reads the engine, the keys, the TTL and the settings.
func (d *definition) storage(t *ast.Table) {
	if text, ok := d.text(d.content.attrs["engine"]); ok {
		t.Engine = parseEngine(d, text)
	}
	t.OrderBy = d.key("order_by")
	t.PrimaryKey = d.key("primary_key")
	t.PartitionBy = d.key("partition_by")
	t.SampleBy = d.fragment("sample_by", parseExpr)
	t.UniqueKey = d.key("unique_key")
	t.TTL = d.ttl("ttl")
	t.Settings = d.settings(d, d.content.attrs["settings"], func(name string) ast.Path { return ast.Path{Part: "setting", Name: name} })
}

var indexShape = shape{what: "an index", attrs: []string{"expression", "type", "granularity"}}

func (s *scope) index(d *definition, block *hclsyntax.Block) *ast.Index {
	index := &ast.Index{Name: block.Labels[0]}
	path := func(attr string) ast.Path { return ast.Path{Part: "index", Name: index.Name, Attr: attr} }
	d.declared.places.setSpot(path(""), block.LabelRanges[0])
	body := s.read(block.Body, block.DefRange(), indexShape)
	s.require(body, "expression", "An index states what it indexes, as in expression = \"user\".")
	s.require(body, "type", "An index states its type, as in type = \"bloom_filter(0.01)\".")
	index.Expr = s.fragment(d, body, "expression", path("expr"), parseExpr)
	index.Type = s.fragment(d, body, "type", path("type"), parseIndexType)
	index.Granularity = s.count(body, "granularity", "the number of granules one entry of the index covers")
	if attr := body.attrs["granularity"]; attr != nil {
		d.declared.places.setSpot(path("granularity"), attr.Expr.Range())
	}
	return index
}

var projectionShape = shape{what: "a projection", attrs: []string{"query", "index", "type", "settings"}}

func (s *scope) projection(d *definition, block *hclsyntax.Block) *ast.Projection {
	p := &ast.Projection{Name: block.Labels[0]}
	path := func(attr string) ast.Path { return ast.Path{Part: "projection", Name: p.Name, Attr: attr} }
	d.declared.places.setSpot(path(""), block.LabelRanges[0])
	body := s.read(block.Body, block.DefRange(), projectionShape)
	query, index := body.attrs["query"], body.attrs["index"]
	if (query == nil) == (index == nil) {
		s.fault(CodeMissing, block.DefRange(), "A projection is a query or an index",
			"It has either query = \"SELECT ... GROUP BY ...\" (without FROM), or index = \"expression\" with type.")
		return p
	}
	p.Query = s.fragment(d, body, "query", path("query"), parseQuery)
	if index != nil {
		s.require(body, "type", "The index of a projection states its type, as in type = \"basic\".")
		p.Index = s.fragment(d, body, "index", path("index"), parseExpr)
		p.Type = s.fragment(d, body, "type", path("type"), parseIndexType)
	}
	p.Settings = s.settings(d, body.attrs["settings"], func(name string) ast.Path { return path("setting " + name) })
	return p
}

var constraintShape = shape{what: "a constraint", attrs: []string{"check", "assume"}}

func (s *scope) constraint(d *definition, block *hclsyntax.Block) *ast.Constraint {
	c := &ast.Constraint{Name: block.Labels[0], Kind: "CHECK"}
	path := ast.Path{Part: "constraint", Name: c.Name, Attr: "expr"}
	d.declared.places.setSpot(ast.Path{Part: "constraint", Name: c.Name}, block.LabelRanges[0])
	body := s.read(block.Body, block.DefRange(), constraintShape)
	name := "check"
	if body.attrs["assume"] != nil {
		name, c.Kind = "assume", "ASSUME"
	}
	if (body.attrs["check"] == nil) == (body.attrs["assume"] == nil) {
		s.fault(CodeMissing, block.DefRange(), "A constraint is a check or an assumption",
			"It has either check = \"expression\", which every insert is held to, or assume = \"expression\", which is taken for true.")
		return c
	}
	c.Expr = s.fragment(d, body, name, path, parseExpr)
	return c
}

// count reads a positive whole number; absent is 0.
func (s *scope) count(c content, name, what string) uint64 {
	attr := c.attrs[name]
	if attr == nil {
		return 0
	}
	v, ok := s.value(attr.Expr)
	if !ok {
		return 0
	}
	v, _ = v.UnmarkDeep()
	var n uint64
	if v.IsNull() || v.Type() != cty.Number || gocty.FromCtyValue(v, &n) != nil || n == 0 || n > math.MaxInt64 {
		s.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", name), fmt.Sprintf("%q is %s: a whole number from 1 on.", name, what))
		return 0
	}
	return n
}
