package lex

import (
	"strings"
	"unicode/utf8"
)

// Lexer cuts one text. Its zero value lexes the empty text.
type Lexer struct {
	src  string
	pos  int
	prev Kind // of the last token: decides whether ".1" is a number or a tuple element
	err  string
}

// New returns a lexer for src, which must be shorter than 2 GiB.
func New(src string) Lexer { return Lexer{src: src} }

// Err says what is wrong with the last token of kind [Error].
func (l *Lexer) Err() string { return l.err }

// All appends the tokens of src to dst, the last one of kind [EOF]. Where the text cannot be cut, the token before EOF has
// kind [Error] and problem says why.
func All(dst []Token, src string) (tokens []Token, problem string) {
	l := New(src)
	for {
		t := l.Next()
		dst = append(dst, t)
		switch t.Kind {
		case EOF:
			return dst, ""
		case Error:
			return append(dst, Token{Kind: EOF, Pos: t.End, End: t.End}), l.err
		}
	}
}

// class sorts bytes for the lexer's loops.
const (
	isWord  = 1 << iota // letters, digits, underscore
	isDigit             // 0-9
	isHex               // 0-9 a-f A-F
	isSpace             // ASCII white space
)

var classes = func() (c [256]uint8) {
	for b := '0'; b <= '9'; b++ {
		c[b] = isWord | isDigit | isHex
	}
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-32] = isWord, isWord
	}
	for b := 'a'; b <= 'f'; b++ {
		c[b] |= isHex
		c[b-32] |= isHex
	}
	c['_'] = isWord
	for _, b := range " \t\n\r\f\v" {
		c[b] = isSpace
	}
	return c
}()

// Next returns the next token; after the end of the text, [EOF] for ever.
func (l *Lexer) Next() Token {
	if t, bad := l.skip(); bad {
		return t
	}
	start := l.pos
	if start >= len(l.src) {
		return Token{Kind: EOF, Pos: int32(start), End: int32(start)}
	}
	kind := l.scan()
	t := Token{Kind: kind, Pos: int32(start), End: int32(l.pos)}
	if kind == Word {
		t.Word = Lookup(l.src[start:l.pos])
	}
	l.prev = kind
	return t
}

// skip passes white space and comments. It returns an error token for a comment without an end.
func (l *Lexer) skip() (Token, bool) {
	src := l.src
	for l.pos < len(src) {
		c := src[l.pos]
		switch {
		case classes[c]&isSpace != 0:
			l.pos++
		case c == '-' && l.follows("--"), c == '#' && (l.follows("# ") || l.follows("#!")):
			if end := strings.IndexByte(src[l.pos:], '\n'); end >= 0 {
				l.pos += end + 1
			} else {
				l.pos = len(src)
			}
		case c == '/' && l.follows("/*"):
			if start := l.pos; !l.skipBlockComment() {
				l.err = "the comment has no end (*/)"
				return Token{Kind: Error, Pos: int32(start), End: int32(len(src))}, true
			}
		case c >= 0x80:
			width := l.unicodeSpace()
			if width == 0 {
				return Token{}, false
			}
			l.pos += width
		default:
			return Token{}, false
		}
	}
	return Token{}, false
}

func (l *Lexer) follows(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

// skipBlockComment passes a comment, in which further comments nest.
func (l *Lexer) skipBlockComment() bool {
	src, depth := l.src, 1
	for l.pos += 2; l.pos+1 < len(src); {
		switch {
		case src[l.pos] == '/' && src[l.pos+1] == '*':
			depth++
			l.pos += 2
		case src[l.pos] == '*' && src[l.pos+1] == '/':
			l.pos += 2
			if depth--; depth == 0 {
				return true
			}
		default:
			l.pos++
		}
	}
	l.pos = len(src)
	return false
}

// unicodeSpace returns the width of the white space ClickHouse's skipWhitespacesUTF8 accepts beyond ASCII, or 0.
func (l *Lexer) unicodeSpace() int {
	r, width := utf8.DecodeRuneInString(l.src[l.pos:])
	switch {
	case r == 0x85, r == 0xA0, r == 0x1680, r == 0x180E, r >= 0x2000 && r <= 0x200D, r == 0x2028, r == 0x2029,
		r == 0x202F, r == 0x205F, r == 0x2060, r == 0x3000, r == 0xFEFF:
		return width
	}
	return 0
}

// scan reads one token that starts at l.pos and returns its kind.
func (l *Lexer) scan() Kind {
	src, c := l.src, l.src[l.pos]
	switch {
	case classes[c]&isDigit != 0:
		return l.number()
	case classes[c]&isWord != 0:
		if (c|0x20 == 'x' || c|0x20 == 'b') && l.pos+1 < len(src) && src[l.pos+1] == '\'' {
			return l.radixString(c | 0x20)
		}
		return l.word()
	}
	switch c {
	case '`', '"', '\'':
		return l.quoted(c)
	case '$':
		return l.dollar()
	case '.':
		return l.dot()
	case ',':
		return l.take(1, Comma)
	case ';':
		return l.take(1, Semicolon)
	case '(':
		return l.take(1, LParen)
	case ')':
		return l.take(1, RParen)
	case '[':
		return l.take(1, LBracket)
	case ']':
		return l.take(1, RBracket)
	case '{':
		return l.take(1, LBrace)
	case '}':
		return l.take(1, RBrace)
	case '*':
		return l.take(1, Star)
	case '+':
		return l.take(1, Plus)
	case '/':
		return l.take(1, Slash)
	case '%':
		return l.take(1, Percent)
	case '?':
		return l.take(1, Question)
	case '^':
		return l.take(1, Caret)
	case '-':
		return l.either("->", Arrow, Minus)
	case ':':
		return l.either("::", DoubleColon, Colon)
	case '|':
		return l.either("||", Concat, Pipe)
	case '@':
		return l.either("@@", DoubleAt, At)
	case '=':
		return l.either("==", DoubleEqual, Equal)
	case '>':
		return l.either(">=", GreaterEqual, Greater)
	case '!':
		if l.follows("!=") {
			return l.take(2, NotEqual)
		}
	case '<':
		switch {
		case l.follows("<=>"):
			return l.take(3, Spaceship)
		case l.follows("<="):
			return l.take(2, LessEqual)
		case l.follows("<>"):
			return l.take(2, NotEqual)
		}
		return l.take(1, Less)
	case '\\':
		if l.follows(`\G`) { // ends a statement in the command-line client
			return l.take(2, Semicolon)
		}
	case 0xE2:
		switch {
		case l.follows("−"):
			return l.take(3, Minus)
		case l.follows("‘"):
			return l.curly("’", String)
		case l.follows("“"):
			return l.curly("”", Quoted)
		}
	}
	_, width := utf8.DecodeRuneInString(src[l.pos:])
	l.pos += width
	return l.fail("this character begins nothing in SQL")
}

func (l *Lexer) take(n int, k Kind) Kind {
	l.pos += n
	return k
}

// either returns long where the text at hand is the two bytes of s, and short for the first of them alone.
func (l *Lexer) either(s string, long, short Kind) Kind {
	if l.follows(s) {
		return l.take(2, long)
	}
	return l.take(1, short)
}

func (l *Lexer) fail(problem string) Kind {
	l.err = problem
	return Error
}

func (l *Lexer) word() Kind {
	src, i := l.src, l.pos
	for i < len(src) && (classes[src[i]]&isWord != 0 || src[i] == '$') {
		i++
	}
	l.pos = i
	return Word
}

// quoted reads to the closing quote; a doubled quote and a backslash escape stand inside.
func (l *Lexer) quoted(quote byte) Kind {
	src := l.src
	for i := l.pos + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case quote:
			if i+1 < len(src) && src[i+1] == quote {
				i++
				continue
			}
			l.pos = i + 1
			if quote == '\'' {
				return String
			}
			return Quoted
		}
	}
	l.pos = len(src)
	return l.fail("the quote that opens here is never closed")
}

// curly reads typographic quotes, in which nothing is escaped.
func (l *Lexer) curly(closing string, k Kind) Kind {
	end := strings.Index(l.src[l.pos:], closing)
	if end < 0 {
		l.pos = len(l.src)
		return l.fail("the quote that opens here is never closed")
	}
	l.pos += end + len(closing)
	return k
}

func (l *Lexer) radixString(radix byte) Kind {
	end := strings.IndexByte(l.src[l.pos+2:], '\'')
	if end < 0 {
		l.pos = len(l.src)
		return l.fail("the quote that opens here is never closed")
	}
	digits := l.src[l.pos+2 : l.pos+2+end]
	l.pos += end + 3
	for i := 0; i < len(digits); i++ {
		if c := digits[i]; radix == 'x' && classes[c]&isHex == 0 || radix == 'b' && c != '0' && c != '1' {
			return l.fail("this string holds something other than digits")
		}
	}
	if radix == 'x' {
		return HexString
	}
	return BinString
}

// dollar reads $tag$text$tag$, or a word that holds a dollar sign.
func (l *Lexer) dollar() Kind {
	src := l.src
	i := l.pos + 1
	for i < len(src) && classes[src[i]]&isWord != 0 {
		i++
	}
	if i < len(src) && src[i] == '$' {
		tag := src[l.pos : i+1]
		if end := strings.Index(src[i+1:], tag); end >= 0 {
			l.pos = i + 1 + end + len(tag)
			return Heredoc
		}
	}
	if i > l.pos+1 {
		return l.word()
	}
	return l.take(1, Dollar)
}

// dot reads a dot, or a number like .5 where no operand comes before it.
func (l *Lexer) dot() Kind {
	if l.pos+1 < len(l.src) && classes[l.src[l.pos+1]]&isDigit != 0 {
		switch l.prev {
		case RParen, RBracket, Word, Quoted, Number:
		default:
			l.pos++
			l.fraction()
			return l.endNumber(l.pos)
		}
	}
	return l.take(1, Dot)
}

func (l *Lexer) number() Kind {
	src, start := l.src, l.pos
	if l.prev == Dot { // t.1.2 is two tuple elements, no fraction
		for l.pos < len(src) && classes[src[l.pos]]&isDigit != 0 {
			l.pos++
		}
		return l.endNumber(start)
	}
	radix := uint8(isDigit)
	if src[l.pos] == '0' && l.pos+2 < len(src) {
		switch next := src[l.pos+2]; src[l.pos+1] | 0x20 {
		case 'x':
			if classes[next]&isHex != 0 {
				radix, l.pos = isHex, l.pos+2
			}
		case 'b':
			if next == '0' || next == '1' {
				l.pos += 2
			}
		}
	}
	l.digits(radix)
	if l.pos < len(src) && src[l.pos] == '.' {
		l.pos++
		l.digits(radix)
	}
	l.exponent(radix)
	return l.endNumber(start)
}

func (l *Lexer) fraction() {
	l.digits(isDigit)
	l.exponent(isDigit)
}

// digits passes digits with single underscores between them.
func (l *Lexer) digits(radix uint8) {
	src, i := l.src, l.pos
	for i < len(src) {
		if classes[src[i]]&radix == 0 && (src[i] != '_' || i == l.pos || i+1 >= len(src) || classes[src[i+1]]&radix == 0) {
			break
		}
		i++
	}
	l.pos = i
}

// exponent passes e10, e-10 or, in a hexadecimal number, p10.
func (l *Lexer) exponent(radix uint8) {
	mark := byte('e')
	if radix == isHex {
		mark = 'p'
	}
	src, i := l.src, l.pos
	if i+1 >= len(src) || src[i]|0x20 != mark {
		return
	}
	i++
	if (src[i] == '-' || src[i] == '+') && i+1 < len(src) {
		i++
	}
	if classes[src[i]]&isDigit == 0 {
		return
	}
	l.pos = i
	l.digits(isDigit)
}

// endNumber turns digits that run into letters into the identifier they are (1st_try).
func (l *Lexer) endNumber(start int) Kind {
	src := l.src
	if l.pos >= len(src) || classes[src[l.pos]]&isWord == 0 && src[l.pos] != '$' {
		return Number
	}
	l.word()
	for _, c := range []byte(src[start:l.pos]) {
		if classes[c]&isWord == 0 && c != '$' {
			return l.fail("this is neither a number nor an identifier")
		}
	}
	return Word
}
