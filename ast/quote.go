package ast

// QuoteIdent returns name as ClickHouse reads it: bare where it is a plain identifier ([A-Za-z_][A-Za-z0-9_]*) and
// no word that changes meaning without quotes, in backticks otherwise. It quotes what ClickHouse's own
// backQuoteIfNeed quotes, and the words that read as operators or literals.
func QuoteIdent(name string) string {
	if plainIdent(name) {
		return name
	}
	return string(appendEscaped(make([]byte, 0, len(name)+2), name, '`'))
}

// QuoteString returns s as a string literal in single quotes, escaped as ClickHouse prints it.
func QuoteString(s string) string {
	return string(appendEscaped(make([]byte, 0, len(s)+2), s, '\''))
}

func appendIdent(dst []byte, name string) []byte {
	if plainIdent(name) {
		return append(dst, name...)
	}
	return appendEscaped(dst, name, '`')
}

func appendString(dst []byte, s string) []byte { return appendEscaped(dst, s, '\'') }

func plainIdent(s string) bool { return plainWord(s) && !quotedWord(s) }

// plainWord follows isValidIdentifier of ClickHouse's Common/StringUtils.h.
func plainWord(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// quotedWord lists the words of ClickHouse's backQuoteIfNeed (Common/quoteString.cpp) and those that begin an operand, an
// operator or a query.
func quotedWord(s string) bool {
	if len(s) > 8 {
		return false
	}
	var buf [8]byte
	for i := 0; i < len(s); i++ {
		buf[i] = s[i] | 0x20
	}
	switch string(buf[:len(s)]) {
	case "distinct", "all", "table", "select", "from", "null", "true", "false", "nan", "inf", "infinity",
		"and", "as", "between", "case", "div", "else", "end", "explain", "global", "ilike", "in", "interval", "is", "like",
		"mod", "not", "or", "regexp", "then", "values", "when", "with":
		return true
	}
	return false
}

// appendEscaped appends s between quotes with the escapes of ClickHouse's writeAnyEscapedString.
func appendEscaped(dst []byte, s string, quote byte) []byte {
	dst = append(dst, quote)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case quote, '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		case 0:
			dst = append(dst, `\0`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, quote)
}
