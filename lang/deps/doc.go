// Package deps says what an object rests on: the tables its queries read, the table a view writes, the dictionaries and
// functions its expressions call. In goes an object as parsed or canonical; out come references in the order of their
// first use, each with the node that makes it.
//
// The order check of package tree, the blocking of dependants in a pass and the lineage picture all read it. It knows
// ClickHouse's scopes (a common table expression hides a table of its name) and nothing about any server: whether a
// reference exists is for its caller to say.
//
// [Of], [Query] and [Ref] are stable; kinds of reference are added.
package deps
