// Package ast is the common tree of dfe: the kinds of object a ClickHouse deployment has, their parts,
// the changes between two of them and the paths that name those changes.
//
// What people write (package lang) and what a server prints (package catalog) both become objects of this
// package; package rules compares them. An object is a typed struct, one kind a file. Its expressions, queries
// and types are trees of [Node]. [Object.Parts] lays an object out as named parts with node values, and that
// layout is all the differ, the rule table and the documents ever see. What a new kind takes beside a file here is
// told in the README.
//
// A tree as parsed keeps what its author wrote (parentheses, order, spelling of a literal). The canonical
// form, in which two trees are equal exactly when they describe the same object, is made by package lang/canon.
//
// The package imports nothing of ours and touches no file, clock or network.
//
// # Stability
//
// [Object], [Part], [Attr], [Node] and the fields of the kinds are stable: fields and kinds are added, none is renamed or
// changes its meaning. A program that switches over kinds or parts has a default. All that is exported here and in the
// other packages is listed in engine/testdata/api.txt, where a change of it is seen in review.
package ast
