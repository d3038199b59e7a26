// Package regular reads what people write: definitions, manifests, rule tables, scripts, plans; and says why a file could not
// be read.
//
// Each is a regular file, or a symbolic link to one, of bounded size. A named pipe, a device or a socket in its place is an
// error and is never opened: opening alone may wait for ever for a writer, where no signal ends it, or do something.
package regular
