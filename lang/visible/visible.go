package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hides reports a character that shows nothing of itself, or that changes how others are shown. What Go does not call
// graphic are the characters of control and of format, the separators of lines and paragraphs, and those that nobody has
// assigned a meaning to; the rest are graphic by their class and are not shown by anything that follows Unicode.
func hides(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case !unicode.IsGraphic(r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return r == '\u2800' // BRAILLE PATTERN BLANK
}

// Text makes a text visible. Its lines stay lines, and tabs stay tabs.
func Text(s string) string { return visible(s, "\n\t") }

// Line makes a text visible that has to stay on one line, such as a name in a table.
func Line(s string) string { return visible(s, "") }

// Rune is a character as it is shown where each takes one place, so that a mark below it stays in its place: one that
// hides is U+FFFD.
func Rune(r rune) rune {
	if r != '\t' && hides(r) {
		return utf8.RuneError
	}
	return r
}

func visible(s, stays string) string {
	clean := 0
	for clean < len(s) {
		r, size := utf8.DecodeRuneInString(s[clean:])
		if r == utf8.RuneError && size == 1 || hides(r) && !strings.ContainsRune(stays, r) {
			break
		}
		clean += size
	}
	if clean == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:clean])
	for i := clean; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !hides(r) || strings.ContainsRune(stays, r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}
