package tree

import (
	"strconv"

	"github.com/dfe-engine/dfe/ast"
)

func renderTable(w *writer, o ast.Object) {
	t := o.(*ast.Table)
	if t.Structure != nil || t.Clone {
		w.fail("its structure is that of something else")
	}
	if len(t.Targets) > 0 {
		w.fail("it has inner tables of its own")
	}
	w.unread(t.Unread)
	w.tableParts(t, t.Columns)
	w.gap()
	w.storage(t)
	w.text("comment", t.Comment)
}

func (w *writer) tableParts(t *ast.Table, columns []*ast.Column) {
	for _, c := range columns {
		w.column(c)
	}
	for _, i := range t.Indexes {
		w.block("index", i.Name, func() {
			w.node("expression", i.Expr)
			w.node("type", i.Type)
			if i.Granularity != 0 {
				w.raw("granularity", strconv.FormatUint(i.Granularity, 10))
			}
		})
	}
	for _, p := range t.Projections {
		w.block("projection", p.Name, func() {
			w.query("query", p.Query)
			w.node("index", p.Index)
			w.node("type", p.Type)
			w.settings(p.Settings)
		})
	}
	for _, c := range t.Constraints {
		w.block("constraint", c.Name, func() {
			if c.Kind == "ASSUME" {
				w.node("assume", c.Expr)
			} else {
				w.node("check", c.Expr)
			}
		})
	}
}

// attrOfDefault names the attribute that gives a column its expression.
func attrOfDefault(kind ast.DefaultKind) string {
	for _, a := range defaultAttrs {
		if a.kind == kind {
			return a.name
		}
	}
	return ""
}

func (w *writer) column(c *ast.Column) {
	if c.Type == nil {
		w.fail("column %s has no type", c.Name)
	}
	if c.PrimaryKey {
		w.fail("column %s carries PRIMARY KEY itself", c.Name)
	}
	w.block("column", c.Name, func() {
		w.node("type", c.Type)
		switch {
		case c.DefaultKind == ast.Ephemeral && c.Default == nil:
			w.raw("ephemeral", "true")
		case c.DefaultKind != ast.Plain:
			w.node(attrOfDefault(c.DefaultKind), c.Default)
		}
		w.node("codec", c.Codec)
		w.node("statistics", c.Statistics)
		w.node("ttl", c.TTL)
		w.settings(c.Settings)
		w.text("collation", c.Collation)
		w.text("comment", c.Comment)
	})
}

func (w *writer) storage(t *ast.Table) {
	w.engine(t.Engine)
	w.key("partition_by", t.PartitionBy)
	w.key("primary_key", t.PrimaryKey)
	w.key("order_by", t.OrderBy)
	w.node("sample_by", t.SampleBy)
	w.key("unique_key", t.UniqueKey)
	if t.TTL != nil {
		if len(t.TTL.Kids) == 1 {
			w.node("ttl", t.TTL.Kids[0])
		} else {
			w.list("ttl", t.TTL.Kids)
		}
	}
	w.settings(t.Settings)
}

// key writes a key: a tuple as a list of its parts, anything else as one text.
func (w *writer) key(name string, n *ast.Node) {
	switch {
	case n == nil:
	case n.Kind == ast.Tuple && len(n.Kids) != 1:
		w.list(name, n.Kids)
	default:
		w.node(name, n)
	}
}
