package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// castOperator is x::T. ClickHouse casts an operand of numbers, strings and brackets alone from the text it was written as:
// 1.50::Decimal(9, 2) is CAST('1.50', 'Decimal(9, 2)'), and (-1)::Int8 is CAST('(-1)', 'Int8').
func (f *form) castOperator(n *ast.Node) *ast.Node {
	if len(n.Kids) != 2 {
		return with(n, each(n.Kids, f.expr))
	}
	operand := n.Kids[0]
	var raw strings.Builder
	switch {
	case operand.Kind != ast.String && rawLiteral(&raw, operand):
		operand = at(operand, ast.String, raw.String())
	default:
		operand = f.expr(operand)
	}
	return f.cast(n, operand, f.typ(n.Kids[1]))
}

// rawLiteral writes numbers, strings and brackets as they were written but for spaces and the quoting of strings. False: the
// tree holds something else.
func rawLiteral(b *strings.Builder, n *ast.Node) bool {
	open, closing := "(", ")"
	switch {
	case n.Kind == ast.Number:
		b.WriteString(n.Text)
		return true
	case n.Kind == ast.String:
		b.WriteString(ast.QuoteString(n.Text))
		return true
	case n.Kind == ast.Operator && n.Text == "-" && len(n.Kids) == 1 && n.Kids[0].Kind == ast.Number:
		b.WriteString("-" + n.Kids[0].Text)
		return true
	case n.Kind == ast.Array:
		open, closing = "[", "]"
	case n.Kind == ast.Tuple && len(n.Kids) == 1 || n.Kind != ast.Tuple && n.Kind != ast.Paren:
		return false
	}
	b.WriteString(open)
	for i, k := range n.Kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if !rawLiteral(b, k) {
			return false
		}
	}
	b.WriteString(closing)
	return true
}

// castCall is CAST(x AS T) or CAST(x, 'T').
func (f *form) castCall(n *ast.Node) *ast.Node {
	if len(n.Kids) != 2 {
		return renamedCall(n, "CAST", each(n.Kids, f.expr))
	}
	target := n.Kids[1]
	for target.Kind == ast.Paren {
		target = target.Kids[0]
	}
	switch target.Kind {
	case ast.String:
		t, err := ddl.ParseType(target.Text)
		if err != nil {
			return renamedCall(n, "CAST", each(n.Kids, f.expr))
		}
		target = f.typ(t)
	case ast.Type:
		target = f.typ(target)
	default:
		target = f.expr(target)
	}
	return f.cast(n, f.expr(n.Kids[0]), target)
}

// cast compares the text of an array or tuple without its spaces: '[1,2]' and '[1, 2]' are one.
func (f *form) cast(n, operand, target *ast.Node) *ast.Node {
	if operand.Kind == ast.String && target.Kind == ast.Type && bracketed(operand.Text) {
		var raw strings.Builder
		if e, err := ddl.ParseExpr(operand.Text); err == nil && rawLiteral(&raw, e) && raw.String() != operand.Text {
			operand = at(operand, ast.String, raw.String())
		}
	}
	if n.Kind == ast.Func && n.Text == "CAST" && n.Kids[0] == operand && n.Kids[1] == target {
		return n
	}
	return at(n, ast.Func, "CAST", operand, target)
}

func bracketed(s string) bool {
	return len(s) > 1 && (s[0] == '[' && s[len(s)-1] == ']' || s[0] == '(' && s[len(s)-1] == ')')
}
