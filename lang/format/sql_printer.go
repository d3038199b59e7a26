package format

import (
	"strings"

	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/lex"
)

// step is how much deeper a level is indented, in spaces.
const step = 4

// printer writes pieces with the white space between them.
type printer struct {
	pieces []piece
	out    strings.Builder
	last   int  // the index of the piece written last, -1 at the start
	broken bool // a line break is due before the next piece
	indent int  // of the line that is due
	notes  int  // the indent of comments above the next piece, where it is another; -1 otherwise
	// asWritten leaves words in the case their author gave them.
	asWritten bool
	types     bool // what is written is a list of columns
	blank     bool // an empty line of the source may stay before the next piece
}

// line makes the next piece begin a line.
func (p *printer) line(indent int) { p.broken, p.indent = true, indent }

// put writes a piece. A comment that ends its line, or one on a line of its own, breaks the line, and what goes on is
// indented by a step.
func (p *printer) put(i int) {
	t := &p.pieces[i]
	p.comments(t)
	switch {
	case p.broken && p.out.Len() > 0:
		p.breakLine(t.blank && p.blank)
		p.spaces(p.indent)
		p.indent += step
	case p.broken:
		p.indent += step
	case p.last >= 0 && p.space(&p.pieces[p.last], t):
		p.out.WriteByte(' ')
	}
	p.broken, p.blank, p.notes = false, false, -1
	if t.keyword && !p.asWritten {
		p.out.WriteString(strings.ToUpper(t.text))
	} else {
		p.out.WriteString(t.text)
	}
	for _, n := range t.after {
		p.out.WriteString(" " + n.text)
		p.broken = p.broken || n.line
	}
	p.last = i
}

// comments writes the comments above a piece.
func (p *printer) comments(t *piece) {
	if len(t.before) == 0 {
		return
	}
	if !p.broken {
		p.line(p.indent)
	}
	indent := p.indent
	if p.notes >= 0 {
		indent = p.notes
	}
	for i, n := range t.before {
		if p.out.Len() > 0 {
			p.breakLine(n.blank && (p.blank || i > 0))
		}
		p.spaces(indent)
		p.out.WriteString(n.text)
	}
	if p.out.Len() > 0 && t.Kind != lex.EOF {
		p.blank = true
	}
}

func (p *printer) breakLine(empty bool) {
	p.out.WriteByte('\n')
	if empty {
		p.out.WriteByte('\n')
	}
}

func (p *printer) spaces(n int) {
	for ; n > 0; n-- {
		p.out.WriteByte(' ')
	}
}

// glued are grammar words that their parenthesis follows without a space.
var glued = words(lex.KwCodec, lex.KwStatistics, lex.KwSource, lex.KwLayout, lex.KwLifetime, lex.KwRange, lex.KwApply, lex.KwColumns, lex.KwCast,
	lex.KwExtract)

// space decides about white space between two pieces of one line.
func (p *printer) space(a, b *piece) bool {
	switch {
	case a.Kind == lex.Minus && b.Kind == lex.Minus: // -- would begin a comment
		return true
	case b.Kind == lex.Comma, b.Kind == lex.Semicolon, b.Kind == lex.RParen, b.Kind == lex.RBracket, b.Kind == lex.RBrace:
		return false
	case len(a.after) > 0:
		return true
	case a.Kind == lex.LParen, a.Kind == lex.LBracket, a.Kind == lex.LBrace, a.Kind == lex.Dot, b.Kind == lex.Dot:
		return false
	case a.Kind == lex.DoubleColon, b.Kind == lex.DoubleColon, a.Kind == lex.DoubleAt, a.Kind == lex.Dollar, a.Kind == lex.At, b.Kind == lex.At:
		return false
	case b.Kind == lex.Colon || a.Kind == lex.Colon:
		return !a.brace && !b.brace && !p.jsonPath()
	case a.Kind == lex.Caret:
		return !p.jsonPath()
	case a.operand && (a.Kind == lex.Minus || a.Kind == lex.Plus):
		return false
	case b.Kind == lex.LBracket:
		return b.operand || a.keyword
	case b.Kind == lex.LParen:
		return callSpace(a, b)
	}
	return true
}

// jsonPath reports that the piece written last belongs to the .: or .^ of a JSON path.
func (p *printer) jsonPath() bool { return p.last > 0 && p.pieces[p.last-1].Kind == lex.Dot }

// callSpace decides about white space before a parenthesis: none where it holds arguments. Of a name that may be either
// the author's choice is kept.
func callSpace(a, b *piece) bool {
	switch {
	case a.Kind == lex.Word && glued[a.Word]:
		return false
	case a.Kind == lex.Word && a.keyword:
		return true
	case a.Kind == lex.Word:
		if _, known := facts.FindFunction(a.text); known && a.operand {
			return false
		}
		if _, known := facts.TypeName(a.text); known {
			return false
		}
		return b.gap
	case a.Kind == lex.Quoted:
		return b.gap
	}
	return b.operand
}
