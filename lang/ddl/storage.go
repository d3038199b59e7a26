package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// storageClause reads one clause of a table's storage: ENGINE, a key, TTL or SETTINGS.
func (p *parser) storageClause(st *Statement, t *ast.Table) bool {
	next := p.peek(1).Word
	word := p.tok().Word
	if word == lex.KwEngine && t.Engine != nil || next == lex.KwBy && (word == lex.KwPartition && t.PartitionBy != nil ||
		word == lex.KwOrder && t.OrderBy != nil || word == lex.KwSample && t.SampleBy != nil) ||
		word == lex.KwTtl && t.TTL != nil || next == lex.KwKey && (word == lex.KwPrimary && t.PrimaryKey != nil ||
		word == lex.KwUnique && t.UniqueKey != nil) {
		p.fail("each clause once")
		return false
	}
	switch word {
	case lex.KwEngine:
		p.i++
		p.equals()
		t.Engine = p.engine()
		p.timeSeries = p.timeSeries || t.Engine != nil && t.Engine.Name == "TimeSeries"
		return t.Engine != nil
	case lex.KwPartition:
		if next == lex.KwBy {
			p.i += 2
			t.PartitionBy = p.readable((*parser).key, atStorageClause)
			return true
		}
	case lex.KwPrimary:
		if next == lex.KwKey {
			p.i += 2
			t.PrimaryKey = p.readable((*parser).key, atStorageClause)
			return true
		}
	case lex.KwUnique:
		if next == lex.KwKey {
			p.i += 2
			t.UniqueKey = p.readable((*parser).key, atStorageClause)
			return true
		}
	case lex.KwOrder:
		if next == lex.KwBy {
			p.i += 2
			t.OrderBy = p.readable((*parser).key, atStorageClause)
			return true
		}
	case lex.KwSample:
		if next == lex.KwBy {
			p.i += 2
			t.SampleBy = p.readable((*parser).key, atStorageClause)
			return true
		}
	case lex.KwTtl:
		p.i++
		t.TTL = p.readable((*parser).ttl, atStorageClause)
		return true
	case lex.KwSettings:
		p.i++
		list, ok := p.settings()
		if t.Settings != nil { // a second clause is the query's
			st.Settings = list
		} else {
			t.Settings = list
		}
		return ok
	}
	p.fail("a clause of the definition")
	return false
}

// atStorageClause reports where a clause of a definition ends: at the next one.
func atStorageClause(p *parser) bool {
	if p.atEnd() || p.atFormat() || p.targetKind() != "" {
		return true
	}
	next := p.peek(1)
	switch p.tok().Word {
	case lex.KwEngine, lex.KwTtl, lex.KwSettings, lex.KwAs, lex.KwPopulate, lex.KwEmpty, lex.KwDefiner, lex.KwClone, lex.KwRefresh:
		return true
	case lex.KwComment:
		return isString(next)
	case lex.KwPartition, lex.KwOrder, lex.KwSample:
		return next.Word == lex.KwBy
	case lex.KwPrimary, lex.KwUnique:
		return next.Word == lex.KwKey
	case lex.KwSql:
		return next.Word == lex.KwSecurity
	}
	return false
}

// key reads a table's key: an expression, with or without a direction, or several.
func (p *parser) key() *node {
	start := p.i
	first := p.keyElement()
	if first == nil || !p.at(lex.Comma) {
		return first
	}
	mark := p.mark()
	p.push(first)
	for p.skip(lex.Comma) {
		next := p.keyElement()
		if next == nil {
			return p.drop(mark)
		}
		p.push(next)
	}
	return p.list(ast.List, "", start, mark)
}

func (p *parser) keyElement() *node {
	e := p.expr() // AS would begin the definition's query
	if e == nil || !p.atDirection() {
		return e
	}
	return p.direction(e)
}
