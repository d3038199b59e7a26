package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// operand reads what stands between operators: a literal, a name, a call, or anything in brackets.
func (p *parser) operand() *node {
	start := p.i
	t := p.tok()
	switch t.Kind {
	case lex.Number:
		p.i++
		return p.leaf(ast.Number, t.Text(p.src), start)
	case lex.String, lex.Heredoc, lex.HexString, lex.BinString:
		p.i++
		return p.leaf(ast.String, t.Value(p.src), start)
	case lex.LParen:
		return p.parenthesised()
	case lex.LBracket:
		return p.array()
	case lex.LBrace:
		if isString(p.peek(1)) || p.peek(1).Kind == lex.Number || p.peek(1).Kind == lex.RBrace {
			return p.mapLiteral()
		}
		return p.identifier()
	case lex.Star:
		return p.star(nil)
	case lex.DoubleAt:
		p.i++
		name, ok := p.ident()
		if !ok {
			return nil
		}
		return p.node1(ast.Operator, "@@", start, p.leaf(ast.Ident, name, start+1))
	case lex.Quoted:
		return p.nameOrCall()
	case lex.Word:
		if t.Word != 0 {
			if n, done := p.keywordOperand(t.Word); done {
				return n
			}
		}
		return p.nameOrCall()
	}
	p.fail("an expression")
	return nil
}

// nameOrCall reads an identifier or, where a parenthesis follows, a call.
func (p *parser) nameOrCall() *node {
	if p.peek(1).Kind == lex.LParen {
		return p.call(false)
	}
	return p.identifier()
}

// keywordOperand reads the operands that begin with a word of their own; done is false where the word is just a name.
func (p *parser) keywordOperand(w lex.Keyword) (n *node, done bool) {
	next := p.peek(1)
	switch w {
	case lex.KwNull:
		return p.constant("NULL"), true
	case lex.KwTrue:
		return p.constant("true"), true
	case lex.KwFalse:
		return p.constant("false"), true
	case lex.KwNan:
		return p.constant("nan"), true
	case lex.KwInf, lex.KwInfinity:
		return p.constant("inf"), true
	case lex.KwCase:
		if p.beginsOperand(next) {
			return p.caseOperand(), true
		}
	case lex.KwInterval:
		if next.Kind != lex.Star && next.Kind != lex.LBrace && p.beginsOperand(next) {
			return p.interval()
		}
	case lex.KwDate:
		if isString(next) {
			return p.typedString("toDate"), true
		}
	case lex.KwTimestamp:
		if isString(next) {
			return p.typedString("toDateTime"), true
		}
	case lex.KwExists:
		if next.Kind == lex.LParen && p.queryAt(2) {
			start := p.i
			p.i++
			query := p.subquery()
			if query == nil {
				return nil, true
			}
			return p.node1(ast.Operator, "EXISTS", start, query), true
		}
	case lex.KwColumns:
		if next.Kind == lex.LParen {
			return p.columnsMatcher(), true
		}
	case lex.KwSelect, lex.KwFrom:
		if next.Kind != lex.Dot && next.Kind != lex.LParen && next.Kind != lex.Comma {
			p.fail("an expression")
			return nil, true
		}
	}
	return nil, false
}

func (p *parser) constant(text string) *node {
	p.i++
	return p.leaf(ast.Keyword, text, p.i-1)
}

func (p *parser) typedString(function string) *node {
	start := p.i
	p.i += 2
	return p.node1(ast.Func, function, start, p.leaf(ast.String, p.toks[start+1].Value(p.src), start+1))
}

// identifier reads a name of one or several parts. A dot that begins something else is left to postfix.
func (p *parser) identifier() *node {
	start := p.i
	first := p.identifierPart()
	if first == nil {
		return nil
	}
	if !p.at(lex.Dot) || !p.partFollows() {
		return first
	}
	mark := p.mark()
	p.push(first)
	for p.at(lex.Dot) && p.partFollows() {
		p.i++
		part := p.identifierPart()
		if part == nil {
			return p.drop(mark)
		}
		p.push(part)
	}
	return p.list(ast.Ident, "", start, mark)
}

func (p *parser) partFollows() bool {
	next := p.peek(1)
	if next.Kind == lex.LBrace {
		return true
	}
	return isName(next) && (next.Word != lex.KwColumns || p.peek(2).Kind != lex.LParen)
}

func (p *parser) identifierPart() *node {
	if p.at(lex.LBrace) {
		return p.param()
	}
	if !isName(p.tok()) {
		p.fail("a name")
		return nil
	}
	p.i++
	return p.nameNode(p.i - 1)
}

// param reads {name:Type}.
func (p *parser) param() *node {
	start := p.i
	p.i++
	name, ok := p.ident()
	if !ok || !p.want(lex.Colon, "a colon and the type of the query parameter") {
		return nil
	}
	typ := p.dataType()
	if typ == nil || !p.want(lex.RBrace, "a closing brace") {
		return nil
	}
	return p.node1(ast.Param, name, start, typ)
}

// parenthesised reads (x), (a, b), () and (query).
func (p *parser) parenthesised() *node {
	start := p.i
	if p.queryAt(1) {
		return p.subquery()
	}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.i++
	mark := p.mark()
	comma := false
	for !p.at(lex.RParen) {
		item := p.exprDirected()
		if item == nil {
			return p.drop(mark)
		}
		if len(p.arena.stack) == mark && !comma && item.Kind == ast.Subquery && p.atSetOperator() {
			p.drop(mark)
			return p.setOperation(item, start)
		}
		p.push(item)
		if !p.at(lex.Comma) {
			break
		}
		p.i++
		comma = true
	}
	if !p.want(lex.RParen, "a closing parenthesis") {
		return p.drop(mark)
	}
	kind := ast.Tuple
	if len(p.arena.stack)-mark == 1 && !comma {
		kind = ast.Paren
	}
	return p.list(kind, "", start, mark)
}

// exprDirected reads an expression, with AS alias, or with the direction that a reverse sorting key has inside its
// parentheses: ORDER BY (a DESC, b).
func (p *parser) exprDirected() *node {
	e := p.exprAs()
	if e == nil || !p.atDirection() {
		return e
	}
	return p.direction(e)
}

func (p *parser) array() *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.i
	p.i++
	mark := p.mark()
	for !p.at(lex.RBracket) {
		item := p.exprAs()
		if item == nil {
			return p.drop(mark)
		}
		p.push(item)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if !p.want(lex.RBracket, "a closing bracket") {
		return p.drop(mark)
	}
	return p.list(ast.Array, "", start, mark)
}

// mapLiteral reads {'k': v}, the value of a setting.
func (p *parser) mapLiteral() *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.i
	p.i++
	mark := p.mark()
	for !p.at(lex.RBrace) {
		key := p.binary(ast.PrecOr)
		if key == nil || !p.want(lex.Colon, "a colon and the value of the map's key") {
			return p.drop(mark)
		}
		value := p.binary(ast.PrecOr)
		if value == nil {
			return p.drop(mark)
		}
		p.push(key)
		p.push(value)
		if !p.skip(lex.Comma) {
			break
		}
	}
	if !p.want(lex.RBrace, "a closing brace") {
		return p.drop(mark)
	}
	return p.list(ast.Operator, "{}", start, mark)
}

// caseOperand reads CASE [x] WHEN a THEN b .. [ELSE c] END.
func (p *parser) caseOperand() *node {
	start := p.i
	p.i++
	mark := p.mark()
	if !p.atWord(lex.KwWhen) {
		x := p.exprAs()
		if x == nil {
			return p.drop(mark)
		}
		p.push(x)
	}
	branches := 0
	for ; p.atWord(lex.KwWhen); branches++ {
		at := p.i
		p.i++
		condition := p.exprAs()
		if condition == nil || !p.wantWord(lex.KwThen, "THEN") {
			return p.drop(mark)
		}
		result := p.exprAs()
		if result == nil {
			return p.drop(mark)
		}
		p.push(p.node2(ast.Clause, "WHEN", at, condition, result))
	}
	if branches == 0 {
		p.fail("WHEN")
		return p.drop(mark)
	}
	if p.atWord(lex.KwElse) {
		at := p.i
		p.i++
		result := p.exprAs()
		if result == nil {
			return p.drop(mark)
		}
		p.push(p.node1(ast.Clause, "ELSE", at, result))
	}
	if !p.wantWord(lex.KwEnd, "END of CASE") {
		return p.drop(mark)
	}
	return p.list(ast.Operator, "CASE", start, mark)
}

// interval reads INTERVAL amount UNIT; done is false where the word is a column's name after all.
func (p *parser) interval() (n *node, done bool) {
	start := p.i
	p.i++
	if isString(p.tok()) {
		amount := p.leaf(ast.String, p.tok().Value(p.src), p.i)
		p.i++
		unit := intervalUnit(p.tok(), p.src)
		if unit == "" {
			return p.writtenInterval(amount, start), true
		}
		p.i++
		if p.atWord(lex.KwTo) {
			p.i++
			to := intervalUnit(p.tok(), p.src)
			if to == "" {
				p.fail("the smaller unit of the interval")
				return nil, true
			}
			p.i++
			unit += " TO " + to
		}
		return p.node1(ast.Interval, unit, start, amount), true
	}
	if amount := p.expr(); amount != nil {
		if unit := intervalUnit(p.tok(), p.src); unit != "" {
			p.i++
			return p.node1(ast.Interval, unit, start, amount), true
		}
		p.fail("the unit of the interval")
	}
	p.i = start
	return nil, false
}

// writtenInterval reads the unit out of '2 HOUR'; a string of several amounts stays whole.
func (p *parser) writtenInterval(text *node, start int) *node {
	amount, unit, found := strings.Cut(strings.TrimSpace(text.Text), " ")
	digits := strings.TrimPrefix(amount, "-")
	word := unitName(strings.TrimSpace(unit))
	if !found || word == "" || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return p.node1(ast.Interval, "", start, text)
	}
	n := p.leaf(ast.Number, digits, start+1)
	if len(digits) < len(amount) {
		n = p.node1(ast.Operator, "-", start+1, n)
	}
	return p.node1(ast.Interval, word, start, n)
}

// intervalUnit returns the unit the token spells, upper case and singular, or "".
func intervalUnit(t lex.Token, src string) string {
	if t.Kind != lex.Word {
		return ""
	}
	return unitName(t.Text(src))
}

// unitName knows the spellings of ClickHouse's parseIntervalKind.cpp.
func unitName(s string) string {
	if len(s) > 15 {
		return ""
	}
	var buf [16]byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	switch string(buf[:len(s)]) {
	case "NANOSECOND", "NANOSECONDS", "SQL_TSI_NANOSECOND", "NS":
		return "NANOSECOND"
	case "MICROSECOND", "MICROSECONDS", "US":
		return "MICROSECOND"
	case "MILLISECOND", "MILLISECONDS", "MS":
		return "MILLISECOND"
	case "SECOND", "SECONDS", "SQL_TSI_SECOND", "SS", "S":
		return "SECOND"
	case "MINUTE", "MINUTES", "SQL_TSI_MINUTE", "MI", "N":
		return "MINUTE"
	case "HOUR", "HOURS", "SQL_TSI_HOUR", "HH", "H":
		return "HOUR"
	case "DAY", "DAYS", "SQL_TSI_DAY", "DD", "D":
		return "DAY"
	case "WEEK", "WEEKS", "SQL_TSI_WEEK", "WK", "WW":
		return "WEEK"
	case "MONTH", "MONTHS", "SQL_TSI_MONTH", "MM", "M":
		return "MONTH"
	case "QUARTER", "QUARTERS", "SQL_TSI_QUARTER", "QQ", "Q":
		return "QUARTER"
	case "YEAR", "YEARS", "SQL_TSI_YEAR", "YYYY", "YY":
		return "YEAR"
	}
	return ""
}
