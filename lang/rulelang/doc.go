// Package rulelang reads the rule language: the `.rules` files in which a release says what is done about each
// difference between a live object and a declared one.
//
// A file holds statements, each on one line; an indented line continues the one above it, and `#` starts a comment.
//
//	kind table                                        # the kind of object the rules below decide for
//	include "common.rules"                            # the statements of a file without a kind, in this place
//	set harmless_settings = ["merge_with_ttl_timeout"]
//	predicate json_here = has_json and platform == self_hosted
//	rule "a column type is changed by an operator alone"
//	    on change column.type when not column_in_key -> refused unless allow_drift then modify-column when lossless
//	    because "stored values may not fit {desired}"
//	    advice "an operator applies it from the command line with --allow-drift"
//
// The words a file may use (kinds, paths, actions, facts) are a [Vocabulary] given by the caller: the language knows
// none of its own. [Parse] turns a text into a [File] and keeps comments and places; [Check] turns files into
// [Table]s, one for each kind, or into diagnostics that name every fault with its place. A rule that can never match,
// because earlier rules of its kind match all it could, is a fault. [Format] prints a file in its one canonical form.
//
// The package decides nothing and opens no file.
//
// The language is stable as package tree's is; the Go side serves package rules and may change.
package rulelang
