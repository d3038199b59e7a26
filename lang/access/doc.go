// Package access reads the statements that say who may do what: CREATE, ALTER and DROP of roles, users, settings
// profiles, quotas and row policies, GRANT and REVOKE, as people write them and as SHOW CREATE, SHOW GRANTS and SHOW
// ACCESS of ClickHouse print them. A text goes in; a [Statement] with an object of package ast comes out, or an error with
// line, column and what was expected. Printing a statement and reading it again gives the same statement.
//
// It also knows what a right covers: [Rights] answers whether a set of rights holds another one, by the tree of
// privileges the engine has (package facts): ALL holds SELECT, *.* holds a table, REMOTE is READ and WRITE (cases S93 to
// S95).
//
// A password in a statement is never part of an object and never part of a message.
package access
