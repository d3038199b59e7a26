package tree

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// dictionaryKind is a dictionary defined by DDL.
func dictionaryKind() kind {
	return kind{
		name:      ast.KindDictionary,
		qualified: true,
		shape: shape{
			what:   "a dictionary definition",
			attrs:  []string{"primary_key", "source", "layout", "lifetime", "range", "settings", "comment"},
			blocks: map[string]int{"attribute": 1},
		},
		build: buildDictionary,
		statement: func(o ast.Object, name ast.Name, origin ast.Origin) bool {
			dict, ok := o.(*ast.Dictionary)
			if ok {
				dict.Name, dict.Origin = name, origin
			}
			return ok
		},
		render: renderDictionary,
	}
}

func buildDictionary(d *definition) ast.Object {
	dict := &ast.Dictionary{Name: d.declared.Name, Origin: d.origin()}
	seen := map[string]part{}
	for _, block := range d.content.blocks {
		p := part{kind: "attribute", name: block.Labels[0], block: block}
		if first, twice := seen[p.name]; twice {
			d.twice(p, first)
			continue
		}
		seen[p.name] = p
		dict.Attributes = append(dict.Attributes, d.attribute(block))
	}
	if len(dict.Attributes) == 0 {
		d.fault(CodeMissing, d.content.at, "A dictionary without attributes", `It has its key and at least one more, as in attribute "id" { type = "UInt64" }.`)
	}
	d.require(d.content, "primary_key", `A dictionary names its key, as in primary_key = ["id"].`)
	keys, _, _ := d.texts(d.content.attrs["primary_key"])
	for _, key := range keys {
		if _, known := seen[key.value]; !known {
			d.fault(CodeColumn, key.whole(), fmt.Sprintf("Unknown attribute %q", key.value), "A key is one of the dictionary's attributes."+suggest(key.value, attributeNames(dict)))
			continue
		}
		dict.PrimaryKey = append(dict.PrimaryKey, key.value)
	}
	d.require(d.content, "source", `A dictionary names its source, as in source = "CLICKHOUSE(TABLE 'rates')".`)
	if t, ok := d.text(d.content.attrs["source"]); ok {
		source, err := ddl.ParseSource(t.value)
		if err != nil {
			d.syntax(t, err, "source")
		} else {
			dict.Source = source
			d.declared.places.setText(ast.Path{Part: "source"}, t, nil)
		}
	}
	d.require(d.content, "layout", `A dictionary has a layout, as in layout = "HASHED()".`)
	if t, ok := d.text(d.content.attrs["layout"]); ok {
		layout, err := ddl.ParseLayout(t.value)
		if err != nil {
			d.syntax(t, err, "layout")
		} else {
			dict.Layout = layout
			d.declared.places.setText(ast.Path{Part: "layout"}, t, nil)
		}
	}
	d.lifetime(dict)
	d.ranges(dict)
	dict.Settings = d.settings(d, d.content.attrs["settings"], func(name string) ast.Path { return ast.Path{Part: "setting", Name: name} })
	dict.Comment = d.comment(d, d.content, ast.Path{Part: "comment"})
	return dict
}

func attributeNames(dict *ast.Dictionary) []string {
	var names []string
	for _, a := range dict.Attributes {
		names = append(names, a.Name)
	}
	return names
}

var attributeFlags = []string{"hierarchical", "bidirectional", "injective", "is_object_id"}

var attributeShape = shape{what: "an attribute", attrs: append([]string{"type", "default", "expression"}, attributeFlags...)}

func (d *definition) attribute(block *hclsyntax.Block) *ast.Attribute {
	a := &ast.Attribute{Name: block.Labels[0]}
	path := func(attr string) ast.Path { return ast.Path{Part: "attribute", Name: a.Name, Attr: attr} }
	d.declared.places.setSpot(path(""), block.LabelRanges[0])
	body := d.read(block.Body, block.DefRange(), attributeShape)
	d.require(body, "type", "An attribute states its type, as in type = \"String\".")
	a.Type = d.scope.fragment(d, body, "type", path("type"), parseType)
	a.Default = d.scope.fragment(d, body, "default", path("default"), parseExpr)
	a.Expression = d.scope.fragment(d, body, "expression", path("expression"), parseExpr)
	a.Hierarchical = d.flag(body, "hierarchical")
	a.Bidirectional = d.flag(body, "bidirectional")
	a.Injective = d.flag(body, "injective")
	a.IsObjectID = d.flag(body, "is_object_id")
	return a
}

// lifetime reads a number of seconds, or { min, max }.
func (d *definition) lifetime(dict *ast.Dictionary) {
	attr := d.content.attrs["lifetime"]
	v, ok := d.given(attr)
	if !ok {
		return
	}
	if !v.IsNull() && v.Type().IsObjectType() && v.Type().HasAttribute("min") && v.Type().HasAttribute("max") && len(v.Type().AttributeTypes()) == 2 {
		least, okMin := seconds(v.GetAttr("min"))
		most, okMax := seconds(v.GetAttr("max"))
		if okMin && okMax && least <= most {
			dict.LifetimeMin, dict.LifetimeMax, dict.HasLifetime = least, most, true
			return
		}
	} else if n, ok := seconds(v); ok {
		dict.LifetimeMax, dict.HasLifetime = n, true
		return
	}
	d.fault(CodeValue, attr.Expr.Range(), "Wrong lifetime", "A lifetime is a number of seconds, or { min = 300, max = 360 } with the smaller first; 0 is never reloaded.")
}

func seconds(v cty.Value) (uint64, bool) {
	var n uint64
	if v.IsNull() || v.Type() != cty.Number || gocty.FromCtyValue(v, &n) != nil || n > math.MaxInt64 {
		return 0, false
	}
	return n, true
}

// ranges reads { min = "from", max = "till" }: the attributes between which a row holds.
func (d *definition) ranges(dict *ast.Dictionary) {
	attr := d.content.attrs["range"]
	v, ok := d.given(attr)
	if !ok {
		return
	}
	names := map[string]string{}
	if !v.IsNull() && v.Type().IsObjectType() {
		for name := range v.Type().AttributeTypes() {
			names[name], _ = stringOf(v.GetAttr(name))
		}
	}
	if names["min"] == "" || names["max"] == "" || len(names) != 2 {
		d.fault(CodeValue, attr.Expr.Range(), "Wrong range", `A range names two attributes, as in range = { min = "valid_from", max = "valid_until" }.`)
		return
	}
	for _, bound := range []string{names["min"], names["max"]} {
		if !slices.Contains(attributeNames(dict), bound) {
			d.fault(CodeColumn, attr.Expr.Range(), fmt.Sprintf("Unknown attribute %q", bound), "A bound of the range is one of the dictionary's attributes."+suggest(bound, attributeNames(dict)))
		}
	}
	dict.RangeMin, dict.RangeMax = names["min"], names["max"]
}
