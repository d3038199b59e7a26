package infer

import (
	"strconv"

	"github.com/dfe-engine/dfe/ast"
)

// decimals is what +, -, *, / and % make of a Decimal and another number, by DataTypesDecimal.h: beside an integer the Decimal
// stays what it is, beside a float it is a Float64, and two have the whole precision of the wider one's storage.
func decimals(op string, a, b *ast.Node) *ast.Node {
	switch op {
	case "+", "-", "*", "/", "%":
	default:
		return nil
	}
	for _, pair := range [][2]*ast.Node{{a, b}, {b, a}} {
		if n, ok := numeric(pair[1]); ok {
			if n.float {
				return simple("Float64")
			}
			return pair[0]
		}
	}
	p, s, ok := precisionAndScale(a)
	q, r, both := precisionAndScale(b)
	if !ok || !both {
		return nil
	}
	switch op {
	case "+", "-":
		s = max(s, r)
	case "*":
		s += r
	}
	precision := storedPrecision(max(p, q))
	if s > precision {
		return nil
	}
	return wrap("Decimal", ast.N(ast.Number, decimal(precision)), ast.N(ast.Number, decimal(s)))
}

func precisionAndScale(t *ast.Node) (precision, scale int, ok bool) {
	if t.Text != "Decimal" || len(t.Kids) != 2 {
		return 0, 0, false
	}
	p, err := strconv.Atoi(t.Kids[0].Text)
	s, err2 := strconv.Atoi(t.Kids[1].Text)
	return p, s, err == nil && err2 == nil
}

// storedPrecision is how many digits the integer has room for in which a Decimal of that precision is stored.
func storedPrecision(precision int) int {
	for _, whole := range []int{9, 18, 38} {
		if precision <= whole {
			return whole
		}
	}
	return 76
}
