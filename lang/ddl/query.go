package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// queryAt reports whether a query begins n tokens ahead. The words that begin one are names of columns too, so what follows
// them decides.
func (p *parser) queryAt(n int) bool {
	next := p.peek(n + 1)
	switch p.peek(n).Word {
	case lex.KwSelect:
		return next.Kind != lex.Comma && next.Kind != lex.RParen && next.Kind != lex.Dot && next.Kind != lex.EOF
	case lex.KwWith:
		return next.Kind == lex.Quoted || next.Kind == lex.LParen || next.Kind == lex.Number || next.Kind == lex.LBracket || isString(next) ||
			next.Kind == lex.Word && !isInfixWord(next.Word)
	case lex.KwFrom:
		return next.Kind == lex.Quoted || next.Kind == lex.LParen || next.Kind == lex.LBrace || next.Kind == lex.Word && !isInfixWord(next.Word)
	case lex.KwExplain:
		switch next.Word {
		case lex.KwSelect, lex.KwWith, lex.KwAst, lex.KwSyntax, lex.KwPlan, lex.KwPipeline, lex.KwEstimate, lex.KwQuery:
			return true
		}
		return next.Kind == lex.Word && p.peek(n+2).Kind == lex.Equal
	}
	return false
}

// isInfixWord reports whether a name before the word is an operand.
func isInfixWord(w lex.Keyword) bool {
	switch w {
	case lex.KwAnd, lex.KwOr, lex.KwIn, lex.KwNot, lex.KwLike, lex.KwIlike, lex.KwIs, lex.KwBetween, lex.KwDiv, lex.KwMod, lex.KwAs,
		lex.KwAsc, lex.KwDesc, lex.KwGlobal, lex.KwRegexp:
		return true
	}
	return false
}

// subquery reads (query) as an expression or a table.
func (p *parser) subquery() *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.i
	if !p.want(lex.LParen, "an opening parenthesis") {
		return nil
	}
	query := p.queryOrExplain()
	if query == nil || !p.want(lex.RParen, "a closing parenthesis") {
		return nil
	}
	return p.node1(ast.Subquery, "", start, query)
}

func (p *parser) queryOrExplain() *node {
	if !p.atWord(lex.KwExplain) {
		return p.query()
	}
	start := p.i
	p.i++
	text := "EXPLAIN"
	for p.at(lex.Word) && !p.atWord(lex.KwSelect) && !p.atWord(lex.KwWith) && !p.atWord(lex.KwFrom) && p.peek(1).Kind != lex.Equal {
		switch p.tok().Word {
		case lex.KwAst:
			text += " AST"
		case lex.KwSyntax:
			text += " SYNTAX"
		case lex.KwPlan:
			text += " PLAN"
		case lex.KwPipeline:
			text += " PIPELINE"
		case lex.KwEstimate:
			text += " ESTIMATE"
		case lex.KwQuery:
			text += " QUERY"
		case lex.KwTree:
			text += " TREE"
		default:
			p.fail("a kind of EXPLAIN")
			return nil
		}
		p.i++
	}
	mark := p.mark()
	for p.at(lex.Word) && p.peek(1).Kind == lex.Equal {
		setting := p.namedArgument()
		if setting == nil {
			return p.drop(mark)
		}
		p.push(setting)
		p.skip(lex.Comma)
	}
	query := p.query()
	if query == nil {
		return p.drop(mark)
	}
	p.push(query)
	return p.list(ast.Clause, text, start, mark)
}

// query reads SELECTs joined by UNION, EXCEPT and INTERSECT.
func (p *parser) query() *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	first := p.intersection(nil)
	if first == nil {
		return nil
	}
	return p.union(first)
}

// union goes on from a query with the operators that bind least, which are read from the left.
func (p *parser) union(left *node) *node {
	for links := 0; p.shallow(links); links++ {
		start := p.i
		text := p.setOperator()
		if text == "" || isIntersect(text) {
			p.i = start
			return left
		}
		if left = p.joined(left, text, start, func() *node { return p.intersection(nil) }); left == nil {
			return nil
		}
	}
	return nil
}

func isIntersect(text string) bool { return text[0] == 'I' }

// intersection reads queries joined by INTERSECT, which binds tighter than UNION and EXCEPT. The first one may have been
// read already.
func (p *parser) intersection(left *node) *node {
	if left == nil {
		if left = p.queryMember(); left == nil {
			return nil
		}
	}
	for links := 0; p.shallow(links); links++ {
		start := p.i
		text := p.setOperator()
		if text == "" || !isIntersect(text) {
			p.i = start
			return left
		}
		if left = p.joined(left, text, start, p.queryMember); left == nil {
			return nil
		}
	}
	return nil
}

// joined reads the queries that follow the first one behind the same set operator, which has been read once, as one list.
func (p *parser) joined(left *node, text string, start int, member func() *node) *node {
	mark := p.mark()
	p.push(left)
	for next := text; next == text; {
		right := member()
		if right == nil {
			return p.drop(mark)
		}
		p.push(right)
		at := p.i
		if next = p.setOperator(); next != text {
			p.i = at
		}
	}
	return p.list(ast.Union, text, start, mark)
}

func (p *parser) atSetOperator() bool {
	switch p.tok().Word {
	case lex.KwUnion, lex.KwExcept, lex.KwIntersect:
		return true
	}
	return false
}

// setOperator passes UNION [ALL|DISTINCT] and its like and returns it, or "".
func (p *parser) setOperator() string {
	texts := [3]string{"UNION", "UNION ALL", "UNION DISTINCT"}
	switch p.tok().Word {
	case lex.KwUnion:
	case lex.KwExcept:
		texts = [3]string{"EXCEPT", "EXCEPT ALL", "EXCEPT DISTINCT"}
	case lex.KwIntersect:
		texts = [3]string{"INTERSECT", "INTERSECT ALL", "INTERSECT DISTINCT"}
	default:
		return ""
	}
	p.i++
	switch {
	case p.skipWord(lex.KwAll):
		return texts[1]
	case p.skipWord(lex.KwDistinct):
		return texts[2]
	}
	return texts[0]
}

// setOperation goes on from a subquery in an expression's parentheses that turns out to be the first member of a union:
// ((SELECT 1) UNION ALL SELECT 2).
func (p *parser) setOperation(first *node, start int) *node {
	member := p.node1(ast.Paren, "", start+1, first.Kids[0])
	left := p.intersection(member)
	if left == nil {
		return nil
	}
	query := p.union(left)
	if query == nil || !p.want(lex.RParen, "a closing parenthesis") {
		return nil
	}
	return p.node1(ast.Subquery, "", start, query)
}

// queryMember reads one SELECT, or a whole query in parentheses.
func (p *parser) queryMember() *node {
	if !p.at(lex.LParen) {
		return p.selectQuery()
	}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.i
	p.i++
	query := p.query()
	if query == nil || !p.want(lex.RParen, "a closing parenthesis") {
		return nil
	}
	return p.node1(ast.Paren, "", start, query)
}
