package lex

import "strings"

// Value returns what a token stands for: the name of a [Word] or [Quoted], the contents of a [String], [HexString],
// [BinString] or [Heredoc], the text of any other. It allocates only where an escape has to be undone.
func (t Token) Value(src string) string {
	text := src[t.Pos:t.End]
	switch t.Kind {
	case Quoted, String:
		if text[0] == 0xE2 {
			return text[3 : len(text)-3]
		}
		return Unescape(text[1:len(text)-1], text[0])
	case HexString:
		return hexBytes(text[2 : len(text)-1])
	case BinString:
		return binBytes(text[2 : len(text)-1])
	case Heredoc:
		tag := strings.IndexByte(text[1:], '$') + 2
		return text[tag : len(text)-tag]
	}
	return text
}

// Unescape undoes backslash escapes and doubled quotes as ClickHouse's readEscapedString does; an escape it does not
// know keeps its backslash.
func Unescape(s string, quote byte) string {
	i := 0
	for i < len(s) && s[i] != '\\' && s[i] != quote {
		i++
	}
	if i == len(s) {
		return s
	}
	out := make([]byte, i, len(s))
	copy(out, s)
	for ; i < len(s); i++ {
		c := s[i]
		if c == quote && i+1 < len(s) {
			i++
		} else if c == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case 'a':
				c = '\a'
			case 'b':
				c = '\b'
			case 'e':
				c = 0x1b
			case 'f':
				c = '\f'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'v':
				c = '\v'
			case '0':
				c = 0
			case 'N': // \N is NULL in data and nothing in a literal
				continue
			case 'x':
				if i+2 < len(s) && classes[s[i+1]]&isHex != 0 && classes[s[i+2]]&isHex != 0 {
					c = nibble(s[i+1])<<4 | nibble(s[i+2])
					i += 2
				} else {
					out = append(out, '\\')
					c = 'x'
				}
			case '\\', '\'', '"', '`', '/', '=':
				c = s[i]
			default:
				out = append(out, '\\')
				c = s[i]
			}
		}
		out = append(out, c)
	}
	return string(out)
}

func nibble(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// hexBytes decodes x'..'; an odd first digit stands alone, as in unhex().
func hexBytes(digits string) string {
	out := make([]byte, 0, len(digits)/2+1)
	if len(digits)%2 == 1 {
		out = append(out, nibble(digits[0]))
		digits = digits[1:]
	}
	for i := 0; i+1 < len(digits); i += 2 {
		out = append(out, nibble(digits[i])<<4|nibble(digits[i+1]))
	}
	return string(out)
}

// binBytes decodes b'..'; the first byte may be short of eight digits, as in unbin().
func binBytes(digits string) string {
	out := make([]byte, 0, len(digits)/8+1)
	for len(digits) > 0 {
		n := len(digits) % 8
		if n == 0 {
			n = 8
		}
		var b byte
		for _, c := range []byte(digits[:n]) {
			b = b<<1 | c&1
		}
		out = append(out, b)
		digits = digits[n:]
	}
	return string(out)
}
