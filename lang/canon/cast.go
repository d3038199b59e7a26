package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// castOperator is x::T. ClickHouse casts a literal operand from the text it was written as: 1.50::Decimal(9, 2) is
// CAST('1.50', 'Decimal(9, 2)'), and -1::Int8 is CAST('-1', 'Int8').
func (f *form) castOperator(n *ast.Node) *ast.Node {
	if len(n.Kids) != 2 {
		return with(n, each(n.Kids, f.expr))
	}
	operand := n.Kids[0]
	switch {
	case operand.Kind == ast.Number:
		operand = at(operand, ast.String, operand.Text)
	case operand.Kind == ast.Operator && operand.Text == "-" && len(operand.Kids) == 1 && operand.Kids[0].Kind == ast.Number:
		operand = at(operand, ast.String, "-"+operand.Kids[0].Text)
	default:
		operand = f.expr(operand)
	}
	return f.cast(n, operand, f.typ(n.Kids[1]))
}

// castCall is CAST(x AS T) or CAST(x, 'T').
func (f *form) castCall(n *ast.Node) *ast.Node {
	if len(n.Kids) != 2 {
		return renamedCall(n, "CAST", each(n.Kids, f.expr))
	}
	target := n.Kids[1]
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

// cast compares an array or tuple written as text by its elements: '[1,2]' and '[1, 2]' are one.
func (f *form) cast(n, operand, target *ast.Node) *ast.Node {
	if operand.Kind == ast.String && target.Kind == ast.Type && compound(operand.Text) && target.Text != "String" {
		if e, err := ddl.ParseExpr(operand.Text); err == nil && (e.Kind == ast.Array || e.Kind == ast.Tuple) {
			operand = f.expr(e)
		}
	}
	if n.Kind == ast.Func && n.Text == "CAST" && n.Kids[0] == operand && n.Kids[1] == target {
		return n
	}
	return at(n, ast.Func, "CAST", operand, target)
}

func compound(s string) bool {
	return len(s) > 1 && (s[0] == '[' && s[len(s)-1] == ']' || s[0] == '(' && s[len(s)-1] == ')') && !strings.Contains(s, "--")
}
