package tree

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
)

var columnShape = shape{what: "a column", attrs: []string{
	"type", "default", "materialized", "alias", "ephemeral", "codec", "statistics", "ttl", "settings", "collation", "comment",
}}

// defaultAttrs are the attributes that give a column its expression; a column has at most one of them.
var defaultAttrs = []struct {
	name string
	kind ast.DefaultKind
}{
	{"default", ast.Default}, {"materialized", ast.Materialized}, {"alias", ast.AliasColumn}, {"ephemeral", ast.Ephemeral},
}

// column reads one column block.
func (s *scope) column(d *definition, block *hclsyntax.Block, spec shape) *ast.Column {
	name := block.Labels[0]
	column := &ast.Column{Name: name}
	path := func(attr string) ast.Path { return ast.Path{Part: "column", Name: name, Attr: attr} }
	d.declared.places.setSpot(path(""), block.LabelRanges[0])
	if name == "" {
		s.fault(CodeName, block.LabelRanges[0], "A column needs a name", "Its name is the label of the block.")
	}
	spec.what, spec.name = "column", name
	body := s.read(block.Body, block.DefRange(), spec)
	if attr := s.require(body, "type", "A column states its type, as in type = \"String\"."); attr != nil {
		column.Type = s.fragment(d, body, "type", path("type"), parseType)
	}
	s.columnDefault(d, body, column, path)
	column.Codec = s.fragment(d, body, "codec", path("codec"), parseCodec)
	column.Statistics = s.fragment(d, body, "statistics", path("statistics"), parseStatistics)
	column.TTL = s.fragment(d, body, "ttl", path("ttl"), parseExpr)
	column.Settings = s.settings(d, body.attrs["settings"], func(name string) ast.Path { return path("setting " + name) })
	column.Collation = s.str(body.attrs["collation"])
	column.Comment = s.comment(d, body, path("comment"))
	return column
}

func (s *scope) columnDefault(d *definition, body content, column *ast.Column, path func(string) ast.Path) {
	first := ""
	for _, a := range defaultAttrs {
		attr := body.attrs[a.name]
		if attr == nil {
			continue
		}
		if first != "" {
			s.fault(CodeValue, attr.NameRange, fmt.Sprintf("A column is not %q and %q at once", first, a.name),
				"It has at most one of default, materialized, alias and ephemeral.")
			return
		}
		first = a.name
		column.DefaultKind = a.kind
		d.declared.places.setSpot(path("kind"), attr.NameRange)
		// ephemeral = true is a column without an expression: it has none to evaluate.
		if a.kind == ast.Ephemeral {
			if v, ok := s.value(attr.Expr); ok && !v.IsNull() && v.Type() == cty.Bool && v.True() {
				continue
			}
		}
		column.Default = s.fragment(d, body, a.name, path("default"), parseExpr)
	}
}

// comment reads a comment: plain text, not ClickHouse's.
func (s *scope) comment(d *definition, c content, path ast.Path) string {
	t, ok := s.text(c.attrs["comment"])
	if !ok {
		return ""
	}
	d.declared.places.setText(path, t, nil)
	return t.value
}
