// Package facts holds what ClickHouse itself says about its words: data types and their aliases, functions and
// theirs, the settings of MergeTree tables and of sessions, engines, codecs, table functions, dictionary layouts
// and sources. Everything comes from a running engine's system tables by go generate; nothing is written by hand,
// so a newer ClickHouse is one regeneration away. Names go in, names and small structs come out.
//
// The package touches no server at run time and holds nothing that changes.
package facts

//go:generate go run ./internal/gen
