// Package ledger keeps and reads the record of what passes did, in the table dfe.schema_migrations of the core release.
//
// Rows are only ever added, one for each object at once after its fate is known, written by a quorum and read
// sequentially, so that a crash at any point leaves a ledger that tells the truth. The newest row of an object is its
// state. The table itself is an object of the manifest like any other: this package neither creates nor alters it. It
// writes the columns a live table has, and reads tables of older and newer releases.
package ledger
