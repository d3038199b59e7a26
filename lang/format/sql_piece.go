package format

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// piece is a token with the comments around it.
type piece struct {
	lex.Token
	text string
	// before are the comments on lines of their own above it, after those behind it on its line.
	before, after []note
	blank         bool // an empty line above it, below its comments
	gap           bool // white space before it
	query         bool // a parenthesis around a query
	mate          int  // the index of the other bracket, or -1
	brace         bool // it stands directly inside { }
	operand       bool // where it stands an operand is expected: a minus is a sign, a star is all columns
	keyword       bool // it is a word of the grammar here, not a name
}

// note is one comment.
type note struct {
	text  string
	blank bool // an empty line above it
	line  bool // it ends its line
}

func (p piece) is(words ...lex.Keyword) bool {
	if p.Kind != lex.Word || p.Word == 0 {
		return false
	}
	for _, w := range words {
		if p.Word == w {
			return true
		}
	}
	return false
}

func (p piece) name() bool { return p.Kind == lex.Word || p.Kind == lex.Quoted }

// cut makes pieces of the tokens of a text, the last one EOF.
func cut(src string, tokens []lex.Token) []piece {
	pieces := make([]piece, len(tokens))
	end := 0
	for i, t := range tokens {
		p := &pieces[i]
		p.Token, p.text, p.mate = t, t.Text(src), -1
		p.gap = int(t.Pos) > end
		for _, c := range lex.AppendComments(nil, src, end, int(t.Pos)) {
			between := src[end:c.Pos]
			n := note{text: strings.ReplaceAll(c.Text(src), "\r\n", "\n"), blank: emptyLine(between), line: !c.Block}
			switch {
			case i > 0 && !strings.Contains(between, "\n") && len(p.before) == 0:
				pieces[i-1].after = append(pieces[i-1].after, n)
			default:
				p.before = append(p.before, n)
			}
			end = c.End
		}
		p.blank = emptyLine(src[end:t.Pos])
		end = int(t.End)
	}
	moveBehindCommas(pieces)
	pair(pieces)
	classify(pieces)
	for i := len(pieces) - 2; i >= 0; i-- {
		p, next := &pieces[i], pieces[i+1]
		p.query = p.Kind == lex.LParen && p.mate > 0 && (next.is(lex.KwSelect, lex.KwWith) && next.keyword || next.query)
	}
	return pieces
}

// deep reports brackets within brackets beyond what ClickHouse's parser follows.
func deep(tokens []lex.Token) bool {
	depth := 0
	for _, t := range tokens {
		switch t.Kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			if depth++; depth > ddl.MaxDepth {
				return true
			}
		case lex.RParen, lex.RBracket, lex.RBrace:
			depth--
		}
	}
	return false
}

// emptyLine reports white space with an empty line in it.
func emptyLine(space string) bool { return strings.Count(space, "\n") > 1 }

// moveBehindCommas gives a comment before a comma to the comma: what it says is about the element before it.
func moveBehindCommas(pieces []piece) {
	for i := 1; i < len(pieces); i++ {
		if pieces[i].Kind != lex.Comma && pieces[i].Kind != lex.Semicolon {
			continue
		}
		before, comma := &pieces[i-1], &pieces[i]
		all := slices.Concat(before.after, comma.before, comma.after)
		here := len(before.after)
		if len(comma.before) == 0 {
			here = len(all)
		}
		for n := range here { // nothing stands behind a comment that ends its line
			if all[n].line {
				here = n + 1
				break
			}
		}
		before.after, comma.before, comma.after = nil, nil, all[:here:here]
		if i+1 < len(pieces) {
			next := &pieces[i+1]
			next.before = slices.Concat(all[here:], next.before)
		}
	}
}

func pair(pieces []piece) {
	var open []int
	for i := range pieces {
		p := &pieces[i]
		p.brace = len(open) > 0 && pieces[open[len(open)-1]].Kind == lex.LBrace
		switch p.Kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			open = append(open, i)
		case lex.RParen, lex.RBracket, lex.RBrace:
			if len(open) == 0 {
				continue
			}
			p.mate = open[len(open)-1]
			pieces[p.mate].mate = i
			open = open[:len(open)-1]
		}
	}
}

// infix are words that stand between operands or begin a clause: behind them an operand is expected.
var infix = words(lex.KwAnd, lex.KwOr, lex.KwNot, lex.KwIn, lex.KwLike, lex.KwIlike, lex.KwBetween, lex.KwDiv, lex.KwMod, lex.KwGlobal,
	lex.KwRegexp, lex.KwThen, lex.KwElse, lex.KwWhen, lex.KwFrom, lex.KwWhere, lex.KwPrewhere, lex.KwGroup, lex.KwOrder, lex.KwPartition,
	lex.KwHaving, lex.KwLimit, lex.KwOffset, lex.KwOn, lex.KwUsing, lex.KwSelect, lex.KwUnion, lex.KwAs, lex.KwOver, lex.KwDefault,
	lex.KwMaterialized, lex.KwAlias, lex.KwEphemeral, lex.KwCheck, lex.KwAssume, lex.KwTtl, lex.KwPrimary, lex.KwSample, lex.KwQualify,
	lex.KwIs, lex.KwWith, lex.KwExcept, lex.KwIntersect)

// prefix are words that begin an operand.
var prefix = words(lex.KwSelect, lex.KwNot, lex.KwDistinct, lex.KwInterval, lex.KwCase, lex.KwWith, lex.KwWhen, lex.KwExists, lex.KwAll)

// trailing are words behind an operand that no operand follows.
var trailing = words(lex.KwAsc, lex.KwDesc, lex.KwNulls, lex.KwEnd, lex.KwDelete, lex.KwPopulate, lex.KwEmpty, lex.KwAppend)

// second are words that only go on what another word began.
var second = map[lex.Keyword][]lex.Keyword{
	lex.KwBy:  {lex.KwGroup, lex.KwOrder, lex.KwPartition, lex.KwSample},
	lex.KwKey: {lex.KwPrimary},
	lex.KwIn:  {lex.KwNot, lex.KwGlobal}, lex.KwLike: {lex.KwNot}, lex.KwIlike: {lex.KwNot}, lex.KwBetween: {lex.KwNot}, lex.KwNot: {lex.KwIs, lex.KwGlobal},
	lex.KwFrom: {lex.KwDistinct},
}

func words(list ...lex.Keyword) map[lex.Keyword]bool {
	set := make(map[lex.Keyword]bool, len(list))
	for _, w := range list {
		set[w] = true
	}
	return set
}

// classify works out of each token whether it stands where an operand is expected, and of each word whether the grammar
// reads it as its own.
func classify(pieces []piece) {
	expected := true
	for i := range pieces {
		p := &pieces[i]
		p.operand = expected
		switch p.Kind {
		case lex.RParen, lex.RBracket, lex.RBrace, lex.Quoted, lex.Number, lex.String, lex.HexString, lex.BinString, lex.Heredoc:
			expected = false
		case lex.Star:
			expected = !expected
		case lex.Word:
			afterDot := i > 0 && pieces[i-1].Kind == lex.Dot
			alias := i > 0 && pieces[i-1].is(lex.KwAs) && pieces[i-1].keyword
			switch {
			case afterDot, p.Word == 0:
			case !expected && infix[p.Word]:
				p.keyword = true
			case !expected && (trailing[p.Word] || p.is(lex.KwFirst, lex.KwLast) && pieces[i-1].is(lex.KwNulls)):
				p.keyword = true
				continue
			case expected && i > 0 && pieces[i-1].keyword && slices.Contains(second[p.Word], pieces[i-1].Word):
				p.keyword = true
			case expected && prefix[p.Word] && i+1 < len(pieces) && begins(pieces[i+1]):
				p.keyword = !alias || p.is(lex.KwSelect, lex.KwWith)
			}
			expected = p.keyword
		default:
			expected = p.Kind != lex.EOF
		}
	}
}

// begins reports a token that an operand may begin with.
func begins(p piece) bool {
	switch p.Kind {
	case lex.Word, lex.Quoted, lex.Number, lex.String, lex.HexString, lex.BinString, lex.Heredoc, lex.LParen, lex.LBracket, lex.LBrace, lex.Minus,
		lex.Star, lex.DoubleAt:
		return true
	}
	return false
}
