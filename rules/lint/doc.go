// Package lint tells the author of a schema tree what is wrong with it and what an expert would advise, with no server.
//
// In goes a tree as package tree loaded it, with its diagnostics; out comes a sequence of [Finding]s: the loader's
// faults (DFE1xx) and the advice of the checks in [Checks] (DFE2xx), object by object in manifest order, each with a
// stable code, a severity, a place, a reason and a remedy. A comment "dfe:ignore CODE reason" waives a finding, and a
// waiver that is none is a finding itself. [NewText], [NewJSON] and [NewSARIF] write findings as they come; [Explain]
// returns the page of a code, whose examples the tests of this package run.
//
// A check fires only on what a definition states. Where a definition cannot tell (how many values a column has, how
// much data comes in), no check guesses. The package reads no file, asks no server and changes nothing.
package lint
