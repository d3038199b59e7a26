package embedded

import "strings"

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenMark
	tokenText // quoted, or a number
)

type token struct {
	kind       tokenKind
	start, end int
}

func (t token) is(text []byte, mark string) bool {
	return t.kind == tokenMark && string(text[t.start:t.end]) == mark
}

func (t token) word(text []byte, word string) bool {
	return t.kind == tokenWord && len(word) == t.end-t.start && strings.EqualFold(string(text[t.start:t.end]), word)
}

// lexer splits SQL into words, marks and quoted texts, leaving out blanks and
// comments, by ClickHouse's rules (Parsers/Lexer.cpp).
type lexer struct {
	text []byte
	at   int
}

func (l *lexer) next() token {
	l.skip()
	start := l.at
	if start >= len(l.text) {
		return token{kind: tokenEnd, start: start, end: start}
	}
	c := l.text[start]
	switch {
	case isWord(c):
		for l.at < len(l.text) && (isWord(l.text[l.at]) || l.text[l.at] == '$') {
			l.at++
		}
		kind := tokenWord
		if c >= '0' && c <= '9' {
			kind = tokenText
		}
		return token{kind, start, l.at}
	case c == '\'' || c == '"' || c == '`':
		l.quoted(c)
		return token{tokenText, start, l.at}
	case c == '$':
		if l.heredoc() {
			return token{tokenText, start, l.at}
		}
	}
	l.at++
	return token{tokenMark, start, l.at}
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func (l *lexer) skip() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] == ' ' || rest[0] >= '\t' && rest[0] <= '\r':
			l.at++
		case hasPrefix(rest, "--"), hasPrefix(rest, "#!"), hasPrefix(rest, "# "):
			for l.at < len(l.text) && l.text[l.at] != '\n' {
				l.at++
			}
		case hasPrefix(rest, "/*"):
			l.comment()
		default:
			return
		}
	}
}

// comment skips a comment, which nests.
func (l *lexer) comment() {
	depth := 0
	for l.at < len(l.text) {
		switch rest := l.text[l.at:]; {
		case hasPrefix(rest, "/*"):
			depth++
			l.at += 2
		case hasPrefix(rest, "*/"):
			depth--
			l.at += 2
			if depth == 0 {
				return
			}
		default:
			l.at++
		}
	}
}

// quoted skips a quoted text: a backslash escapes, and so does a doubled quote.
func (l *lexer) quoted(quote byte) {
	for l.at++; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '\\':
			l.at++
		case quote:
			l.at++
			if l.at >= len(l.text) || l.text[l.at] != quote {
				return
			}
		}
	}
	l.at = len(l.text)
}

// heredoc skips $tag$ text $tag$.
func (l *lexer) heredoc() bool {
	end := l.at + 1
	for end < len(l.text) && isWord(l.text[end]) {
		end++
	}
	if end >= len(l.text) || l.text[end] != '$' {
		return false
	}
	tag := string(l.text[l.at : end+1])
	at := strings.Index(string(l.text[end+1:]), tag)
	if at < 0 {
		return false
	}
	l.at = end + 1 + at + len(tag)
	return true
}

func hasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
}
