package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// expr reads one expression without an alias.
func (p *parser) expr() *node { return p.binary(ast.PrecLambda) }

// exprAs reads an expression and its alias, which the word AS must introduce.
func (p *parser) exprAs() *node {
	e := p.expr()
	if e == nil || !p.atWord(lex.KwAs) {
		return e
	}
	return p.alias(e)
}

// exprAlias reads an expression and its alias; AS may be left out.
func (p *parser) exprAlias() *node {
	e := p.expr()
	if e == nil || !p.atAlias() {
		return e
	}
	return p.alias(e)
}

// alias reads [AS] name behind the aliased expression.
func (p *parser) alias(e *node) *node {
	p.skipWord(lex.KwAs)
	start := p.i
	name, ok := p.ident()
	if !ok {
		return nil
	}
	n := p.node1(ast.Alias, name, start, e)
	n.Quote = p.toks[start].Kind == lex.Quoted
	return n
}

// atAlias reports whether an alias begins here: AS, or a name that is no keyword of what may follow an expression.
func (p *parser) atAlias() bool {
	t := p.tok()
	switch t.Kind {
	case lex.Quoted:
		return true
	case lex.Word:
		if t.Word == lex.KwComment { // COMMENT 'text' ends a view's query
			return !isString(p.peek(1))
		}
		return t.Word == lex.KwAs || !notAlias(t.Word)
	}
	return false
}

// notAlias lists ParserAlias::restricted_keywords of ClickHouse's ExpressionElementParsers.cpp and the operators, which
// ClickHouse tries first.
func notAlias(w lex.Keyword) bool {
	switch w {
	case lex.KwAll, lex.KwAnd, lex.KwAnti, lex.KwAny, lex.KwArray, lex.KwAsof, lex.KwBetween, lex.KwCross, lex.KwDiv,
		lex.KwExcept, lex.KwFetch, lex.KwFinal, lex.KwFormat, lex.KwFrom, lex.KwFull, lex.KwGlobal, lex.KwGroup,
		lex.KwHaving, lex.KwIlike, lex.KwIn, lex.KwInner, lex.KwInterpolate, lex.KwIntersect, lex.KwInto, lex.KwIs, lex.KwJoin,
		lex.KwLeft, lex.KwLike, lex.KwLimit, lex.KwMod, lex.KwNot, lex.KwOffset, lex.KwOn, lex.KwOr, lex.KwOrder,
		lex.KwPaste, lex.KwPrewhere, lex.KwQualify, lex.KwRegexp, lex.KwRight, lex.KwSample, lex.KwSelect, lex.KwSemi, lex.KwSettings,
		lex.KwUnion, lex.KwUsing, lex.KwWhere, lex.KwWindow, lex.KwWith, lex.KwEnd, lex.KwThen, lex.KwWhen, lex.KwElse:
		return true
	}
	return false
}

// binary reads an expression whose operators bind at least as tightly as min.
func (p *parser) binary(min int) *node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	left := p.prefix()
	if left == nil {
		return nil
	}
	return p.infix(left, min)
}

// prefix reads an operand with the operators before and behind it that bind tightest.
func (p *parser) prefix() *node {
	start := p.i
	t := p.tok()
	switch {
	case t.Kind == lex.Minus:
		return p.negation()
	case t.Kind == lex.Plus && p.beginsOperand(p.peek(1)) && p.peek(1).Kind != lex.Plus:
		return p.plus()
	case t.Word == lex.KwNot && p.beginsOperand(p.peek(1)):
		p.i++
		x := p.binary(ast.PrecNot)
		if x == nil {
			return nil
		}
		return p.node1(ast.Operator, "NOT", start, x)
	}
	x := p.operand()
	if x == nil {
		return nil
	}
	return p.postfix(x)
}

// negation reads a minus sign and what it negates. A signed number that is cast is one literal: -1::T is (-1)::T,
// while -x::T is -(x::T).
func (p *parser) negation() *node {
	start := p.i
	p.i++
	if p.at(lex.Number) && p.peek(1).Kind == lex.DoubleColon {
		p.i++
		number := p.leaf(ast.Number, p.toks[start+1].Text(p.src), start+1)
		return p.postfix(p.node1(ast.Operator, "-", start, number))
	}
	x := p.binary(ast.PrecPostfix)
	if x == nil {
		return nil
	}
	return p.node1(ast.Operator, "-", start, p.wrap(x, ast.PrecPostfix))
}

// plus reads a plus sign. It binds tightest of all and changes nothing but that its operand is no literal any more:
// 5::T casts the text '5', +5::T the number.
func (p *parser) plus() *node {
	start := p.i
	p.i++
	x := p.operand()
	if x == nil {
		return nil
	}
	return p.postfix(p.node1(ast.Operator, "+", start, x))
}

// beginsOperand tells NOT x from an identifier of that name.
func (p *parser) beginsOperand(t lex.Token) bool {
	switch t.Kind {
	case lex.Word:
		switch t.Word {
		case lex.KwAs, lex.KwAnd, lex.KwOr, lex.KwIs, lex.KwIn, lex.KwLike, lex.KwBetween, lex.KwFrom:
			return false
		}
		return true
	case lex.Quoted, lex.Number, lex.String, lex.HexString, lex.BinString, lex.Heredoc, lex.LParen, lex.LBracket, lex.LBrace,
		lex.Minus, lex.Plus, lex.Star, lex.DoubleAt:
		return true
	}
	return false
}

// wrap puts an operand that binds less tightly than its place into the parentheses it stands for, so that the tree prints
// back to itself.
func (p *parser) wrap(n *node, min int) *node {
	if n.Precedence() >= min {
		return n
	}
	w := p.arena.node()
	w.Kind, w.Pos = ast.Paren, n.Pos
	w.Kids = p.arena.copyKids([]*node{n})
	return w
}

// infix goes on from the left operand while operators bind at least as tightly as min.
func (p *parser) infix(left *node, min int) *node {
	for links := 0; left != nil; links++ {
		op := p.operator()
		if op.text == "" || op.prec < min {
			return left
		}
		if !p.shallow(links) {
			return nil
		}
		start := p.i
		p.i += op.width
		switch op.prec {
		case ast.PrecLambda:
			left = p.lambda(left, start)
		case ast.PrecTernary:
			left = p.ternary(left, start)
		case ast.PrecBetween:
			left = p.between(left, op.text, start)
		case ast.PrecOr, ast.PrecAnd, ast.PrecConcat:
			left = p.chain(left, op, start)
		default:
			left = p.wrap(left, op.prec)
			if op.postfix {
				left = p.node1(ast.Operator, op.text, start, left)
				continue
			}
			left = p.pair(left, op, start)
		}
	}
	return nil
}

// pair reads the right operand of a left-associative operator with two operands.
func (p *parser) pair(left *node, op operator, start int) *node {
	if op.prec == ast.PrecComparison && p.atQuantifier() {
		return p.quantified(left, op.text, start)
	}
	right := p.binary(op.prec + 1)
	if right == nil {
		return nil
	}
	right = p.wrap(right, op.prec+1)
	if p.atWord(lex.KwEscape) && isString(p.peek(1)) && (op.text == "LIKE" || op.text == "ILIKE" || op.text == "NOT LIKE" || op.text == "NOT ILIKE") {
		p.i++
		return p.node3(ast.Operator, op.text, start, left, right, p.operand())
	}
	return p.node2(ast.Operator, op.text, start, left, right)
}

// chain reads all operands of a AND b AND c as one node, which keeps long conditions flat.
func (p *parser) chain(left *node, op operator, start int) *node {
	mark := p.mark()
	p.push(p.wrap(left, op.prec+1))
	for {
		right := p.binary(op.prec + 1)
		if right == nil {
			return p.drop(mark)
		}
		p.push(p.wrap(right, op.prec+1))
		if next := p.operator(); next.text != op.text {
			return p.list(ast.Operator, op.text, start, mark)
		}
		p.i += op.width
	}
}

func (p *parser) between(left *node, text string, start int) *node {
	low := p.binary(ast.PrecBetween + 1)
	if low == nil || !p.wantWord(lex.KwAnd, "AND and the upper bound of BETWEEN") {
		return nil
	}
	high := p.binary(ast.PrecComparison)
	if high == nil {
		return nil
	}
	return p.node3(ast.Operator, text, start, p.wrap(left, ast.PrecBetween), p.wrap(low, ast.PrecBetween+1), p.wrap(high, ast.PrecComparison))
}

func (p *parser) ternary(condition *node, start int) *node {
	yes := p.binary(ast.PrecTernary)
	if yes == nil || !p.want(lex.Colon, "a colon and the value of ?: for false") {
		return nil
	}
	no := p.binary(ast.PrecOr + 1)
	if no == nil {
		return nil
	}
	return p.node3(ast.Operator, "?:", start, p.wrap(condition, ast.PrecTernary+1), p.wrap(yes, ast.PrecTernary), p.wrap(no, ast.PrecOr+1))
}

// lambda reads the body behind x -> or (x, y) ->.
func (p *parser) lambda(params *node, start int) *node {
	mark := p.mark()
	switch {
	case isSimpleIdent(params):
		p.push(params)
	case params.Kind == ast.Tuple, params.Kind == ast.Paren:
		for _, kid := range params.Kids {
			if !isSimpleIdent(kid) {
				p.i = start
				p.fail("parameter names before ->")
				return p.drop(mark)
			}
			p.push(kid)
		}
	default:
		p.i = start
		p.fail("an operator; only names may stand before ->")
		return p.drop(mark)
	}
	body := p.binary(ast.PrecLambda)
	if body == nil {
		return p.drop(mark)
	}
	p.push(body)
	return p.list(ast.Lambda, "", start, mark)
}

func isSimpleIdent(n *node) bool { return n.Kind == ast.Ident && len(n.Kids) == 0 }

// atQuantifier reports whether ANY (query) or ALL (query) stands here; any(x) is an aggregate function.
func (p *parser) atQuantifier() bool {
	w := p.tok().Word
	return (w == lex.KwAny || w == lex.KwAll || w == lex.KwSome) && p.peek(1).Kind == lex.LParen && p.queryAt(2)
}

func (p *parser) quantified(left *node, op string, start int) *node {
	quantifier := " ANY"
	if p.atWord(lex.KwAll) {
		quantifier = " ALL"
	}
	p.i++
	query := p.subquery()
	if query == nil {
		return nil
	}
	return p.node2(ast.Operator, op+quantifier, start, left, query)
}

// postfix goes on from an operand with [index], .element and ::type, which bind tightest and from the left.
func (p *parser) postfix(x *node) *node {
	for links := 0; x != nil && p.shallow(links); links++ {
		start := p.i
		switch p.tok().Kind {
		case lex.LBracket:
			if p.peek(1).Kind == lex.RBracket && (x.Kind == ast.Ident || x.Kind == ast.Operator) {
				p.i += 2
				x = p.node1(ast.Operator, ".[]", start, x)
				continue
			}
			p.i++
			index := p.exprAs()
			if index == nil || !p.want(lex.RBracket, "a closing bracket") {
				return nil
			}
			x = p.node2(ast.Operator, "[]", start, p.wrap(x, ast.PrecPostfix), index)
		case lex.DoubleColon:
			p.i++
			typ := p.dataType()
			if typ == nil {
				return nil
			}
			if x.Kind != ast.Operator || x.Text != "-" {
				x = p.wrap(x, ast.PrecPostfix)
			}
			x = p.node2(ast.Operator, "::", start, x, typ)
		case lex.Dot:
			x = p.element(x)
		default:
			return x
		}
	}
	return nil
}

// element reads what follows a dot behind an operand.
func (p *parser) element(x *node) *node {
	start := p.i
	p.i++
	if x.Kind == ast.Number { // 1 .a is no number
		x = p.node1(ast.Paren, "", start, x)
	}
	x = p.wrap(x, ast.PrecPostfix)
	t := p.tok()
	switch t.Kind {
	case lex.Number:
		p.i++
		return p.node2(ast.Operator, ".", start, x, p.leaf(ast.Number, t.Text(p.src), start+1))
	case lex.Caret:
		p.i++
		name, ok := p.ident()
		if !ok {
			return nil
		}
		return p.node2(ast.Operator, ".^", start, x, p.leaf(ast.Ident, name, start+2))
	case lex.Colon:
		p.i++
		typ := p.subcolumnType()
		if typ == nil {
			return nil
		}
		return p.node2(ast.Operator, ".:", start, x, typ)
	case lex.Star:
		return p.star(x)
	case lex.Word, lex.Quoted:
		if t.Word == lex.KwColumns && p.peek(1).Kind == lex.LParen {
			columns := p.columnsMatcher()
			if columns == nil {
				return nil
			}
			return p.node2(ast.Operator, ".", start, x, columns)
		}
		p.i++
		return p.node2(ast.Operator, ".", start, x, p.nameNode(start+1))
	}
	p.fail("the name or the number of an element")
	return nil
}

// subcolumnType reads the type of j.a.:Int64, quoted where it has arguments: j.a.:`Array(JSON)`.
func (p *parser) subcolumnType() *node {
	t := p.tok()
	if t.Kind != lex.Quoted {
		return p.dataTypeName()
	}
	typ, err := ParseType(t.Value(p.src))
	if err != nil {
		p.fail("a data type in the quotes")
		return nil
	}
	p.i++
	return typ
}

// nameNode returns the single-part identifier of the token with index tok.
func (p *parser) nameNode(tok int) *node {
	t := p.toks[tok]
	n := p.leaf(ast.Ident, t.Value(p.src), tok)
	n.Quote = t.Kind == lex.Quoted
	return n
}
