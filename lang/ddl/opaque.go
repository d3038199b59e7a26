package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// readable returns what parse reads, where it ends at a place that stop accepts; otherwise the same tokens as an Opaque
// node, so that the object around them stays comparable.
func (p *parser) readable(parse func(*parser) *node, stop func(*parser) bool) *node {
	start := p.i
	if n := parse(p); n != nil {
		if stop(p) {
			return n
		}
		p.fail("an operator or the end of the clause")
	}
	p.i = start
	return p.opaque(stop)
}

// opaque takes the tokens up to where stop first holds at the same bracket depth, at least one unless there is none,
// and lists them as unreadable.
func (p *parser) opaque(stop func(*parser) bool) *node {
	start := p.i
	p.unreadable = append(p.unreadable, p.error())
	p.unreadFault, p.fault = p.fault, fault{}
	depth := 0
	for first := true; !p.atEnd(); first = false {
		switch p.tok().Kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			depth++
		case lex.RParen, lex.RBracket, lex.RBrace:
			depth--
		}
		if depth < 0 || depth == 0 && !first && !isClosing(p.tok().Kind) && stop(p) {
			break
		}
		p.i++
	}
	return p.opaqueSpan(start)
}

func isClosing(k lex.Kind) bool { return k == lex.RParen || k == lex.RBracket || k == lex.RBrace }

// opaqueSpan returns the tokens from start up to the current one, joined by single spaces.
func (p *parser) opaqueSpan(start int) *node {
	var b strings.Builder
	for i := start; i < p.i; i++ {
		if i > start {
			b.WriteByte(' ')
		}
		b.WriteString(p.toks[i].Text(p.src))
	}
	return p.leaf(ast.Opaque, b.String(), start)
}
