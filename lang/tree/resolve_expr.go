package tree

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// expr resolves the references of an expression.
func (r *resolver) expr(n *ast.Node, s *querySource) {
	if n == nil {
		return
	}
	switch n.Kind {
	case ast.Ident:
		r.reference(n, s)
	case ast.Type, ast.Param, ast.Equals, ast.Opaque, ast.Star:
	case ast.Subquery, ast.Select, ast.Union:
		r.query(n, s)
	case ast.Lambda:
		r.lambda(n, s)
	case ast.Operator:
		r.operator(n, s)
	case ast.Func:
		r.call(n, s)
	case ast.Clause:
		r.clause(n, s)
	default:
		for _, kid := range n.Kids {
			r.expr(kid, s)
		}
	}
}

func (r *resolver) clause(n *ast.Node, s *querySource) {
	switch n.Text {
	case "OVER":
		// OVER name refers to a window, not a column.
		for _, kid := range n.Kids {
			if kid.Kind != ast.Ident {
				r.window(kid, s)
			}
		}
	case "EXCEPT", "EXCEPT STRICT", "REPLACE", "REPLACE STRICT", "APPLY", "SETTINGS", "COLLATE", "SET":
	case "TO DISK", "TO VOLUME", "TO DISK IF EXISTS", "TO VOLUME IF EXISTS", "RECOMPRESS":
		if len(n.Kids) > 0 {
			r.expr(n.Kids[0], s)
		}
	default:
		for _, kid := range n.Kids {
			r.expr(kid, s)
		}
	}
}

// window resolves a window's definition, whose first kid may be the name of another window.
func (r *resolver) window(n *ast.Node, s *querySource) {
	for i, kid := range n.Kids {
		if i == 0 && kid.Kind == ast.Ident {
			continue
		}
		r.expr(kid, s)
	}
}

// lambda resolves the body with the parameters in sight.
func (r *resolver) lambda(n *ast.Node, s *querySource) {
	if len(n.Kids) == 0 {
		return
	}
	inner := &querySource{outer: s, aliases: []string{}}
	for _, p := range n.Kids[:len(n.Kids)-1] {
		p.Walk(func(n *ast.Node) bool {
			inner.aliases = append(inner.aliases, n.Text)
			return true
		})
	}
	r.expr(n.Kids[len(n.Kids)-1], inner)
}

func (r *resolver) operator(n *ast.Node, s *querySource) {
	kids := n.Kids
	switch {
	case strings.HasSuffix(n.Text, "IN") && len(kids) == 2 && kids[1].Kind == ast.Ident:
		kids = kids[:1] // a table, or a column: nobody can tell from here
	case (strings.HasPrefix(n.Text, ".") || n.Text == "@@") && len(kids) > 0:
		if n.Text == "@@" {
			return
		}
		kids = kids[:1] // what follows is inside the first
	}
	for _, kid := range kids {
		r.expr(kid, s)
	}
}

// call resolves the arguments of a function. The first one of a dictionary's or a join table's function is its name.
func (r *resolver) call(n *ast.Node, s *querySource) {
	kids := n.Kids
	lower := strings.ToLower(n.Text)
	switch {
	case lower == "columns":
		return
	case strings.HasPrefix(lower, "dict") || strings.HasPrefix(lower, "joinget"):
		if len(kids) > 0 && kids[0].Kind == ast.Ident {
			kids = kids[1:]
		}
	}
	for _, kid := range kids {
		r.expr(kid, s)
	}
}

// reference looks an identifier up, scope by scope outwards.
func (r *resolver) reference(n *ast.Node, s *querySource) {
	parts := identParts(n)
	if len(parts) == 0 || parts[0] == "" {
		return
	}
	for at := s; at != nil; at = at.outer {
		for k := range parts {
			if slices.Contains(at.aliases, strings.Join(parts[:k+1], ".")) {
				return
			}
		}
		if at.ctes[parts[0]] != nil && len(parts) == 1 {
			return // a scalar or a set named by WITH
		}
		if at.finds(parts) {
			return
		}
	}
	if len(r.faults) <= maxFaults {
		r.faults = append(r.faults, unresolved{n, parts, s})
	}
}

// finds tells whether a relation of this scope has the column. A reference that names one of them is decided by that
// one: what an open relation beside it may have does not matter.
func (s *querySource) finds(parts []string) bool {
	qualified := false
	for _, rel := range s.relations {
		rest, ok := rel.qualifies(parts)
		if ok && rel.has(rest) {
			return true
		}
		qualified = qualified || ok
	}
	for _, rel := range s.relations {
		if !(qualified && rel.open) && rel.has(parts) {
			return true
		}
	}
	return false
}

// qualifies takes the name of the relation off a reference: alias.column, table.column, database.table.column.
func (r *relation) qualifies(parts []string) ([]string, bool) {
	switch {
	case r.name == "":
		return nil, false
	case len(parts) > 2 && r.database != "" && parts[0] == r.database && parts[1] == r.name:
		return parts[2:], true
	case len(parts) > 1 && parts[0] == r.name:
		return parts[1:], true
	}
	return nil, false
}

// String names the relation for a message; "" for one without a name.
func (r *relation) String() string {
	if r.name == "" {
		return ""
	}
	return ast.Name{Database: r.database, Name: r.name}.String()
}
