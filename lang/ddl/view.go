package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// createView reads what follows CREATE VIEW name.
func (p *parser) createView(st *Statement, name ast.Name) ast.Object {
	v := &ast.View{Name: name}
	for !p.atStatementEnd(st) {
		start := p.i
		if p.viewClause(st, v) {
			continue
		}
		p.i = start
		v.Unread = append(v.Unread, p.opaque(atStorageClause))
	}
	return v
}

func (p *parser) viewClause(st *Statement, v *ast.View) bool {
	switch p.tok().Word {
	case lex.KwUuid, lex.KwOn:
		return p.placement(st)
	case lex.KwComment:
		return p.comment(&v.Comment)
	case lex.KwDefiner, lex.KwSql:
		return p.security(&v.Security)
	case lex.KwAs:
		if v.Query != nil {
			p.fail("one query")
			return false
		}
		p.i++
		v.Query = p.readable((*parser).query, atQueryEnd)
		return true
	}
	if p.at(lex.LParen) && v.Query == nil && p.aliasList() {
		list := p.nameList()
		for _, n := range list.Kids {
			v.Aliases = append(v.Aliases, n.Text)
		}
		return true
	}
	if p.at(lex.LParen) && len(v.Columns) == 0 && v.Query == nil {
		var t ast.Table
		if !p.elements(&t) {
			return false
		}
		v.Columns = t.Columns
		v.Unread = append(v.Unread, t.Unread...)
		return true
	}
	p.fail("a clause of the view")
	return false
}

// aliasList reports whether a list of bare names stands here.
func (p *parser) aliasList() bool {
	for n := 1; isName(p.peek(n)); n += 2 {
		switch p.peek(n + 1).Kind {
		case lex.RParen:
			return true
		case lex.Comma:
		default:
			return false
		}
	}
	return false
}

// security reads SQL SECURITY mode and DEFINER = user.
func (p *parser) security(s *ast.Security) bool {
	if p.skipWord(lex.KwDefiner) {
		p.equals()
		switch {
		case p.atWord(lex.KwCurrentUser):
			p.i++
			s.Definer = "CURRENT_USER"
			if p.at(lex.LParen) && p.peek(1).Kind == lex.RParen {
				p.i += 2
			}
			return true
		case isString(p.tok()):
			s.Definer, _ = p.str()
		default:
			name, ok := p.ident()
			if !ok {
				return false
			}
			s.Definer = name
		}
		if p.skip(lex.At) { // user@host
			host := p.tok()
			if !isString(host) && !isName(host) {
				p.fail("the user's host")
				return false
			}
			p.i++
			s.Definer += "@" + host.Value(p.src)
		}
		return true
	}
	if !p.skipWords(lex.KwSql, lex.KwSecurity) {
		p.fail("SQL SECURITY")
		return false
	}
	switch {
	case p.skipWord(lex.KwDefiner):
		s.Mode = "DEFINER"
	case p.skipWord(lex.KwInvoker):
		s.Mode = "INVOKER"
	case p.skipWord(lex.KwNone):
		s.Mode = "NONE"
	default:
		p.fail("DEFINER, INVOKER or NONE")
		return false
	}
	return true
}
