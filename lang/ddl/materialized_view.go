package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// createMaterializedView reads what follows CREATE MATERIALIZED VIEW name.
func (p *parser) createMaterializedView(st *Statement, name ast.Name) ast.Object {
	m := &ast.MaterializedView{Name: name}
	inner := &ast.Table{}
	for !p.atStatementEnd(st) {
		start := p.i
		if p.materializedViewClause(st, m, inner) {
			continue
		}
		p.i = start
		m.Unread = append(m.Unread, p.opaque(atStorageClause))
	}
	m.Columns, inner.Columns = inner.Columns, nil
	m.Unread, inner.Unread = append(m.Unread, inner.Unread...), nil
	if m.To == (ast.Name{}) || inner.Engine != nil {
		m.Inner = inner
	}
	return m
}

func (p *parser) materializedViewClause(st *Statement, m *ast.MaterializedView, inner *ast.Table) bool {
	switch p.tok().Word {
	case lex.KwUuid, lex.KwOn:
		return p.placement(st)
	case lex.KwTo:
		if p.peek(1).Word == lex.KwInner && p.peek(2).Word == lex.KwUuid {
			p.i += 3
			_, ok := p.str()
			return ok
		}
		if m.To != (ast.Name{}) {
			p.fail("one target")
			return false
		}
		p.i++
		to, ok := p.name()
		m.To = to
		return ok
	case lex.KwRefresh:
		m.Refresh = p.refresh()
		return m.Refresh != nil
	case lex.KwAppend:
		if m.Refresh == nil {
			break
		}
		p.i++
		m.Refresh.Append = true
		return true
	case lex.KwPopulate:
		p.i++
		m.Populate = true
		return true
	case lex.KwEmpty:
		p.i++
		m.Empty = true
		return true
	case lex.KwComment:
		return p.comment(&m.Comment)
	case lex.KwDefiner, lex.KwSql:
		return p.security(&m.Security)
	case lex.KwAs:
		if m.Query != nil {
			p.fail("one query")
			return false
		}
		p.i++
		m.Query = p.readable((*parser).query, atQueryEnd)
		return true
	}
	if p.at(lex.LParen) && len(inner.Columns) == 0 && m.Query == nil {
		return p.elements(inner)
	}
	return p.storageClause(st, inner)
}

// refresh reads REFRESH EVERY|AFTER period and what follows it.
func (p *parser) refresh() *ast.Refresh {
	p.i++
	r := &ast.Refresh{}
	switch {
	case p.skipWord(lex.KwEvery):
		r.Kind = "EVERY"
	case p.skipWord(lex.KwAfter):
		r.Kind = "AFTER"
	case p.atWords(lex.KwDepends, lex.KwOn): // they alone say when
	default:
		p.fail("EVERY, AFTER or DEPENDS ON")
		return nil
	}
	if r.Kind != "" {
		if r.Period = p.period(); r.Period == nil {
			return nil
		}
	}
	for {
		switch {
		case p.skipWord(lex.KwOffset):
			if r.Offset = p.period(); r.Offset == nil {
				return nil
			}
		case p.skipWords(lex.KwRandomize, lex.KwFor):
			if r.Randomize = p.period(); r.Randomize == nil {
				return nil
			}
		case p.skipWords(lex.KwDepends, lex.KwOn):
			for {
				name, ok := p.name()
				if !ok {
					return nil
				}
				r.DependsOn = append(r.DependsOn, name)
				if !p.skip(lex.Comma) {
					break
				}
			}
		case p.skipWord(lex.KwSettings):
			list, ok := p.settings()
			if !ok {
				return nil
			}
			r.Settings = list
		case p.skipWord(lex.KwAppend):
			r.Append = true
		default:
			return r
		}
	}
}

// period reads 1 HOUR 30 MINUTE as an Interval, or as a List of several.
func (p *parser) period() *node {
	start := p.i
	mark := p.mark()
	for p.at(lex.Number) {
		amount := p.operand()
		unit := intervalUnit(p.tok(), p.src)
		if unit == "" {
			p.fail("a unit of time")
			return p.drop(mark)
		}
		p.i++
		p.push(p.node1(ast.Interval, unit, start, amount))
	}
	switch len(p.arena.stack) - mark {
	case 0:
		p.fail("a number and a unit of time")
		return nil
	case 1:
		only := p.arena.stack[mark]
		p.drop(mark)
		return only
	}
	return p.list(ast.List, "", start, mark)
}
