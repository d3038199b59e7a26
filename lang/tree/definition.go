package tree

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// definition is the body of one object while it becomes the object.
type definition struct {
	*scope
	loader   *loader
	kind     kind
	declared *Declared
	content  content
}

func (d *definition) build() { d.declared.Object = d.kind.build(d) }

// origin is where the object's own text begins.
func (d *definition) origin() ast.Origin {
	at := d.declared.Entry
	if d.declared.File != at.Filename {
		at = hcl.Range{Filename: d.declared.File, Start: hcl.InitialPos}
	}
	return ast.Origin{File: at.Filename, Line: at.Start.Line, Column: at.Start.Column}
}

// expr parses an attribute of the definition itself as one expression of a part that the object has once.
func (d *definition) fragment(name string, parse func(*definition, text, ast.Path) *ast.Node) *ast.Node {
	return d.scope.fragment(d, d.content, name, ast.Path{Part: name}, parse)
}

// fragment parses one attribute as ClickHouse text of the given path; absent or faulty, it is nil.
func (s *scope) fragment(d *definition, c content, name string, path ast.Path, parse func(*definition, text, ast.Path) *ast.Node) *ast.Node {
	t, ok := s.text(c.attrs[name])
	if !ok {
		return nil
	}
	return parse(d, t, path)
}

// key parses a key: one text, or a list of texts. Several are a tuple; an empty list is the empty key.
func (d *definition) key(name string) *ast.Node {
	list, isList, ok := d.texts(d.content.attrs[name])
	if !ok {
		return nil
	}
	path := ast.Path{Part: name}
	if len(list) == 0 {
		d.declared.places.setSpot(path, d.content.attrs[name].Expr.Range())
	}
	if !isList || len(list) == 1 {
		return parseOrderBy(d, list[0], path)
	}
	key := ast.N(ast.Tuple, "")
	for _, t := range list {
		node := parseOrderBy(d, t, path)
		if node == nil {
			return nil
		}
		key.Kids = append(key.Kids, node)
	}
	return key
}

// ttl parses the TTL: one text of rules, or a list of them.
func (d *definition) ttl(name string) *ast.Node {
	list, _, ok := d.texts(d.content.attrs[name])
	if !ok || len(list) == 0 {
		return nil
	}
	rules := ast.N(ast.List, "")
	for _, t := range list {
		node := parseTTL(d, t, ast.Path{Part: name})
		if node == nil {
			return nil
		}
		rules.Kids = append(rules.Kids, node.Kids...)
	}
	return rules
}

// settings reads settings: an object of plain values, or ClickHouse text for values that are none, such as
// disk(...).
func (s *scope) settings(d *definition, attr *hclsyntax.Attribute, path func(name string) ast.Path) []ast.Setting {
	if attr == nil {
		return nil
	}
	v, ok := s.value(attr.Expr)
	if !ok {
		return nil
	}
	v, _ = v.UnmarkDeep()
	if !v.IsNull() && v.Type() == cty.String {
		t, ok := s.textOf(attr.Expr, attr.Name)
		if !ok {
			return nil
		}
		return parseSettings(d, t, path)
	}
	if v.IsNull() || !(v.Type().IsObjectType() || v.Type().IsMapType()) {
		s.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr.Name),
			`Settings are written { name = value, ... }, or as ClickHouse text, "name = value, ..."; this is `+describe(v)+".")
		return nil
	}
	var settings []ast.Setting
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		name := key.AsString()
		at := entryRange(attr.Expr, name)
		node := settingNode(value)
		if node == nil {
			s.fault(CodeValue, at, fmt.Sprintf("Wrong value of setting %q", name), "A setting is a number, a text or a bool; this is "+describe(value)+".")
			continue
		}
		d.declared.places.setSpot(path(name), at)
		settings = append(settings, ast.Setting{Name: name, Value: node})
	}
	return settings
}

// settingNode turns a plain value into the literal ClickHouse would read.
func settingNode(v cty.Value) *ast.Node {
	s, ok := stringOf(v)
	if !ok {
		return nil
	}
	switch v.Type() {
	case cty.Number:
		if rest, negative := strings.CutPrefix(s, "-"); negative {
			return ast.N(ast.Operator, "-", ast.N(ast.Number, rest))
		}
		return ast.N(ast.Number, s)
	case cty.Bool:
		return ast.N(ast.Keyword, s)
	}
	if secret, err := ddl.ParseSettingValue(s); err == nil && ast.IsSecretCall(secret) && strings.HasPrefix(s, secret.Text) {
		return secret
	}
	return ast.N(ast.String, s)
}

// entryRange finds the place of one entry in an object written on the spot; of a computed one it is the whole.
func entryRange(expr hclsyntax.Expression, name string) hcl.Range {
	if object, ok := expr.(*hclsyntax.ObjectConsExpr); ok {
		for _, item := range object.Items {
			if hcl.ExprAsKeyword(item.KeyExpr) == name || literalString(item.KeyExpr) == name {
				return hcl.RangeBetween(item.KeyExpr.Range(), item.ValueExpr.Range())
			}
		}
	}
	return expr.Range()
}

func literalString(expr hclsyntax.Expression) string {
	if v, diags := expr.Value(nil); !diags.HasErrors() {
		s, _ := stringOf(v)
		return s
	}
	return ""
}
