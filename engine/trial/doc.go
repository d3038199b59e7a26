// Package trial creates every object of a schema tree in a throw-away ClickHouse and tells which of them it refuses, with
// the server's own words and the place in the tree. It is the oracle of "dfe schema lint --engine".
//
// In goes a tree without faults and a connection to a server that holds nothing else, such as a fresh embedded engine; out
// come findings of package lint. The objects are created as the platform embedded renders them, in manifest order; what
// rests on a refused object is not tried. The package drops nothing: the server is thrown away by whoever made it.
package trial
