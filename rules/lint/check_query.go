package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func queryChecks() []Check {
	return []Check{
		{Code: "DFE281", Title: "SELECT * in a view", Severity: Warning, query: selectStar},
		{Code: "DFE282", Title: "a view that sorts for nobody", Severity: Note, query: orderWithoutLimit},
		{Code: "DFE283", Title: "a view of arbitrary rows", Severity: Warning, query: limitWithoutOrder},
		{Code: "DFE284", Title: "a join without a condition", Severity: Warning, query: joinWithoutKey},
	}
}

// query is the query of a view while the checks look at it.
type query struct {
	*object
	node   *ast.Node
	stored bool                  // it runs on each inserted block and its rows are kept
	view   *ast.MaterializedView // where it is one
}

func queryPath() ast.Path { return ast.Path{Part: "query"} }

// outer lists the Selects whose rows are the view's own: those of a union, no subqueries.
func outer(n *ast.Node) []*ast.Node {
	switch n.Kind {
	case ast.Select:
		return []*ast.Node{n}
	case ast.Union, ast.Paren:
		var all []*ast.Node
		for _, kid := range n.Kids {
			all = append(all, outer(kid)...)
		}
		return all
	}
	return nil
}

// clause returns a Select's clause whose keywords are among the given ones, or nil.
func clause(sel *ast.Node, words ...string) *ast.Node {
	for _, kid := range sel.Kids {
		if kid.Kind == ast.Clause && slices.Contains(words, kid.Text) {
			return kid
		}
	}
	return nil
}

func selectStar(q *query) {
	for _, sel := range outer(q.node) {
		columns := clause(sel, "SELECT", "SELECT DISTINCT")
		if columns == nil || closed(sel) {
			continue
		}
		for _, c := range columns.Kids {
			if c.Kind != ast.Star && !(c.Kind == ast.Func && c.Text == "COLUMNS") {
				continue
			}
			q.report(queryPath(), c, fmt.Sprintf("%s selects whatever columns there are", q.d.Name),
				"ClickHouse works the list out when it creates the view and keeps it: a column added to the table later is not in the view until that is created again, and one that is dropped breaks it.",
				"Name the columns.")
		}
	}
}

// closed reports a Select that reads one subquery or named query of its own text: what * means there, the text says.
func closed(sel *ast.Node) bool {
	from := clause(sel, "FROM")
	if from == nil || len(from.Kids) != 1 {
		return false
	}
	table := bare(from.Kids[0])
	if table.Kind == ast.Subquery {
		return true
	}
	with := clause(sel, "WITH", "WITH RECURSIVE")
	return with != nil && slices.ContainsFunc(with.Kids, func(n *ast.Node) bool {
		return n.Kind == ast.Clause && strings.HasPrefix(n.Text, "CTE") && n.Kids[0].Text == identifier(table)
	})
}

// bare takes alias and modifiers off a table of a FROM clause.
func bare(n *ast.Node) *ast.Node {
	for n.Kind == ast.Alias || n.Kind == ast.Clause && n.Text == "TABLE" {
		n = n.Kids[0]
	}
	return n
}

func orderWithoutLimit(q *query) {
	for _, sel := range outer(q.node) {
		order := clause(sel, "ORDER BY", "ORDER BY ALL")
		if order == nil || q.stored || clause(sel, "LIMIT", "LIMIT WITH TIES", "LIMIT BY", "OFFSET") != nil {
			continue
		}
		filled := false
		order.Walk(func(n *ast.Node) bool {
			filled = filled || n.Kind == ast.Clause && n.Text == "WITH FILL"
			return !filled
		})
		if !filled {
			at := order
			if len(order.Kids) > 0 {
				at = first(order.Kids[0])
			}
			q.report(queryPath(), at, fmt.Sprintf("%s sorts its rows and keeps them all", q.d.Name),
				"A query that reads a view gets its rows in any order unless it sorts itself: the work of sorting is done for every reader and used by none.",
				"Take ORDER BY out, or add the LIMIT it is meant for.")
		}
	}
}

// first is the node a clause begins with: clauses themselves have no text of their own to point at.
func first(n *ast.Node) *ast.Node {
	for n.Kind == ast.Clause && len(n.Kids) > 0 {
		n = n.Kids[0]
	}
	return n
}

func limitWithoutOrder(q *query) {
	for _, sel := range outer(q.node) {
		limit := clause(sel, "LIMIT", "LIMIT WITH TIES")
		if limit == nil || q.stored || clause(sel, "ORDER BY", "ORDER BY ALL") != nil || len(limit.Kids) == 0 {
			continue
		}
		q.report(queryPath(), limit.Kids[0], fmt.Sprintf("%s keeps rows that nothing chooses", q.d.Name),
			"LIMIT without ORDER BY keeps whichever rows come first, other ones for each query, thread and replica.",
			"Say which rows are wanted with ORDER BY, or leave LIMIT to whoever reads the view.")
	}
}

func joinWithoutKey(q *query) {
	q.node.Walk(func(n *ast.Node) bool {
		if n.Kind != ast.Select {
			return true
		}
		from := clause(n, "FROM")
		if from == nil || len(from.Kids) < 2 {
			return true
		}
		for _, join := range from.Kids[1:] {
			switch {
			case join.Kind != ast.Clause || len(join.Kids) == 0:
			case join.Text == ",":
				if clause(n, "WHERE", "PREWHERE") == nil && bare(from.Kids[0]).Kind == ast.Ident && bare(join.Kids[0]).Kind == ast.Ident {
					q.crossed(join.Kids[0])
				}
			case strings.HasSuffix(join.Text, "JOIN") && len(join.Kids) > 1 && join.Kids[1].Text == "ON" && constant(join.Kids[1].Kids[0]):
				q.crossed(join.Kids[1].Kids[0])
			}
		}
		return true
	})
}

func (q *query) crossed(at *ast.Node) {
	q.report(queryPath(), bare(at), fmt.Sprintf("%s joins every row with every row", q.d.Name),
		"Nothing says which rows belong together, so that the result has as many rows as both tables multiplied.",
		"State the condition, ON a.id = b.id; write CROSS JOIN where all pairs are meant.")
}

// constant reports a condition that reads no column.
func constant(n *ast.Node) bool {
	reads := false
	n.Walk(func(n *ast.Node) bool {
		reads = reads || n.Kind == ast.Ident || n.Kind == ast.Subquery || n.Kind == ast.Opaque
		return !reads
	})
	return !reads
}
