package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// The places of a Select's clauses, in the order ClickHouse prints them.
const (
	clauseWith = iota
	clauseSelect
	clauseFrom
	clausePrewhere
	clauseWhere
	clauseGroupBy
	clauseHaving
	clauseWindow
	clauseQualify
	clauseOrderBy
	clauseInterpolate
	clauseLimitBy
	clauseLimit
	clauseOffset
	clauseSettings
	clauseFormat
	clauseCount
)

// clauses collects those of one SELECT, which is written in several orders.
type clauses [clauseCount]*node

// selectQuery reads one SELECT, or VALUES as a query.
func (p *parser) selectQuery() *node {
	start := p.i
	if p.atWord(lex.KwValues) && p.peek(1).Kind == lex.LParen {
		return p.valuesQuery()
	}
	var c clauses
	if p.atWord(lex.KwWith) {
		if c[clauseWith] = p.withClause(); c[clauseWith] == nil {
			return nil
		}
	}
	if p.atWord(lex.KwFrom) {
		if c[clauseFrom] = p.fromClause(); c[clauseFrom] == nil {
			return nil
		}
	}
	if !p.atWord(lex.KwSelect) {
		p.fail("SELECT")
		return nil
	}
	if !p.selectList(&c) || !p.selectClauses(&c) {
		return nil
	}
	mark := p.mark()
	for _, clause := range c {
		if clause != nil {
			p.push(clause)
		}
	}
	return p.list(ast.Select, "", start, mark)
}

func (p *parser) valuesQuery() *node {
	start := p.i
	p.i++
	mark := p.mark()
	for {
		row := p.expr()
		if row == nil {
			return p.drop(mark)
		}
		p.push(row)
		if !p.skip(lex.Comma) {
			break
		}
	}
	return p.node1(ast.Select, "", start, p.list(ast.Clause, "VALUES", start, mark))
}

// selectList reads SELECT [DISTINCT [ON (..)]] [TOP n [WITH TIES]] expressions. TOP and DISTINCT ON become the LIMIT clauses
// ClickHouse's parser makes of them.
func (p *parser) selectList(c *clauses) bool {
	start := p.i
	text := "SELECT"
	p.i++
	if p.atWords(lex.KwDistinct, lex.KwOn) && p.peek(2).Kind == lex.LParen {
		at := p.i
		p.i += 3
		by := p.mark()
		if !p.exprs(false) || !p.want(lex.RParen, "a closing parenthesis") {
			p.drop(by)
			return false
		}
		keys := p.list(ast.Clause, "BY", at, by)
		c[clauseLimitBy] = p.node2(ast.Clause, "LIMIT BY", at, p.leaf(ast.Number, "1", at), keys)
	} else if p.atWord(lex.KwDistinct) {
		p.i++
		text = "SELECT DISTINCT"
	} else if p.atWord(lex.KwAll) && p.peek(1).Kind != lex.Comma && p.peek(1).Kind != lex.Dot {
		p.i++
	}
	if p.atWord(lex.KwTop) && (p.peek(1).Kind == lex.Number || p.peek(1).Kind == lex.LParen && p.peek(2).Kind == lex.Number && p.peek(3).Kind == lex.RParen) {
		at := p.i
		p.i++
		limit := "LIMIT"
		n := p.operand()
		if n.Kind == ast.Paren {
			n = n.Kids[0]
		}
		if p.skipWords(lex.KwWith, lex.KwTies) {
			limit = "LIMIT WITH TIES"
		}
		c[clauseLimit] = p.node1(ast.Clause, limit, at, n)
	}
	mark := p.mark()
	if !p.exprs(true) {
		p.drop(mark)
		return false
	}
	c[clauseSelect] = p.list(ast.Clause, text, start, mark)
	return true
}

// exprs pushes expressions with aliases, separated by commas; implicit lets an alias go without AS. A comma may stand at
// the end before a clause.
func (p *parser) exprs(implicit bool) bool {
	for {
		var e *node
		if implicit {
			e = p.exprAlias()
		} else {
			e = p.exprAs()
		}
		if e == nil {
			return false
		}
		p.push(e)
		if !p.skip(lex.Comma) {
			return true
		}
		if p.atWord(lex.KwFrom) && p.peek(1).Kind != lex.Comma && p.peek(1).Kind != lex.Dot || implicit && (p.atEnd() || p.at(lex.RParen)) {
			return true
		}
	}
}

// selectClauses reads what follows the list of a SELECT.
func (p *parser) selectClauses(c *clauses) bool {
	for {
		start := p.i
		var place int
		var clause *node
		switch p.tok().Word {
		case lex.KwFrom:
			place, clause = clauseFrom, p.fromClause()
		case lex.KwPrewhere:
			place, clause = clausePrewhere, p.condition("PREWHERE")
		case lex.KwWhere:
			place, clause = clauseWhere, p.condition("WHERE")
		case lex.KwGroup:
			place, clause = clauseGroupBy, p.groupBy()
		case lex.KwHaving:
			place, clause = clauseHaving, p.condition("HAVING")
		case lex.KwWindow:
			place, clause = clauseWindow, p.windowClause()
		case lex.KwQualify:
			place, clause = clauseQualify, p.condition("QUALIFY")
		case lex.KwOrder:
			place, clause = clauseOrderBy, p.orderBy()
		case lex.KwInterpolate:
			place, clause = clauseInterpolate, p.interpolate()
		case lex.KwLimit, lex.KwOffset, lex.KwFetch:
			if !p.limits(c) {
				return false
			}
			continue
		case lex.KwWith:
			if !p.lateModifiers(c) {
				return false
			}
			continue
		case lex.KwSettings:
			place, clause = clauseSettings, p.settingsClause()
		case lex.KwFormat:
			if !isName(p.peek(1)) {
				return true
			}
			p.i += 2
			place, clause = clauseFormat, p.node1(ast.Clause, "FORMAT", start, p.nameNode(p.i-1))
		default:
			return true
		}
		if clause == nil {
			return false
		}
		if c[place] != nil {
			p.i = start
			p.fail("each clause once")
			return false
		}
		c[place] = clause
	}
}

func (p *parser) condition(text string) *node {
	start := p.i
	p.i++
	e := p.exprAs()
	if e == nil {
		return nil
	}
	return p.node1(ast.Clause, text, start, e)
}

// settingsClause reads SETTINGS a = 1, b = 2 as a clause of Equals.
func (p *parser) settingsClause() *node {
	start := p.i
	p.i++
	mark := p.mark()
	for {
		at := p.i
		s, ok := p.setting()
		if !ok {
			return p.drop(mark)
		}
		p.push(p.node1(ast.Equals, s.Name, at, s.Value))
		if !p.skip(lex.Comma) {
			break
		}
	}
	return p.list(ast.Clause, "SETTINGS", start, mark)
}
