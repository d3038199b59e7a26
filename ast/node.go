package ast

// NodeKind says what a [Node] is; it decides what Text and Kids mean.
type NodeKind uint8

const (
	// Invalid is the zero kind; no parser produces it.
	Invalid NodeKind = iota

	// Opaque is a fragment no parser of ours reads: Text is its tokens joined by single spaces, Kids is empty.
	// It prints as its text and equals an opaque fragment with the same tokens.
	Opaque
	// Unknown is a part the text alone does not determine (a column with no written type): Text is the reason,
	// as a sentence. Comparing it with anything gives [CannotTell].
	Unknown

	// Ident is a possibly compound identifier: Kids is empty and Text is the name when it has one part,
	// otherwise Kids are single-part Idents (database, table, column).
	Ident
	// Number is a numeric literal; Text is as written, sign excluded.
	Number
	// String is a string literal; Text is its value, unescaped.
	String
	// Keyword is a word that stands for itself: NULL, true, false, inf, nan, a setting's bare word, ASC.
	Keyword
	// Param is a query parameter {name:Type}: Text is the name, Kids[0] the type.
	Param
	// Star is *, or t.* with Kids[0] the qualifier; column transformers (EXCEPT, REPLACE, APPLY) follow as Clause kids.
	Star

	// Func is a call f(args): Text is the name. Parametric functions f(params)(args) have a first kid of kind Params.
	Func
	// Params is the first argument list of a parametric function.
	Params
	// Operator is a prefix, infix or postfix operator as written: Text is its upper-case spelling
	// ("+", "AND", "NOT", "IN", "BETWEEN", "CASE", "::", "?:", "[]", "."); Kids are the operands.
	Operator
	// Lambda is x -> body or (x, y) -> body: Kids are the parameters and, last, the body.
	Lambda
	// Tuple is (a, b) with none or at least two elements, or one and a trailing comma.
	Tuple
	// Array is [a, b].
	Array
	// Paren is a redundant pair of parentheses around one expression; the canonical form has none.
	Paren
	// Interval is INTERVAL x UNIT: Text is the upper-case singular unit, Kids[0] the amount.
	Interval
	// Alias is x AS name: Text is the name, Kids[0] the expression.
	Alias

	// Type is a data type: Text is its name, Kids its arguments (types, literals, NamedType, expressions).
	Type
	// NamedType is a named element of Tuple, Nested or JSON: Text is the name, Kids[0] the type.
	NamedType

	// List is an ordered list that is no expression of its own: ORDER BY keys, TTL rules, codec steps.
	List
	// Clause is a keyword clause of a query or of a list item: Text is its upper-case keyword(s)
	// ("WHERE", "ORDER BY", "INNER JOIN", "ON", "EXCEPT"), Kids its content.
	Clause
	// Select is one SELECT; Kids are its Clauses in the order ClickHouse prints them.
	Select
	// Union is several queries; Text is the operator with its mode ("UNION ALL", "INTERSECT DISTINCT").
	Union
	// Subquery is a query in parentheses used as an expression or a table.
	Subquery
	// Equals is name = value where that is no comparison: a setting, an engine or index argument, an enum member.
	// Text is the name and Kids[0] the value.
	Equals
)

// Node is one node of an expression, query or type tree. Nodes are immutable once a parser returned them and
// may be shared between trees. Pos is the byte offset in the text it was parsed from, or -1; it takes no part in
// comparison or printing.
type Node struct {
	Kind  NodeKind
	Quote bool // the identifier was written in quotes (printing decides again; comparison ignores it)
	Pos   int32
	Text  string
	Kids  []*Node
}

// N returns a node without a position.
func N(kind NodeKind, text string, kids ...*Node) *Node {
	return &Node{Kind: kind, Pos: -1, Text: text, Kids: kids}
}

// Walk calls f for n and, while f returns true, for the nodes below it, parents first. A nil node is not visited.
func (n *Node) Walk(f func(*Node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, kid := range n.Kids {
		kid.Walk(f)
	}
}

// Verdict is the answer to "are these two the same?".
type Verdict uint8

const (
	// Same means the two describe the same thing.
	Same Verdict = iota
	// Different means they do not.
	Different
	// CannotTell means one side does not determine the answer; [Node.Reason] of that side says why.
	CannotTell
)

// Compare compares two canonical trees. A difference anywhere outweighs an [Unknown] elsewhere; two nil nodes
// are the same.
func Compare(a, b *Node) Verdict {
	switch {
	case a == b && (a == nil || a.Reason() == ""):
		return Same
	case a == nil || b == nil:
		if a.Reason() != "" || b.Reason() != "" {
			return CannotTell
		}
		return Different
	case a.Kind == Unknown || b.Kind == Unknown:
		return CannotTell
	case a.Kind != b.Kind || a.Text != b.Text || len(a.Kids) != len(b.Kids):
		return Different
	}
	verdict := Same
	for i := range a.Kids {
		switch Compare(a.Kids[i], b.Kids[i]) {
		case Different:
			return Different
		case CannotTell:
			verdict = CannotTell
		}
	}
	return verdict
}

// Reason returns the reason of the first Unknown in the tree, or "" when the tree is determined.
func (n *Node) Reason() string {
	if n == nil {
		return ""
	}
	if n.Kind == Unknown {
		return n.Text
	}
	for _, kid := range n.Kids {
		if reason := kid.Reason(); reason != "" {
			return reason
		}
	}
	return ""
}
