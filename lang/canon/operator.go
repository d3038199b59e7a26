package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// operator returns what ClickHouse's parser makes of an operator (case S20): a function for CASE, BETWEEN and their like,
// and one spelling for those it prints as operators.
func (f *form) operator(n *ast.Node) *ast.Node {
	if strings.HasSuffix(n.Text, " ANY") || strings.HasSuffix(n.Text, " ALL") || strings.HasSuffix(n.Text, " SOME") {
		return f.quantified(n)
	}
	switch n.Text {
	case "::":
		return f.castOperator(n)
	case "IN", "NOT IN", "GLOBAL IN", "GLOBAL NOT IN":
		return f.in(n)
	case "CASE":
		return f.caseOf(n)
	}
	if (n.Text == "LIKE" || n.Text == "ILIKE") && len(n.Kids) == 2 && n.Kids[0].Kind == ast.Star {
		if columns := f.matchingColumns(n); columns != nil {
			return columns
		}
	}
	kids := each(n.Kids, f.expr)
	text := n.Text
	switch text {
	case "=", "<", ">", "<=", ">=", "!=", "*", "/", "%", "NOT", "LIKE", "[]", "IS NULL", "IS NOT NULL":
		return with(n, kids)
	case "+":
		if len(kids) == 1 {
			return kids[0]
		}
		return with(n, kids)
	case "-":
		if len(kids) == 1 && n.Kids[0].Kind == ast.Number {
			return negative(n.Kids[0])
		}
		if len(kids) == 1 && kids[0].Kind == ast.Keyword && kids[0].Text == "nan" {
			return kids[0]
		}
		if len(kids) == 1 && kids[0].Kind == ast.Number { // printed without parentheses it would be a literal, of another type
			return with(n, []*ast.Node{at(kids[0], ast.Paren, "", kids[0])})
		}
		return with(n, kids)
	case "AND", "OR":
		return flatten(n, text, kids)
	case ".":
		return f.member(n, kids)
	case ".[]":
		return jsonArray(n, kids[0])
	case "==":
		text = "="
	case "<>":
		text = "!="
	case "MOD":
		text = "%"
	case "IS NOT DISTINCT FROM":
		text = "<=>"
	case "IS TRUE", "IS NOT FALSE":
		return truth(n, kids, text == "IS TRUE", "true", "false")
	case "IS FALSE", "IS NOT TRUE":
		return truth(n, kids, text == "IS FALSE", "false", "true")
	case "IS UNKNOWN":
		text = "IS NULL"
	case "IS NOT UNKNOWN":
		text = "IS NOT NULL"
	case "AT TIME ZONE":
		return at(n, ast.Func, functionName("toTimeZone"), kids...)
	case "DIV":
		return at(n, ast.Func, "intDiv", kids...)
	case "||":
		return at(n, ast.Func, "concat", kids...)
	case "?:":
		return at(n, ast.Func, "if", kids...)
	case "REGEXP":
		return at(n, ast.Func, "match", kids...)
	case "NOT REGEXP":
		return at(n, ast.Operator, "NOT", at(n, ast.Func, "match", kids...))
	case "EXISTS":
		return at(n, ast.Func, "exists", kids...)
	case "BETWEEN", "NOT BETWEEN":
		if len(kids) != 3 {
			return with(n, kids)
		}
		low, high, join := ">=", "<=", "AND"
		if text == "NOT BETWEEN" {
			low, high, join = "<", ">", "OR"
		}
		return at(n, ast.Operator, join, at(n, ast.Operator, low, kids[0], kids[1]), at(n, ast.Operator, high, kids[0], kids[2]))
	}
	if text == n.Text {
		return with(n, kids)
	}
	return at(n, ast.Operator, text, kids...)
}

func truth(n *ast.Node, kids []*ast.Node, is bool, same, other string) *ast.Node {
	if is {
		return at(n, ast.Operator, "<=>", kids[0], at(n, ast.Keyword, same))
	}
	return at(n, ast.Operator, "IS DISTINCT FROM", kids[0], at(n, ast.Keyword, other))
}

// flatten makes (a AND b) AND c one conjunction: parentheses differ by server version (case S21).
func flatten(n *ast.Node, text string, kids []*ast.Node) *ast.Node {
	nested := false
	for _, k := range kids {
		if k.Kind == ast.Operator && k.Text == text {
			nested = true
		}
	}
	if !nested {
		if n.Kind == ast.Operator && n.Text == text {
			return with(n, kids)
		}
		return at(n, ast.Operator, text, kids...)
	}
	flat := make([]*ast.Node, 0, len(kids)+2)
	for _, k := range kids {
		if k.Kind == ast.Operator && k.Text == text {
			flat = append(flat, k.Kids...)
		} else {
			flat = append(flat, k)
		}
	}
	return at(n, ast.Operator, text, flat...)
}

// member is t.1, and (t).a, which ClickHouse's parser makes tupleElement(t, 'a'); behind j.a.:T a path goes on.
func (f *form) member(n *ast.Node, kids []*ast.Node) *ast.Node {
	if left := n.Kids[0]; left.Kind == ast.Operator && (left.Text == ".:" || left.Text == ".^" || left.Text == ".[]") {
		return with(n, kids)
	}
	if len(kids) == 2 && kids[1].Kind == ast.Ident && len(kids[1].Kids) == 0 {
		return at(n, ast.Func, "tupleElement", kids[0], at(kids[1], ast.String, kids[1].Text))
	}
	return with(n, kids)
}

// jsonArray is j.a[], the JSON objects of an array: j.a.:`Array(JSON)`.
func jsonArray(n, path *ast.Node) *ast.Node {
	element := at(n, ast.Type, "JSON")
	if path.Kind == ast.Operator && path.Text == ".:" && path.Kids[1].Text == "Array" {
		path, element = path.Kids[0], path.Kids[1]
	}
	return at(n, ast.Operator, ".:", path, at(n, ast.Type, "Array", element))
}

// caseOf is multiIf, or caseWithExpression where CASE has an operand; a missing ELSE is NULL.
func (f *form) caseOf(n *ast.Node) *ast.Node {
	args := make([]*ast.Node, 0, 2*len(n.Kids))
	name := "multiIf"
	var otherwise *ast.Node
	for i, k := range n.Kids {
		switch {
		case k.Kind == ast.Clause && k.Text == "WHEN":
			args = append(args, f.expr(k.Kids[0]), f.expr(k.Kids[1]))
		case k.Kind == ast.Clause && k.Text == "ELSE":
			otherwise = f.expr(k.Kids[0])
		case i == 0:
			name = "caseWithExpression"
			args = append(args, f.expr(k))
		}
	}
	if otherwise == nil {
		otherwise = at(n, ast.Keyword, "NULL")
	}
	return at(n, ast.Func, name, append(args, otherwise)...)
}

// quantified is x = ANY (q), which ClickHouse's parser rewrites: IN and NOT IN, or a comparison with an aggregate of q.
func (f *form) quantified(n *ast.Node) *ast.Node {
	i := strings.LastIndexByte(n.Text, ' ')
	op, all := n.Text[:i], n.Text[i+1:] == "ALL"
	switch op {
	case "==":
		op = "="
	case "<>":
		op = "!="
	}
	kids := each(n.Kids, f.expr)
	aggregate := ""
	switch {
	case op == "=" && !all:
		return at(n, ast.Operator, "IN", kids...)
	case op == "!=" && all:
		return at(n, ast.Operator, "NOT IN", kids...)
	case op == "=", op == "!=":
		aggregate = "singleValueOrNull"
	case strings.HasPrefix(op, ">") == all:
		aggregate = "max"
	default:
		aggregate = "min"
	}
	if len(kids) != 2 {
		return with(n, kids)
	}
	query := at(n, ast.Select, "",
		at(n, ast.Clause, "SELECT", at(n, ast.Func, aggregate, at(n, ast.Star, ""))),
		at(n, ast.Clause, "FROM", kids[1]))
	return at(n, ast.Operator, op, kids[0], at(n, ast.Subquery, "", query))
}

// in resolves the right side of IN: an alias of WITH stands for its expression, another name for a table, and a tuple of
// one for its element.
func (f *form) in(n *ast.Node) *ast.Node {
	if len(n.Kids) != 2 {
		return with(n, each(n.Kids, f.expr))
	}
	left, right := f.expr(n.Kids[0]), n.Kids[1]
	for right.Kind == ast.Paren {
		right = right.Kids[0]
	}
	if right.Kind == ast.Ident && f.query {
		right = f.inSource(right)
	} else {
		right = f.expr(right)
	}
	if right.Kind == ast.Tuple && len(right.Kids) == 1 {
		right = right.Kids[0]
	}
	if left == n.Kids[0] && right == n.Kids[1] {
		return n
	}
	return at(n, ast.Operator, n.Text, left, right)
}
