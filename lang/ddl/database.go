package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// createDatabase reads what follows CREATE DATABASE name.
func (p *parser) createDatabase(st *Statement, name ast.Name) ast.Object {
	d := &ast.Database{Name: name.Name}
	for !p.atStatementEnd(st) {
		start := p.i
		if p.databaseClause(st, d) {
			continue
		}
		p.i = start
		d.Unread = append(d.Unread, p.opaque(atStorageClause))
	}
	return d
}

func (p *parser) databaseClause(st *Statement, d *ast.Database) bool {
	switch p.tok().Word {
	case lex.KwUuid, lex.KwOn:
		return p.placement(st)
	case lex.KwComment:
		return p.comment(&d.Comment)
	case lex.KwEngine:
		p.i++
		p.equals()
		d.Engine = p.engine()
		return d.Engine != nil
	case lex.KwSettings:
		p.i++
		list, ok := p.settings()
		d.Settings = list
		return ok
	}
	p.fail("a clause of the database")
	return false
}
