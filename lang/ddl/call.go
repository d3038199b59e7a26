package ddl

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// call reads name(args), with all that ClickHouse allows inside and behind the parentheses. In a named call, which a
// table function, an engine and their like are, name = value is an argument and no comparison.
func (p *parser) call(named bool) *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.i
	t := p.tok()
	name := t.Value(p.src)
	p.i += 2
	if !named {
		if n, done := p.specialCall(t.Word, name, start); done {
			return n
		}
	}
	mark := p.mark()
	if !p.arguments(named) {
		return p.drop(mark)
	}
	if p.at(lex.LParen) && !named {
		params := p.list(ast.Params, "", start, mark)
		p.push(params)
		p.i++
		if !p.arguments(false) {
			return p.drop(mark)
		}
	}
	if !named && !p.callSuffixes() {
		return p.drop(mark)
	}
	n := p.list(ast.Func, name, start, mark)
	if ast.IsSecretCall(n) {
		n.Text = strings.ToLower(name) // what stands for a secret in statements is one text
	}
	n.Quote = t.Kind == lex.Quoted
	return n
}

// arguments pushes what stands inside the parentheses and passes the closing one.
func (p *parser) arguments(named bool) bool {
	if p.atWord(lex.KwDistinct) && p.peek(1).Kind != lex.Comma && p.peek(1).Kind != lex.RParen && p.peek(1).Kind != lex.Dot {
		p.push(p.leaf(ast.Clause, "DISTINCT", p.i))
		p.i++
	} else if p.atWord(lex.KwAll) && isName(p.peek(1)) {
		p.i++ // the opposite of DISTINCT, and the default
	}
	mark := p.mark()
	for !p.at(lex.RParen) {
		start := p.i
		item := p.argument(named)
		if item == nil {
			return false
		}
		if item.Kind == ast.Lambda && p.toks[start].Kind != lex.LParen {
			item = p.withParameters(item, mark)
		}
		p.push(item)
		if !p.skip(lex.Comma) {
			break
		}
	}
	return p.want(lex.RParen, "a comma or a closing parenthesis")
}

// withParameters returns the lambda of f(a, b -> x), which takes every name before it for a parameter too: f((a, b) -> x).
func (p *parser) withParameters(lambda *node, mark int) *node {
	before := p.arena.stack[mark:]
	if len(before) == 0 || slices.ContainsFunc(before, func(n *node) bool { return !isSimpleIdent(n) }) {
		return lambda
	}
	for _, kid := range lambda.Kids {
		p.push(kid)
	}
	lambda.Kids = p.arena.list(mark)
	return lambda
}

func (p *parser) argument(named bool) *node {
	t := p.tok()
	if t.Word != 0 && p.queryAt(0) {
		return p.queryOrExplain()
	}
	if t.Word == lex.KwSettings && isName(p.peek(1)) && p.peek(2).Kind == lex.Equal {
		return p.settingsClause()
	}
	if named && isName(t) && p.peek(1).Kind == lex.Equal {
		return p.namedArgument()
	}
	return p.exprDirected()
}

// namedArgument reads name = value.
func (p *parser) namedArgument() *node {
	start := p.i
	name := p.tok().Value(p.src)
	p.i += 2
	var value *node
	if isName(p.tok()) && p.peek(1).Kind == lex.LParen && p.toks[start+2].Word == lex.KwDisk {
		value = p.call(true)
	} else {
		value = p.expr()
	}
	if value == nil {
		return nil
	}
	n := p.node1(ast.Equals, name, start, value)
	n.Quote = p.toks[start].Kind == lex.Quoted
	return n
}

// callSuffixes pushes FILTER, NULLS and OVER clauses.
func (p *parser) callSuffixes() bool {
	for p.at(lex.Word) {
		start := p.i
		switch {
		case p.skipWords(lex.KwRespect, lex.KwNulls):
			p.push(p.leaf(ast.Clause, "RESPECT NULLS", start))
		case p.skipWords(lex.KwIgnore, lex.KwNulls):
			p.push(p.leaf(ast.Clause, "IGNORE NULLS", start))
		case p.atWord(lex.KwFilter) && p.peek(1).Kind == lex.LParen:
			p.i += 2
			if !p.wantWord(lex.KwWhere, "WHERE") {
				return false
			}
			condition := p.exprAs()
			if condition == nil || !p.want(lex.RParen, "a closing parenthesis") {
				return false
			}
			p.push(p.node1(ast.Clause, "FILTER", start, condition))
		case p.atWord(lex.KwOver) && (p.peek(1).Kind == lex.LParen || isName(p.peek(1))):
			over := p.over()
			if over == nil {
				return false
			}
			p.push(over)
		default:
			return true
		}
	}
	return true
}

// specialCall reads the calls whose arguments have a syntax of their own, from behind the opening parenthesis; done is
// false where the arguments are ordinary.
func (p *parser) specialCall(w lex.Keyword, name string, start int) (n *node, done bool) {
	switch w {
	case lex.KwCast:
		return p.cast(name, start), true
	case lex.KwExtract:
		if unit := extractUnit(p.tok(), p.src); unit != "" && p.peek(1).Word == lex.KwFrom {
			return p.extract(name, unit, start), true
		}
	case lex.KwTrim:
		side := ""
		switch p.tok().Word {
		case lex.KwBoth:
			side = "BOTH"
		case lex.KwLeading:
			side = "LEADING"
		case lex.KwTrailing:
			side = "TRAILING"
		}
		if side != "" && p.beginsOperand(p.peek(1)) {
			return p.trim(name, side, start), true
		}
	case lex.KwSubstring, lex.KwSubstr, lex.KwMid, lex.KwOverlay:
		return p.spelledArguments(name, start), true
	case lex.KwPosition, lex.KwLocate:
		return p.position(name, start), true
	case lex.KwDateAdd, lex.KwDateadd, lex.KwDateSub, lex.KwDatesub, lex.KwTimestampAdd, lex.KwTimestampadd, lex.KwTimestampSub,
		lex.KwTimestampsub, lex.KwDateDiff, lex.KwDatediff, lex.KwTimestampDiff, lex.KwTimestampdiff:
		if unit := intervalUnit(p.tok(), p.src); unit != "" && p.peek(1).Kind == lex.Comma {
			return p.unitCall(name, unit, start), true
		}
	}
	return nil, false
}

// cast reads CAST(x AS T) and CAST(x, 'T'). CAST(x AS name, 'T') and CAST(x AS name AS T) give x an alias.
func (p *parser) cast(name string, start int) *node {
	x := p.expr()
	for x != nil && p.atAlias() {
		if at := p.i; p.skipWord(lex.KwAs) {
			if typ := p.dataType(); typ != nil && p.skip(lex.RParen) {
				return p.node2(ast.Func, name, start, x, typ)
			}
			p.i = at
		}
		if x.Kind == ast.Alias {
			break
		}
		x = p.alias(x)
	}
	if x == nil {
		return nil
	}
	mark := p.mark()
	p.push(x)
	if !p.want(lex.Comma, "AS and a data type") || p.at(lex.RParen) || !p.arguments(false) {
		return p.drop(mark)
	}
	return p.list(ast.Func, name, start, mark)
}

// extractUnit is a unit of time or one of the fields only EXTRACT knows (ParserExtractExpression).
func extractUnit(t lex.Token, src string) string {
	if unit := intervalUnit(t, src); unit != "" || t.Kind != lex.Word {
		return unit
	}
	switch unit := strings.ToUpper(t.Text(src)); unit {
	case "EPOCH", "DOW", "DOY", "ISODOW", "ISOYEAR", "DECADE", "CENTURY", "MILLENNIUM", "TIMEZONE_HOUR", "TIMEZONE_MINUTE":
		return unit
	}
	return ""
}

func (p *parser) extract(name, unit string, start int) *node {
	at := p.i
	p.i += 2
	x := p.exprAlias()
	if x == nil || !p.want(lex.RParen, "a closing parenthesis") {
		return nil
	}
	return p.node1(ast.Func, name, start, p.node1(ast.Clause, unit, at, x))
}

func (p *parser) trim(name, side string, start int) *node {
	at := p.i
	p.i++
	chars := p.exprAlias()
	if chars == nil || !p.wantWord(lex.KwFrom, "FROM") {
		return nil
	}
	x := p.exprAlias()
	if x == nil || !p.want(lex.RParen, "a closing parenthesis") {
		return nil
	}
	return p.node1(ast.Func, name, start, p.node2(ast.Clause, side, at, x, chars))
}

// spelledArguments reads arguments that words may separate: x FROM a FOR b, x PLACING y FROM a FOR b.
func (p *parser) spelledArguments(name string, start int) *node {
	mark := p.mark()
	for !p.at(lex.RParen) {
		item := p.exprAs()
		if item == nil {
			return p.drop(mark)
		}
		p.push(item)
		if !p.skip(lex.Comma) && !p.skipWord(lex.KwFrom) && !p.skipWord(lex.KwFor) && !p.skipWord(lex.KwPlacing) {
			break
		}
	}
	if !p.want(lex.RParen, "a comma or a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.Func, name, start, mark)
}

// position reads position(haystack, needle) and POSITION(needle IN haystack), which turns the two around.
func (p *parser) position(name string, start int) *node {
	mark := p.mark()
	if p.at(lex.RParen) {
		p.i++
		return p.list(ast.Func, name, start, mark)
	}
	first := p.binary(ast.PrecConcat)
	if first == nil {
		return nil
	}
	if p.atWord(lex.KwIn) {
		p.i++
		haystack := p.exprAs()
		if haystack == nil || !p.want(lex.RParen, "a closing parenthesis") {
			return nil
		}
		return p.node2(ast.Func, name, start, haystack, first)
	}
	if first = p.infix(first, ast.PrecLambda); first == nil {
		return nil
	}
	if p.atWord(lex.KwAs) {
		if first = p.alias(first); first == nil {
			return nil
		}
	}
	p.push(first)
	if p.skip(lex.Comma) {
		if !p.arguments(false) {
			return p.drop(mark)
		}
	} else if !p.want(lex.RParen, "a comma or a closing parenthesis") {
		return p.drop(mark)
	}
	return p.list(ast.Func, name, start, mark)
}

// unitCall reads a call whose first argument is a bare unit: date_add(DAY, 1, d).
func (p *parser) unitCall(name, unit string, start int) *node {
	mark := p.mark()
	p.push(p.leaf(ast.Keyword, unit, p.i))
	p.i += 2
	if !p.arguments(false) {
		return p.drop(mark)
	}
	return p.list(ast.Func, name, start, mark)
}
