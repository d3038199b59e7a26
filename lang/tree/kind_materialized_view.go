package tree

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
)

// materializedViewKind is a view that writes what it selects: to a table, or to an inner table of its own.
func materializedViewKind() kind {
	blocks := map[string]int{"refresh": 0}
	for name, labels := range partBlocks {
		blocks[name] = labels
	}
	return kind{
		name:      ast.KindMaterializedView,
		qualified: true,
		shape: shape{
			what: "a materialized view definition",
			attrs: []string{"to", "query", "sql_security", "definer", "comment", "include", "drop", "engine", "order_by",
				"primary_key", "partition_by", "sample_by", "unique_key", "ttl", "settings"},
			blocks: blocks,
		},
		build: buildMaterializedView,
		statement: func(o ast.Object, name ast.Name, origin ast.Origin) bool {
			m, ok := o.(*ast.MaterializedView)
			if ok {
				m.Name, m.Origin = name, origin
			}
			return ok
		},
		render: renderMaterializedView,
	}
}

func buildMaterializedView(d *definition) ast.Object {
	m := &ast.MaterializedView{Name: d.declared.Name, Origin: d.origin()}
	inner := &ast.Table{}
	d.into(inner, d.parts(d, d.content, []string{d.source.name}))
	m.Columns, inner.Columns = inner.Columns, nil
	if attr := d.content.attrs["to"]; attr != nil {
		m.To = d.objectName(attr)
		if extra := firstOf(d.content, "engine", "order_by", "primary_key", "partition_by", "sample_by", "unique_key", "ttl", "settings"); extra != nil {
			d.fault(CodeValue, extra.NameRange, fmt.Sprintf("%q belongs to the table the view writes to", extra.Name),
				"A materialized view with `to` has no storage of its own.")
		}
	} else {
		d.require(d.content, "engine", `A materialized view writes to a table, to = "db.table", or states the engine of its inner table.`)
		d.storage(inner)
		m.Inner = inner
	}
	d.require(d.content, "query", "A materialized view is a query, as in query = <<-SQL ... SQL.")
	m.Query = d.fragment("query", parseQuery)
	m.Refresh = d.refresh()
	m.Security = d.security()
	m.Comment = d.comment(d, d.content, ast.Path{Part: "comment"})
	return m
}

func firstOf(c content, names ...string) *hclsyntax.Attribute {
	for _, name := range names {
		if attr := c.attrs[name]; attr != nil {
			return attr
		}
	}
	return nil
}

// objectNameIn reads the name of another object; without a database it is in the given one.
func (s *scope) objectNameIn(attr *hclsyntax.Attribute, database string) ast.Name {
	t, ok := s.text(attr)
	if !ok {
		return ast.Name{}
	}
	return s.nameOf(t, database)
}

func (s *scope) nameOf(t text, database string) ast.Name {
	if name, err := ParseName(t.value, false); err == nil {
		return ast.Name{Database: database, Name: name.Name}
	}
	name, err := ParseName(t.value, true)
	if err != nil {
		s.fault(CodeName, t.whole(), fmt.Sprintf("Invalid name %q", t.value), fmt.Sprintf("The name of an object: %v.", err))
	}
	return name
}

func (d *definition) objectName(attr *hclsyntax.Attribute) ast.Name {
	d.declared.places.setSpot(ast.Path{Part: attr.Name}, attr.Expr.Range())
	return d.objectNameIn(attr, d.declared.Name.Database)
}

var refreshShape = shape{what: "a refresh schedule", attrs: []string{"every", "after", "offset", "randomize", "depends_on", "append", "settings"}}

// refresh reads the schedule of a refreshable view.
func (d *definition) refresh() *ast.Refresh {
	var block *hclsyntax.Block
	for _, b := range d.content.blocks {
		if b.Type != "refresh" {
			continue
		}
		if block != nil {
			d.fault(CodeDuplicate, b.TypeRange, "A second refresh schedule", "A view has one. Remove one of the two.")
			continue
		}
		block = b
	}
	if block == nil {
		return nil
	}
	path := func(attr string) ast.Path { return ast.Path{Part: "refresh", Attr: attr} }
	d.declared.places.setSpot(path(""), block.TypeRange)
	body := d.read(block.Body, block.TypeRange, refreshShape)
	r := &ast.Refresh{}
	every, after := body.attrs["every"], body.attrs["after"]
	switch {
	case every != nil && after == nil:
		r.Kind, r.Period = "EVERY", d.scope.fragment(d, body, "every", path("schedule"), parsePeriod)
	case after != nil && every == nil:
		r.Kind, r.Period = "AFTER", d.scope.fragment(d, body, "after", path("schedule"), parsePeriod)
	case every != nil || body.attrs["depends_on"] == nil:
		d.fault(CodeMissing, block.TypeRange, "A schedule says every, after or depends_on",
			`It has either every = "1 HOUR", by the clock, or after = "1 HOUR", counted from the last refresh, or the views it depends on alone.`)
		return nil
	}
	r.Offset = d.scope.fragment(d, body, "offset", path("offset"), parsePeriod)
	r.Randomize = d.scope.fragment(d, body, "randomize", path("randomize"), parsePeriod)
	names, _, _ := d.texts(body.attrs["depends_on"])
	for _, t := range names {
		r.DependsOn = append(r.DependsOn, d.nameOf(t, d.declared.Name.Database))
	}
	if attr := body.attrs["depends_on"]; attr != nil {
		d.declared.places.setSpot(path("depends_on"), attr.Expr.Range())
	}
	r.Append = d.flag(body, "append")
	r.Settings = d.settings(d, body.attrs["settings"], func(name string) ast.Path { return path("setting " + name) })
	return r
}

// flag reads true or false; absent is false.
func (s *scope) flag(c content, name string) bool {
	attr := c.attrs[name]
	if attr == nil {
		return false
	}
	v, ok := s.value(attr.Expr)
	if !ok {
		return false
	}
	if v, _ = v.UnmarkDeep(); v.IsNull() || v.Type() != cty.Bool {
		s.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", name), fmt.Sprintf("%q is true or false; this is %s.", name, describe(v)))
		return false
	}
	return v.True()
}
