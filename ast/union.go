package ast

// FirstQuery returns the Select whose WITH clause ClickHouse shares with all other members of a Union: the first one, unless
// it stands with others in parentheses of their own. Nil: the node is no query or shares nothing.
func (n *Node) FirstQuery() *Node {
	parens := false
	for n != nil {
		switch {
		case n.Kind == Select:
			return n
		case n.Kind == Union && !parens && len(n.Kids) > 0:
			n = n.Kids[0]
		case (n.Kind == Subquery || n.Kind == Paren) && len(n.Kids) == 1:
			n, parens = n.Kids[0], true
		default:
			return nil
		}
	}
	return nil
}

// With returns the WITH clause of a Select, or nil.
func (n *Node) With() *Node {
	if n == nil || n.Kind != Select || len(n.Kids) == 0 {
		return nil
	}
	if first := n.Kids[0]; first.Kind == Clause && (first.Text == "WITH" || first.Text == "WITH RECURSIVE") {
		return first
	}
	return nil
}
