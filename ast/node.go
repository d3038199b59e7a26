package ast

import "strconv"

// Shapes of the tree.
//
// This is the shape of every construct as the parser leaves it: what its author wrote, redundant parentheses
// included, with only those rewrites that ClickHouse's own parser makes before it keeps anything. Words that are
// syntax (clause keywords, operators, units) are upper case with single spaces; names keep their case.
//
// Literals. Number is unsigned, as written (0x1F, 1_000, 1e3, .5). -1 is Operator "-" over a Number. TRUE, FALSE,
// NULL, INF, INFINITY, NAN in any case are Keyword "true", "false", "NULL", "inf", "inf", "nan". A heredoc is a
// String. DATE 'x' is Func toDate('x') and TIMESTAMP 'x' Func toDateTime('x').
//
// Identifiers. a is Ident "a"; a.b.c is Ident with three single-part Ident kids; `a.b` is one part. A part may be a
// Param ({db:Identifier}.t).
//
// Operators. Infix operators have two kids, except that a chain of AND, OR or || without parentheses is one node
// with two or more. Prefix: "-", "+", "NOT". Texts as written: "=", "==", "!=", "<>", "%", "MOD", "DIV", "/", "||", "<=>",
// "LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE", "REGEXP", "NOT REGEXP", "IN", "NOT IN", "GLOBAL IN", "GLOBAL NOT IN".
//   - x LIKE p ESCAPE 'c': the third kid is the String, for LIKE and its like
//   - x IS [NOT] NULL: "IS NULL", "IS NOT NULL" [x], and so for TRUE, FALSE, UNKNOWN; "IS DISTINCT FROM", "IS NOT DISTINCT FROM" [x, y]
//   - x [NOT] BETWEEN a AND b: "BETWEEN", "NOT BETWEEN" [x, a, b]
//   - c ? a : b: "?:" [c, a, b]
//   - x::T: "::" [x, Type]; x[i]: "[]" [x, i]
//   - (x).1, t.1, (x).a: "." [x, Number or Ident]; (x).* is a Star whose qualifier is x; t.COLUMNS(..): "." [Ident, Func]
//   - JSON paths: j.^a is ".^" [j, Ident]; j.a.:Int64 is ".:" [Ident j.a, Type]; j.a[] is ".[]" [Ident j.a]; what
//     follows one of them continues with "." [.., Ident]
//   - CASE: "CASE" [operand if any, Clause "WHEN" [condition, result].., Clause "ELSE" [result] if any]
//   - EXISTS (query): "EXISTS" [Subquery]; x = ANY (query): "= ANY" [x, Subquery], any comparison, ANY or ALL
//   - @@name: "@@" [Ident]; {'k': v, ..} (a map as a setting's value): "{}" [k, v, ..]
//
// Calls. Func kids are, in this order: Params if any; Clause "DISTINCT" if written; the arguments; Clause
// "RESPECT NULLS" or "IGNORE NULLS"; Clause "FILTER" [condition]; Clause "OVER" [Ident] for a named window or
// Clause "OVER" [List window]. A window List has the base window's Ident if any, Clause "PARTITION BY" [exprs],
// Clause "ORDER BY" [elements], Clause "ROWS" | "RANGE" | "GROUPS" [bound] or [from, to]; a bound is Keyword
// "CURRENT ROW", "UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING" or Clause "PRECEDING" | "FOLLOWING" [amount].
//   - CAST(x AS T) is Func "CAST" [x, Type]; CAST(x, 'T') is Func "CAST" [x, String]
//   - EXTRACT(u FROM x) is Func "EXTRACT" [Clause u [x]]
//   - SUBSTRING(x FROM a FOR b) is Func "SUBSTRING" [x, a, b]; POSITION(a IN b) is Func "POSITION" [b, a]
//   - TRIM(BOTH c FROM x) is Func "TRIM" [Clause "BOTH" | "LEADING" | "TRAILING" [x, c]]
//   - DATE_ADD(DAY, n, d), DATEDIFF(DAY, a, b) and their like: the first kid is Keyword "DAY"
//   - COLUMNS('re'), COLUMNS(a, b): Func "COLUMNS", column transformers last
//   - a query as an argument without parentheses of its own, view(SELECT ..): the Select or Union itself
//   - SETTINGS inside a table function's parentheses: Clause "SETTINGS" [Equals..] as the last argument
//   - name = value in the argument list of a table function, an engine, an index type, a codec or disk(..) is
//     Equals; everywhere else it is Operator "="
//
// Column transformers, after * or COLUMNS(..): Clause "EXCEPT" | "EXCEPT STRICT" [Idents or one String], Clause "REPLACE" |
// "REPLACE STRICT" [Alias..], Clause "APPLY" [Ident, Func or Lambda, and String prefix if any].
//
// INTERVAL. INTERVAL 2 DAYS is Interval "DAY" [2]; INTERVAL '2 DAY' becomes the same; INTERVAL '2' DAY is Interval "DAY"
// [String]; INTERVAL '1-2' YEAR TO MONTH is Interval "YEAR TO MONTH" [String]; INTERVAL '1 day 2 hours' is Interval "" [String].
//
// Types. Text is the name as written (several words: upper case, one space: "DOUBLE PRECISION", "INT UNSIGNED"). Kids:
// Type; Number; String; NamedType; an Enum's element is Equals "name" [Number or Operator "-"] or String; name = value is
// Equals. JSON: NamedType "a.b" for a typed path, Clause "SKIP" [Ident "a.b"], Clause "SKIP REGEXP" [String].
// AggregateFunction and SimpleAggregateFunction: Number version if any, then Ident or Func (with parameters), then
// Types. Nested and Tuple: NamedType or Type. A type's empty parentheses leave no trace. T NULL is Type "Nullable" [T]
// and T NOT NULL is T; NULL where no type is written is Type "Nullable" without kids.
//
// Queries. A Select's kids, each at most once, in this order:
//   - Clause "WITH" | "WITH RECURSIVE": expressions (mostly Alias) and Clause "CTE" [Ident, Subquery] for name AS (query),
//     with a List of column names last if any; AS MATERIALIZED is Clause "CTE MATERIALIZED"
//   - Clause "SELECT" | "SELECT DISTINCT": expressions. TOP n is LIMIT n and DISTINCT ON (..) is LIMIT 1 BY .., as in
//     ClickHouse's parser. FROM t SELECT x has the usual order.
//   - Clause "FROM": the first table, then in written order Clause "INNER JOIN".. [table, Clause "ON" [e] | Clause "USING"
//     [exprs]], Clause "," [table], Clause "ARRAY JOIN" | "LEFT ARRAY JOIN" [exprs]. A join's Text is [GLOBAL|LOCAL]
//     [NATURAL] [ANY|ALL|ASOF|SEMI|ANTI] and INNER|LEFT|RIGHT|FULL OUTER|CROSS|PASTE and JOIN, with ClickHouse's defaults filled in
//     (JOIN is INNER JOIN, LEFT OUTER JOIN is LEFT JOIN, SEMI JOIN is SEMI LEFT JOIN). A table is Ident, Func or Subquery, in an Alias if it
//     has one (with a List of column names second, if any), in Clause "TABLE" [it, Clause "FINAL", Clause "SAMPLE" [x],
//     Clause "OFFSET" [y]] if it has one of these.
//   - Clause "PREWHERE" [e]; Clause "WHERE" [e]
//   - Clause "GROUP BY" [exprs] | "GROUP BY ALL" [] | "GROUPING SETS" [Lists]; then inside it Clause "WITH ROLLUP" | "WITH
//     CUBE", Clause "WITH TOTALS" as last kids. GROUP BY ROLLUP(a, b) is GROUP BY a, b WITH ROLLUP.
//   - Clause "HAVING" [e]; Clause "WINDOW" [Alias name [List window]..]; Clause "QUALIFY" [e]
//   - Clause "ORDER BY" [elements] | "ORDER BY ALL" [] or [Clause "ASC" | "DESC" [modifiers]]. An element is the bare
//     expression, or, with a direction or a modifier, Clause "ASC" | "DESC" [expr, Clause "NULLS FIRST" | "NULLS LAST",
//     Clause "COLLATE" [String], Clause "WITH FILL" [Clause "FROM" [x], "TO" [x], "STEP" [x], "STALENESS" [x]]]
//   - Clause "INTERPOLATE" [Ident | Equals name [expr]]
//   - Clause "LIMIT BY" [n, Clause "OFFSET" [m] if any, Clause "BY" [exprs] | "BY ALL" []]
//   - Clause "LIMIT" | "LIMIT WITH TIES" [n]; Clause "OFFSET" [m] (LIMIT m, n and FETCH are these two)
//   - Clause "SETTINGS" [Equals..]; Clause "FORMAT" [Ident]
//
// A Union is left-associative; a chain of one operator is one node; INTERSECT binds tighter. Text is "UNION", "UNION
// ALL", "UNION DISTINCT", "EXCEPT", "EXCEPT ALL", .. A query in parentheses that is no table or expression (a member of a
// Union, the body of a view) is Paren. A Subquery's kid is Select, Union, Paren, or Clause "EXPLAIN" | "EXPLAIN AST" ..
// [Equals.., query]. VALUES (1, 2), (3, 4) as a query is Select with the one Clause "VALUES" [exprs].
//
// Lists in definitions. TTL: List of rules: an expression, or Clause "DELETE" [x, Clause "WHERE" [e]], "TO DISK" | "TO
// VOLUME" | "TO DISK IF EXISTS".. [x, String], "RECOMPRESS" [x, List codecs], "GROUP BY" [x, List keys, Clause "SET"
// [Equals..], Clause "WHERE" [e]]; a rule with WHERE and no action is "DELETE". CODEC, STATISTICS: List of Ident or
// Func (with parentheses). Keys: the expression; a direction makes it Clause "ASC" | "DESC" [x], also inside a Tuple or
// tuple(..); keys separated by commas without parentheses are a List; () is a Tuple. A dictionary's source and layout arguments: the value
// is a literal, Ident or Func; a nested block is a List of Equals.

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

// String returns the kind's name as this package spells it.
func (k NodeKind) String() string {
	names := [...]string{"Invalid", "Opaque", "Unknown", "Ident", "Number", "String", "Keyword", "Param", "Star", "Func", "Params",
		"Operator", "Lambda", "Tuple", "Array", "Paren", "Interval", "Alias", "Type", "NamedType", "List", "Clause", "Select", "Union",
		"Subquery", "Equals"}
	if int(k) < len(names) {
		return names[k]
	}
	return "NodeKind(" + strconv.Itoa(int(k)) + ")"
}

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
