package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// operator is an infix or postfix operator at the current token: its text in the tree, how tightly it binds, how many tokens
// it has. The zero operator is none.
type operator struct {
	text    string
	prec    int
	width   int
	postfix bool
}

// operator looks at the operator that stands here, after operators_table of ClickHouse's ExpressionListParsers.cpp.
func (p *parser) operator() operator {
	t := p.tok()
	switch t.Kind {
	case lex.Word:
		return p.wordOperator(t.Word)
	case lex.Arrow:
		return operator{"->", ast.PrecLambda, 1, false}
	case lex.Question:
		return operator{"?:", ast.PrecTernary, 1, false}
	case lex.Equal:
		return operator{"=", ast.PrecComparison, 1, false}
	case lex.DoubleEqual:
		return operator{"==", ast.PrecComparison, 1, false}
	case lex.NotEqual:
		if p.src[t.Pos] == '<' {
			return operator{"<>", ast.PrecComparison, 1, false}
		}
		return operator{"!=", ast.PrecComparison, 1, false}
	case lex.Spaceship:
		return operator{"<=>", ast.PrecComparison, 1, false}
	case lex.Less:
		return operator{"<", ast.PrecComparison, 1, false}
	case lex.Greater:
		return operator{">", ast.PrecComparison, 1, false}
	case lex.LessEqual:
		return operator{"<=", ast.PrecComparison, 1, false}
	case lex.GreaterEqual:
		return operator{">=", ast.PrecComparison, 1, false}
	case lex.Concat:
		return operator{"||", ast.PrecConcat, 1, false}
	case lex.Plus:
		return operator{"+", ast.PrecSum, 1, false}
	case lex.Minus:
		return operator{"-", ast.PrecSum, 1, false}
	case lex.Star:
		return operator{"*", ast.PrecProduct, 1, false}
	case lex.Slash:
		return operator{"/", ast.PrecProduct, 1, false}
	case lex.Percent:
		return operator{"%", ast.PrecProduct, 1, false}
	}
	return operator{}
}

func (p *parser) wordOperator(w lex.Keyword) operator {
	switch w {
	case 0: // AT, TIME and ZONE are keywords nowhere else
		if p.spells(0, "AT") && p.spells(1, "TIME") && p.spells(2, "ZONE") {
			return operator{"AT TIME ZONE", ast.PrecNegate, 3, false}
		}
	case lex.KwOr:
		return operator{"OR", ast.PrecOr, 1, false}
	case lex.KwAnd:
		return operator{"AND", ast.PrecAnd, 1, false}
	case lex.KwMod:
		return operator{"MOD", ast.PrecProduct, 1, false}
	case lex.KwDiv:
		return operator{"DIV", ast.PrecProduct, 1, false}
	case lex.KwLike:
		return operator{"LIKE", ast.PrecComparison, 1, false}
	case lex.KwIlike:
		return operator{"ILIKE", ast.PrecComparison, 1, false}
	case lex.KwRegexp:
		return operator{"REGEXP", ast.PrecComparison, 1, false}
	case lex.KwIn:
		if p.peek(1).Word == lex.KwPartition { // of UPDATE a = 1 IN PARTITION p
			return operator{}
		}
		return operator{"IN", ast.PrecComparison, 1, false}
	case lex.KwBetween:
		return operator{"BETWEEN", ast.PrecBetween, 1, false}
	case lex.KwNot:
		return p.notOperator()
	case lex.KwGlobal:
		if p.peek(1).Word == lex.KwIn {
			return operator{"GLOBAL IN", ast.PrecComparison, 2, false}
		}
		if p.peek(1).Word == lex.KwNot && p.peek(2).Word == lex.KwIn {
			return operator{"GLOBAL NOT IN", ast.PrecComparison, 3, false}
		}
	case lex.KwIs:
		return p.isOperator()
	}
	return operator{}
}

// spells reports whether the token n places ahead is the word, in any case.
func (p *parser) spells(n int, word string) bool {
	t := p.peek(n)
	return t.Kind == lex.Word && int(t.End-t.Pos) == len(word) && strings.EqualFold(t.Text(p.src), word)
}

func (p *parser) notOperator() operator {
	switch p.peek(1).Word {
	case lex.KwIn:
		return operator{"NOT IN", ast.PrecComparison, 2, false}
	case lex.KwLike:
		return operator{"NOT LIKE", ast.PrecComparison, 2, false}
	case lex.KwIlike:
		return operator{"NOT ILIKE", ast.PrecComparison, 2, false}
	case lex.KwRegexp:
		return operator{"NOT REGEXP", ast.PrecComparison, 2, false}
	case lex.KwBetween:
		return operator{"NOT BETWEEN", ast.PrecBetween, 2, false}
	}
	return operator{}
}

func (p *parser) isOperator() operator {
	first, second, third := p.peek(1).Word, p.peek(2).Word, p.peek(3).Word
	if first == lex.KwNot {
		switch second {
		case lex.KwNull:
			return operator{"IS NOT NULL", ast.PrecIs, 3, true}
		case lex.KwTrue:
			return operator{"IS NOT TRUE", ast.PrecIs, 3, true}
		case lex.KwFalse:
			return operator{"IS NOT FALSE", ast.PrecIs, 3, true}
		case lex.KwUnknown:
			return operator{"IS NOT UNKNOWN", ast.PrecIs, 3, true}
		case lex.KwDistinct:
			if third == lex.KwFrom {
				return operator{"IS NOT DISTINCT FROM", ast.PrecIs, 4, false}
			}
		}
		return operator{}
	}
	switch first {
	case lex.KwNull:
		return operator{"IS NULL", ast.PrecIs, 2, true}
	case lex.KwTrue:
		return operator{"IS TRUE", ast.PrecIs, 2, true}
	case lex.KwFalse:
		return operator{"IS FALSE", ast.PrecIs, 2, true}
	case lex.KwUnknown:
		return operator{"IS UNKNOWN", ast.PrecIs, 2, true}
	case lex.KwDistinct:
		if second == lex.KwFrom {
			return operator{"IS DISTINCT FROM", ast.PrecIs, 3, false}
		}
	}
	return operator{}
}
