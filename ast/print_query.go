package ast

import "strings"

func appendSelect(dst []byte, n *Node) []byte {
	for i, clause := range n.Kids {
		if clause.Text == "OFFSET" && i > 0 && strings.HasPrefix(n.Kids[i-1].Text, "LIMIT") && n.Kids[i-1].Text != "LIMIT BY" {
			continue // printed with its LIMIT
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		if i+1 < len(n.Kids) && n.Kids[i+1].Text == "OFFSET" && (clause.Text == "LIMIT" || clause.Text == "LIMIT WITH TIES") {
			dst = append(dst, "LIMIT "...)
			dst = n.Kids[i+1].Kids[0].Append(dst)
			dst = append(dst, ", "...)
			dst = clause.Kids[0].Append(dst)
			dst = append(dst, clause.Text[len("LIMIT"):]...)
			continue
		}
		dst = clause.Append(dst)
	}
	return dst
}

// appendUnion puts parentheses around a member that would otherwise be read as part of another operator.
func appendUnion(dst []byte, n *Node) []byte {
	intersect := strings.HasPrefix(n.Text, "INTERSECT")
	for i, kid := range n.Kids {
		if i > 0 {
			dst = append(dst, ' ')
			dst = append(dst, n.Text...)
			dst = append(dst, ' ')
		}
		bare := true
		if kid.Kind == Union {
			tighter := !intersect && strings.HasPrefix(kid.Text, "INTERSECT")
			same := intersect == strings.HasPrefix(kid.Text, "INTERSECT")
			bare = tighter || i == 0 && same && kid.Text != n.Text
		}
		if !bare {
			dst = append(dst, '(')
		}
		dst = kid.Append(dst)
		if !bare {
			dst = append(dst, ')')
		}
	}
	return dst
}

func appendCommonTable(dst []byte, n *Node) []byte {
	dst = n.Kids[0].Append(dst)
	if len(n.Kids) > 2 {
		dst = append(dst, " ("...)
		dst = n.Kids[2].Append(dst)
		dst = append(dst, ')')
	}
	dst = append(dst, " AS "...)
	dst = append(dst, strings.TrimPrefix(strings.TrimPrefix(n.Text, "CTE"), " ")...)
	if n.Text != "CTE" {
		dst = append(dst, ' ')
	}
	return n.Kids[1].Append(dst)
}

// appendFrom appends the first table and its joins.
func appendFrom(dst []byte, n *Node) []byte {
	dst = append(dst, "FROM "...)
	dst = n.Kids[0].Append(dst)
	for _, join := range n.Kids[1:] {
		if join.Text != "," {
			dst = append(dst, ' ')
		}
		dst = join.Append(dst)
	}
	return dst
}

func isJoin(text string) bool {
	return text == "," || strings.HasSuffix(text, "JOIN") && !strings.HasSuffix(text, "ARRAY JOIN")
}

func appendJoin(dst []byte, n *Node) []byte {
	dst = append(dst, n.Text...)
	return appendSpaced(dst, n.Kids)
}

func appendGroupBy(dst []byte, n *Node) []byte {
	keys := n.Kids
	for i, kid := range keys {
		if kid.Kind == Clause && strings.HasPrefix(kid.Text, "WITH ") {
			keys = keys[:i]
			break
		}
	}
	switch {
	case n.Text == "GROUP BY ALL":
		dst = append(dst, n.Text...)
	case n.Text == "GROUPING SETS":
		dst = append(dst, "GROUP BY GROUPING SETS ("...)
		for i, set := range keys {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(dst, '(')
			dst = set.Append(dst)
			dst = append(dst, ')')
		}
		dst = append(dst, ')')
	case len(keys) > 0:
		dst = append(dst, "GROUP BY "...)
		dst = appendList(dst, keys, PrecAlias)
	}
	for i, kid := range n.Kids[len(keys):] {
		if i > 0 || len(keys) > 0 || n.Text == "GROUP BY ALL" {
			dst = append(dst, ' ')
		}
		dst = append(dst, kid.Text...)
	}
	return dst
}

func appendLimitBy(dst []byte, n *Node) []byte {
	dst = append(dst, "LIMIT "...)
	if len(n.Kids) == 3 {
		dst = n.Kids[1].Kids[0].Append(dst)
		dst = append(dst, ", "...)
	}
	dst = n.Kids[0].Append(dst)
	dst = append(dst, ' ')
	return n.Kids[len(n.Kids)-1].Append(dst)
}

func appendInterpolate(dst []byte, n *Node) []byte {
	dst = append(dst, n.Text...)
	if len(n.Kids) == 0 {
		return dst
	}
	dst = append(dst, " ("...)
	for i, kid := range n.Kids {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendIdent(dst, kid.Text)
		if kid.Kind == Equals {
			dst = append(dst, " AS "...)
			dst = appendOperand(dst, kid.Kids[0], PrecLambda)
		}
	}
	return append(dst, ')')
}

func appendExplain(dst []byte, n *Node) []byte {
	dst = append(dst, n.Text...)
	dst = append(dst, ' ')
	last := len(n.Kids) - 1
	if last > 0 {
		dst = appendSettingNodes(dst, n.Kids[:last])
		dst = append(dst, ' ')
	}
	return n.Kids[last].Append(dst)
}
