package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// withClause reads WITH [RECURSIVE] elements: name AS (query), or an expression with an alias.
func (p *parser) withClause() *node {
	start := p.i
	p.i++
	text := "WITH"
	if next := p.peek(1); p.atWord(lex.KwRecursive) && next.Word != lex.KwAs && next.Kind != lex.Comma && next.Kind != lex.Dot {
		p.i++
		text = "WITH RECURSIVE"
	}
	mark := p.mark()
	for {
		element := p.withElement()
		if element == nil {
			return p.drop(mark)
		}
		p.push(element)
		if !p.skip(lex.Comma) {
			break
		}
		if p.atWord(lex.KwSelect) {
			break
		}
	}
	return p.list(ast.Clause, text, start, mark)
}

func (p *parser) withElement() *node {
	if isName(p.tok()) {
		switch {
		case p.peek(1).Word == lex.KwAs && p.peek(2).Kind == lex.LParen && p.queryInParens(3),
			p.peek(1).Word == lex.KwAs && p.peek(2).Word == lex.KwMaterialized && p.peek(3).Kind == lex.LParen,
			p.peek(1).Kind == lex.LParen && p.columnNamesBeforeAs():
			return p.commonTable()
		}
	}
	return p.exprAlias()
}

// queryInParens reports whether a query begins n tokens ahead, behind any further parentheses.
func (p *parser) queryInParens(n int) bool {
	for p.peek(n).Kind == lex.LParen {
		n++
	}
	return p.queryAt(n) || p.peek(n).Word == lex.KwValues
}

// columnNamesBeforeAs reports whether name (a, b) AS ( stands here.
func (p *parser) columnNamesBeforeAs() bool {
	n := 2
	for isName(p.peek(n)) {
		n++
		if p.peek(n).Kind != lex.Comma {
			break
		}
		n++
	}
	return n > 2 && p.peek(n).Kind == lex.RParen && p.peek(n+1).Word == lex.KwAs && p.peek(n+2).Kind == lex.LParen
}

func (p *parser) commonTable() *node {
	start := p.i
	name := p.nameNode(start)
	p.i++
	var columns *node
	if p.at(lex.LParen) {
		if columns = p.nameList(); columns == nil {
			return nil
		}
	}
	p.i++ // AS
	text := "CTE"
	if p.skipWord(lex.KwMaterialized) {
		text = "CTE MATERIALIZED"
	}
	query := p.subquery()
	if query == nil {
		return nil
	}
	if columns != nil {
		return p.node3(ast.Clause, text, start, name, query, columns)
	}
	return p.node2(ast.Clause, text, start, name, query)
}

// nameList reads (a, b) as a List of Idents.
func (p *parser) nameList() *node {
	start := p.i
	if !p.want(lex.LParen, "an opening parenthesis") {
		return nil
	}
	mark := p.mark()
	for {
		if !isName(p.tok()) {
			p.fail("a name")
			return p.drop(mark)
		}
		p.push(p.nameNode(p.i))
		p.i++
		if !p.skip(lex.Comma) {
			break
		}
	}
	if !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.List, "", start, mark)
}
