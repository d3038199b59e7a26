package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// fromClause reads FROM with all its joins.
func (p *parser) fromClause() *node {
	start := p.i
	p.i++
	mark := p.mark()
	first := p.table()
	if first == nil {
		return nil
	}
	p.push(first)
	for {
		join, more := p.join()
		if !more {
			break
		}
		if join == nil {
			return p.drop(mark)
		}
		p.push(join)
	}
	return p.list(ast.Clause, "FROM", start, mark)
}

// join reads one further table or array; more is false where the FROM clause ends.
func (p *parser) join() (n *node, more bool) {
	start := p.i
	if p.skip(lex.Comma) {
		table := p.table()
		if table == nil {
			return nil, true
		}
		return p.node1(ast.Clause, ",", start, table), true
	}
	if text := p.arrayJoin(); text != "" {
		mark := p.mark()
		if !p.exprs(true) {
			return p.drop(mark), true
		}
		return p.list(ast.Clause, text, start, mark), true
	}
	kind, ok := p.joinKind()
	if !ok {
		return nil, false
	}
	table := p.table()
	if table == nil {
		return nil, true
	}
	switch {
	case p.atWord(lex.KwOn):
		on := p.condition("ON")
		if on == nil {
			return nil, true
		}
		return p.node2(ast.Clause, kind, start, table, on), true
	case p.atWord(lex.KwUsing):
		using := p.using()
		if using == nil {
			return nil, true
		}
		return p.node2(ast.Clause, kind, start, table, using), true
	}
	return p.node1(ast.Clause, kind, start, table), true
}

func (p *parser) arrayJoin() string {
	switch {
	case p.skipWords(lex.KwArray, lex.KwJoin):
		return "ARRAY JOIN"
	case p.atWords(lex.KwLeft, lex.KwArray) && p.peek(2).Word == lex.KwJoin:
		p.i += 3
		return "LEFT ARRAY JOIN"
	case p.atWords(lex.KwInner, lex.KwArray) && p.peek(2).Word == lex.KwJoin:
		p.i += 3
		return "ARRAY JOIN"
	}
	return ""
}

// joinKind passes the words of a join, in either order of strictness and side, and returns them as ClickHouse's tree has
// them.
func (p *parser) joinKind() (string, bool) {
	start := p.i
	locality, strictness, side, natural := "", "", "", ""
	for {
		switch p.tok().Word {
		case lex.KwGlobal:
			locality = "GLOBAL "
		case lex.KwNatural:
			natural = "NATURAL "
		case lex.KwLocal:
			locality = "LOCAL "
		case lex.KwAny:
			strictness = "ANY "
		case lex.KwAll:
			strictness = "ALL "
		case lex.KwAsof:
			strictness = "ASOF "
		case lex.KwSemi:
			strictness = "SEMI "
		case lex.KwAnti, lex.KwOnly:
			strictness = "ANTI "
		case lex.KwInner:
			side = "INNER JOIN"
		case lex.KwLeft:
			side = "LEFT JOIN"
		case lex.KwRight:
			side = "RIGHT JOIN"
		case lex.KwFull:
			side = "FULL OUTER JOIN"
		case lex.KwCross:
			side = "CROSS JOIN"
		case lex.KwPaste:
			side = "PASTE JOIN"
		case lex.KwOuter:
		case lex.KwJoin:
			p.i++
			if side == "" {
				side = "INNER JOIN"
				if strictness == "SEMI " || strictness == "ANTI " {
					side = "LEFT JOIN"
				}
			}
			if locality == "" && strictness == "" && natural == "" {
				return side, true
			}
			return locality + natural + strictness + side, true
		default:
			p.i = start
			return "", false
		}
		p.i++
	}
}

func (p *parser) using() *node {
	start := p.i
	p.i++
	mark := p.mark()
	parens := p.skip(lex.LParen)
	for {
		e := p.exprAs()
		if e == nil {
			return p.drop(mark)
		}
		p.push(e)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if parens && !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.Clause, "USING", start, mark)
}

// table reads a table, a table function or a subquery, with its alias, FINAL and SAMPLE.
func (p *parser) table() *node {
	start := p.i
	var table *node
	switch t := p.tok(); {
	case t.Kind == lex.LParen:
		table = p.subquery()
	case isName(t) && p.peek(1).Kind == lex.LParen:
		table = p.call(true)
	case isName(t) || t.Kind == lex.LBrace:
		table = p.identifier()
	case t.Kind == lex.String: // a name in the other quotes
		p.i++
		table = p.leaf(ast.Ident, t.Value(p.src), start)
	default:
		p.fail("a table")
	}
	if table == nil {
		return nil
	}
	final := p.final()
	if p.atAlias() && !p.joinFollows() {
		if table = p.alias(table); table == nil {
			return nil
		}
		if p.at(lex.LParen) && isName(p.peek(1)) && (p.peek(2).Kind == lex.Comma || p.peek(2).Kind == lex.RParen) {
			columns := p.nameList()
			if columns == nil {
				return nil
			}
			table.Kids = p.arena.copyKids([]*node{table.Kids[0], columns})
		}
	}
	if final == nil {
		final = p.final()
	}
	mark := p.mark()
	p.push(table)
	if final != nil {
		p.push(final)
	}
	if p.atWord(lex.KwSample) {
		if !p.sample() {
			return p.drop(mark)
		}
	}
	if len(p.arena.stack)-mark == 1 {
		p.drop(mark)
		return table
	}
	return p.list(ast.Clause, "TABLE", start, mark)
}

// joinFollows tells LOCAL JOIN and its like, whose first word is no reserved one, from an alias.
func (p *parser) joinFollows() bool {
	w := p.tok().Word
	return (w == lex.KwLocal || w == lex.KwOnly || w == lex.KwNatural) && (p.peek(1).Kind == lex.Word && notAlias(p.peek(1).Word))
}

func (p *parser) final() *node {
	if !p.atWord(lex.KwFinal) {
		return nil
	}
	p.i++
	return p.leaf(ast.Clause, "FINAL", p.i-1)
}

// sample pushes SAMPLE x and OFFSET y.
func (p *parser) sample() bool {
	start := p.i
	p.i++
	size := p.binary(ast.PrecSum)
	if size == nil {
		return false
	}
	p.push(p.node1(ast.Clause, "SAMPLE", start, size))
	if p.atWord(lex.KwOffset) {
		at := p.i
		p.i++
		offset := p.binary(ast.PrecSum)
		if offset == nil {
			return false
		}
		p.push(p.node1(ast.Clause, "OFFSET", at, offset))
	}
	return true
}
