// Package tree reads a schema tree: a manifest that lists every object of a deployment in dependency order, and one
// definition file for each. It is the language of DESIGN.md section 4.
//
// A tree is a directory with a manifest.hcl at its root. The manifest states the release, declares variables and
// locals, and names the objects; an entry points to a definition, a .hcl file (structure) or a .sql file (one plain
// CREATE statement). Both become the same object of package ast, as written: the canonical form is made later, by
// package canon. [Load] takes a file system and returns the tree and every fault in it, each an HCL diagnostic with
// its place, its reason and its remedy. A fault inside a string, a heredoc or a .sql file is placed at the very
// line and column of that file. Nothing is asked of a server, no path leaves the tree, and all inputs have limits.
//
// [Render] is the way back: an object as an .hcl definition.
//
// A kind of object is one value of type kind, in a file of its own, listed in kinds(): its attributes and blocks,
// how a body becomes an object, how an object becomes a body.
package tree
