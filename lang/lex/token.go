package lex

// Kind is the kind of a token.
type Kind uint8

// The kinds of token. Word is a bare word; Quoted is an identifier in backticks, double or typographic quotes.
const (
	EOF Kind = iota
	// Error is text that is no token; [Lexer.Err] says what is wrong with it.
	Error
	Word
	Quoted
	Number
	String
	HexString // x'4142'
	BinString // b'0101'
	Heredoc   // $tag$text$tag$
	Comma
	Semicolon
	Dot
	LParen
	RParen
	LBracket
	RBracket
	LBrace
	RBrace
	Star
	Plus
	Minus
	Slash
	Percent
	Equal
	DoubleEqual
	NotEqual // != or <>
	Less
	Greater
	LessEqual
	GreaterEqual
	Spaceship // <=>
	Arrow     // ->
	Question
	Colon
	DoubleColon
	Pipe
	Concat // ||
	At
	DoubleAt
	Caret
	Dollar
)

// Token is one token: the bytes [Pos, End) of the text.
type Token struct {
	Kind Kind
	// Word is the keyword a bare word spells, in any case, or 0.
	Word     Keyword
	Pos, End int32
}

// Text returns the token's bytes in src, quotes included.
func (t Token) Text(src string) string { return src[t.Pos:t.End] }

// Place returns the line and the column, both counted from 1, of a byte offset. Columns count characters.
func Place(src string, offset int) (line, column int) {
	if offset > len(src) {
		offset = len(src)
	}
	line, column = 1, 1
	for _, r := range src[:offset] {
		if r == '\n' {
			line, column = line+1, 1
		} else {
			column++
		}
	}
	return line, column
}
