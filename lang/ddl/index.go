package ddl

import (
	"strconv"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// index reads what follows the word INDEX: name expr [TYPE type] [GRANULARITY n].
func (p *parser) index() *ast.Index {
	name, ok := p.ident()
	if !ok {
		return nil
	}
	i := &ast.Index{Name: name}
	if i.Expr = p.indexExpr(); i.Expr == nil {
		return nil
	}
	if !p.wantWord(lex.KwType, "TYPE and the index's type") {
		return nil
	}
	if i.Type = p.callOrName("an index type"); i.Type == nil {
		return nil
	}
	if p.skipWord(lex.KwGranularity) {
		t := p.tok()
		n, err := strconv.ParseUint(t.Text(p.src), 10, 64)
		if t.Kind != lex.Number || err != nil {
			p.fail("a number of granules")
			return nil
		}
		p.i++
		i.Granularity = n
	}
	return i
}

// indexExpr reads an index's expression. A list in parentheses is a Tuple; a direction may stand behind each.
func (p *parser) indexExpr() *node {
	e := p.exprAs()
	if e == nil || p.orderEnd() {
		return e
	}
	return p.direction(e)
}

// projection reads what follows the word PROJECTION: name (query) or name INDEX expr TYPE type.
func (p *parser) projection() *ast.Projection {
	name, ok := p.ident()
	if !ok {
		return nil
	}
	pr := &ast.Projection{Name: name}
	if p.skipWord(lex.KwIndex) {
		if pr.Index = p.exprAs(); pr.Index == nil || !p.wantWord(lex.KwType, "TYPE and the projection's type") {
			return nil
		}
		if pr.Type = p.callOrName("a type of projection index"); pr.Type == nil {
			return nil
		}
	} else {
		if !p.want(lex.LParen, "the projection's query in parentheses") {
			return nil
		}
		if pr.Query = p.query(); pr.Query == nil || !p.want(lex.RParen, "a closing parenthesis") {
			return nil
		}
	}
	if p.atWords(lex.KwWith, lex.KwSettings) {
		p.i += 2
		if pr.Settings, ok = p.settingsInParens(); !ok {
			return nil
		}
	}
	return pr
}

// constraint reads what follows the word CONSTRAINT: name CHECK|ASSUME expr.
func (p *parser) constraint() *ast.Constraint {
	name, ok := p.ident()
	if !ok {
		return nil
	}
	c := &ast.Constraint{Name: name}
	switch {
	case p.skipWord(lex.KwCheck):
		c.Kind = "CHECK"
	case p.skipWord(lex.KwAssume):
		c.Kind = "ASSUME"
	default:
		p.fail("CHECK or ASSUME")
		return nil
	}
	if c.Expr = p.exprAs(); c.Expr == nil {
		return nil
	}
	return c
}
