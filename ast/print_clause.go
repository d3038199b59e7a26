package ast

// appendClause appends a clause: most are their keyword and what follows it, separated by commas.
func appendClause(dst []byte, n *Node) []byte {
	switch n.Text {
	case "ASC", "DESC":
		return appendDirection(dst, n)
	case "WHEN":
		dst = append(dst, "WHEN "...)
		dst = n.Kids[0].Append(dst)
		dst = append(dst, " THEN "...)
		return n.Kids[1].Append(dst)
	case "OVER":
		return appendOver(dst, n)
	case "ROWS", "RANGE", "GROUPS":
		return appendFrame(dst, n)
	case "PRECEDING", "FOLLOWING":
		dst = appendOperand(dst, n.Kids[0], PrecComparison)
		dst = append(dst, ' ')
		return append(dst, n.Text...)
	case "FILTER":
		dst = append(dst, "FILTER (WHERE "...)
		dst = n.Kids[0].Append(dst)
		return append(dst, ')')
	case "EXCEPT", "EXCEPT STRICT", "REPLACE", "REPLACE STRICT":
		return appendParenthesised(dst, n)
	case "APPLY":
		return appendParenthesised(dst, n)
	case "CTE", "CTE MATERIALIZED":
		return appendCommonTable(dst, n)
	case "TABLE", "WITH FILL":
		return appendModified(dst, n)
	case "SAMPLE":
		dst = append(dst, "SAMPLE "...)
		return appendOperand(dst, n.Kids[0], PrecSum)
	case "SKIP":
		dst = append(dst, "SKIP "...)
		return n.Kids[0].Append(dst)
	case "DELETE", "TO DISK", "TO VOLUME", "TO DISK IF EXISTS", "TO VOLUME IF EXISTS", "RECOMPRESS":
		return appendTTLRule(dst, n)
	case "GROUP BY", "GROUP BY ALL", "GROUPING SETS":
		if len(n.Kids) > 1 && n.Kids[1].Kind == List && n.Text == "GROUP BY" {
			return appendTTLRule(dst, n)
		}
		return appendGroupBy(dst, n)
	case "LIMIT BY":
		return appendLimitBy(dst, n)
	case "FROM":
		return appendFrom(dst, n)
	case "INTERPOLATE":
		return appendInterpolate(dst, n)
	case "SETTINGS":
		dst = append(dst, "SETTINGS "...)
		return appendSettingNodes(dst, n.Kids)
	case "LIMIT WITH TIES":
		dst = append(dst, "LIMIT "...)
		dst = n.Kids[0].Append(dst)
		return append(dst, " WITH TIES"...)
	case "USING":
		return appendParenthesised(dst, n)
	case "VALUES", "BY", "SELECT", "SELECT DISTINCT", "WITH", "WITH RECURSIVE", "SET":
		dst = append(dst, n.Text...)
		dst = append(dst, ' ')
		return appendList(dst, n.Kids, PrecAlias)
	}
	if len(n.Text) >= 7 && n.Text[:7] == "EXPLAIN" {
		return appendExplain(dst, n)
	}
	if isJoin(n.Text) {
		return appendJoin(dst, n)
	}
	dst = append(dst, n.Text...)
	if len(n.Kids) > 0 {
		dst = append(dst, ' ')
		dst = appendList(dst, n.Kids, PrecAlias)
	}
	return dst
}

// appendParenthesised appends KEYWORD (a, b).
func appendParenthesised(dst []byte, n *Node) []byte {
	dst = append(dst, n.Text...)
	dst = append(dst, " ("...)
	dst = appendList(dst, n.Kids, PrecAlias)
	return append(dst, ')')
}

// appendModified appends x and its modifiers: a table with FINAL and SAMPLE, WITH FILL with its bounds.
func appendModified(dst []byte, n *Node) []byte {
	if n.Text == "WITH FILL" {
		dst = append(dst, n.Text...)
		for _, kid := range n.Kids {
			dst = append(dst, ' ')
			dst = append(dst, kid.Text...)
			dst = append(dst, ' ')
			dst = appendOperand(dst, kid.Kids[0], PrecLambda)
		}
		return dst
	}
	dst = n.Kids[0].Append(dst)
	return appendSpaced(dst, n.Kids[1:])
}

// appendDirection appends an ordered expression; ORDER BY ALL has none.
func appendDirection(dst []byte, n *Node) []byte {
	kids := n.Kids
	if len(kids) > 0 && !orderModifier(kids[0]) {
		dst = kids[0].Append(dst)
		dst = append(dst, ' ')
		kids = kids[1:]
	}
	dst = append(dst, n.Text...)
	return appendSpaced(dst, kids)
}

func orderModifier(n *Node) bool {
	if n.Kind != Clause {
		return false
	}
	switch n.Text {
	case "NULLS FIRST", "NULLS LAST", "COLLATE", "WITH FILL":
		return true
	}
	return false
}

// appendTTLRule appends a TTL rule with an action.
func appendTTLRule(dst []byte, n *Node) []byte {
	dst = appendOperand(dst, n.Kids[0], PrecLambda)
	dst = append(dst, ' ')
	dst = append(dst, n.Text...)
	kids := n.Kids[1:]
	if n.Text == "RECOMPRESS" {
		dst = append(dst, " CODEC("...)
		dst = kids[0].Append(dst)
		dst = append(dst, ')')
		kids = kids[1:]
	}
	return appendSpaced(dst, kids)
}

func appendSettingNodes(dst []byte, kids []*Node) []byte {
	for i, kid := range kids {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendSettingName(dst, kid.Text)
		dst = append(dst, " = "...)
		dst = appendOperand(dst, kid.Kids[0], PrecNegate)
	}
	return dst
}
