package deps

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// expr walks an expression or a query.
func (c *collector) expr(n *ast.Node, s *scope) {
	if n == nil {
		return
	}
	switch n.Kind {
	case ast.Select:
		c.selection(n, s)
	case ast.Func:
		c.call(n, s)
	case ast.Operator:
		c.operator(n, s)
	case ast.Union:
		c.union(n, s)
	case ast.Type, ast.Ident, ast.Param:
	default:
		for _, kid := range n.Kids {
			c.expr(kid, s)
		}
	}
}

// union walks the members: what the WITH of the first query names, the others know too.
func (c *collector) union(n *ast.Node, s *scope) {
	others := s
	if clause := n.FirstQuery().With(); clause != nil {
		for _, kid := range clause.Kids {
			if kid.Kind == ast.Clause && strings.HasPrefix(kid.Text, "CTE") && len(kid.Kids) > 1 {
				others = &scope{name: kid.Kids[0].Text, outer: others}
			}
		}
	}
	for i, kid := range n.Kids {
		if i > 0 {
			s = others
		}
		c.expr(kid, s)
	}
}

func (c *collector) selection(n *ast.Node, s *scope) {
	for _, clause := range n.Kids {
		switch clause.Text {
		case "WITH", "WITH RECURSIVE":
			s = c.with(clause, s)
		case "FROM":
			for _, item := range clause.Kids {
				c.from(item, s)
			}
		case "SETTINGS", "FORMAT":
		default:
			for _, kid := range clause.Kids {
				c.expr(kid, s)
			}
		}
	}
}

// with adds common table expressions to the scope: each sees the ones before it, and itself where it is recursive.
func (c *collector) with(clause *ast.Node, s *scope) *scope {
	for _, kid := range clause.Kids {
		if kid.Kind != ast.Clause || !strings.HasPrefix(kid.Text, "CTE") || len(kid.Kids) < 2 {
			c.expr(kid, s)
			continue
		}
		named := &scope{name: kid.Kids[0].Text, outer: s}
		inner := s
		if clause.Text == "WITH RECURSIVE" {
			inner = named
		}
		c.expr(kid.Kids[1], inner)
		s = named
	}
	return s
}

// from walks one item of a FROM clause: a table, or a join with its table and condition.
func (c *collector) from(n *ast.Node, s *scope) {
	switch n.Kind {
	case ast.Ident:
		c.relation(n, s)
	case ast.Alias:
		if len(n.Kids) > 0 {
			c.from(n.Kids[0], s)
		}
	case ast.Func:
		c.tableFunction(n, s)
	case ast.Clause:
		c.fromClause(n, s)
	default:
		c.expr(n, s)
	}
}

func (c *collector) fromClause(n *ast.Node, s *scope) {
	if len(n.Kids) == 0 {
		return
	}
	switch {
	case n.Text == "TABLE" || n.Text == "," || strings.HasSuffix(n.Text, "JOIN") && !strings.HasSuffix(n.Text, "ARRAY JOIN"):
		c.from(n.Kids[0], s)
		for _, kid := range n.Kids[1:] {
			c.expr(kid, s)
		}
	default:
		for _, kid := range n.Kids {
			c.expr(kid, s)
		}
	}
}

func (c *collector) relation(n *ast.Node, s *scope) {
	name, ok := nameOf(n)
	if !ok || name.Database == "" && s.has(name.Name) {
		return
	}
	c.add(Relation, name, n)
}

// nameOf reads an identifier of one or two plain parts as the name of an object.
func nameOf(n *ast.Node) (ast.Name, bool) {
	switch {
	case n.Kind != ast.Ident:
		return ast.Name{}, false
	case len(n.Kids) == 0:
		return ast.Name{Name: n.Text}, n.Text != ""
	case len(n.Kids) == 2 && n.Kids[0].Kind == ast.Ident && n.Kids[1].Kind == ast.Ident:
		return ast.Name{Database: n.Kids[0].Text, Name: n.Kids[1].Text}, true
	}
	return ast.Name{}, false
}

// nameIn reads a string literal or an identifier as the name of an object: 'db.name', db.name.
func nameIn(n *ast.Node) (ast.Name, bool) {
	if n.Kind != ast.String {
		return nameOf(n)
	}
	if database, name, ok := strings.Cut(n.Text, "."); ok {
		return ast.Name{Database: database, Name: name}, name != ""
	}
	return ast.Name{Name: n.Text}, n.Text != ""
}

// tableFunction walks a table function. One that names a dictionary or holds a query depends on it; the arguments of
// the others are no names of this server's.
func (c *collector) tableFunction(n *ast.Node, s *scope) {
	if TakesCollection(n.Text) && len(n.Kids) > 0 {
		c.collection(n.Kids[0])
	}
	switch strings.ToLower(n.Text) {
	case "dictionary":
		if len(n.Kids) == 1 {
			if name, ok := nameIn(n.Kids[0]); ok {
				c.add(Dictionary, name, n.Kids[0])
			}
		}
	case "remote", "remotesecure", "cluster", "clusterallreplicas", "merge":
	default:
		// A view with parameters is called like a table function.
		c.add(Relation, ast.Name{Name: n.Text}, n).Perhaps = true
		for _, kid := range n.Kids {
			c.expr(kid, s)
		}
	}
}

// call walks a function call: the function itself, the dictionary or join table it names, and its arguments.
func (c *collector) call(n *ast.Node, s *scope) {
	c.add(Function, ast.Name{Name: n.Text}, n)
	args := n.Kids
	if len(args) > 0 && args[0].Kind == ast.Params {
		c.expr(args[0], s)
		args = args[1:]
	}
	lower := strings.ToLower(n.Text)
	names := strings.HasPrefix(lower, "dict") && namesDictionary[lower]
	if joins := lower == "joinget" || lower == "joingetornull"; (names || joins) && len(args) > 0 {
		if name, ok := nameIn(args[0]); ok {
			kind := Dictionary
			if joins {
				kind = Relation
			}
			c.add(kind, name, args[0])
			args = args[1:]
		}
	}
	for _, arg := range args {
		c.expr(arg, s)
	}
}

// namesDictionary are the functions whose first argument is the name of a dictionary (ClickHouse's page on functions for
// dictionaries), beside the typed ones made below.
var namesDictionary = func() map[string]bool {
	names := map[string]bool{"dicthas": true, "dictgethierarchy": true, "dictisin": true, "dictgetchildren": true,
		"dictgetdescendants": true, "dictgetall": true, "dictgetkeys": true}
	types := []string{"", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
		"date", "datetime", "uuid", "string", "ipv4", "ipv6"}
	for _, t := range types {
		names["dictget"+t] = true
		names["dictget"+t+"ordefault"] = true
	}
	names["dictgetornull"] = true
	return names
}()

// operator walks an operator. A plain word after IN is a table or a column; who knows the columns decides.
func (c *collector) operator(n *ast.Node, s *scope) {
	kids := n.Kids
	if strings.HasSuffix(n.Text, "IN") && len(kids) == 2 && kids[1].Kind == ast.Ident {
		if name, ok := nameOf(kids[1]); ok && !(name.Database == "" && s.has(name.Name)) {
			c.add(Relation, name, kids[1]).Perhaps = true
		}
		kids = kids[:1]
	}
	for _, kid := range kids {
		c.expr(kid, s)
	}
}
