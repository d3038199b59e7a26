// Package adopt makes a schema tree out of what a server has. With it a deployment that was made by hand comes under control: a plan
// of the tree over that server finds nothing to do.
//
// [New] lists objects in a manifest, each behind what it rests on, and writes a definition for each: tables, dictionaries,
// collections and what says who may do what as .hcl, views and functions as .sql. A platform's part, replication and its paths,
// is not in it. What a server hides is named by reference, secret('env:...'), and read when it is written for the first time.
// What no tree can declare is left out and named with the reason.
package adopt
