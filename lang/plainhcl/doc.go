// Package plainhcl reads the plain part of HCL, which most definition files are written in all through: blocks,
// attributes, strings with references in them, numbers, bools, lists and objects. What goes in is the bytes of a file;
// what comes out is the very tree that hclsyntax.ParseConfig makes of them, range by range, at a tenth of its cost: that
// one makes a token of 88 bytes for every word before it parses.
//
// It knows no faults. A file that holds anything else (an operator, a call, a heredoc, a for, an unusual escape) or that
// has a fault is not its own: it says so, and the file goes to hclsyntax, whose word on it is the only one.
package plainhcl
