package canon

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/infer"
)

// structure gives a table the columns of the table it copies (AS db.t), with its indexes, projections and constraints, and
// its engine where the definition names none. What Lookup does not know stays as it is.
func (f *form) structure(t *ast.Table) {
	t.Clone, t.Empty = false, false // they leave no trace in the stored text
	n := t.Structure
	if n == nil {
		return
	}
	if n.Kind != ast.Ident {
		if n.Kind != ast.Func && len(t.Columns) > 0 {
			t.Structure = nil // a list and AS SELECT: the list alone is stored
		}
		return
	}
	name := ast.Name{Database: f.db, Name: n.Text}
	if len(n.Kids) == 2 {
		name = ast.Name{Database: n.Kids[0].Text, Name: n.Kids[1].Text}
	}
	switch source := f.env.lookup(name).(type) {
	case *ast.Table:
		if source.Structure != nil {
			return
		}
		t.Columns = source.Columns
		if t.PrimaryKey == nil && t.Engine == nil {
			t.PrimaryKey = primaryKey(source.Columns)
		}
		t.Indexes, t.Projections, t.Constraints = source.Indexes, source.Projections, source.Constraints
		if t.Engine == nil {
			t.Engine = source.Engine
			t.PartitionBy, t.OrderBy, t.SampleBy, t.TTL = source.PartitionBy, source.OrderBy, source.SampleBy, source.TTL
			t.Settings = source.Settings
			if t.PrimaryKey == nil {
				t.PrimaryKey = source.PrimaryKey
			}
		}
	case *ast.View:
		if len(source.Columns) == 0 {
			return
		}
		t.Columns = source.Columns
	case *ast.MaterializedView:
		if len(source.Columns) == 0 {
			return
		}
		t.Columns = source.Columns
	default:
		return
	}
	t.Structure = nil
}

// inferTypes gives the columns with no written type the one their expression has, or an Unknown with the reason (case S15).
// Columns may name each other in any order.
func (f *form) inferTypes(t *ast.Table) {
	var missing []int
	for i, c := range t.Columns {
		if untyped(c.Type) {
			missing = append(missing, i)
		}
	}
	if missing == nil {
		return
	}
	columns := make([]*ast.Column, len(t.Columns))
	copy(columns, t.Columns)
	defer func() { t.Columns = columns }()
	byName := make(map[string]*ast.Column, len(columns))
	for _, i := range missing {
		c := *columns[i]
		c.Type = nil
		columns[i] = &c
	}
	for _, c := range columns {
		byName[c.Name] = c
	}
	nulls := map[*ast.Column]bool{}
	for _, i := range missing {
		nulls[columns[i]] = t.Columns[i].Type != nil
	}
	visiting := map[*ast.Column]bool{}
	var resolve func(c *ast.Column) *ast.Node
	resolve = func(c *ast.Column) *ast.Node {
		switch {
		case c.Type != nil:
			return c.Type
		case visiting[c]:
			return ast.N(ast.Unknown, "the columns that define "+c.Name+" define each other")
		case c.Default == nil:
			c.Type = ast.N(ast.Unknown, "the column "+c.Name+" has neither a type nor an expression")
			return c.Type
		}
		visiting[c] = true
		typ, reason := infer.Type(c.Default, func(name string) *ast.Node {
			if other := byName[name]; other != nil {
				return resolve(other)
			}
			return nil
		})
		if typ == nil {
			typ = ast.N(ast.Unknown, "the column "+c.Name+" has no written type, and "+reason)
		}
		if nulls[c] {
			typ = nullable(typ)
		}
		c.Type = typ
		c.Codec = f.codec(c.Codec, typ)
		return typ
	}
	for _, i := range missing {
		resolve(columns[i])
	}
}

// untyped reports whether a column has no written type; x NULL DEFAULT 1 is a Nullable of nothing.
func untyped(typ *ast.Node) bool {
	return typ == nil || typ.Kind == ast.Type && typ.Text == "Nullable" && len(typ.Kids) == 0
}
