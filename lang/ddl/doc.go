// Package ddl reads and understands ClickHouse DDL: the statements that define a deployment's objects, as people write
// them and as servers print them. In goes text; out come objects of package ast, or an [Error] that says where, what was
// found, and what was expected.
//
// The grammar is this package's own, hand-written after ClickHouse's Parsers directory (26.7): statements, the clauses of
// every kind of object, data types, expressions with ClickHouse's precedences, and whole queries. No parser library served
// today reads what people write and what servers print; AfterShip's and doubleclick's stand beside this one in the benchmarks.
//
// The parser is tolerant. A clause or an expression it cannot read becomes an ast.Opaque node, its tokens up to the end
// of the clause, and is listed in [Statement.Unreadable]; only a text that is no sequence of tokens, whose brackets do not
// balance or that names no object fails as a whole. In a script such a statement never stops the ones after it.
//
// The package never rewrites meaning: what it reads keeps the author's words (see ast for the shape of every construct), and
// the canonical form is package canon's. It touches no server, file or clock.
//
// [ParseStatement], [ParseScript], [ParseAlter], the parsers of fragments and [Error] are stable. What is read grows with
// ClickHouse: a text that is an ast.Opaque node today may be a tree tomorrow.
package ddl
