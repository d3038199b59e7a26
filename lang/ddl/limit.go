package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// limits reads one LIMIT .. [BY ..], OFFSET or FETCH clause into its places.
func (p *parser) limits(c *clauses) bool {
	start := p.i
	switch p.tok().Word {
	case lex.KwOffset:
		p.i++
		n := p.expr()
		if n == nil {
			return false
		}
		if !p.skipWord(lex.KwRow) {
			p.skipWord(lex.KwRows)
		}
		return p.setOnce(c, clauseOffset, p.node1(ast.Clause, "OFFSET", start, n))
	case lex.KwFetch:
		return p.fetch(c)
	}
	p.i++
	n := p.expr()
	if n == nil {
		return false
	}
	var offset *node
	at := p.i
	switch {
	case p.skip(lex.Comma):
		offset = n
		if n = p.expr(); n == nil {
			return false
		}
	case p.skipWord(lex.KwOffset):
		if offset = p.expr(); offset == nil {
			return false
		}
	}
	if p.atWord(lex.KwBy) {
		return p.limitBy(c, start, n, offset, at)
	}
	text := "LIMIT"
	if p.skipWords(lex.KwWith, lex.KwTies) {
		text = "LIMIT WITH TIES"
	}
	if offset != nil && !p.setOnce(c, clauseOffset, p.node1(ast.Clause, "OFFSET", at, offset)) {
		return false
	}
	return p.setOnce(c, clauseLimit, p.node1(ast.Clause, text, start, n))
}

func (p *parser) limitBy(c *clauses, start int, n, offset *node, at int) bool {
	mark := p.mark()
	p.push(n)
	if offset != nil {
		p.push(p.node1(ast.Clause, "OFFSET", at, offset))
	}
	by := p.i
	p.i++
	if p.atWord(lex.KwAll) && p.peek(1).Kind != lex.Comma && p.peek(1).Kind != lex.Dot {
		p.i++
		p.push(p.leaf(ast.Clause, "BY ALL", by))
	} else {
		keys := p.mark()
		if !p.exprs(false) {
			p.drop(mark)
			return false
		}
		p.push(p.list(ast.Clause, "BY", by, keys))
	}
	return p.setOnce(c, clauseLimitBy, p.list(ast.Clause, "LIMIT BY", start, mark))
}

// fetch reads FETCH FIRST|NEXT n ROW|ROWS ONLY|WITH TIES.
func (p *parser) fetch(c *clauses) bool {
	start := p.i
	p.i++
	if !p.skipWord(lex.KwFirst) && !p.skipWord(lex.KwNext) {
		p.fail("FIRST or NEXT")
		return false
	}
	n := p.expr()
	if n == nil {
		return false
	}
	if !p.skipWord(lex.KwRow) && !p.skipWord(lex.KwRows) {
		p.fail("ROW or ROWS")
		return false
	}
	text := "LIMIT"
	switch {
	case p.skipWord(lex.KwOnly):
	case p.skipWords(lex.KwWith, lex.KwTies):
		text = "LIMIT WITH TIES"
	default:
		p.fail("ONLY or WITH TIES")
		return false
	}
	return p.setOnce(c, clauseLimit, p.node1(ast.Clause, text, start, n))
}

func (p *parser) setOnce(c *clauses, place int, clause *node) bool {
	if c[place] != nil {
		p.fail("each clause once")
		return false
	}
	c[place] = clause
	return true
}
