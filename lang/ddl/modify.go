package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// modifyCommand reads what follows MODIFY and ALTER.
func (p *parser) modifyCommand(c *ast.Command) bool {
	what := p.word()
	switch what {
	case lex.KwColumn:
		c.IfExists = p.skipWords(lex.KwIf, lex.KwExists)
		return p.modifyColumn(c)
	case lex.KwSetting:
		c.Kind = ast.ModifySetting
		list, ok := p.settings()
		c.Settings = list
		return ok
	case lex.KwTtl:
		c.Kind = ast.ModifyTTL
		c.Value = p.ttl()
		return c.Value != nil
	case lex.KwOrder:
		c.Kind = ast.ModifyOrderBy
		if !p.wantWord(lex.KwBy, "BY") {
			return false
		}
		c.Value = p.keyElement()
		return c.Value != nil
	case lex.KwSample:
		c.Kind = ast.ModifySampleBy
		if !p.wantWord(lex.KwBy, "BY") {
			return false
		}
		c.Value = p.expr()
		return c.Value != nil
	case lex.KwComment:
		c.Kind = ast.ModifyComment
		text, ok := p.str()
		c.Comment = text
		return ok
	case lex.KwQuery:
		c.Kind = ast.ModifyQuery
		c.Value = p.query()
		return c.Value != nil
	case lex.KwRefresh:
		p.i--
		c.Kind = ast.ModifyRefresh
		c.Refresh = p.refresh()
		return c.Refresh != nil
	case lex.KwSql, lex.KwDefiner:
		p.i--
		c.Kind = ast.ModifySecurity
		for p.atWord(lex.KwSql) || p.atWord(lex.KwDefiner) {
			if !p.security(&c.Security) {
				return false
			}
		}
		return true
	case lex.KwStatistics:
		c.Kind = ast.ModifyStatistics
		return p.statisticsCommand(c)
	}
	p.fail("what to modify")
	return false
}

// modifyColumn reads what follows MODIFY COLUMN.
func (p *parser) modifyColumn(c *ast.Command) bool {
	start := p.i
	name, ok := p.dottedName()
	if !ok {
		return false
	}
	c.Name = name
	switch {
	case p.skipWord(lex.KwRemove):
		return p.removeProperty(c)
	case p.skipWords(lex.KwModify, lex.KwSetting):
		c.Kind = ast.ModifyColumnSetting
		list, ok := p.settings()
		c.Settings = list
		return ok
	case p.skipWords(lex.KwReset, lex.KwSetting):
		c.Kind = ast.ResetColumnSetting
		return p.names(&c.Names)
	case p.atWords(lex.KwAdd, lex.KwEnum):
		p.i += 2
		c.Kind = ast.AddEnumValues
		if !p.wantWord(lex.KwValues, "VALUES") || !p.want(lex.LParen, "an opening parenthesis") {
			return false
		}
		at, mark := p.i, p.mark()
		if !p.typeArguments("Enum") {
			p.drop(mark)
			return false
		}
		c.Value = p.list(ast.List, "", at, mark)
		return true
	}
	p.i = start
	c.Kind = ast.ModifyColumn
	return p.commandColumn(c)
}

func (p *parser) removeProperty(c *ast.Command) bool {
	c.Kind = ast.RemoveFromColumn
	switch w := p.tok().Word; w {
	case lex.KwDefault, lex.KwMaterialized, lex.KwAlias, lex.KwEphemeral, lex.KwComment, lex.KwCodec, lex.KwTtl, lex.KwSettings:
		c.Property = w.String()
		p.i++
		return true
	}
	p.fail("DEFAULT, MATERIALIZED, ALIAS, COMMENT, CODEC, TTL or SETTINGS")
	return false
}
