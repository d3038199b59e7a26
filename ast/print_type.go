package ast

// appendType appends a data type; the elements of an Enum are strings, the paths of a JSON type identifiers.
func appendType(dst []byte, n *Node) []byte {
	if plainTypeName(n.Text) {
		dst = append(dst, n.Text...)
	} else {
		dst = appendEscaped(dst, n.Text, '`')
	}
	if len(n.Kids) == 0 {
		return dst
	}
	enum := len(n.Text) >= 4 && n.Text[0]|0x20 == 'e' && n.Text[1]|0x20 == 'n' && n.Text[2]|0x20 == 'u' && n.Text[3]|0x20 == 'm'
	dst = append(dst, '(')
	for i, kid := range n.Kids {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if enum && kid.Kind == Equals {
			dst = appendEnumElement(dst, kid)
		} else {
			dst = kid.Append(dst)
		}
	}
	return append(dst, ')')
}

func appendEnumElement(dst []byte, n *Node) []byte {
	dst = appendString(dst, n.Text)
	dst = append(dst, " = "...)
	return n.Kids[0].Append(dst)
}

// plainTypeName accepts words with single spaces between them.
func plainTypeName(s string) bool {
	start := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ' ' {
			if !plainWord(s[start:i]) {
				return false
			}
			start = i + 1
		}
	}
	return true
}
