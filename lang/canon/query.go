package canon

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// scope is what the WITH clauses around a place name: queries, and expressions that stand for themselves in IN.
type scope struct {
	outer   *scope
	queries map[string]bool
	aliases map[string]*ast.Node
}

func (s *scope) query(name string) bool {
	for ; s != nil; s = s.outer {
		if s.queries[name] {
			return true
		}
	}
	return false
}

func (s *scope) alias(name string) *ast.Node {
	for ; s != nil; s = s.outer {
		if a, ok := s.aliases[name]; ok {
			return a
		}
	}
	return nil
}

// stored returns the canonical form of a view's query.
func (f *form) stored(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	f.query = true
	defer func() { f.query = false }()
	n = f.expr(n)
	for n.Kind == ast.Subquery {
		n = n.Kids[0]
	}
	return n
}

func (f *form) selectQuery(n *ast.Node) *ast.Node {
	if len(n.Kids) == 1 && n.Kids[0].Kind == ast.Clause && n.Kids[0].Text == "VALUES" {
		call := at(n, ast.Func, "SQLStandardValues", each(n.Kids[0].Kids, f.expr)...) // what ClickHouse's parser makes of it
		return at(n, ast.Select, "", at(n, ast.Clause, "SELECT", at(n, ast.Star, "")), at(n, ast.Clause, "FROM", call))
	}
	if len(n.Kids) > 0 && strings.HasPrefix(n.Kids[0].Text, "WITH") && n.Kids[0].Kind == ast.Clause {
		f.scope = &scope{outer: f.scope, queries: map[string]bool{}, aliases: map[string]*ast.Node{}}
		defer func() { f.scope = f.scope.outer }()
	}
	return with(n, each(n.Kids, f.clause))
}

// union: a UNION of the same UNION is one chain, and so is a UNION DISTINCT of any UNION, because it makes distinct what is
// inside it; EXCEPT and INTERSECT without a word are ALL, and a chain of them is taken two by two from the left. This is
// how ClickHouse stores them (measured for every combination of three operators).
func (f *form) union(n *ast.Node) *ast.Node {
	n = globalWith(n)
	text := n.Text
	if text == "EXCEPT" || text == "INTERSECT" {
		text += " ALL"
	}
	kids := each(n.Kids, f.expr)
	if !strings.HasPrefix(text, "UNION ") {
		for len(kids) > 2 {
			kids = append([]*ast.Node{at(n, ast.Union, text, kids[0], kids[1])}, kids[2:]...)
		}
	} else if within := func(k *ast.Node) bool { return chained(text, k) }; slices.ContainsFunc(kids, within) {
		kids = chain(nil, text, kids)
	}
	if text == n.Text {
		return with(n, kids)
	}
	return at(n, ast.Union, text, kids...)
}

// chained reports whether a member of a UNION is a part of its chain.
func chained(text string, member *ast.Node) bool {
	return member.Kind == ast.Union && (member.Text == text || text == "UNION DISTINCT" && member.Text == "UNION ALL")
}

func chain(flat []*ast.Node, text string, members []*ast.Node) []*ast.Node {
	for _, member := range members {
		if chained(text, member) {
			flat = chain(flat, text, member.Kids)
		} else {
			flat = append(flat, member)
		}
	}
	return flat
}

func (f *form) subquery(n *ast.Node) *ast.Node {
	if len(n.Kids) == 1 {
		kid := n.Kids[0]
		if kid.Kind == ast.Clause && strings.HasPrefix(kid.Text, "EXPLAIN") {
			return at(n, ast.Subquery, "", f.explain(kid))
		}
		kid = f.expr(kid)
		for kid.Kind == ast.Subquery && len(kid.Kids) == 1 {
			kid = kid.Kids[0]
		}
		if kid == n.Kids[0] {
			return n
		}
		return at(n, ast.Subquery, "", kid)
	}
	return with(n, each(n.Kids, f.expr))
}

// explain is what ClickHouse's parser makes of (EXPLAIN settings query): SELECT * FROM viewExplain(kind, settings, (query)).
func (f *form) explain(n *ast.Node) *ast.Node {
	kind := n.Text
	if kind == "EXPLAIN PLAN" {
		kind = "EXPLAIN"
	}
	var settings strings.Builder
	var query *ast.Node
	for _, k := range n.Kids {
		if k.Kind != ast.Equals {
			query = k
			continue
		}
		if settings.Len() > 0 {
			settings.WriteString(", ")
		}
		settings.WriteString(k.Text + " = " + explainValue(f.expr(k.Kids[0])))
	}
	call := at(n, ast.Func, "viewExplain", at(n, ast.String, kind), at(n, ast.String, settings.String()))
	if query != nil {
		call.Kids = append(call.Kids, f.subquery(at(n, ast.Subquery, "", query)))
	}
	return at(n, ast.Select, "",
		at(n, ast.Clause, "SELECT", at(n, ast.Star, "")),
		at(n, ast.Clause, "FROM", call))
}

func explainValue(n *ast.Node) string {
	if n.Kind == ast.String {
		return ast.QuoteString(n.Text)
	}
	return n.Text
}

// clause returns the canonical form of a clause of a query or of a list item. Nil: it says nothing.
func (f *form) clause(n *ast.Node) *ast.Node {
	if n.Kind != ast.Clause {
		return f.expr(n)
	}
	switch n.Text {
	case "WITH", "WITH RECURSIVE":
		return f.withClause(n)
	case "FROM":
		return with(n, each(n.Kids, f.fromItem))
	case "ORDER BY":
		return with(n, each(n.Kids, f.orderElement))
	case "ORDER BY ALL":
		return f.orderByAll(n)
	case "FORMAT":
		return nil
	case "SETTINGS":
		return f.querySettings(n)
	case "INTERPOLATE":
		return with(n, each(n.Kids, f.interpolation))
	case "SAMPLE", "OFFSET":
		return with(n, each(n.Kids, func(k *ast.Node) *ast.Node { return ratio(f.expr(k)) }))
	case "ROWS", "RANGE", "GROUPS":
		if len(n.Kids) == 1 {
			return at(n, ast.Clause, n.Text, f.expr(n.Kids[0]), at(n, ast.Keyword, "CURRENT ROW"))
		}
	}
	return with(n, each(n.Kids, f.expr))
}

func (f *form) withClause(n *ast.Node) *ast.Node {
	if n.Text == "WITH RECURSIVE" {
		for _, k := range n.Kids {
			if cte(k) {
				f.scope.queries[k.Kids[0].Text] = true
			}
		}
	}
	return with(n, each(n.Kids, func(k *ast.Node) *ast.Node {
		if cte(k) {
			out := with(k, each(k.Kids, func(part *ast.Node) *ast.Node {
				if part.Kind == ast.Subquery {
					return f.expr(part)
				}
				return part
			}))
			f.scope.queries[k.Kids[0].Text] = true
			return out
		}
		out := f.expr(k)
		if out.Kind == ast.Alias {
			f.scope.aliases[out.Text] = out
		}
		return out
	}))
}

func cte(n *ast.Node) bool {
	return n.Kind == ast.Clause && strings.HasPrefix(n.Text, "CTE") && len(n.Kids) >= 2
}

// inSource is the name on the right of IN: an alias of WITH stands there with its expression, as the server writes it;
// any other name is a table.
func (f *form) inSource(n *ast.Node) *ast.Node {
	if len(n.Kids) == 0 {
		if a := f.scope.alias(n.Text); a != nil {
			return a
		}
	}
	return f.tableName(n)
}

// tableName qualifies a table with the database, unless WITH names it.
func (f *form) tableName(n *ast.Node) *ast.Node {
	if n.Kind != ast.Ident || len(n.Kids) > 0 || f.db == "" || f.scope.query(n.Text) {
		return n
	}
	return at(n, ast.Ident, "", at(n, ast.Ident, f.db), n)
}

// fromItem is a table or a join of FROM.
func (f *form) fromItem(n *ast.Node) *ast.Node {
	if n.Kind != ast.Clause || n.Text == "TABLE" {
		return f.tableExpr(n)
	}
	if strings.HasSuffix(n.Text, "ARRAY JOIN") {
		return with(n, each(n.Kids, f.expr))
	}
	kids := each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind == ast.Clause && (k.Text == "ON" || k.Text == "USING") {
			return f.using(k)
		}
		return f.tableExpr(k)
	})
	text := joinText(n.Text)
	if text == n.Text {
		return with(n, kids)
	}
	return at(n, ast.Clause, text, kids...)
}

// joinText: ALL is the default strictness and a comma is CROSS JOIN.
func joinText(s string) string {
	if s == "," {
		return "CROSS JOIN"
	}
	s = strings.TrimPrefix(s, "LOCAL ")
	if rest, ok := strings.CutPrefix(s, "GLOBAL ALL "); ok {
		return "GLOBAL " + rest
	}
	return strings.TrimPrefix(s, "ALL ")
}

func (f *form) using(n *ast.Node) *ast.Node {
	kids := each(n.Kids, f.expr)
	if n.Text == "USING" && len(kids) == 1 && kids[0].Kind == ast.Tuple {
		kids = kids[0].Kids
	}
	return with(n, kids)
}

func (f *form) tableExpr(n *ast.Node) *ast.Node {
	switch n.Kind {
	case ast.Ident:
		return f.tableName(n)
	case ast.Alias:
		kids := n.Kids
		if t := f.tableExpr(kids[0]); t != kids[0] {
			kids = slices.Clone(kids)
			kids[0] = t
		}
		return with(n, kids)
	case ast.Func:
		return f.tableFunction(n)
	case ast.Clause:
		return with(n, each(n.Kids, func(k *ast.Node) *ast.Node {
			if k.Kind == ast.Clause {
				return f.clause(k)
			}
			return f.tableExpr(k)
		}))
	case ast.Paren:
		return f.tableExpr(n.Kids[0])
	}
	return f.expr(n)
}

// tableFunction keeps the arguments, whose names are no columns; queries in them are queries.
func (f *form) tableFunction(n *ast.Node) *ast.Node {
	kids := each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind == ast.Func {
			if _, ok := facts.TableFunction(k.Text); ok {
				return f.tableFunction(k)
			}
		}
		return f.expr(k)
	})
	name := n.Text
	if canonical, ok := facts.TableFunction(name); ok {
		name = canonical
	}
	return renamedCall(n, name, kids)
}

// orderElement: ASC and NULLS LAST are the defaults.
func (f *form) orderElement(n *ast.Node) *ast.Node {
	if n.Kind != ast.Clause {
		return f.expr(n)
	}
	kids := each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind == ast.Clause && k.Text == "NULLS LAST" {
			return nil
		}
		return f.clause(k)
	})
	if n.Text == "ASC" && len(kids) == 1 {
		return kids[0]
	}
	return with(n, kids)
}

func (f *form) orderByAll(n *ast.Node) *ast.Node {
	if len(n.Kids) == 1 {
		direction := f.orderElement(n.Kids[0])
		if direction.Text == "ASC" && len(direction.Kids) == 0 {
			return at(n, ast.Clause, n.Text)
		}
		return with(n, []*ast.Node{direction})
	}
	return n
}

func (f *form) interpolation(n *ast.Node) *ast.Node {
	if n.Kind == ast.Ident && len(n.Kids) == 0 {
		return at(n, ast.Equals, n.Text, n)
	}
	return f.expr(n)
}

// querySettings is a set: the order says nothing.
func (f *form) querySettings(n *ast.Node) *ast.Node {
	kids := each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind != ast.Equals {
			return f.expr(k)
		}
		return with(k, each(k.Kids, f.settingValue))
	})
	byName := func(a, b *ast.Node) int { return strings.Compare(a.Text, b.Text) }
	if !slices.IsSortedFunc(kids, byName) {
		kids = slices.Clone(kids)
		slices.SortStableFunc(kids, byName)
	}
	return with(n, kids)
}

// ratio is the fraction of SAMPLE: ClickHouse keeps 0.1 as 1 / 10.
func ratio(n *ast.Node) *ast.Node {
	text := n.Text
	if n.Kind == ast.Operator && n.Text == "/" && n.Kids[0].Kind == ast.Number && n.Kids[1].Kind == ast.Number {
		text = strings.TrimSuffix(n.Kids[0].Text, ".") + "/" + strings.TrimSuffix(n.Kids[1].Text, ".")
	} else if n.Kind != ast.Number {
		return n
	}
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(text, "."))
	if !ok || len(text) > 40 {
		return n
	}
	if r.IsInt() {
		return at(n, ast.Number, r.Num().String())
	}
	return at(n, ast.Operator, "/", at(n, ast.Number, r.Num().String()), at(n, ast.Number, r.Denom().String()))
}
