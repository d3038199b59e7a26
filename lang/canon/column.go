package canon

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/ast"
)

// columns returns the canonical columns. A Nested column becomes one array column for each of its elements, with everything
// else it carries (case S10), unless the live shape keeps it whole (case S11).
func (f *form) columns(list []*ast.Column) []*ast.Column {
	var out []*ast.Column
	for i, c := range list {
		column := f.column(c)
		flat := column.Type != nil && column.Type.Text == "Nested" && column.Type.Kind == ast.Type && !f.nested[column.Name]
		if out == nil && (column != c || flat) {
			out = make([]*ast.Column, i, len(list)+4)
			copy(out, list)
		}
		switch {
		case flat:
			out = append(out, f.flattened(column)...)
		case out != nil:
			out = append(out, column)
		}
	}
	if out == nil {
		return list
	}
	return out
}

func (f *form) flattened(c *ast.Column) []*ast.Column {
	out := make([]*ast.Column, 0, len(c.Type.Kids))
	for _, element := range c.Type.Kids {
		if element.Kind != ast.NamedType {
			return []*ast.Column{c}
		}
		part := *c
		part.Name = c.Name + "." + element.Text
		part.Type = at(element, ast.Type, "Array", element.Kids[0])
		part.Codec = f.codec(c.Codec, part.Type)
		out = append(out, &part)
	}
	return out
}

func (f *form) column(c *ast.Column) *ast.Column {
	typ := f.typ(c.Type)
	value := f.expr(c.Default)
	if c.DefaultKind == ast.Default && value != nil && value.Kind == ast.Keyword && value.Text == "NULL" {
		typ = nullable(typ)
	}
	codec := f.codec(c.Codec, typ)
	statistics := f.statistics(c.Statistics)
	ttl := f.expr(c.TTL)
	settings := f.settingList(c.Settings, nil)
	if typ == c.Type && value == c.Default && codec == c.Codec && statistics == c.Statistics && ttl == c.TTL &&
		same(settings, c.Settings) && c.Collation == "" && !c.PrimaryKey && (!f.lossy || utf8.ValidString(c.Name)) {
		return c
	}
	out := *c
	if f.lossy {
		out.Name = validName(c.Name)
	}
	out.Type, out.Default, out.Codec, out.Statistics, out.TTL, out.Settings = typ, value, codec, statistics, ttl, settings
	out.Collation = "" // ClickHouse reads COLLATE and forgets it
	out.PrimaryKey = false
	return &out
}

// nullable is the type of a column with DEFAULT NULL, which ClickHouse makes Nullable by itself.
func nullable(typ *ast.Node) *ast.Node {
	switch {
	case typ == nil || typ.Kind != ast.Type:
		return typ
	case typ.Text == "LowCardinality":
		return with(typ, each(typ.Kids, nullable))
	case typ.Text == "Nullable":
		return typ
	}
	return at(typ, ast.Type, "Nullable", typ)
}

// statistics are a set: the server prints them in an order of its own.
func (f *form) statistics(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	kids := each(n.Kids, func(k *ast.Node) *ast.Node { return f.lowerWord(k, f.expr) })
	byName := func(a, b *ast.Node) int { return strings.Compare(a.Text, b.Text) }
	if !slices.IsSortedFunc(kids, byName) {
		kids = slices.SortedStableFunc(slices.Values(kids), byName)
	}
	return with(n, kids)
}

// lowerWord is a name ClickHouse reads in any case and prints as written: a statistics or an index type.
func (f *form) lowerWord(n *ast.Node, arg func(*ast.Node) *ast.Node) *ast.Node {
	if n == nil || n.Kind != ast.Ident && n.Kind != ast.Func {
		return n
	}
	n = word(n, each(n.Kids, arg))
	if lower := strings.ToLower(n.Text); lower != n.Text {
		return at(n, n.Kind, lower, n.Kids...)
	}
	return n
}

// primaryKey returns the key that PRIMARY KEY words in columns make, or nil.
func primaryKey(columns []*ast.Column) *ast.Node {
	var key []*ast.Node
	for _, c := range columns {
		if c.PrimaryKey {
			key = append(key, ast.N(ast.Ident, c.Name))
		}
	}
	if key == nil {
		return nil
	}
	return ast.N(ast.Tuple, "", key...)
}
