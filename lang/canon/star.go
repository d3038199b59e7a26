package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// star resolves function names in APPLY.
func (f *form) star(n *ast.Node) *ast.Node {
	return with(n, each(n.Kids, f.transformer))
}

func (f *form) transformer(n *ast.Node) *ast.Node {
	if n.Kind != ast.Clause {
		return f.expr(n)
	}
	switch {
	case n.Text == "APPLY":
		return with(n, each(n.Kids, func(k *ast.Node) *ast.Node {
			if k.Kind == ast.Ident && len(k.Kids) == 0 {
				if name := functionName(k.Text); name != k.Text {
					return at(k, ast.Ident, name)
				}
				return k
			}
			return f.expr(k)
		}))
	case strings.HasPrefix(n.Text, "EXCEPT"):
		return n
	}
	return with(n, each(n.Kids, f.expr))
}

// matchingColumns is * LIKE 'a%', which ClickHouse's parser makes COLUMNS('^a'). Nil: the pattern is no literal, or the star has
// transformers.
func (f *form) matchingColumns(n *ast.Node) *ast.Node {
	star, pattern := n.Kids[0], n.Kids[1]
	if pattern.Kind != ast.String || len(star.Kids) > 1 || len(star.Kids) == 1 && star.Kids[0].Kind == ast.Clause {
		return nil
	}
	text := likeToRegexp(pattern.Text)
	if n.Text == "ILIKE" {
		text = "(?i)" + text
	}
	columns := at(n, ast.Func, "COLUMNS", at(pattern, ast.String, text))
	if len(star.Kids) == 0 {
		return columns
	}
	return at(n, ast.Operator, ".", f.expr(star.Kids[0]), columns)
}

// likeToRegexp is likePatternToRegexp.h of ClickHouse.
func likeToRegexp(pattern string) string {
	var b strings.Builder
	rest, floating := strings.CutPrefix(pattern, "%")
	if !floating {
		b.WriteByte('^')
	}
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '%':
			if i+1 == len(rest) {
				return b.String()
			}
			b.WriteString(".*")
		case '_':
			b.WriteByte('.')
		case '^', '$', '.', '[', '|', '(', ')', '?', '*', '+', '{':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\\':
			if i+1 < len(rest) && (rest[i+1] == '%' || rest[i+1] == '_') {
				i++
				b.WriteByte(rest[i])
			} else {
				if i+1 < len(rest) && rest[i+1] == '\\' {
					i++
				}
				b.WriteString(`\\`)
			}
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('$')
	return b.String()
}
