// Package platform decides what kind of deployment a server is and whether it can have a schema (DESIGN.md section 5).
//
// What goes in are the facts that package catalog read, and what the deployment pinned; what comes out is the platform
// to render for ([Of]), the members to ask ([Members]), or an error that names everything the server lacks ([Check]).
// The package asks no server itself and changes nothing.
//
// What no server tells is where it keeps SQL functions: user_defined_zookeeper_path is in no system table. A function
// that is created is therefore read back on every member, and one that a member lacks fails its object.
package platform
