package rulelang

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/hashicorp/hcl/v2"
)

// File is a parsed `.rules` file.
type File struct {
	Name       string
	Source     []byte
	Statements []*Statement
	// Trailing holds the comment lines after the last statement.
	Trailing []string
}

// Statement is one statement of a file with its comments. Exactly one of the pointers is set.
type Statement struct {
	Kind      *KindStatement `parser:"( @@"`
	Include   *Include       `parser:"| @@"`
	Set       *Set           `parser:"| @@"`
	Predicate *Predicate     `parser:"| @@"`
	Rule      *Rule          `parser:"| @@ )"`

	// Doc holds the comment lines above the statement, without their "#", and a newline for each blank line between two
	// of them. Comment is the comment at its end.
	Doc     []string
	Comment string
	// Range is the place of the statement's text.
	Range hcl.Range
}

// KindStatement is `kind NAME`.
type KindStatement struct {
	Name Word `parser:"'kind' @@"`
}

// Include is `include "FILE"`.
type Include struct {
	File Text `parser:"'include' @@"`
}

// Set is `set NAME = ["a", "b"]`: a list of texts that a guard can ask for with `in`.
type Set struct {
	Name  Word   `parser:"'set' @@ '='"`
	Items []Text `parser:"'[' ( @@ ( ',' @@ )* ','? )? ']'"`
	// Docs holds the comments of each item: the lines above it, then the one after it on its line.
	Docs []ItemDoc
}

// ItemDoc is the comments of one item of a set.
type ItemDoc struct {
	Above []string
	After string
}

// Predicate is `predicate NAME = GUARD`: a guard with a name.
type Predicate struct {
	Name  Word  `parser:"'predicate' @@ '='"`
	Guard *Expr `parser:"@@"`
}

// Rule is one named law.
type Rule struct {
	Law     Text    `parser:"'rule' @@"`
	On      Pattern `parser:"'on' @@"`
	When    *Expr   `parser:"( 'when' @@ )?"`
	Outcome Outcome `parser:"Arrow @@"`
	Because *Text   `parser:"( 'because' @@ )?"`
	Advice  *Text   `parser:"( 'advice' @@ )?"`
}

// Pattern says which changes a rule is about: `add column`, `add, change column.comment`, `any setting.NAME`.
type Pattern struct {
	Ops  []Word `parser:"@@ ( ',' @@ )*"`
	Path []Word `parser:"@@ ( '.' @@ )*"`
}

// Outcome is what a rule decides: `ACTION [and report]`, `ACTION without statement` where ClickHouse has no statement
// for the change, or
// `refused unless GUARD then ACTION [and report] [when PROOF] [saying "TEXT"]`.
type Outcome struct {
	Action Word    `parser:"@@"`
	Report *Word   `parser:"( 'and' @@ )?"`
	Bare   bool    `parser:"@( 'without' 'statement' )?"`
	Unless *Unless `parser:"@@?"`
}

// Unless is the way past an outcome. Saying is its reason, in place of the rule's.
type Unless struct {
	Guard  *Expr `parser:"'unless' @@"`
	Action Word  `parser:"'then' @@"`
	Report *Word `parser:"( 'and' @@ )?"`
	Proof  *Expr `parser:"( 'when' @@ )?"`
	Saying *Text `parser:"( 'saying' @@ )?"`
}

// Expr is a guard: alternatives joined by `or`.
type Expr struct {
	Or []*Conjunction `parser:"@@ ( 'or' @@ )*"`
}

// Conjunction is terms joined by `and`.
type Conjunction struct {
	And []*Term `parser:"@@ ( 'and' @@ )*"`
}

// Term is `not TERM`, `( GUARD )` or a name, bare or compared.
type Term struct {
	Not   *Term `parser:"( 'not' @@"`
	Group *Expr `parser:"| '(' @@ ')'"`
	Test  *Test `parser:"| @@ )"`
}

// Test is a fact or a predicate, or the comparison of a fact: `fact == value`, `fact != value`, `fact in set`,
// `fact not in set`.
type Test struct {
	Name    Word   `parser:"@@"`
	Compare string `parser:"( @( '==' | '!=' )"`
	Value   *Value `parser:"  @@"`
	NotIn   bool   `parser:"| @'not'? 'in'"`
	In      *Word  `parser:"  @@ )?"`
}

// Value is the right side of a comparison: a word or a text.
type Value struct {
	Word *Word `parser:"( @@"`
	Text *Text `parser:"| @@ )"`
}

// Word is an identifier and its place.
type Word struct {
	Pos  lexer.Position
	Text string `parser:"@Ident"`
}

// Text is a string and its place.
type Text struct {
	Pos    lexer.Position
	Tokens []lexer.Token
	Text   Unquoted `parser:"@String"`
}

// Unquoted is the value of a string; Go's escapes stand in it.
type Unquoted string

// Capture implements participle's capture: it unquotes the token.
func (u *Unquoted) Capture(values []string) error {
	value, err := strconv.Unquote(values[0])
	if err != nil {
		return errors.New("a text holds an escape that Go does not know")
	}
	*u = Unquoted(value)
	return nil
}

// Range returns the word's place.
func (w Word) Range() hcl.Range { return span(w.Pos, w.Text) }

// Range returns the text's place, quotes included.
func (t Text) Range() hcl.Range {
	// The tokens begin with the space before the text.
	for _, token := range t.Tokens {
		if token.Pos == t.Pos {
			return span(t.Pos, token.Value)
		}
	}
	return rangeOf(t.Pos, t.Pos)
}

// span is the place of a text on one line.
func span(from lexer.Position, text string) hcl.Range {
	to := from
	to.Column += utf8.RuneCountInString(text)
	to.Offset += len(text)
	return rangeOf(from, to)
}

func rangeOf(from, to lexer.Position) hcl.Range {
	return hcl.Range{
		Filename: from.Filename,
		Start:    hcl.Pos{Line: from.Line, Column: from.Column, Byte: from.Offset},
		End:      hcl.Pos{Line: to.Line, Column: to.Column, Byte: to.Offset},
	}
}
