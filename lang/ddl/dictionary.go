package ddl

import (
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// createDictionary reads what follows CREATE DICTIONARY name.
func (p *parser) createDictionary(st *Statement, name ast.Name) ast.Object {
	d := &ast.Dictionary{Name: name}
	for !p.atStatementEnd(st) {
		start := p.i
		if p.dictionaryClause(st, d) {
			continue
		}
		p.i = start
		d.Unread = append(d.Unread, p.opaque(atDictionaryClause))
	}
	return d
}

func atDictionaryClause(p *parser) bool {
	next := p.peek(1)
	switch p.tok().Word {
	case lex.KwSource, lex.KwLayout, lex.KwLifetime, lex.KwRange:
		return next.Kind == lex.LParen
	case lex.KwPrimary:
		return next.Word == lex.KwKey
	case lex.KwSettings:
		return true
	case lex.KwComment:
		return isString(next)
	}
	return p.atEnd()
}

func (p *parser) dictionaryClause(st *Statement, d *ast.Dictionary) bool {
	word := p.tok().Word
	if word == lex.KwPrimary && d.PrimaryKey != nil || word == lex.KwSource && d.Source != nil || word == lex.KwLayout && d.Layout != nil ||
		word == lex.KwLifetime && d.HasLifetime || word == lex.KwSettings && d.Settings != nil || word == lex.KwComment && d.Comment != "" {
		p.fail("each clause once")
		return false
	}
	switch word {
	case lex.KwUuid, lex.KwOn:
		return p.placement(st)
	case lex.KwPrimary:
		return p.dictionaryKey(d)
	case lex.KwSource:
		p.i++
		kind, args, parens, ok := p.kindAndArgs()
		if ok {
			d.Source = &ast.Source{Kind: kind, Args: args, HasParens: parens}
		}
		return ok
	case lex.KwLayout:
		p.i++
		kind, args, parens, ok := p.kindAndArgs()
		if ok {
			d.Layout = &ast.Layout{Kind: kind, Args: args, HasParens: parens}
		}
		return ok
	case lex.KwLifetime:
		return p.lifetime(d)
	case lex.KwRange:
		return p.dictionaryRange(d)
	case lex.KwSettings:
		p.i++
		var list []ast.Setting
		var ok bool
		if p.at(lex.LParen) {
			list, ok = p.settingsInParens()
		} else {
			list, ok = p.settings()
		}
		d.Settings = list
		return ok
	case lex.KwComment:
		return p.comment(&d.Comment)
	}
	if p.at(lex.LParen) && len(d.Attributes) == 0 {
		return p.attributes(d)
	}
	p.fail("a clause of the dictionary")
	return false
}

func (p *parser) attributes(d *ast.Dictionary) bool {
	p.i++
	for !p.at(lex.RParen) && !p.atEnd() {
		start := p.i
		a := p.attribute()
		if a == nil || !atElementEnd(p) {
			p.i = start
			d.Unread = append(d.Unread, p.opaque(atElementEnd))
		} else {
			d.Attributes = append(d.Attributes, a)
		}
		if !p.skip(lex.Comma) {
			break
		}
	}
	return p.want(lex.RParen, "a comma or a closing parenthesis")
}

func (p *parser) attribute() *ast.Attribute {
	name, ok := p.dottedName()
	if !ok {
		return nil
	}
	a := &ast.Attribute{Name: name}
	if a.Type = p.dataType(); a.Type == nil {
		return nil
	}
	a.Type = p.nullModifier(a.Type)
	for !atElementEnd(p) {
		switch {
		case p.skipWord(lex.KwDefault):
			if a.Default = p.expr(); a.Default == nil {
				return nil
			}
		case p.skipWord(lex.KwExpression):
			if a.Expression = p.expr(); a.Expression == nil {
				return nil
			}
		case p.skipWord(lex.KwHierarchical):
			a.Hierarchical = true
		case p.skipWord(lex.KwBidirectional):
			a.Bidirectional = true
		case p.skipWord(lex.KwInjective):
			a.Injective = true
		case p.skipWord(lex.KwIsObjectId):
			a.IsObjectID = true
		default:
			p.fail("a clause of the attribute or a comma")
			return nil
		}
	}
	return a
}

// dictionaryKey reads PRIMARY KEY a, b; the names may stand in parentheses.
func (p *parser) dictionaryKey(d *ast.Dictionary) bool {
	if !p.skipWords(lex.KwPrimary, lex.KwKey) {
		p.fail("PRIMARY KEY")
		return false
	}
	parens := p.skip(lex.LParen)
	var key []string
	for {
		name, ok := p.dottedName()
		if !ok {
			return false
		}
		key = append(key, name)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if parens && !p.want(lex.RParen, "a closing parenthesis") {
		return false
	}
	d.PrimaryKey = key
	return true
}

// kindAndArgs reads (KIND(key value ..)) or (KIND).
func (p *parser) kindAndArgs() (kind string, args []ast.Setting, parens, ok bool) {
	if !p.want(lex.LParen, "an opening parenthesis") {
		return "", nil, false, false
	}
	kind, args, parens, ok = p.kindCall()
	return kind, args, parens, ok && p.want(lex.RParen, "a closing parenthesis")
}

// kindCall reads KIND(key value ..) or KIND.
func (p *parser) kindCall() (kind string, args []ast.Setting, parens, ok bool) {
	if kind, ok = p.ident(); !ok {
		return "", nil, false, false
	}
	if p.skip(lex.LParen) {
		parens = true
		for !p.at(lex.RParen) {
			start := p.i
			name, ok := p.ident()
			if !ok {
				return "", nil, false, false
			}
			value := p.keyedValue(start)
			if value == nil {
				return "", nil, false, false
			}
			args = append(args, ast.Setting{Name: name, Value: value})
			p.skip(lex.Comma)
		}
		p.i++
	}
	return kind, args, parens, true
}

// keyedValue reads the value behind a key: a literal, a name, a call, or a block of further keys in parentheses.
func (p *parser) keyedValue(start int) *node {
	if p.at(lex.LParen) {
		if !p.enter() {
			return nil
		}
		defer p.leave()
		p.i++
		mark := p.mark()
		for !p.at(lex.RParen) {
			at := p.i
			name, ok := p.ident()
			if !ok {
				return p.drop(mark)
			}
			value := p.keyedValue(at)
			if value == nil {
				return p.drop(mark)
			}
			p.push(p.node1(ast.Equals, name, at, value))
			p.skip(lex.Comma)
		}
		p.i++
		return p.list(ast.List, "", start, mark)
	}
	if isName(p.tok()) && p.peek(1).Kind == lex.LParen {
		return p.call(false)
	}
	if isName(p.tok()) && p.tok().Word != lex.KwNull && p.tok().Word != lex.KwTrue && p.tok().Word != lex.KwFalse {
		return p.identifier()
	}
	return p.prefix()
}

// lifetime reads LIFETIME(n), LIFETIME(MIN a MAX b) and LIFETIME(MAX b MIN a).
func (p *parser) lifetime(d *ast.Dictionary) bool {
	p.i++
	if !p.want(lex.LParen, "an opening parenthesis") {
		return false
	}
	var least, most uint64
	if p.at(lex.Number) || p.at(lex.Plus) {
		if !p.seconds(&most) || !p.want(lex.RParen, "a closing parenthesis") {
			return false
		}
		d.HasLifetime, d.LifetimeMax = true, most
		return true
	}
	for !p.skip(lex.RParen) {
		into := &least
		switch {
		case p.skipWord(lex.KwMin):
		case p.skipWord(lex.KwMax):
			into = &most
		default:
			p.fail("MIN or MAX")
			return false
		}
		if !p.seconds(into) {
			return false
		}
	}
	d.HasLifetime, d.LifetimeMin, d.LifetimeMax = true, least, most
	return true
}

func (p *parser) seconds(into *uint64) bool {
	p.skip(lex.Plus)
	text := strings.ReplaceAll(p.tok().Text(p.src), "_", "")
	base := 10
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0b") {
		base = 0 // a leading zero alone is no octal number
	}
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		p.fail("a number of seconds")
		return false
	}
	*into = n
	p.i++
	return true
}

// dictionaryRange reads RANGE(MIN a MAX b).
func (p *parser) dictionaryRange(d *ast.Dictionary) bool {
	p.i++
	if !p.want(lex.LParen, "an opening parenthesis") {
		return false
	}
	var least, most string
	for !p.skip(lex.RParen) {
		into := &least
		switch {
		case p.skipWord(lex.KwMin):
		case p.skipWord(lex.KwMax):
			into = &most
		default:
			p.fail("MIN or MAX")
			return false
		}
		name, ok := p.ident()
		if !ok {
			return false
		}
		*into = name
	}
	d.RangeMin, d.RangeMax = least, most
	return true
}
