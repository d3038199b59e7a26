// Package catalog reads a live ClickHouse server into the common tree.
//
// A [Target] says where the server is and who asks; [Open] reaches it and tells "not up yet" from "broken"
// ([Unavailable], [Broken]). [Read] returns what the server has: its databases, tables, views, dictionaries and SQL
// functions, and where [Scope] asks for them its named collections and who may do what, as objects of package ast, with
// the facts of the server that decide how a schema is rendered for it.
//
// Reading takes a constant number of queries, whatever the number of objects, and text is parsed while the next
// rows arrive. An object whose text no parser of ours reads is kept by name, with the reason, and never stops the
// rest. Objects of the system databases and the inner tables of materialized views are not objects of a schema and
// are left out.
//
// The package sends SELECT and SHOW alone by itself. Statements go through [Conn.Exec] for package engine, which decides.
//
// [Target], [Open], [Read], [Conn], [Catalog], [Object], [Facts] and the errors are stable: fields are added, and a query
// may ask the server for more.
package catalog
