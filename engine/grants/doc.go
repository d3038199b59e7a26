// Package grants knows what the engine's own user has to be allowed on a server, and asks the server what of it is
// missing.
//
// What goes in is what a schema declares and the platform it is rendered for; what comes out is a list of GRANT
// statements for an operator, who sends them: the engine never grants anything to itself. Privileges that only a part of
// a schema needs are asked for where it has that part.
package grants
