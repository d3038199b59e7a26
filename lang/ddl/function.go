package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// createFunction reads what follows CREATE FUNCTION name.
func (p *parser) createFunction(st *Statement, name ast.Name) ast.Object {
	f := &ast.Function{Name: name.Name}
	if p.atWord(lex.KwOn) && !p.placement(st) {
		return nil
	}
	if !p.wantWord(lex.KwAs, "AS and the function's lambda") {
		return nil
	}
	f.Lambda = p.readable((*parser).exprAs, (*parser).atEnd)
	return f
}
