package ddl

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/lang/lex"
)

// Error is a fault in a definition's text.
type Error struct {
	Offset       int // bytes from the start of the text
	Line, Column int // from 1; columns count characters
	Found        string
	Expected     string
	Advice       string
}

// Error says in one sentence where the fault is, what stands there and what should.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("line ")
	b.WriteString(strconv.Itoa(e.Line))
	b.WriteString(", column ")
	b.WriteString(strconv.Itoa(e.Column))
	b.WriteString(": expected ")
	b.WriteString(e.Expected)
	b.WriteString(", found ")
	b.WriteString(e.Found)
	if e.Advice != "" {
		b.WriteString("; ")
		b.WriteString(e.Advice)
	}
	return b.String()
}

// fault is an error before anybody needs its words: recording one costs nothing, which matters because a parser that
// tries alternatives makes many.
type fault struct {
	tok      int
	expected string
	advice   string
}

// fail records that expected was not found at the current token and returns nil, which is what parsing functions return
// for "no". The fault furthest in the text wins: it is the one the author can act on.
func (p *parser) fail(expected string) *node {
	if p.fault.expected == "" || p.i > p.fault.tok {
		p.fault = fault{tok: p.i, expected: expected}
	}
	return nil
}

func (p *parser) failWith(expected, advice string) *node {
	if p.fault.expected == "" || p.i >= p.fault.tok {
		p.fault = fault{tok: p.i, expected: expected, advice: advice}
	}
	return nil
}

// error puts the recorded fault into words.
func (p *parser) error() *Error {
	f := p.fault
	if f.expected == "" {
		f = fault{tok: p.i, expected: "the end of the statement"}
	}
	t := p.toks[min(f.tok, len(p.toks)-1)]
	return p.errorAt(t, f.expected, f.advice)
}

func (p *parser) errorAt(t lex.Token, expected, advice string) *Error {
	line, column := lex.Place(p.src, int(t.Pos))
	return &Error{Offset: int(t.Pos), Line: line, Column: column, Found: describe(t, p.src), Expected: expected, Advice: advice}
}

// mayHoldSecret finds texts whose literals are not shown.
var mayHoldSecret = regexp.MustCompile(`(?i)passw|pwd|secret|token|credential|access_?key|account_?key|private_?key|api_?key|authorization|identified|named\s+collection|connection_?string`)

// maxFound is how many bytes of a token an error message shows.
const maxFound = 40

func describe(t lex.Token, src string) string {
	if t.Kind == lex.EOF {
		return "the end of the text"
	}
	text := t.Text(src)
	if t.Kind == lex.String && mayHoldSecret.MatchString(src) {
		return "a text in quotes" // perhaps the secret itself
	}
	if len(text) > maxFound {
		text = strings.ToValidUTF8(text[:maxFound], "") + "…"
	}
	if line, _, more := strings.Cut(text, "\n"); more {
		text = line + "…"
	}
	return text
}
