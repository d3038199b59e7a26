package ast

// The precedences of ClickHouse's operators (ExpressionListParsers.cpp, 26.7): higher binds tighter.
const (
	PrecAlias      = 0
	PrecLambda     = 1
	PrecTernary    = 2
	PrecOr         = 3
	PrecAnd        = 4
	PrecNot        = 5
	PrecIs         = 6
	PrecBetween    = 7
	PrecComparison = 9
	PrecConcat     = 10
	PrecSum        = 11
	PrecProduct    = 12
	PrecNegate     = 13
	PrecPostfix    = 14
	PrecOperand    = 15
)

// Precedence returns how tightly the expression's outermost operator binds; an operand that is none binds tightest.
// A parser and a printer that agree on it put parentheses in the same places.
func (n *Node) Precedence() int {
	switch n.Kind {
	case Alias:
		return PrecAlias
	case Lambda:
		return PrecLambda
	case Operator:
		return operatorPrecedence(n.Text, len(n.Kids))
	}
	return PrecOperand
}

func operatorPrecedence(op string, operands int) int {
	switch op {
	case "?:":
		return PrecTernary
	case "OR":
		return PrecOr
	case "AND":
		return PrecAnd
	case "NOT":
		return PrecNot
	case "IS NULL", "IS NOT NULL", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE",
		"IS UNKNOWN", "IS NOT UNKNOWN":
		return PrecIs
	case "BETWEEN", "NOT BETWEEN":
		return PrecBetween
	case "||":
		return PrecConcat
	case "+":
		if operands == 1 {
			return PrecPostfix
		}
		return PrecSum
	case "-":
		if operands == 1 {
			return PrecNegate
		}
		return PrecSum
	case "*", "/", "%", "MOD", "DIV":
		return PrecProduct
	case "AT TIME ZONE":
		return PrecNegate
	case "[]", ".", "::", ".^", ".:", ".[]":
		return PrecPostfix
	case "CASE", "EXISTS", "@@", "{}":
		return PrecOperand
	}
	return PrecComparison
}
