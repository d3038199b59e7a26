// Package stdlib is the core schema release, embedded in the binary: the manifest, the definitions of its tables,
// views and roles, its topics and the rule tables. It is data; package lang/tree reads it.
package stdlib

import "embed"

// FS holds the release, its manifest.hcl at the root.
//
//go:embed manifest.hcl tables common-header registries roles topics views rules sources tenants
var FS embed.FS
