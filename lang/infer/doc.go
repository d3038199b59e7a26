// Package infer tells the exact type of an expression where the text determines it: what ClickHouse makes of a column with
// no written type. In goes an expression in canonical form (package canon) and the types of the columns it may name; out
// comes a canonical type, or the reason why the text does not say. It never guesses: a function whose result depends on
// more than this package knows is such a reason.
//
// The rules are ClickHouse's own: NumberTraits.h for arithmetic, getLeastSupertype.cpp for if and array, IFunction's default
// handling of Nullable and LowCardinality arguments.
//
// The package serves its neighbours; a program outside has no promise of it.
package infer
