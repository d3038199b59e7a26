package canon

import (
	"strings"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/ast"
)

// expr returns the canonical form of an expression, a list of them, or a query.
func (f *form) expr(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case ast.Paren:
		return f.expr(n.Kids[0])
	case ast.Ident:
		return f.ident(n)
	case ast.Number:
		return number(n)
	case ast.String, ast.Keyword, ast.Opaque, ast.Unknown:
		return n
	case ast.Type:
		return f.typ(n)
	case ast.Param:
		return with(n, each(n.Kids, f.typ))
	case ast.Func:
		return f.call(n)
	case ast.Operator:
		return f.operator(n)
	case ast.Interval:
		return f.interval(n)
	case ast.Star:
		return f.star(n)
	case ast.Select:
		return f.selectQuery(n)
	case ast.Union:
		return f.union(n)
	case ast.Subquery:
		return f.subquery(n)
	case ast.Clause:
		return f.clause(n)
	}
	return with(n, each(n.Kids, f.expr))
}

// ident joins a dotted name outside queries, where n.a and `n.a` are the same column or subcolumn.
func (f *form) ident(n *ast.Node) *ast.Node {
	if f.lossy && len(n.Kids) == 0 && !utf8.ValidString(n.Text) {
		return at(n, ast.Ident, validName(n.Text))
	}
	if f.query || len(n.Kids) == 0 {
		return n
	}
	return joined(n)
}

func validName(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

func joined(n *ast.Node) *ast.Node {
	parts := make([]string, len(n.Kids))
	for i, k := range n.Kids {
		if k.Kind != ast.Ident || len(k.Kids) > 0 {
			return n
		}
		parts[i] = k.Text
	}
	return at(n, ast.Ident, strings.Join(parts, "."))
}

// interval is toIntervalDay(n), or a tuple of such where several units are given (cases S24, S45).
func (f *form) interval(n *ast.Node) *ast.Node {
	amount := f.expr(n.Kids[0])
	if amount.Kind != ast.String || n.Text != "" && !strings.Contains(n.Text, " TO ") {
		if n.Text == "" {
			return with(n, []*ast.Node{amount})
		}
		return at(n, ast.Func, intervalFunction(n.Text), amount)
	}
	var parts []*ast.Node
	if n.Text == "" {
		words := strings.Fields(amount.Text)
		for i := 0; i+1 < len(words); i += 2 {
			unit := strings.TrimSuffix(strings.ToUpper(words[i+1]), "S")
			parts = append(parts, at(n, ast.Func, intervalFunction(unit), at(n, ast.Number, numberText(words[i], false))))
		}
		if len(words)%2 != 0 {
			return n
		}
	} else {
		parts = composite(n, amount.Text)
	}
	switch len(parts) {
	case 0:
		return n
	case 1:
		return parts[0]
	}
	return at(n, ast.Tuple, "", parts...)
}

// composite splits the standard's INTERVAL '1 02:03' DAY TO MINUTE at its separators.
func composite(n *ast.Node, text string) []*ast.Node {
	from, to, _ := strings.Cut(n.Text, " TO ")
	units := []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}
	first, last := indexOf(units, from), indexOf(units, to)
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == ' ' || r == ':' })
	if first < 0 || last < first || len(numbers) != last-first+1 {
		return nil
	}
	parts := make([]*ast.Node, len(numbers))
	for i, digits := range numbers {
		trimmed := strings.TrimLeft(digits, "0")
		if trimmed == "" {
			trimmed = "0"
		}
		parts[i] = at(n, ast.Func, intervalFunction(units[first+i]), at(n, ast.Number, trimmed))
	}
	return parts
}

func indexOf(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}

func intervalFunction(unit string) string {
	switch unit {
	case "SECOND":
		return "toIntervalSecond"
	case "MINUTE":
		return "toIntervalMinute"
	case "HOUR":
		return "toIntervalHour"
	case "DAY":
		return "toIntervalDay"
	case "WEEK":
		return "toIntervalWeek"
	case "MONTH":
		return "toIntervalMonth"
	case "YEAR":
		return "toIntervalYear"
	}
	if unit == "" {
		return "toInterval"
	}
	return "toInterval" + unit[:1] + strings.ToLower(unit[1:])
}
