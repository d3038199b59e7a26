// Package cli is the command line dfe: it reads arguments and environment, calls package engine, and prints.
//
// Text is for reading and goes to standard output, with colour and a progress line on terminals alone. With --format
// json one JSON document goes to standard output and nothing else does; it is the contract. Messages and progress go
// to standard error. The exit code is 0 for done, 1 for failed, an answer that could not be written among it, 2 for usage,
// 3 for differences or refusals where --exit-code asked, for findings of lint, for what fmt --check would change and for
// what inspect --out left out, and 4 for observed.
//
// [Run] is the whole program but for the process around it, so that tests call it as the shell does.
package cli
