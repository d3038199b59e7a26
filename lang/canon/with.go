package canon

import (
	"maps"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// globalWith puts what the WITH clause of the first query of a union names into the WITH of all others, as ClickHouse does
// before it stores one (ApplyWithGlobalVisitor, 26.7). The names a query has itself stay its own. A first member that is a
// union in parentheses shares nothing with the members outside.
func globalWith(n *ast.Node) *ast.Node {
	first := n.FirstQuery()
	clause := first.With()
	if clause == nil {
		return n
	}
	return spread(n, first, clause)
}

// spread gives every query of the union but the first one the clause.
func spread(n, first, clause *ast.Node) *ast.Node {
	switch {
	case n == first:
		return n
	case n.Kind == ast.Union, n.Kind == ast.Subquery, n.Kind == ast.Paren:
		return with(n, each(n.Kids, func(k *ast.Node) *ast.Node { return spread(k, first, clause) }))
	case n.Kind != ast.Select || len(n.Kids) == 0 || n.Kids[0].Text == "VALUES":
		return n
	}
	own := n.With()
	if own == nil {
		return with(n, slices.Insert(slices.Clone(n.Kids), 0, at(clause, ast.Clause, "WITH", clause.Kids...)))
	}
	kids := append(slices.Clone(own.Kids), lacking(own.Kids, clause.Kids)...)
	if len(kids) == len(own.Kids) {
		return n
	}
	return with(n, replaced(n.Kids, 0, with(own, kids)))
}

// lacking are the elements whose names own has not, by name. To ClickHouse every name AS (query) has the same name here, "".
func lacking(own, others []*ast.Node) []*ast.Node {
	names := map[string]bool{}
	for _, k := range own {
		names[withName(k)] = true
	}
	missing := map[string]*ast.Node{}
	for _, k := range others {
		if name := withName(k); !names[name] {
			missing[name] = k
		}
	}
	var list []*ast.Node
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		list = append(list, missing[name])
	}
	return list
}

func withName(n *ast.Node) string {
	switch {
	case n.Kind == ast.Alias:
		return n.Text
	case n.Kind == ast.Clause && strings.HasPrefix(n.Text, "CTE"):
		return ""
	}
	return n.String()
}
