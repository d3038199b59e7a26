package canon

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/infer"
)

// inferred gives the columns with no written type the one their expression has, or an Unknown with the reason (case S15).
// Columns may name each other in any order.
func (f *form) inferred(list []*ast.Column) []*ast.Column {
	var missing []int
	for i, c := range list {
		if untyped(c.Type) {
			missing = append(missing, i)
		}
	}
	if missing == nil {
		return list
	}
	columns := slices.Clone(list)
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
		nulls[columns[i]] = list[i].Type != nil
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
	return columns
}

// untyped reports whether a column has no written type; x NULL DEFAULT 1 is a Nullable of nothing.
func untyped(typ *ast.Node) bool {
	return typ == nil || typ.Kind == ast.Type && typ.Text == "Nullable" && len(typ.Kids) == 0
}
