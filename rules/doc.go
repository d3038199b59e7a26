// Package rules decides: from a live object and a desired one it finds the changes between them, asks the rule table
// of the object's kind what is done about each, and plans the statements that do it.
//
//	book, diags := rules.Load(fsys)              // the rule tables of a release
//	doc := book.Plan(pairs, options)             // pairs of live and desired objects -> a plan document
//
// The steps are usable apart: [Diff] compares two objects, [Book.Decide] decides their changes, [Render] gives a
// definition the form of a platform. The differ, the facts and the decisions see an object only as the parts of
// package ast lays out; what they say is in the `.rules` files, and a change no rule matches is refused. The planner
// knows how each part is written in an ALTER, and for a refusal it renders the statement that an operator could run.
//
// Nothing here talks to a server or reads a clock: what a plan depends on is in its arguments.
//
// [Load], [Book], [Diff], [Render], [Pair] and [Options] are stable. The vocabulary of the rule language (paths, facts,
// actions) only grows, so a deployment's own rule tables keep their meaning; golden/rules.txt prints what the release's
// tables say.
package rules
