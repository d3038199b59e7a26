package ast

// String returns the tree as ClickHouse reads it, on one line and in the spelling of its formatQuerySingleLine; parentheses
// stand where the tree has them and where precedence demands them.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	return string(n.Append(nil))
}

// Append appends what [Node.String] returns.
func (n *Node) Append(dst []byte) []byte { return appendOperand(dst, n, PrecAlias) }

// appendOperand appends an expression in a place that demands operators binding at least as tightly as min.
func appendOperand(dst []byte, n *Node, min int) []byte {
	if n.Precedence() < min {
		dst = append(dst, '(')
		dst = appendOperand(dst, n, PrecAlias)
		return append(dst, ')')
	}
	switch n.Kind {
	case Opaque, Number, Keyword:
		return append(dst, n.Text...)
	case Unknown:
		dst = append(dst, "/* "...)
		dst = append(dst, n.Text...)
		return append(dst, " */"...)
	case Ident:
		return appendCompound(dst, n)
	case String:
		return appendString(dst, n.Text)
	case Param:
		dst = append(dst, '{')
		if plainWord(n.Text) { // the server reads no quotes here, not even around a keyword
			dst = append(dst, n.Text...)
		} else {
			dst = appendEscaped(dst, n.Text, '`')
		}
		dst = append(dst, ':')
		dst = n.Kids[0].Append(dst)
		return append(dst, '}')
	case Star:
		return appendStar(dst, n)
	case Func:
		return appendFunc(dst, n)
	case Params:
		dst = append(dst, '(')
		dst = appendList(dst, n.Kids, PrecAlias)
		return append(dst, ')')
	case Operator:
		return appendOperator(dst, n)
	case Lambda:
		return appendLambda(dst, n)
	case Tuple:
		dst = append(dst, '(')
		dst = appendList(dst, n.Kids, PrecAlias)
		if len(n.Kids) == 1 {
			dst = append(dst, ',')
		}
		return append(dst, ')')
	case Array:
		dst = append(dst, '[')
		dst = appendList(dst, n.Kids, PrecAlias)
		return append(dst, ']')
	case Paren:
		dst = append(dst, '(')
		dst = n.Kids[0].Append(dst)
		return append(dst, ')')
	case Interval:
		dst = append(dst, "INTERVAL "...)
		dst = appendOperand(dst, n.Kids[0], PrecLambda)
		if n.Text == "" {
			return dst
		}
		dst = append(dst, ' ')
		return append(dst, n.Text...)
	case Alias:
		return appendAlias(dst, n)
	case Type:
		return appendType(dst, n)
	case NamedType:
		dst = appendIdent(dst, n.Text)
		dst = append(dst, ' ')
		return n.Kids[0].Append(dst)
	case List:
		return appendList(dst, n.Kids, PrecAlias)
	case Clause:
		return appendClause(dst, n)
	case Select:
		return appendSelect(dst, n)
	case Union:
		return appendUnion(dst, n)
	case Subquery:
		dst = append(dst, '(')
		dst = n.Kids[0].Append(dst)
		return append(dst, ')')
	case Equals:
		dst = appendSettingName(dst, n.Text)
		dst = append(dst, " = "...)
		return appendOperand(dst, n.Kids[0], PrecLambda)
	}
	return dst
}

func appendList(dst []byte, kids []*Node, min int) []byte {
	for i, kid := range kids {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendOperand(dst, kid, min)
	}
	return dst
}

func appendCompound(dst []byte, n *Node) []byte {
	if len(n.Kids) == 0 {
		return appendIdent(dst, n.Text)
	}
	for i, kid := range n.Kids {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = kid.Append(dst)
	}
	return dst
}

// appendSettingName appends a setting's name, whose dots stand outside quotes.
func appendSettingName(dst []byte, name string) []byte {
	start := 0
	for i := 0; i <= len(name); i++ {
		if i == len(name) || name[i] == '.' {
			if !plainWord(name[start:i]) {
				return appendEscaped(dst, name, '`')
			}
			start = i + 1
		}
	}
	return append(dst, name...)
}

// appendAlias appends x AS name, or for a named window name AS (window).
func appendAlias(dst []byte, n *Node) []byte {
	if n.Kids[0].Kind == List {
		dst = appendIdent(dst, n.Text)
		dst = append(dst, " AS ("...)
		dst = appendWindow(dst, n.Kids[0])
		return append(dst, ')')
	}
	dst = appendOperand(dst, n.Kids[0], PrecLambda)
	dst = append(dst, " AS "...)
	dst = appendIdent(dst, n.Text)
	if len(n.Kids) > 1 {
		dst = append(dst, '(')
		dst = appendList(dst, n.Kids[1].Kids, PrecAlias)
		dst = append(dst, ')')
	}
	return dst
}

func appendLambda(dst []byte, n *Node) []byte {
	params, body := n.Kids[:len(n.Kids)-1], n.Kids[len(n.Kids)-1]
	if len(params) == 1 {
		dst = params[0].Append(dst)
	} else {
		dst = append(dst, '(')
		dst = appendList(dst, params, PrecAlias)
		dst = append(dst, ')')
	}
	dst = append(dst, " -> "...)
	return appendOperand(dst, body, PrecLambda)
}

func appendStar(dst []byte, n *Node) []byte {
	kids := n.Kids
	if len(kids) > 0 && kids[0].Kind != Clause {
		dst = appendOperand(dst, kids[0], PrecPostfix)
		dst = append(dst, '.')
		kids = kids[1:]
	}
	dst = append(dst, '*')
	return appendSpaced(dst, kids)
}

// appendSpaced appends each kid behind a space.
func appendSpaced(dst []byte, kids []*Node) []byte {
	for _, kid := range kids {
		dst = append(dst, ' ')
		dst = kid.Append(dst)
	}
	return dst
}
