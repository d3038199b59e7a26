package tree

import (
	"math/big"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// text is a piece of ClickHouse text and where it came from: a string, heredoc or template of an .hcl file, or the
// whole of a .sql file (expr is nil). It maps an offset in the text back to the file, escapes, indentation and
// interpolations undone; that work is done only when a fault asks for it.
type text struct {
	value  string
	source *source
	expr   hclsyntax.Expression
	ctx    *hcl.EvalContext
}

// whole is the range of the expression, or of the first line of a .sql file.
func (t text) whole() hcl.Range {
	if t.expr == nil {
		return t.at(0, 0)
	}
	return t.expr.Range()
}

// at is the range of length bytes at an offset of the text. Where the text was computed (a function call, a variable),
// it is the range of the expression that computed it.
func (t text) at(offset, length int) hcl.Range {
	if offset < 0 {
		return t.whole()
	}
	if t.expr == nil {
		return t.source.span(offset, offset+length)
	}
	from, exact, ok := t.locate(t.expr, offset)
	if !ok {
		return t.expr.Range()
	}
	if !exact.Empty() {
		return exact
	}
	if length == 0 {
		return t.source.span(from, from)
	}
	// The last byte, not the one behind it: that one may stand in another part of the template.
	last, within, ok := t.locate(t.expr, offset+length-1)
	if !ok || !within.Empty() || last < from {
		last = from
	}
	return t.source.span(from, last+1)
}

// locate finds the byte of the file that produced the byte at offset of the value of expr. When that byte came out of
// an interpolation, computed is the range of the interpolated expression and the byte its start.
func (t text) locate(expr hclsyntax.Expression, offset int) (at int, computed hcl.Range, ok bool) {
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		return t.locate(e.Expression, offset)
	case *hclsyntax.LiteralValueExpr:
		if e.Val.Type() != cty.String {
			return 0, e.Range(), true
		}
		rng := e.Range()
		raw := rng.SliceBytes(t.source.bytes)
		quoted := t.insideQuotes(rng)
		n, ok := alignLiteral(raw, e.Val.AsString(), offset, quoted)
		return rng.Start.Byte + n, hcl.Range{}, ok
	case *hclsyntax.TemplateExpr:
		for i, part := range e.Parts {
			value, known := t.valueOf(part)
			if !known {
				return 0, hcl.Range{}, false
			}
			// The end of one literal belongs to it only when nothing follows.
			if offset < len(value) || offset == len(value) && i == len(e.Parts)-1 {
				return t.locate(part, offset)
			}
			offset -= len(value)
		}
		if offset == 0 {
			return e.Range().Start.Byte + 1, hcl.Range{}, true
		}
		return 0, hcl.Range{}, false
	case *hclsyntax.ConditionalExpr:
		cond, diags := e.Condition.Value(t.ctx)
		if diags.HasErrors() || !cond.IsKnown() || cond.IsNull() || cond.Type() != cty.Bool {
			return 0, hcl.Range{}, false
		}
		if cond.True() {
			return t.locate(e.TrueResult, offset)
		}
		return t.locate(e.FalseResult, offset)
	default:
		return expr.Range().Start.Byte, expr.Range(), true
	}
}

func (t text) valueOf(expr hclsyntax.Expression) (string, bool) {
	v, diags := expr.Value(t.ctx)
	if diags.HasErrors() {
		return "", false
	}
	return stringOf(v)
}

// insideQuotes tells a literal of a quoted string, where backslash escapes, from one of a heredoc, where it does not:
// a quoted string ends on the line it starts.
func (t text) insideQuotes(rng hcl.Range) bool {
	whole := t.expr.Range().SliceBytes(t.source.bytes)
	if len(whole) > 0 && whole[0] == '<' {
		// A quoted string inside an interpolation of a heredoc is not a part of the template itself.
		return false
	}
	return rng.Start.Byte > 0
}

// alignLiteral walks the source of a literal and its value together and returns the offset in the source of the byte
// at target of the value. HCL has taken out escapes, the indentation of <<- heredocs and whitespace at ~ markers.
func alignLiteral(raw []byte, value string, target int, quoted bool) (int, bool) {
	i, j := 0, 0
	for i < len(value) && i < target {
		if j >= len(raw) {
			return 0, false
		}
		width, size := 1, 1 // bytes of the source, bytes of the value
		switch {
		case quoted && raw[j] == '\\':
			width, size = escapeWidth(raw[j:])
		case (raw[j] == '$' || raw[j] == '%') && j+2 < len(raw) && raw[j+1] == raw[j] && raw[j+2] == '{':
			width, size = 3, 2
		case raw[j] != value[i]:
			if r, n := utf8.DecodeRune(raw[j:]); unicode.IsSpace(r) {
				j += n
				continue
			}
			return 0, false
		}
		j += width
		i += size
	}
	for j < len(raw) && i < len(value) && raw[j] != value[i] && (raw[j] == ' ' || raw[j] == '\t') {
		j++
	}
	return j, true
}

func escapeWidth(raw []byte) (width, size int) {
	if len(raw) < 2 {
		return 1, 1
	}
	digits := map[byte]int{'u': 4, 'U': 8}[raw[1]]
	if digits == 0 || len(raw) < 2+digits {
		return 2, 1
	}
	var r rune
	for _, c := range raw[2 : 2+digits] {
		r <<= 4
		switch {
		case c >= '0' && c <= '9':
			r |= rune(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r |= rune(c|0x20-'a') + 10
		}
	}
	return 2 + digits, max(utf8.RuneLen(r), 1)
}

// stringOf converts a string, number or bool to text; ok is false for anything else, null and unknown included.
func stringOf(v cty.Value) (string, bool) {
	v, _ = v.UnmarkDeep()
	if v.IsNull() || !v.IsKnown() {
		return "", false
	}
	if v.Type() == cty.String {
		return v.AsString(), true
	}
	if v.Type() != cty.Number && v.Type() != cty.Bool {
		return "", false
	}
	if v.Type() == cty.Number {
		// As the conversion below prints it, without the decimal digits of 512 bits on the way.
		if whole, exact := v.AsBigFloat().Int64(); exact == big.Exact && whole != 0 {
			return strconv.FormatInt(whole, 10), true
		}
	}
	s, err := convert.Convert(v, cty.String)
	if err != nil || s.IsNull() || !s.IsKnown() {
		return "", false
	}
	return s.AsString(), true
}
