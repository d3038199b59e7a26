package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// dataType reads a data type with its arguments. Modifiers (NULL, NOT NULL) belong to the column.
func (p *parser) dataType() *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.i
	n := p.dataTypeName()
	if n == nil {
		return nil
	}
	signed := p.sign(n, start)
	if p.skip(lex.LParen) {
		mark := p.mark()
		if !p.typeArguments(n.Text) {
			return p.drop(mark)
		}
		n.Kids = p.arena.list(mark)
	}
	if !signed {
		p.sign(n, start)
	}
	return n
}

// sign reads SIGNED or UNSIGNED of an integer type, before or behind its width: INT UNSIGNED(11), INT(11) UNSIGNED.
func (p *parser) sign(n *node, start int) bool {
	w := p.tok().Word
	if w != lex.KwUnsigned && w != lex.KwSigned || !isInteger(p.toks[start].Word) {
		return false
	}
	p.i++
	n.Text = strings.ToUpper(n.Text) + " " + w.String()
	return true
}

func isInteger(w lex.Keyword) bool {
	switch w {
	case lex.KwTinyint, lex.KwSmallint, lex.KwMediumint, lex.KwInt, lex.KwInteger, lex.KwBigint, lex.KwInt1:
		return true
	}
	return false
}

// dataTypeName reads a type's name, of several words where the SQL standard has such names.
func (p *parser) dataTypeName() *node {
	start := p.i
	if !isName(p.tok()) {
		p.fail("a data type")
		return nil
	}
	p.i++
	n := p.nameNode(start)
	n.Kind = ast.Type
	switch p.toks[start].Word {
	case lex.KwDouble:
		if p.skipWord(lex.KwPrecision) {
			n.Text = "DOUBLE PRECISION"
		}
	case lex.KwChar, lex.KwCharacter, lex.KwBinary:
		base := strings.ToUpper(n.Text)
		switch {
		case p.skipWords(lex.KwLarge, lex.KwObject):
			n.Text = base + " LARGE OBJECT"
		case p.skipWord(lex.KwVarying):
			n.Text = base + " VARYING"
		}
	case lex.KwNchar:
		switch {
		case p.skipWords(lex.KwLarge, lex.KwObject):
			n.Text = "NCHAR LARGE OBJECT"
		case p.skipWord(lex.KwVarying):
			n.Text = "NCHAR VARYING"
		}
	case lex.KwNational:
		base := ""
		switch {
		case p.skipWord(lex.KwChar):
			base = "NATIONAL CHAR"
		case p.skipWord(lex.KwCharacter):
			base = "NATIONAL CHARACTER"
		default:
			return n
		}
		switch {
		case p.skipWords(lex.KwLarge, lex.KwObject):
			base += " LARGE OBJECT"
		case p.skipWord(lex.KwVarying):
			base += " VARYING"
		}
		n.Text = base
	}
	return n
}

// typeArguments pushes the arguments of the named type and passes the closing parenthesis.
func (p *parser) typeArguments(name string) bool {
	argument := (*parser).typeArgument
	switch strings.ToLower(name) {
	case "tuple", "nested", "struct":
		argument = (*parser).tupleElement
	case "json", "object":
		argument = (*parser).jsonArgument
	case "aggregatefunction", "simpleaggregatefunction":
		return p.aggregateArguments()
	}
	for !p.at(lex.RParen) {
		item := argument(p)
		if item == nil {
			return false
		}
		p.push(item)
		if !p.skip(lex.Comma) {
			break
		}
	}
	return p.want(lex.RParen, "a comma or a closing parenthesis")
}

// typeArgument reads a literal, 'name' = number of an Enum, name = value, or a type.
func (p *parser) typeArgument() *node {
	start := p.i
	t := p.tok()
	next := p.peek(1)
	switch {
	case isString(t):
		p.i++
		if !p.equals() {
			return p.leaf(ast.String, t.Value(p.src), start)
		}
		value := p.signedNumber()
		if value == nil {
			return nil
		}
		return p.node1(ast.Equals, t.Value(p.src), start, value)
	case t.Kind == lex.Number, (t.Kind == lex.Minus || t.Kind == lex.Plus) && next.Kind == lex.Number, t.Kind == lex.LBrace:
		return p.expr()
	case isName(t) && next.Kind == lex.Equal:
		return p.namedArgument()
	case t.Word == lex.KwNull && (next.Kind == lex.Comma || next.Kind == lex.RParen), t.Kind == lex.LParen, t.Kind == lex.LBracket:
		return p.expr()
	}
	typ := p.dataType()
	if typ == nil {
		return nil
	}
	return p.nullModifier(typ)
}

func (p *parser) signedNumber() *node {
	if t := p.tok(); t.Kind != lex.Number && t.Kind != lex.Minus && t.Kind != lex.Plus {
		p.fail("the number of the enum's element")
		return nil
	}
	return p.prefix()
}

// tupleElement reads a type with or without a name before it.
func (p *parser) tupleElement() *node {
	start := p.i
	if !isName(p.tok()) || !isName(p.peek(1)) || p.toks[start].Word == lex.KwDouble && p.peek(1).Word == lex.KwPrecision {
		return p.typeArgument()
	}
	p.i++
	typ := p.dataType()
	if typ == nil {
		return nil
	}
	return p.node1(ast.NamedType, p.toks[start].Value(p.src), start, p.nullModifier(typ))
}

// jsonArgument reads max_dynamic_paths = n, a.b Type, SKIP a.b and SKIP REGEXP 're'.
func (p *parser) jsonArgument() *node {
	start := p.i
	if isString(p.tok()) || isName(p.tok()) && p.peek(1).Kind == lex.Equal {
		return p.typeArgument()
	}
	if p.atWord(lex.KwSkip) {
		if p.peek(1).Word == lex.KwRegexp && isString(p.peek(2)) {
			p.i += 2
			text, _ := p.str()
			return p.node1(ast.Clause, "SKIP REGEXP", start, p.leaf(ast.String, text, start+2))
		}
		if isName(p.peek(1)) && !(isName(p.peek(2)) || p.peek(2).Kind == lex.LParen) {
			p.i++
			path, ok := p.dottedName()
			if !ok {
				return nil
			}
			return p.node1(ast.Clause, "SKIP", start, p.leaf(ast.Ident, path, start+1))
		}
	}
	if isName(p.tok()) && p.peek(1).Kind == lex.LParen || isName(p.tok()) && (p.peek(1).Kind == lex.Comma || p.peek(1).Kind == lex.RParen) {
		return p.typeArgument() // Object(Nullable('json'))
	}
	path, ok := p.dottedName()
	if !ok {
		return nil
	}
	typ := p.dataType()
	if typ == nil {
		return nil
	}
	return p.node1(ast.NamedType, path, start, typ)
}

// aggregateArguments reads [version,] function [(parameters)], types.
func (p *parser) aggregateArguments() bool {
	if p.at(lex.Number) {
		p.push(p.operand())
		if !p.want(lex.Comma, "a comma and the function") {
			return false
		}
	}
	start := p.i
	if !isName(p.tok()) {
		p.fail("an aggregate function")
		return false
	}
	p.i++
	function := p.nameNode(start)
	if p.skip(lex.LParen) {
		mark := p.mark()
		if !p.arguments(false) {
			p.drop(mark)
			return false
		}
		function.Kind = ast.Func
		function.Kids = p.arena.list(mark)
	}
	p.push(function)
	for p.skip(lex.Comma) {
		typ := p.typeArgument()
		if typ == nil {
			return false
		}
		p.push(typ)
	}
	return p.want(lex.RParen, "a comma or a closing parenthesis")
}

// nullModifier applies NULL and NOT NULL behind a type.
func (p *parser) nullModifier(typ *node) *node {
	start := p.i
	switch {
	case p.skipWord(lex.KwNull):
		return p.node1(ast.Type, "Nullable", start, typ)
	case p.skipWords(lex.KwNot, lex.KwNull):
	}
	return typ
}
