package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// groupBy reads GROUP BY with ALL, ROLLUP, CUBE, GROUPING SETS and what WITH adds.
func (p *parser) groupBy() *node {
	start := p.i
	p.i++
	if !p.wantWord(lex.KwBy, "BY") {
		return nil
	}
	mark := p.mark()
	text, rollup := "GROUP BY", ""
	next := p.peek(1)
	switch {
	case p.atWord(lex.KwAll) && next.Kind != lex.LParen && next.Kind != lex.Comma && next.Kind != lex.Dot:
		p.i++
		text = "GROUP BY ALL"
	case p.skipWords(lex.KwGrouping, lex.KwSets):
		text = "GROUPING SETS"
		if !p.groupingSets() {
			return p.drop(mark)
		}
	case p.atWord(lex.KwRollup) && next.Kind == lex.LParen:
		rollup = "WITH ROLLUP"
	case p.atWord(lex.KwCube) && next.Kind == lex.LParen:
		rollup = "WITH CUBE"
	default:
		if !p.exprs(false) {
			return p.drop(mark)
		}
	}
	if rollup != "" {
		p.i += 2
		if !p.at(lex.RParen) && !p.exprs(false) || !p.want(lex.RParen, "a closing parenthesis") {
			return p.drop(mark)
		}
		p.push(p.leaf(ast.Clause, rollup, start))
	}
	for p.pushGroupModifier() {
	}
	return p.list(ast.Clause, text, start, mark)
}

func (p *parser) pushGroupModifier() bool {
	start := p.i
	switch {
	case p.skipWords(lex.KwWith, lex.KwRollup):
		p.push(p.leaf(ast.Clause, "WITH ROLLUP", start))
	case p.skipWords(lex.KwWith, lex.KwCube):
		p.push(p.leaf(ast.Clause, "WITH CUBE", start))
	case p.skipWords(lex.KwWith, lex.KwTotals):
		p.push(p.leaf(ast.Clause, "WITH TOTALS", start))
	default:
		return false
	}
	return true
}

// lateModifiers reads WITH TOTALS that stands without GROUP BY.
func (p *parser) lateModifiers(c *clauses) bool {
	start := p.i
	mark := p.mark()
	if c[clauseGroupBy] != nil || !p.pushGroupModifier() {
		p.fail("the end of the query")
		return false
	}
	c[clauseGroupBy] = p.list(ast.Clause, "GROUP BY", start, mark)
	return true
}

// groupingSets pushes a List for each set.
func (p *parser) groupingSets() bool {
	if !p.want(lex.LParen, "an opening parenthesis") {
		return false
	}
	for {
		start := p.i
		mark := p.mark()
		if p.skip(lex.LParen) {
			if !p.at(lex.RParen) && !p.exprs(false) || !p.want(lex.RParen, "a closing parenthesis") {
				p.drop(mark)
				return false
			}
		} else {
			e := p.exprAs()
			if e == nil {
				return false
			}
			p.push(e)
		}
		p.push(p.list(ast.List, "", start, mark))
		if !p.skip(lex.Comma) {
			return p.want(lex.RParen, "a closing parenthesis")
		}
	}
}

func (p *parser) windowClause() *node {
	start := p.i
	p.i++
	mark := p.mark()
	for {
		at := p.i
		name, ok := p.ident()
		if !ok || !p.wantWord(lex.KwAs, "AS") {
			return p.drop(mark)
		}
		window := p.window()
		if window == nil {
			return p.drop(mark)
		}
		p.push(p.node1(ast.Alias, name, at, window))
		if !p.skip(lex.Comma) {
			return p.list(ast.Clause, "WINDOW", start, mark)
		}
	}
}
