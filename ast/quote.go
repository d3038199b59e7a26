package ast

import "strings"

// QuoteIdent returns name as ClickHouse reads it: bare where it is a plain identifier ([A-Za-z_][A-Za-z0-9_]*) and
// no word that changes meaning without quotes, in backticks otherwise. It quotes what ClickHouse's own
// backQuoteIfNeed quotes.
func QuoteIdent(name string) string {
	if plainIdent(name) {
		return name
	}
	var b strings.Builder
	b.Grow(len(name) + 2)
	b.WriteByte('`')
	writeEscaped(&b, name, '`')
	b.WriteByte('`')
	return b.String()
}

// QuoteString returns s as a string literal in single quotes, escaped as ClickHouse prints it.
func QuoteString(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	writeEscaped(&b, s, '\'')
	b.WriteByte('\'')
	return b.String()
}

// plainIdent follows isValidIdentifier and backQuoteIfNeed of ClickHouse's Common/quoteString.cpp: DISTINCT, ALL,
// TABLE, SELECT, FROM and a few more are quoted although they are valid identifiers.
func plainIdent(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(s) > 8 || !quotedWords[strings.ToLower(s)]
}

var quotedWords = map[string]bool{"distinct": true, "all": true, "table": true, "select": true, "from": true, "null": true}

func writeEscaped(b *strings.Builder, s string, quote byte) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case quote, '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\r':
			b.WriteString(`\r`)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\0`)
		default:
			b.WriteByte(c)
		}
	}
}
