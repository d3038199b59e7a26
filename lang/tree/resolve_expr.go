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
	fault := unresolved{node: n, parts: parts}
	for at := s; at != nil; at = at.outer {
		for k := range parts {
			if slices.Contains(at.aliases, strings.Join(parts[:k+1], ".")) {
				return
			}
		}
		if at.ctes[parts[0]] != nil && len(parts) == 1 {
			return // a scalar or a set named by WITH
		}
		for _, rel := range at.relations {
			if rel.has(parts) || qualifies(rel, parts) {
				return
			}
			fault.known = append(fault.known, rel.columns...)
			if rel.name != "" {
				fault.from = append(fault.from, ast.Name{Database: rel.database, Name: rel.name}.String())
			}
		}
		fault.known = append(fault.known, at.aliases...)
	}
	r.faults = append(r.faults, fault)
}

// qualifies tells whether a reference is a column qualified by the relation: alias.column, table.column,
// database.table.column.
func qualifies(rel *relation, parts []string) bool {
	if rel.name == "" {
		return false
	}
	if len(parts) > 1 && parts[0] == rel.name && rel.has(parts[1:]) {
		return true
	}
	return len(parts) > 2 && rel.database != "" && parts[0] == rel.database && parts[1] == rel.name && rel.has(parts[2:])
}
