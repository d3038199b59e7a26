// Package secrets finds values in a definition that ought not to stand there: passwords, keys and tokens written out as
// literals, in the arguments of an engine or a table function, in settings, in the source of a dictionary, in a named
// collection. An object goes in; the places come out. It reads no value of any secret and never prints one.
package secrets
