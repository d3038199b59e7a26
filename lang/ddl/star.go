package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// star reads * with its column transformers; qualifier is what stands before the dot, or nil.
func (p *parser) star(qualifier *node) *node {
	start := p.i
	p.i++
	mark := p.mark()
	if qualifier != nil {
		p.push(qualifier)
	}
	if !p.transformers() {
		return p.drop(mark)
	}
	return p.list(ast.Star, "", start, mark)
}

// columnsMatcher reads COLUMNS('regexp') or COLUMNS(a, b) with its transformers.
func (p *parser) columnsMatcher() *node {
	start := p.i
	p.i += 2
	mark := p.mark()
	if !p.arguments(false) || !p.transformers() {
		return p.drop(mark)
	}
	return p.list(ast.Func, "COLUMNS", start, mark)
}

// transformers pushes EXCEPT, REPLACE and APPLY clauses.
func (p *parser) transformers() bool {
	for {
		start := p.i
		next := p.peek(1)
		var clause *node
		switch p.tok().Word {
		case lex.KwExcept:
			// EXCEPT SELECT is the set operator.
			if p.queryAt(1) || next.Word == lex.KwAll || next.Word == lex.KwDistinct || next.Kind == lex.LParen && p.queryAt(2) {
				return true
			}
			clause = p.exceptColumns()
		case lex.KwReplace:
			clause = p.replaceColumns()
		case lex.KwApply:
			clause = p.applyFunction()
		default:
			return true
		}
		if clause == nil {
			return false
		}
		clause.Pos = p.toks[start].Pos
		p.push(clause)
	}
}

func (p *parser) exceptColumns() *node {
	start := p.i
	p.i++
	text := "EXCEPT"
	if p.skipWord(lex.KwStrict) {
		text = "EXCEPT STRICT"
	}
	mark := p.mark()
	if !p.skip(lex.LParen) {
		item := p.exceptItem()
		if item == nil {
			return nil
		}
		return p.node1(ast.Clause, text, start, item)
	}
	for !p.at(lex.RParen) {
		item := p.exceptItem()
		if item == nil {
			return p.drop(mark)
		}
		p.push(item)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.Clause, text, start, mark)
}

func (p *parser) exceptItem() *node {
	if isString(p.tok()) {
		return p.operand()
	}
	return p.identifier()
}

func (p *parser) replaceColumns() *node {
	start := p.i
	p.i++
	text := "REPLACE"
	if p.skipWord(lex.KwStrict) {
		text = "REPLACE STRICT"
	}
	mark := p.mark()
	parens := p.skip(lex.LParen)
	for {
		item := p.exprAs()
		if item == nil {
			return p.drop(mark)
		}
		p.push(item)
		if !parens || !p.skip(lex.Comma) {
			break
		}
	}
	if parens && !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.Clause, text, start, mark)
}

// applyFunction reads APPLY f, APPLY(f), APPLY(f, 'prefix') and APPLY(x -> y).
func (p *parser) applyFunction() *node {
	start := p.i
	p.i++
	mark := p.mark()
	if !p.skip(lex.LParen) {
		f := p.applied()
		if f == nil {
			return nil
		}
		return p.node1(ast.Clause, "APPLY", start, f)
	}
	f := p.expr()
	if f == nil {
		return nil
	}
	p.push(f)
	if p.skip(lex.Comma) {
		prefix := p.operand()
		if prefix == nil {
			return p.drop(mark)
		}
		p.push(prefix)
	}
	if !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.Clause, "APPLY", start, mark)
}

// applied reads what stands behind APPLY without parentheses: a lambda, a function's name or a call.
func (p *parser) applied() *node {
	if p.peek(1).Kind == lex.Arrow || p.at(lex.LParen) {
		return p.expr()
	}
	return p.nameOrCall()
}
