package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// engine reads an engine's name and arguments.
func (p *parser) engine() *ast.Engine {
	name, ok := p.ident()
	if !ok {
		return nil
	}
	e := &ast.Engine{Name: name}
	if !p.skip(lex.LParen) {
		return e
	}
	e.HasParens = true
	mark := p.mark()
	if !p.arguments(true) {
		p.drop(mark)
		return nil
	}
	e.Args = p.arena.list(mark)
	return e
}
