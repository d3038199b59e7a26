// Package examples holds deployments that a newcomer copies. It is data; `dfe demo` runs the quickstart.
package examples

import "embed"

// FS holds one directory for each example.
//
//go:embed quickstart
var FS embed.FS
