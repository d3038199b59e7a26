package tree

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// relation is a source of columns in a query. An open one may have more columns than are known: a table function, a
// server's own table, a query we cannot see through.
type relation struct {
	database, name string // what a column can be qualified with; name is the alias where there is one
	columns        []string
	open           bool
	virtual        bool // a table: columns that start with an underscore may be the engine's

	// indexed are the columns of a wide relation by name, once the first was looked for: a standard view asks for every
	// column of a table that may have thirty thousand.
	indexed map[string]bool
}

// wide is from how many columns on a relation has them by name.
const wide = 32

// has tells whether a reference, from its first part on, names a column or something inside one: body.user.id is inside
// the column body, and events.name is the column `events.name` of a Nested.
func (r *relation) has(parts []string) bool {
	if r.open {
		return true
	}
	if r.virtual && strings.HasPrefix(parts[0], "_") {
		return true
	}
	for n := range parts {
		if r.names(strings.Join(parts[:n+1], ".")) {
			return true
		}
	}
	return false
}

// names reports a column of exactly this name. The columns stay as they are from the first call on.
func (r *relation) names(column string) bool {
	if len(r.columns) < wide {
		return slices.Contains(r.columns, column)
	}
	if r.indexed == nil {
		r.indexed = make(map[string]bool, len(r.columns))
		for _, c := range r.columns {
			r.indexed[c] = true
		}
	}
	return r.indexed[column]
}

// querySource is what a place in a query sees: the relations of its FROM, the aliases of its SELECT, what encloses it.
type querySource struct {
	relations []*relation
	aliases   []string
	global    []string // the aliases of WITH, which subqueries of the FROM see too
	ctes      map[string]*relation
	outer     *querySource
}

// unresolved is a reference no relation in sight has.
type unresolved struct {
	node  *ast.Node
	parts []string
	scope *querySource // where it stands
}

// sight is what the reference could have meant: the relations in sight of it by name, and the columns and aliases.
func (u unresolved) sight() (from, known []string) {
	for at := u.scope; at != nil; at = at.outer {
		for _, rel := range at.relations {
			known = append(known, rel.columns...)
			if name := rel.String(); name != "" && !slices.Contains(from, name) {
				from = append(from, name)
			}
		}
		known = append(known, at.aliases...)
	}
	return from, known
}

// resolver finds references to columns that do not exist. It reports only what it is sure of: any source it cannot see
// through, any fragment kept as tokens, and it stays silent about that scope.
type resolver struct {
	// lookup returns a declared object's columns; false for one it does not know.
	lookup   func(ast.Name) (relation, bool)
	database string
	faults   []unresolved
}

func (r *resolver) cte(s *querySource, name string) *relation {
	for ; s != nil; s = s.outer {
		if c := s.ctes[name]; c != nil {
			return c
		}
	}
	return nil
}

// query resolves a query and returns the columns it gives.
func (r *resolver) query(n *ast.Node, outer *querySource) relation {
	if n == nil {
		return relation{open: true}
	}
	switch n.Kind {
	case ast.Select:
		return r.selection(n, outer)
	case ast.Union:
		out := relation{open: true}
		for i, kid := range n.Kids {
			if columns := r.query(kid, outer); i == 0 {
				out = columns
			}
		}
		return out
	case ast.Paren, ast.Subquery:
		if len(n.Kids) == 1 {
			return r.query(n.Kids[0], outer)
		}
	}
	return relation{open: true}
}

func (r *resolver) selection(n *ast.Node, outer *querySource) relation {
	s := &querySource{outer: outer, ctes: map[string]*relation{}}
	for _, clause := range n.Kids {
		switch clause.Text {
		case "VALUES":
			return relation{open: true}
		case "WITH", "WITH RECURSIVE":
			r.with(clause, s)
		}
	}
	hasFrom := false
	for _, clause := range n.Kids {
		if clause.Text != "FROM" {
			s.collectAliases(clause)
			continue
		}
		hasFrom = true
		for _, item := range clause.Kids {
			r.source(item, s)
			// The name of a table is no alias that hides its columns; one in a condition is.
			if item.Kind == ast.Clause && strings.HasSuffix(item.Text, "ARRAY JOIN") {
				s.collectAliases(item)
			} else if item.Kind == ast.Clause && len(item.Kids) > 0 {
				for _, kid := range item.Kids[1:] {
					s.collectAliases(kid)
				}
			}
		}
	}
	if !hasFrom && outer != nil && len(outer.relations) > 0 && outer.outer == nil && outer.projection() {
		s.relations = outer.relations
	} else if !hasFrom {
		s.relations = append(s.relations, &relation{columns: []string{"dummy"}})
	}
	var out relation
	for _, clause := range n.Kids {
		switch clause.Text {
		case "SELECT", "SELECT DISTINCT":
			out = r.output(clause, s)
		case "FROM":
			for _, item := range clause.Kids {
				r.joinConditions(item, s)
			}
			continue
		case "SETTINGS", "FORMAT", "INTERPOLATE":
			continue
		case "WINDOW":
			for _, kid := range clause.Kids {
				if kid.Kind == ast.Alias && len(kid.Kids) > 0 {
					r.window(kid.Kids[0], s)
				}
			}
			continue
		case "WITH", "WITH RECURSIVE":
			for _, kid := range clause.Kids {
				if !isCTE(kid) {
					r.expr(kid, s)
				}
			}
			continue
		}
		for _, kid := range clause.Kids {
			r.expr(kid, s)
		}
	}
	return out
}

// projection tells the scope of a projection, whose query has the table's columns without a FROM.
func (s *querySource) projection() bool { return s.aliases == nil && s.ctes == nil }

func isCTE(n *ast.Node) bool {
	return n.Kind == ast.Clause && strings.HasPrefix(n.Text, "CTE") && len(n.Kids) >= 2
}

func (r *resolver) with(clause *ast.Node, s *querySource) {
	for _, kid := range clause.Kids {
		if kid.Kind == ast.Alias {
			s.global = append(s.global, kid.Text)
		}
	}
	s.aliases = append(s.aliases, s.global...)
	for _, kid := range clause.Kids {
		if !isCTE(kid) {
			continue
		}
		name := kid.Kids[0].Text
		if clause.Text == "WITH RECURSIVE" {
			s.ctes[name] = &relation{open: true}
		}
		columns := r.query(kid.Kids[1], s)
		if len(kid.Kids) > 2 {
			columns = relation{}
			for _, c := range kid.Kids[2].Kids {
				columns.columns = append(columns.columns, c.Text)
			}
		}
		columns.name = name
		s.ctes[name] = &columns
	}
}

// collectAliases finds the names an expression anywhere in the clause gives: ClickHouse lets every other one use them.
func (s *querySource) collectAliases(n *ast.Node) {
	n.Walk(func(n *ast.Node) bool {
		switch n.Kind {
		case ast.Subquery, ast.Select, ast.Union:
			return false
		case ast.Alias:
			s.aliases = append(s.aliases, n.Text)
		case ast.Opaque:
			// Tokens we do not read may name anything.
			s.relations = append(s.relations, &relation{open: true})
		}
		return true
	})
}

// source adds the relation of one item of a FROM clause.
func (r *resolver) source(n *ast.Node, s *querySource) {
	switch n.Kind {
	case ast.Clause:
		switch {
		case strings.HasSuffix(n.Text, "ARRAY JOIN"):
		case n.Text == "TABLE", n.Text == ",", strings.HasSuffix(n.Text, "JOIN"):
			if len(n.Kids) > 0 {
				r.source(n.Kids[0], s)
			}
		default:
			s.relations = append(s.relations, &relation{open: true})
		}
	case ast.Alias:
		if len(n.Kids) == 0 {
			return
		}
		rel := r.table(n.Kids[0], s)
		rel.name, rel.database = n.Text, ""
		if len(n.Kids) > 1 {
			rel.columns, rel.open = nil, false
			for _, c := range n.Kids[1].Kids {
				rel.columns = append(rel.columns, c.Text)
			}
		}
		s.relations = append(s.relations, &rel)
	default:
		rel := r.table(n, s)
		s.relations = append(s.relations, &rel)
	}
}

func (r *resolver) table(n *ast.Node, s *querySource) relation {
	switch n.Kind {
	case ast.Clause:
		if n.Text == "TABLE" && len(n.Kids) > 0 {
			return r.table(n.Kids[0], s)
		}
	case ast.Subquery, ast.Paren:
		// A subquery in FROM sees no columns of the query around it, only what its WITH names.
		return r.query(n, &querySource{outer: s.withOnly()})
	case ast.Ident:
		parts := identParts(n)
		if len(parts) == 1 {
			if c := r.cte(s, parts[0]); c != nil {
				return *c
			}
			parts = []string{r.database, parts[0]}
		}
		if len(parts) == 2 {
			if rel, ok := r.lookup(ast.Name{Database: parts[0], Name: parts[1]}); ok {
				rel.database, rel.name, rel.virtual = parts[0], parts[1], true
				return rel
			}
			return relation{database: parts[0], name: parts[1], open: true}
		}
	}
	return relation{open: true}
}

// withOnly is the scope as a subquery of its FROM sees it: what WITH names, and no columns.
func (s *querySource) withOnly() *querySource {
	if s == nil {
		return nil
	}
	return &querySource{ctes: s.ctes, outer: s.outer.withOnly(), aliases: append([]string{}, s.global...), global: s.global}
}

func (r *resolver) joinConditions(n *ast.Node, s *querySource) {
	if n.Kind != ast.Clause {
		return
	}
	if strings.HasSuffix(n.Text, "ARRAY JOIN") {
		for _, kid := range n.Kids {
			r.expr(kid, s)
		}
		return
	}
	for _, kid := range n.Kids {
		if kid.Kind == ast.Clause && kid.Text == "ON" {
			for _, e := range kid.Kids {
				r.expr(e, s)
			}
		}
	}
}

// output names the columns of a SELECT list.
func (r *resolver) output(clause *ast.Node, s *querySource) relation {
	var out relation
	for _, e := range clause.Kids {
		switch e.Kind {
		case ast.Alias:
			out.columns = append(out.columns, e.Text)
		case ast.Ident:
			parts := identParts(e)
			out.columns = append(out.columns, parts[len(parts)-1], strings.Join(parts, "."))
		default:
			// A star, or an expression named by its own text.
			out.open = true
		}
	}
	return out
}

func identParts(n *ast.Node) []string {
	if len(n.Kids) == 0 {
		return []string{n.Text}
	}
	parts := make([]string, 0, len(n.Kids))
	for _, kid := range n.Kids {
		if kid.Kind != ast.Ident {
			return nil
		}
		parts = append(parts, kid.Text)
	}
	return parts
}
