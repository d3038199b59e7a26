package canon

import (
	"math"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// number returns the literal as ClickHouse stores it: an integer that fits UInt64 in decimal digits, anything else as the
// shortest text of the Float64 it is. The type of a float shows in its text: 1. is no integer.
func number(n *ast.Node) *ast.Node {
	if text := numberText(n.Text, false); text != n.Text {
		return at(n, ast.Number, text)
	}
	return n
}

// negative returns the literal with its sign.
func negative(n *ast.Node) *ast.Node { return at(n, ast.Number, numberText(n.Text, true)) }

func numberText(s string, negate bool) string {
	if !negate && plainInteger(s) {
		return s
	}
	if strings.HasPrefix(s, "-") {
		return numberText(s[1:], !negate)
	}
	digits := strings.ReplaceAll(s, "_", "")
	if u, ok := integer(digits); ok && (!negate || u <= 1<<63) {
		text := strconv.FormatUint(u, 10)
		if negate && u != 0 {
			return "-" + text
		}
		return text
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil && (v == 0 || !math.IsInf(v, 0)) {
		if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X") {
			v, err = strconv.ParseFloat(digits+"p0", 64)
		}
		if err != nil {
			if negate {
				return "-" + s
			}
			return s
		}
	}
	if negate {
		v = -v
	}
	return floatText(v)
}

// plainInteger reports whether s is what ClickHouse prints for an integer.
func plainInteger(s string) bool {
	if s == "" || len(s) > 19 || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func integer(s string) (uint64, bool) {
	base := 10
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			base = 16
		case 'b', 'B':
			base = 2
		}
		if base != 10 {
			s = s[2:]
		}
	}
	u, err := strconv.ParseUint(s, base, 64)
	return u, err == nil
}

// floatText prints like ClickHouse: digits up to 21 places before the point and 6 zeros after it, a trailing point for
// a whole number, an exponent otherwise.
func floatText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	size := math.Abs(v)
	if size != 0 && (size >= 1e21 || size < 1e-6) {
		text := strconv.FormatFloat(v, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		e, _ := strconv.Atoi(exponent)
		return mantissa + "e" + strconv.Itoa(e)
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += "."
	}
	return text
}
