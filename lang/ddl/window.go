package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// over reads OVER name or OVER (window).
func (p *parser) over() *node {
	start := p.i
	p.i++
	if isName(p.tok()) {
		p.i++
		return p.node1(ast.Clause, "OVER", start, p.nameNode(p.i-1))
	}
	window := p.window()
	if window == nil {
		return nil
	}
	return p.node1(ast.Clause, "OVER", start, window)
}

// window reads a window's definition with its parentheses.
func (p *parser) window() *node {
	start := p.i
	if !p.want(lex.LParen, "an opening parenthesis") {
		return nil
	}
	mark := p.mark()
	if isName(p.tok()) && !p.atWord(lex.KwPartition) && !p.atWord(lex.KwOrder) && !p.atFrame() {
		p.push(p.nameNode(p.i))
		p.i++
	}
	if p.atWords(lex.KwPartition, lex.KwBy) {
		at := p.i
		p.i += 2
		keys := p.mark()
		if !p.exprs(false) {
			return p.drop(mark)
		}
		p.push(p.list(ast.Clause, "PARTITION BY", at, keys))
	}
	if p.atWords(lex.KwOrder, lex.KwBy) {
		at := p.i
		p.i += 2
		keys := p.mark()
		if !p.orderElements() {
			return p.drop(mark)
		}
		p.push(p.list(ast.Clause, "ORDER BY", at, keys))
	}
	if p.atFrame() {
		frame := p.frame()
		if frame == nil {
			return p.drop(mark)
		}
		p.push(frame)
	}
	if !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.List, "", start, mark)
}

func (p *parser) atFrame() bool {
	switch p.tok().Word {
	case lex.KwRows, lex.KwRange, lex.KwGroups:
		return p.peek(1).Kind != lex.RParen
	}
	return false
}

func (p *parser) frame() *node {
	start := p.i
	text := "ROWS"
	switch p.tok().Word {
	case lex.KwRange:
		text = "RANGE"
	case lex.KwGroups:
		text = "GROUPS"
	}
	p.i++
	if !p.skipWord(lex.KwBetween) {
		bound := p.bound()
		if bound == nil {
			return nil
		}
		return p.node1(ast.Clause, text, start, bound)
	}
	from := p.bound()
	if from == nil || !p.wantWord(lex.KwAnd, "AND and the end of the frame") {
		return nil
	}
	to := p.bound()
	if to == nil {
		return nil
	}
	return p.node2(ast.Clause, text, start, from, to)
}

func (p *parser) bound() *node {
	start := p.i
	switch {
	case p.skipWords(lex.KwCurrent, lex.KwRow):
		return p.leaf(ast.Keyword, "CURRENT ROW", start)
	case p.skipWords(lex.KwUnbounded, lex.KwPreceding):
		return p.leaf(ast.Keyword, "UNBOUNDED PRECEDING", start)
	case p.skipWords(lex.KwUnbounded, lex.KwFollowing):
		return p.leaf(ast.Keyword, "UNBOUNDED FOLLOWING", start)
	}
	amount := p.binary(ast.PrecComparison)
	if amount == nil {
		return nil
	}
	switch {
	case p.skipWord(lex.KwPreceding):
		return p.node1(ast.Clause, "PRECEDING", start, amount)
	case p.skipWord(lex.KwFollowing):
		return p.node1(ast.Clause, "FOLLOWING", start, amount)
	}
	p.fail("PRECEDING or FOLLOWING")
	return nil
}
