package tree

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// checkUnions finds what ClickHouse cannot keep: of a UNION ALL (b EXCEPT c) it stores a UNION ALL (b) EXCEPT (c), which it
// reads back, at the next start of the server, as (a UNION ALL b) EXCEPT c. Measured on 26.7.2: a view of 1 and (2 without
// 1) reads 1, 2 until the restart and 2 from then on.
func (l *loader) checkUnions(d *Declared) {
	var query *ast.Node
	switch o := d.Object.(type) {
	case *ast.View:
		query = o.Query
		l.checkAliases(d, o)
	case *ast.MaterializedView:
		query = o.Query
	}
	query.Walk(func(n *ast.Node) bool {
		if n.Kind != ast.Union || !strings.HasPrefix(n.Text, "UNION") {
			return true
		}
		for _, member := range n.Kids[1:] {
			if except := firstOfChain(n.Text, member); except.Kind == ast.Union && strings.HasPrefix(except.Text, "EXCEPT") {
				l.fault(CodeStatement, d.Place(ast.Path{Part: "query"}, except), "ClickHouse does not keep these parentheses",
					"It stores the view without them, and after its next restart the EXCEPT takes away from everything before it. Write SELECT * FROM (... EXCEPT ...) in their place.")
			}
		}
		return true
	})
}

// checkAliases finds what CREATE VIEW v (a, b) AS SELECT .. cannot name (26.7 refuses it with error 36).
func (l *loader) checkAliases(d *Declared, v *ast.View) {
	list := selected(v.Query)
	if len(v.Aliases) == 0 || len(list) == 0 {
		return
	}
	for _, e := range list {
		if e.Kind == ast.Star || e.Kind == ast.Func && e.Text == "COLUMNS" || e.Kind == ast.Operator && e.Text == "." && e.Kids[1].Kind == ast.Func {
			l.fault(CodeStatement, d.Place(ast.Path{Part: "query"}, e), "A star has no names of the list",
				fmt.Sprintf("The names %s are of the columns in their order, and a server takes them for no *. Name the columns.", strings.Join(v.Aliases, ", ")))
			return
		}
	}
	if len(list) != len(v.Aliases) {
		l.fault(CodeStatement, d.Place(ast.Path{Part: "query"}, list[0]), fmt.Sprintf("%d names for a list of %d", len(v.Aliases), len(list)),
			fmt.Sprintf("Each column that is selected has one name of (%s).", strings.Join(v.Aliases, ", ")))
	}
}

// firstOfChain is what stands first once a member of a UNION has become part of its chain.
func firstOfChain(text string, n *ast.Node) *ast.Node {
	for {
		switch {
		case n.Kind == ast.Paren || n.Kind == ast.Subquery && len(n.Kids) == 1:
			n = n.Kids[0]
		case n.Kind == ast.Union && (n.Text == text || text == "UNION DISTINCT" && n.Text == "UNION ALL"):
			n = n.Kids[0]
		default:
			return n
		}
	}
}
