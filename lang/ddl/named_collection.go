package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// atText reports a bare word that is no keyword of the lexer.
func (p *parser) atText(n int, word string) bool {
	t := p.peek(n)
	return t.Kind == lex.Word && strings.EqualFold(t.Text(p.src), word)
}

// createNamedCollection reads what follows CREATE NAMED COLLECTION name.
func (p *parser) createNamedCollection(st *Statement, name ast.Name) ast.Object {
	c := &ast.NamedCollection{Name: name.Name}
	if name.Database != "" {
		p.failWith("AS and the keys of the collection", "a named collection lives in no database; a name with a dot stands in backticks")
		return nil
	}
	if p.atWord(lex.KwOn) && !p.placement(st) {
		return nil
	}
	if !p.wantWord(lex.KwAs, "AS and the keys of the collection") {
		return nil
	}
	for {
		start := p.i
		key, ok := p.collectionKey()
		if !ok {
			return nil
		}
		if c.Key(key.Name) != nil {
			p.i = start
			p.fault = fault{}
			p.failWith("each key once", "the key "+key.Name+" stands twice")
			return nil
		}
		c.Keys = append(c.Keys, key)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if !p.atEnd() {
		p.fail("OVERRIDABLE, NOT OVERRIDABLE, a comma or the end of the statement")
		return nil
	}
	return c
}

// collectionKey reads key = value with what says whether it may be overridden.
func (p *parser) collectionKey() (ast.CollectionKey, bool) {
	k := ast.CollectionKey{}
	var ok bool
	if k.Name, ok = p.dottedName(); !ok {
		return k, false
	}
	if !p.want(lex.Equal, "an equals sign and the value") {
		return k, false
	}
	if !p.collectionValue(&k) {
		return k, false
	}
	switch {
	case p.atText(0, "OVERRIDABLE"):
		p.i++
		k.Overridable = "OVERRIDABLE"
	case p.atWord(lex.KwNot) && p.atText(1, "OVERRIDABLE"):
		p.i += 2
		k.Overridable = "NOT OVERRIDABLE"
	}
	return k, true
}

// collectionValue reads a literal, or secret('env:NAME') or secret('file:PATH'). What a server prints for a value it hides
// is none.
func (p *parser) collectionValue(k *ast.CollectionKey) bool {
	start := p.i
	if p.atText(0, "secret") && p.peek(1).Kind == lex.LParen {
		if secret, ok := ast.SecretOf(p.call(false)); ok {
			k.Secret = secret
			return true
		}
		p.i = start
		p.fail("where the secret comes from: secret('env:NAME') or secret('file:PATH')")
		return false
	}
	n := p.prefix()
	if n == nil {
		return false
	}
	value := n
	switch {
	case value.Kind == ast.String && value.Text == "[HIDDEN]":
		return true
	case value.Kind == ast.String, value.Kind == ast.Number, value.Kind == ast.Keyword,
		value.Kind == ast.Operator && value.Text == "-" && len(value.Kids) == 1 && value.Kids[0].Kind == ast.Number:
		k.Value = value
		return true
	}
	p.i = start
	p.fail("a text in quotes, a number, true or false")
	return false
}
