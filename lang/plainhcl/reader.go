package plainhcl

import (
	"unicode/utf8"

	"github.com/apparentlymart/go-textseg/v15/textseg"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Parse returns the body of a file that is plain all through and nests at most limit levels deep, brackets, braces,
// quotes and references each counted as a level. It reports false for any other.
func Parse(src []byte, filename string, limit int) (*hclsyntax.Body, bool) {
	if !utf8.Valid(src) {
		return nil, false
	}
	r := &reader{src: string(src), name: filename, line: 1, limit: limit}
	start := 0
	for start < len(src) && isBlank(src[start]) {
		start++
	}
	body := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, Blocks: hclsyntax.Blocks{}}
	// HCL's range of a file begins with its first token, a comment or an empty line included.
	from := hcl.Pos{Line: 1, Column: start + 1, Byte: start}
	if !r.items(body, false) {
		return nil, false
	}
	end := r.pos()
	body.SrcRange = hcl.Range{Filename: filename, Start: from, End: end}
	body.EndRange = hcl.Range{Filename: filename, Start: end, End: end}
	return body, true
}

// reader is at one byte of a file. Its methods report false at anything that is not plain; what they read until then
// is of no use any more.
type reader struct {
	src, name string
	at        int
	line      int
	lineStart int // where the line begins
	// wide is by how much the bytes of the line so far are more than its columns: HCL counts grapheme clusters.
	wide         int
	depth, limit int
}

func (r *reader) pos() hcl.Pos {
	return hcl.Pos{Line: r.line, Column: r.at - r.lineStart - r.wide + 1, Byte: r.at}
}

// since is the range from a position to where the reader is.
func (r *reader) since(start hcl.Pos) hcl.Range {
	return hcl.Range{Filename: r.name, Start: start, End: r.pos()}
}

// peek returns the byte at hand; 0 at the end, which is nothing plain either.
func (r *reader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// take steps over one byte, if it is the one expected.
func (r *reader) take(c byte) bool {
	if r.at >= len(r.src) || r.src[r.at] != c {
		return false
	}
	r.at++
	return true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func (r *reader) blanks() {
	for r.at < len(r.src) && isBlank(r.src[r.at]) {
		r.at++
	}
}

// lineEnd steps over the end of a line and a comment before it. The end of the file is one too.
func (r *reader) lineEnd() bool {
	r.blanks()
	if r.at == len(r.src) {
		return true
	}
	if r.peek() == '#' || r.peek() == '/' && r.at+1 < len(r.src) && r.src[r.at+1] == '/' {
		for r.at < len(r.src) && r.src[r.at] != '\n' {
			// A carriage return belongs to the end of the line, as one column of it.
			if r.src[r.at] == '\r' {
				return false
			}
			r.at++
		}
		if r.at == len(r.src) {
			// What follows a comment without a newline is the end of the file, in the column behind it.
			return false
		}
	}
	if !r.take('\n') {
		return false
	}
	r.line, r.lineStart, r.wide = r.line+1, r.at, 0
	return true
}

// gap steps over blanks, comments and ends of lines, where HCL takes none of them for an end.
func (r *reader) gap() bool {
	for {
		r.blanks()
		switch r.peek() {
		case '\n', '#', '/':
			if !r.lineEnd() {
				return false
			}
		default:
			return true
		}
	}
}

// word reads an identifier of ASCII letters; "" where there is none.
func (r *reader) word() string {
	start := r.at
	for r.at < len(r.src) {
		c := r.src[r.at]
		switch {
		case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
		case (c == '-' || c >= '0' && c <= '9') && r.at > start:
		default:
			return r.src[start:r.at]
		}
		r.at++
	}
	return r.src[start:r.at]
}

// enter goes one level deeper. Who enters leaves, unless the file is given up.
func (r *reader) enter() bool {
	r.depth++
	return r.depth < r.limit
}

func (r *reader) leave() { r.depth-- }

// literal reads the text of a quoted string up to its end or the next reference, whichever comes first.
func (r *reader) literal() (string, bool) {
	start := r.at
	var unescaped []byte // once there is an escape
	kept := start        // from where on the source is still to be copied to it
	wide := false
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == '"', c == '$' && r.at+1 < len(r.src) && r.src[r.at+1] == '{':
			if wide && !r.widen(r.src[start:r.at]) {
				return "", false
			}
			if unescaped == nil {
				return r.src[start:r.at], true
			}
			return string(append(unescaped, r.src[kept:r.at]...)), true
		case c == '$', c == '%', c == '\n', c == '\r':
			return "", false
		case c == '\\':
			plain, ok := escaped(r.src[r.at+1:])
			if !ok {
				return "", false
			}
			unescaped = append(unescaped, r.src[kept:r.at]...)
			unescaped = append(unescaped, plain)
			kept = r.at + 2
			r.at++
		case c >= utf8.RuneSelf:
			wide = true
		}
		r.at++
	}
	return "", false
}

func escaped(s string) (byte, bool) {
	if s == "" {
		return 0, false
	}
	switch s[0] {
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case '"', '\\':
		return s[0], true
	}
	return 0, false
}

// widen counts the columns of a text that is not all ASCII.
func (r *reader) widen(text string) bool {
	columns, err := textseg.TokenCount([]byte(text), textseg.ScanGraphemeClusters)
	r.wide += len(text) - columns
	return err == nil
}
