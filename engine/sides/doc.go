// Package sides compares any two descriptions of a schema: scripts of statements, schema trees and servers. Each
// becomes a [Side]; [Diff] pairs them by kind and name and decides as a plan would. It sends nothing but reads.
package sides
