// Package visible makes texts that others wrote harmless to whoever reads them: the comment of a column, an id, the name of
// a file, the message of a server. Such a text goes in, and comes out with every character that shows nothing, or that
// steers what shows it, as its escape: ESC as \x1b, RIGHT-TO-LEFT OVERRIDE as \u202e, a byte that is no UTF-8 as \xff. So
// no text moves the cursor of a terminal, hides a part of a name, or is read in another order than it is written.
//
// Colours are the program's own: an [Ink] lets those through that it painted, and no others.
//
// Documents for programs are not made visible: they hold what there is.
package visible
