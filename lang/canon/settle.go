package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// settle returns the desired expression with the secrets the live side hides, or an Unknown where it calls a SQL function
// whose body is not known here.
func (p *pair) settle(l, d *ast.Node) *ast.Node {
	if l == nil || d == nil || equal(l, d) {
		return d
	}
	if d = hidden(l, d); equal(l, d) {
		return d
	}
	if a, b := opaque(l), opaque(d); (a == "") != (b == "") {
		return ast.N(ast.Unknown, "a part of one side cannot be read: "+excerpt(a+b))
	}
	if name := foreign(d); name != "" && !calls(l, name) {
		return ast.N(ast.Unknown, "the server puts the body of the function "+name+" in its place, and that body is not known here")
	}
	if d.Kind == ast.Func && d.Text == "tcpPort" && l.Kind == ast.Number {
		return ast.N(ast.Unknown, "the server's own port, tcpPort(), is not known here")
	}
	return d
}

const hiddenSecret = "[HIDDEN]"

// hidden takes over every secret the server shows as [HIDDEN] (cases S72, S87).
func hidden(l, d *ast.Node) *ast.Node {
	if l.Kind == ast.String && strings.Contains(l.Text, hiddenSecret) {
		if _, ok := ast.SecretOf(d); ok {
			return l
		}
		if l.Text == hiddenSecret || d.Kind == ast.String && covers(l.Text, d.Text) {
			return l
		}
		return d
	}
	if l.Kind != d.Kind || len(l.Kids) != len(d.Kids) {
		return d
	}
	i := -1
	return with(d, each(d.Kids, func(k *ast.Node) *ast.Node {
		i++
		return hidden(l.Kids[i], k)
	}))
}

// covers reports whether s is pattern with something in place of each [HIDDEN].
func covers(pattern, s string) bool {
	parts := strings.Split(pattern, hiddenSecret)
	last := len(parts) - 1
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, part := range parts[1:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}

// opaque returns the first fragment of n that no parser of ours reads.
func opaque(n *ast.Node) string {
	text := ""
	n.Walk(func(k *ast.Node) bool {
		if text == "" && k.Kind == ast.Opaque {
			text = k.Text
		}
		return text == ""
	})
	return text
}

func excerpt(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// foreign returns the first function in n that ClickHouse does not have itself.
func foreign(n *ast.Node) string {
	name := ""
	n.Walk(func(k *ast.Node) bool {
		if name == "" && k.Kind == ast.Func && !knownFunction(k.Text) && !structural[k.Text] && !facts.Codec(k.Text) {
			if _, ok := facts.TableFunction(k.Text); !ok {
				name = k.Text
			}
		}
		return name == ""
	})
	return name
}

// structural are calls that are syntax and no functions.
var structural = map[string]bool{"COLUMNS": true, "EXTRACT": true, "disk": true, "REGEXP": true, "exists": true, "secret": true,
	"headers": true, "extra_credentials": true}

func calls(n *ast.Node, name string) bool {
	found := false
	n.Walk(func(k *ast.Node) bool {
		found = found || k.Kind == ast.Func && k.Text == name
		return !found
	})
	return found
}
