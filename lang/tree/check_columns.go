package tree

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
	"github.com/dfe-engine/dfe/lang/series"
)

// checkColumns finds references to columns that do not exist: in the query of a view, and in the keys, indexes,
// defaults and TTLs of a table.
func (l *loader) checkColumns(d *Declared) {
	switch o := d.Object.(type) {
	case *ast.View:
		l.unknownColumns(d, ast.Path{Part: "query"}, func(r *resolver) { r.query(o.Query, nil) })
	case *ast.MaterializedView:
		l.unknownColumns(d, ast.Path{Part: "query"}, func(r *resolver) { r.query(o.Query, nil) })
		l.checkTarget(d, o)
	case *ast.Table:
		l.tableColumns(d, o)
	case *ast.Dictionary:
		l.sourceColumns(d, o)
	}
}

// sourceColumns finds attributes a dictionary's source table lacks: the server would tell only when it first loads.
func (l *loader) sourceColumns(d *Declared, dict *ast.Dictionary) {
	for _, ref := range deps.Of(dict) {
		if ref.Path.Part != "source" || ref.Path.Attr != "table" {
			continue
		}
		source, ok := l.columnsOf(ref.Name)
		if !ok || source.open {
			continue
		}
		for _, a := range dict.Attributes {
			if a.Expression == nil && !source.names(a.Name) {
				l.fault(CodeColumn, d.Place(ast.Path{Part: "attribute", Name: a.Name}, nil), fmt.Sprintf("The source has no column %q", a.Name),
					fmt.Sprintf("An attribute without an expression is a column of the source, %s.", ref.Name)+l.meant(a.Name, source.columns))
			}
		}
	}
}

func (l *loader) unknownColumns(d *Declared, path ast.Path, resolve func(*resolver)) {
	if l.full() {
		return
	}
	r := &resolver{lookup: l.columnsOf, database: d.Name.Database}
	resolve(r)
	for _, u := range r.faults {
		name := strings.Join(u.parts, ".")
		from, known := u.sight()
		detail := fmt.Sprintf("There is no alias %q, and the query reads no table.", name)
		if len(from) > 0 {
			detail = fmt.Sprintf("No column or alias %q in %s.", name, series.Or(from))
		}
		l.fault(CodeColumn, d.Place(path, u.node), fmt.Sprintf("Unknown column %q", name), detail+l.meant(name, known))
	}
}

// tableColumns checks every expression of a table against its own columns.
func (l *loader) tableColumns(d *Declared, t *ast.Table) {
	rel, ok := l.columnsOf(t.Name)
	if !ok || rel.open {
		return
	}
	rel.database, rel.name, rel.virtual = t.Name.Database, t.Name.Name, true
	check := func(path ast.Path, n *ast.Node) {
		if n == nil {
			return
		}
		l.unknownColumns(d, path, func(r *resolver) { r.expr(n, &querySource{relations: []*relation{&rel}}) })
	}
	for _, c := range t.Columns {
		check(ast.Path{Part: "column", Name: c.Name, Attr: "default"}, c.Default)
		check(ast.Path{Part: "column", Name: c.Name, Attr: "ttl"}, c.TTL)
	}
	for _, i := range t.Indexes {
		check(ast.Path{Part: "index", Name: i.Name, Attr: "expr"}, i.Expr)
	}
	for _, p := range t.Projections {
		check(ast.Path{Part: "projection", Name: p.Name, Attr: "query"}, p.Query)
		check(ast.Path{Part: "projection", Name: p.Name, Attr: "index"}, p.Index)
	}
	for _, c := range t.Constraints {
		check(ast.Path{Part: "constraint", Name: c.Name, Attr: "expr"}, c.Expr)
	}
	check(ast.Path{Part: "partition_by"}, t.PartitionBy)
	check(ast.Path{Part: "primary_key"}, t.PrimaryKey)
	check(ast.Path{Part: "order_by"}, t.OrderBy)
	check(ast.Path{Part: "sample_by"}, t.SampleBy)
	check(ast.Path{Part: "unique_key"}, t.UniqueKey)
	check(ast.Path{Part: "ttl"}, t.TTL)
	if t.Engine != nil && strings.HasSuffix(t.Engine.Name, "MergeTree") {
		for _, arg := range t.Engine.Args {
			check(ast.Path{Part: "engine", Attr: "args"}, arg)
		}
	}
}

// columnsOf returns the columns a declared object gives to a query.
func (l *loader) columnsOf(name ast.Name) (relation, bool) {
	d := l.find(ast.KindTable, name)
	if d == nil {
		return relation{}, false
	}
	if d.columns != nil {
		return *d.columns, true
	}
	rel := relation{open: true}
	d.columns = &rel // a loop of references ends here
	switch o := d.Object.(type) {
	case *ast.Table:
		rel = l.columnsOfTable(o)
	case *ast.View:
		rel = l.columnsOfQuery(o.Columns, o.Query, name.Database)
		if len(o.Aliases) > 0 {
			rel = relation{columns: o.Aliases}
		}
	case *ast.MaterializedView:
		rel = l.columnsOfQuery(o.Columns, o.Query, name.Database)
		if o.To != (ast.Name{}) {
			if to, ok := l.columnsOf(o.To); ok {
				rel = to
			}
		}
	case *ast.Dictionary:
		rel = relation{}
		for _, a := range o.Attributes {
			rel.columns = append(rel.columns, a.Name)
		}
	}
	rel.open = rel.open || d.Broken
	d.columns = &rel
	return rel, true
}

func (l *loader) columnsOfTable(t *ast.Table) relation {
	rel := relation{open: len(t.Columns) == 0}
	if t.Structure != nil && t.Structure.Kind == ast.Ident {
		if parts := identParts(t.Structure); len(parts) > 0 {
			of := ast.Name{Database: t.Name.Database, Name: parts[len(parts)-1]}
			if len(parts) == 2 {
				of.Database = parts[0]
			}
			if copied, ok := l.columnsOf(of); ok {
				return copied
			}
		}
	}
	for _, c := range t.Columns {
		rel.columns = append(rel.columns, c.Name)
		if c.Type != nil && strings.EqualFold(c.Type.Text, "Nested") {
			for _, e := range c.Type.Kids {
				if e.Kind == ast.NamedType {
					rel.columns = append(rel.columns, c.Name+"."+e.Text)
				}
			}
		}
	}
	return rel
}

func (l *loader) columnsOfQuery(columns []*ast.Column, query *ast.Node, database string) relation {
	if len(columns) > 0 {
		var rel relation
		for _, c := range columns {
			rel.columns = append(rel.columns, c.Name)
		}
		return rel
	}
	r := &resolver{lookup: l.columnsOf, database: database}
	rel := r.query(query, nil)
	return relation{columns: rel.columns, open: rel.open}
}

// checkTarget finds columns a materialized view selects and its target lacks (26.7 refuses them with error 8).
func (l *loader) checkTarget(d *Declared, m *ast.MaterializedView) {
	if m.To == (ast.Name{}) {
		return
	}
	target, ok := l.columnsOf(m.To)
	if !ok || target.open {
		return
	}
	for _, e := range selected(m.Query) {
		if name := outputName(e); name != "" && !target.names(name) {
			l.fault(CodeColumn, d.Place(ast.Path{Part: "query"}, e), fmt.Sprintf("The target has no column %q", name),
				fmt.Sprintf("%s writes to %s by the names of its columns, and a server refuses one the target lacks. Name it with AS, or add the column.", d.Name, m.To)+l.meant(name, target.columns))
		}
	}
}

// selected returns the SELECT list of a query, of the first one of a union.
func selected(n *ast.Node) []*ast.Node {
	for n != nil && (n.Kind == ast.Union || n.Kind == ast.Paren) && len(n.Kids) > 0 {
		n = n.Kids[0]
	}
	if n == nil || n.Kind != ast.Select {
		return nil
	}
	for _, clause := range n.Kids {
		if clause.Text == "SELECT" || clause.Text == "SELECT DISTINCT" {
			return clause.Kids
		}
	}
	return nil
}

// outputName is the name of a selected column where the text alone decides it.
func outputName(e *ast.Node) string {
	switch {
	case e.Kind == ast.Alias:
		return e.Text
	case e.Kind == ast.Ident && len(e.Kids) == 0:
		return e.Text
	}
	return ""
}
