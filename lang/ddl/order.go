package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// orderBy reads ORDER BY of a query.
func (p *parser) orderBy() *node {
	start := p.i
	p.i++
	if !p.wantWord(lex.KwBy, "BY") {
		return nil
	}
	if p.atWord(lex.KwAll) && p.peek(1).Kind != lex.Comma && p.peek(1).Kind != lex.LParen && p.peek(1).Kind != lex.Dot {
		p.i++
		if p.orderEnd() {
			return p.leaf(ast.Clause, "ORDER BY ALL", start)
		}
		all := p.direction(nil)
		if all == nil {
			return nil
		}
		return p.node1(ast.Clause, "ORDER BY ALL", start, all)
	}
	mark := p.mark()
	if !p.orderElements() {
		return p.drop(mark)
	}
	return p.list(ast.Clause, "ORDER BY", start, mark)
}

// orderElements pushes the elements of an ORDER BY.
func (p *parser) orderElements() bool {
	for {
		e := p.exprAs()
		if e == nil {
			return false
		}
		if !p.orderEnd() {
			if e = p.direction(e); e == nil {
				return false
			}
		}
		p.push(e)
		if !p.skip(lex.Comma) {
			return true
		}
	}
}

// orderEnd reports that no direction and no modifier follows.
func (p *parser) orderEnd() bool {
	if p.atDirection() {
		return false
	}
	return !p.atWord(lex.KwNulls) && !p.atWord(lex.KwCollate) && !p.atWords(lex.KwWith, lex.KwFill)
}

func (p *parser) atDirection() bool {
	switch p.tok().Word {
	case lex.KwAsc, lex.KwDesc, lex.KwAscending, lex.KwDescending:
		return true
	}
	return false
}

// direction reads the direction and the modifiers behind an ordered expression; e is nil for ORDER BY ALL.
func (p *parser) direction(e *node) *node {
	start := p.i
	text := "ASC"
	switch p.tok().Word {
	case lex.KwAsc, lex.KwAscending:
		p.i++
	case lex.KwDesc, lex.KwDescending:
		text = "DESC"
		p.i++
	}
	mark := p.mark()
	if e != nil {
		p.push(e)
	}
	at := p.i
	switch {
	case p.skipWords(lex.KwNulls, lex.KwFirst):
		p.push(p.leaf(ast.Clause, "NULLS FIRST", at))
	case p.skipWords(lex.KwNulls, lex.KwLast):
		p.push(p.leaf(ast.Clause, "NULLS LAST", at))
	}
	if at := p.i; p.skipWord(lex.KwCollate) {
		locale, ok := p.str()
		if !ok {
			return p.drop(mark)
		}
		p.push(p.node1(ast.Clause, "COLLATE", at, p.leaf(ast.String, locale, at+1)))
	}
	if p.atWords(lex.KwWith, lex.KwFill) {
		fill := p.fill()
		if fill == nil {
			return p.drop(mark)
		}
		p.push(fill)
	}
	return p.list(ast.Clause, text, start, mark)
}

// fill reads WITH FILL [FROM a] [TO b] [STEP c] [STALENESS d].
func (p *parser) fill() *node {
	start := p.i
	p.i += 2
	mark := p.mark()
	for {
		at := p.i
		text := ""
		switch p.tok().Word {
		case lex.KwFrom:
			text = "FROM"
		case lex.KwTo:
			text = "TO"
		case lex.KwStep:
			text = "STEP"
		case lex.KwStaleness:
			text = "STALENESS"
		default:
			return p.list(ast.Clause, "WITH FILL", start, mark)
		}
		p.i++
		e := p.expr()
		if e == nil {
			return p.drop(mark)
		}
		p.push(p.node1(ast.Clause, text, at, e))
	}
}

// interpolate reads INTERPOLATE [(a AS x, b)].
func (p *parser) interpolate() *node {
	start := p.i
	p.i++
	mark := p.mark()
	if p.skip(lex.LParen) {
		for !p.at(lex.RParen) {
			at := p.i
			name, ok := p.dottedName()
			if !ok {
				return p.drop(mark)
			}
			if p.skipWord(lex.KwAs) {
				e := p.expr()
				if e == nil {
					return p.drop(mark)
				}
				p.push(p.node1(ast.Equals, name, at, e))
			} else {
				p.push(p.leaf(ast.Ident, name, at))
			}
			if !p.skip(lex.Comma) {
				break
			}
		}
		if !p.want(lex.RParen, "a closing parenthesis") {
			return p.drop(mark)
		}
	}
	return p.list(ast.Clause, "INTERPOLATE", start, mark)
}
