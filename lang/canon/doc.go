// Package canon gives objects their canonical form, in which two trees are equal exactly when they describe the same
// object. In goes what a person wrote or what a server printed, as package ddl read it; out comes one spelling of it:
// what ClickHouse makes of a definition when it stores one (types without aliases, CASE as multiIf, INTERVAL as
// toIntervalDay, Nested flattened, codec levels filled in, tables in queries qualified, SQL functions inlined) and, where
// ClickHouse keeps the words of the author although they mean the same (parentheses, 1 and true of a Bool setting, the
// order of settings), one choice among them. The form keeps ClickHouse's operators where ClickHouse prints operators, so
// that what the server printed is nearly always canonical already and is shared, not copied.
//
// [Object] needs nothing but the text. [Pair] also has the live side: where the desired text leaves something to the
// server that the live shape shows, the desired side takes it over when that is exactly what the server would make of
// the text; where the text does not determine the answer the value becomes an ast.Unknown with the reason.
//
// Equality never hides a real difference: a time zone, a LowCardinality, CODEC(Default), true against 1 in an expression
// stay different. The package changes none of its inputs, keeps nothing between calls and touches no server, file or clock.
//
// [Object], [Pair] and [Checksum] are stable as functions. The canonical form is not: a release that understands more of
// ClickHouse may spell an object otherwise, so a checksum is compared within one release of the engine alone.
package canon
