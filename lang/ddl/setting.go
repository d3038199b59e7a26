package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// setting reads name = value, or a bare name, which sets it to true.
func (p *parser) setting() (ast.Setting, bool) {
	start := p.i
	name, ok := p.dottedName()
	if !ok {
		return ast.Setting{}, false
	}
	if !p.equals() {
		return ast.Setting{Name: name, Value: p.leaf(ast.Keyword, "true", start)}, true
	}
	value := p.settingValue()
	return ast.Setting{Name: name, Value: value}, value != nil
}

// settingValue reads a literal, a bare word or a call such as disk(type = local).
func (p *parser) settingValue() *node {
	t := p.tok()
	if t.Kind != lex.Word {
		return p.prefix()
	}
	if p.peek(1).Kind == lex.LParen {
		return p.call(true)
	}
	switch t.Word {
	case lex.KwTrue, lex.KwFalse, lex.KwNull, lex.KwInf, lex.KwInfinity, lex.KwNan:
		return p.operand()
	}
	p.i++
	return p.leaf(ast.Keyword, t.Text(p.src), p.i-1)
}

// settings reads a = 1, b = 2.
func (p *parser) settings() ([]ast.Setting, bool) {
	list := make([]ast.Setting, 0, 4)
	for {
		s, ok := p.setting()
		if !ok {
			return nil, false
		}
		list = append(list, s)
		if !p.skip(lex.Comma) {
			return list, true
		}
	}
}

// settingsInParens reads (a = 1, b = 2).
func (p *parser) settingsInParens() ([]ast.Setting, bool) {
	if !p.want(lex.LParen, "an opening parenthesis") {
		return nil, false
	}
	list, ok := p.settings()
	return list, ok && p.want(lex.RParen, "a comma or a closing parenthesis")
}
