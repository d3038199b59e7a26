package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// column reads a column's definition, its clauses in any order. What cannot be read becomes part of the column as an
// Opaque node; only a missing name makes it fail.
func (p *parser) column(seen int) *ast.Column {
	name, ok := p.dottedName()
	if !ok {
		return nil
	}
	c := p.arena.column(seen)
	c.Name = name
	start := p.i
	if p.atType() {
		if c.Type = p.dataType(); c.Type == nil {
			p.i = start
			c.Type = p.opaque(atElementEnd)
			return c
		}
	}
	for !atElementEnd(p) {
		at := p.i
		if !p.columnClause(c) {
			p.i = at
			rest := p.opaque(atElementEnd)
			if c.Type != nil {
				rest = p.node2(ast.List, "", at, c.Type, rest)
			}
			c.Type = rest
		}
	}
	return c
}

// atElementEnd reports the end of an element of a column list.
func atElementEnd(p *parser) bool {
	k := p.tok().Kind
	return k == lex.Comma || k == lex.RParen || p.atEnd()
}

// atType tells a type from the first clause of a column without one.
func (p *parser) atType() bool {
	t := p.tok()
	if t.Kind == lex.Quoted {
		return true
	}
	if t.Kind != lex.Word {
		return false
	}
	switch t.Word {
	case lex.KwDefault, lex.KwMaterialized, lex.KwAlias, lex.KwEphemeral, lex.KwComment, lex.KwCodec, lex.KwTtl, lex.KwStatistics,
		lex.KwCollate, lex.KwAutoIncrement, lex.KwPrimary, lex.KwNot, lex.KwNull, lex.KwRemove, lex.KwModify, lex.KwReset,
		lex.KwFirst, lex.KwAfter, lex.KwAdd, lex.KwSettings:
		return false
	}
	return true
}

// columnClause reads one clause of a column into c.
func (p *parser) columnClause(c *ast.Column) bool {
	start := p.i
	word := p.tok().Word
	if word == lex.KwCodec && c.Codec != nil || word == lex.KwTtl && c.TTL != nil || word == lex.KwStatistics && c.Statistics != nil ||
		word == lex.KwComment && c.Comment != "" || word == lex.KwSettings && c.Settings != nil ||
		word == lex.KwNull && c.Type != nil && c.Type.Text == "Nullable" {
		p.fail("each clause of the column once")
		return false
	}
	switch word {
	case lex.KwDefault:
		return p.columnDefault(c, ast.Default)
	case lex.KwMaterialized:
		return p.columnDefault(c, ast.Materialized)
	case lex.KwAlias:
		return p.columnDefault(c, ast.AliasColumn)
	case lex.KwEphemeral:
		return p.columnDefault(c, ast.Ephemeral)
	case lex.KwNull:
		p.i++
		if c.Type == nil { // the type is to be inferred, and then made Nullable
			c.Type = p.leaf(ast.Type, "Nullable", start)
		} else {
			c.Type = p.node1(ast.Type, "Nullable", start, c.Type)
		}
		return true
	case lex.KwNot:
		return p.skipWords(lex.KwNot, lex.KwNull)
	case lex.KwComment:
		p.i++
		text, ok := p.str()
		c.Comment = text
		return ok
	case lex.KwCodec:
		p.i++
		c.Codec = p.callList("a codec")
		return c.Codec != nil
	case lex.KwStatistics:
		p.i++
		c.Statistics = p.callList("a kind of statistics")
		return c.Statistics != nil
	case lex.KwTtl:
		p.i++
		c.TTL = p.readable((*parser).exprAs, atColumnClause)
		return true
	case lex.KwCollate:
		p.i++
		if isString(p.tok()) {
			c.Collation, _ = p.str()
			return true
		}
		name, ok := p.ident()
		c.Collation = name
		return ok
	case lex.KwPrimary:
		if !p.skipWords(lex.KwPrimary, lex.KwKey) {
			p.fail("PRIMARY KEY")
			return false
		}
		c.PrimaryKey = true
		return true
	case lex.KwSettings:
		p.i++
		list, ok := p.settingsInParens()
		c.Settings = list
		return ok
	case lex.KwAutoIncrement:
		p.i++
		return true
	}
	p.fail("a clause of the column or a comma")
	return false
}

func (p *parser) columnDefault(c *ast.Column, kind ast.DefaultKind) bool {
	if c.DefaultKind != ast.Plain {
		p.fail("one default")
		return false
	}
	p.i++
	c.DefaultKind = kind
	if kind == ast.Ephemeral && atColumnClause(p) {
		return true
	}
	c.Default = p.readable((*parser).exprAs, atColumnClause)
	return true
}

// atColumnClause reports where an expression in a column ends.
func atColumnClause(p *parser) bool {
	if atElementEnd(p) || p.atFormat() {
		return true
	}
	switch p.tok().Word {
	case lex.KwComment, lex.KwCodec, lex.KwTtl, lex.KwStatistics, lex.KwCollate, lex.KwPrimary, lex.KwSettings, lex.KwNull, lex.KwDefault,
		lex.KwMaterialized, lex.KwEphemeral, lex.KwAlias, lex.KwFirst, lex.KwAfter, lex.KwAutoIncrement:
		return true
	case lex.KwNot:
		return p.peek(1).Word == lex.KwNull
	}
	return false
}

// callList reads (A, B(1)), the form of CODEC and STATISTICS, as a List of Idents and Funcs.
func (p *parser) callList(what string) *node {
	start := p.i
	if !p.want(lex.LParen, "an opening parenthesis") {
		return nil
	}
	mark := p.mark()
	for {
		item := p.callOrName(what)
		if item == nil {
			return p.drop(mark)
		}
		p.push(item)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if !p.want(lex.RParen, "a comma or a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.List, "", start, mark)
}

// callOrName reads a Func with parentheses or an Ident without.
func (p *parser) callOrName(what string) *node {
	if !isName(p.tok()) {
		p.fail(what)
		return nil
	}
	if p.peek(1).Kind == lex.LParen {
		return p.call(true)
	}
	p.i++
	return p.nameNode(p.i - 1)
}
