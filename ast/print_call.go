package ast

// appendFunc appends a call with the syntax its arguments ask for.
func appendFunc(dst []byte, n *Node) []byte {
	dst = appendFuncName(dst, n.Text)
	kids := n.Kids
	if len(kids) > 0 && kids[0].Kind == Params {
		dst = kids[0].Append(dst)
		kids = kids[1:]
	}
	dst = append(dst, '(')
	if len(kids) > 0 && kids[0].Kind == Clause && kids[0].Text == "DISTINCT" {
		dst = append(dst, "DISTINCT "...)
		kids = kids[1:]
	}
	i := 0
	for i < len(kids) && !callSuffix(kids[i]) {
		i++
	}
	args, suffixes := kids[:i], kids[i:]
	switch {
	case len(args) == 2 && args[1].Kind == Type:
		dst = args[0].Append(dst)
		dst = append(dst, " AS "...)
		dst = args[1].Append(dst)
	case len(args) == 1 && args[0].Kind == Clause:
		dst = appendWordedArgument(dst, args[0])
	default:
		dst = appendArguments(dst, args)
	}
	dst = append(dst, ')')
	return appendSpaced(dst, suffixes)
}

// appendArguments keeps f(a, (b) -> x) apart from f(a, b -> x), in which a is a parameter of the lambda too.
func appendArguments(dst []byte, args []*Node) []byte {
	names := 0
	for names < len(args) && args[names].Kind == Ident && len(args[names].Kids) == 0 {
		names++
	}
	if names == 0 || names == len(args) || args[names].Kind != Lambda || len(args[names].Kids) != 2 {
		return appendList(dst, args, PrecAlias)
	}
	dst = appendList(dst, args[:names], PrecAlias)
	dst = append(dst, ", ("...)
	dst = args[names].Kids[0].Append(dst)
	dst = append(dst, ") -> "...)
	dst = appendOperand(dst, args[names].Kids[1], PrecLambda)
	if rest := args[names+1:]; len(rest) > 0 {
		dst = append(dst, ", "...)
		dst = appendList(dst, rest, PrecAlias)
	}
	return dst
}

// appendFuncName quotes a name that would not be read as a call's.
func appendFuncName(dst []byte, name string) []byte {
	if plainWord(name) {
		switch name {
		case "not", "NOT", "case", "CASE", "select", "SELECT", "null", "NULL", "true", "false", "nan", "inf", "infinity":
		default:
			return append(dst, name...)
		}
	}
	return appendEscaped(dst, name, '`')
}

// callSuffix reports whether the kid of a call stands behind its parentheses.
func callSuffix(n *Node) bool {
	if n.Kind != Clause {
		return false
	}
	switch n.Text {
	case "FILTER", "OVER", "RESPECT NULLS", "IGNORE NULLS", "EXCEPT", "EXCEPT STRICT", "REPLACE", "REPLACE STRICT", "APPLY":
		return true
	}
	return false
}

// appendWordedArgument appends what EXTRACT(DAY FROM x), TRIM(BOTH c FROM x) and f(SETTINGS ..) have in their parentheses.
func appendWordedArgument(dst []byte, n *Node) []byte {
	switch n.Text {
	case "SETTINGS", "ASC", "DESC", "EXPLAIN":
		return n.Append(dst)
	}
	if len(n.Kids) == 0 || len(n.Kids) > 2 || len(n.Text) > 7 && n.Text[:7] == "EXPLAIN" {
		return n.Append(dst)
	}
	dst = append(dst, n.Text...)
	if len(n.Kids) == 2 {
		dst = append(dst, ' ')
		dst = n.Kids[1].Append(dst)
	}
	dst = append(dst, " FROM "...)
	return n.Kids[0].Append(dst)
}

// appendWindow appends a window's definition without its parentheses.
func appendWindow(dst []byte, n *Node) []byte {
	for i, kid := range n.Kids {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = kid.Append(dst)
	}
	return dst
}

func appendOver(dst []byte, n *Node) []byte {
	dst = append(dst, "OVER "...)
	if n.Kids[0].Kind != List {
		return n.Kids[0].Append(dst)
	}
	dst = append(dst, '(')
	dst = appendWindow(dst, n.Kids[0])
	return append(dst, ')')
}

// appendFrame appends ROWS bound or ROWS BETWEEN from AND to.
func appendFrame(dst []byte, n *Node) []byte {
	dst = append(dst, n.Text...)
	if len(n.Kids) == 1 {
		return appendSpaced(dst, n.Kids)
	}
	dst = append(dst, " BETWEEN "...)
	dst = n.Kids[0].Append(dst)
	dst = append(dst, " AND "...)
	return n.Kids[1].Append(dst)
}
