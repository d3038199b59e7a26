package ast

import "strings"

func appendOperator(dst []byte, n *Node) []byte {
	prec := n.Precedence()
	switch n.Text {
	case "CASE":
		dst = append(dst, "CASE"...)
		dst = appendSpaced(dst, n.Kids)
		return append(dst, " END"...)
	case "?:":
		dst = appendOperand(dst, n.Kids[0], PrecTernary+1)
		dst = append(dst, " ? "...)
		dst = appendOperand(dst, n.Kids[1], PrecTernary)
		dst = append(dst, " : "...)
		return appendOperand(dst, n.Kids[2], PrecOr+1)
	case "NOT":
		dst = append(dst, "NOT "...)
		return appendOperand(dst, n.Kids[0], PrecNot)
	case "EXISTS":
		dst = append(dst, "EXISTS "...)
		return n.Kids[0].Append(dst)
	case "@@":
		dst = append(dst, "@@"...)
		return n.Kids[0].Append(dst)
	case "{}":
		return appendMap(dst, n)
	case "[]":
		dst = appendOperand(dst, n.Kids[0], PrecPostfix)
		dst = append(dst, '[')
		dst = n.Kids[1].Append(dst)
		return append(dst, ']')
	case ".", ".^", ".:", ".[]":
		return appendElement(dst, n)
	case "::":
		return appendCast(dst, n)
	case "BETWEEN", "NOT BETWEEN":
		dst = appendOperand(dst, n.Kids[0], PrecBetween)
		dst = append(dst, ' ')
		dst = append(dst, n.Text...)
		dst = append(dst, ' ')
		dst = appendOperand(dst, n.Kids[1], PrecBetween+1)
		dst = append(dst, " AND "...)
		return appendOperand(dst, n.Kids[2], PrecComparison)
	case "AND", "OR", "||":
		return appendChain(dst, n, prec)
	case "-":
		if len(n.Kids) == 1 {
			return appendNegation(dst, n)
		}
	case "+":
		if len(n.Kids) == 1 {
			return appendOperand(append(dst, '+'), n.Kids[0], PrecOperand)
		}
	}
	dst = appendOperand(dst, n.Kids[0], prec)
	dst = append(dst, ' ')
	dst = append(dst, n.Text...)
	if len(n.Kids) == 1 { // IS NULL and its like
		return dst
	}
	dst = append(dst, ' ')
	dst = appendOperand(dst, n.Kids[1], prec+1)
	if len(n.Kids) == 3 {
		dst = append(dst, " ESCAPE "...)
		dst = n.Kids[2].Append(dst)
	}
	return dst
}

func appendChain(dst []byte, n *Node, prec int) []byte {
	for i, kid := range n.Kids {
		if i > 0 {
			dst = append(dst, ' ')
			dst = append(dst, n.Text...)
			dst = append(dst, ' ')
		}
		dst = appendOperand(dst, kid, prec+1)
	}
	return dst
}

// appendNegation keeps -(1::T) apart from -1::T, in which the sign belongs to the literal, and -(-1) from a comment.
func appendNegation(dst []byte, n *Node) []byte {
	kid := n.Kids[0]
	dst = append(dst, '-')
	if kid.Kind == Number && strings.HasPrefix(kid.Text, "-") || kid.Kind == Operator && kid.Text == "::" && kid.Kids[0].Kind == Number {
		dst = append(dst, '(')
		dst = kid.Append(dst)
		return append(dst, ')')
	}
	return appendOperand(dst, kid, PrecPostfix)
}

func appendCast(dst []byte, n *Node) []byte {
	x := n.Kids[0]
	if x.Kind == Operator && x.Text == "-" && len(x.Kids) == 1 && x.Kids[0].Kind == Number {
		dst = append(dst, '-')
		dst = append(dst, x.Kids[0].Text...)
	} else {
		dst = appendOperand(dst, x, PrecPostfix)
	}
	dst = append(dst, "::"...)
	return n.Kids[1].Append(dst)
}

// appendElementOf appends what a dot follows: a number needs parentheses, lest the dot be read as its own.
func appendElementOf(dst []byte, n *Node) []byte {
	if n.Kind == Number {
		dst = append(dst, '(')
		dst = n.Append(dst)
		return append(dst, ')')
	}
	return appendOperand(dst, n, PrecPostfix)
}

// appendElement appends tuple elements and JSON paths.
func appendElement(dst []byte, n *Node) []byte {
	dst = appendElementOf(dst, n.Kids[0])
	dst = append(dst, n.Text...)
	if n.Text == ".[]" {
		return append(dst[:len(dst)-3], "[]"...)
	}
	kid := n.Kids[1]
	if n.Text == ".:" && len(kid.Kids) > 0 {
		return appendEscaped(dst, kid.String(), '`')
	}
	return kid.Append(dst)
}

func appendMap(dst []byte, n *Node) []byte {
	dst = append(dst, '{')
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendOperand(dst, n.Kids[i], PrecOr)
		dst = append(dst, ':')
		dst = appendOperand(dst, n.Kids[i+1], PrecOr)
	}
	return append(dst, '}')
}
