package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// Scope resolves a column's name to its canonical type; nil for a name it does not know.
type Scope func(name string) *ast.Node

// Type returns the type of a canonical expression, or nil and the reason, a sentence, why it is not known.
func Type(n *ast.Node, scope Scope) (*ast.Node, string) {
	i := &inferrer{scope: scope}
	v, ok := i.value(n)
	if !ok {
		return nil, i.reason
	}
	return v.typ, ""
}

type inferrer struct {
	scope  Scope
	local  map[string]*ast.Node // lambda parameters and aliases
	reason string
}

// value is what is known of an expression. A constant matters to LowCardinality.
type value struct {
	typ      *ast.Node
	constant bool
}

func (i *inferrer) fail(format string, args ...any) (value, bool) {
	if i.reason == "" {
		i.reason = fmt.Sprintf(format, args...)
	}
	return value{}, false
}

func (i *inferrer) value(n *ast.Node) (value, bool) {
	switch n.Kind {
	case ast.Paren: // -(1) keeps them
		return i.value(n.Kids[0])
	case ast.Number:
		return value{numberType(n.Text), true}, true
	case ast.String:
		return value{simple("String"), true}, true
	case ast.Keyword:
		switch n.Text {
		case "true", "false":
			return value{simple("Bool"), true}, true
		case "NULL":
			return value{wrap("Nullable", simple("Nothing")), true}, true
		case "inf", "nan":
			return value{simple("Float64"), true}, true
		}
	case ast.Ident:
		return i.ident(n)
	case ast.Alias:
		v, ok := i.value(n.Kids[0])
		if ok {
			if i.local == nil {
				i.local = map[string]*ast.Node{}
			}
			i.local[n.Text] = v.typ
		}
		return v, ok
	case ast.Array:
		return i.array(n)
	case ast.Tuple:
		values, ok := i.values(n.Kids)
		if !ok {
			return value{}, false
		}
		return value{wrap("Tuple", types(values)...), constants(values)}, true
	case ast.Operator:
		return i.operator(n)
	case ast.Func:
		return i.call(n)
	}
	return i.fail("the type of %s does not follow from the text", what(n))
}

func what(n *ast.Node) string {
	switch n.Kind {
	case ast.Subquery, ast.Select, ast.Union:
		return "a query"
	case ast.Lambda:
		return "a lambda"
	case ast.Opaque:
		return "an expression that cannot be read"
	}
	return "this expression"
}

func (i *inferrer) values(list []*ast.Node) ([]value, bool) {
	out := make([]value, len(list))
	for k, n := range list {
		v, ok := i.value(n)
		if !ok {
			return nil, false
		}
		out[k] = v
	}
	return out, true
}

func types(values []value) []*ast.Node {
	out := make([]*ast.Node, len(values))
	for i, v := range values {
		out[i] = v.typ
	}
	return out
}

func constants(values []value) bool {
	for _, v := range values {
		if !v.constant {
			return false
		}
	}
	return true
}

func (i *inferrer) ident(n *ast.Node) (value, bool) {
	name := n.Text
	if len(n.Kids) > 0 {
		parts := make([]string, len(n.Kids))
		for k, p := range n.Kids {
			parts[k] = p.Text
		}
		name = strings.Join(parts, ".")
	}
	if t, ok := i.local[name]; ok {
		return value{typ: t}, true
	}
	if i.scope != nil {
		if t := i.scope(name); t != nil {
			if t.Kind == ast.Unknown {
				return i.fail("%s", t.Text)
			}
			if !whole(t) {
				return i.fail("the type of %s lacks its arguments", name)
			}
			return value{typ: t}, true
		}
		if t := i.subcolumn(name); t != nil && whole(t) {
			return value{typ: t}, true
		}
	}
	return i.fail("the text does not say what %s is", name)
}

// whole reports whether the types that are about others have them as arguments: the text may be anything.
func whole(t *ast.Node) bool {
	need := map[string]int{"Array": 1, "Nullable": 1, "LowCardinality": 1, "Map": 2}[t.Text]
	if t.Kind == ast.Type && len(t.Kids) < need {
		return false
	}
	return !slices.ContainsFunc(t.Kids, func(k *ast.Node) bool { return !whole(k) })
}

// subcolumn is t.a of a named tuple, arr.size0, m.keys, m.values and x.null.
func (i *inferrer) subcolumn(name string) *ast.Node {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	t := i.scope(name[:dot])
	if t == nil {
		t = i.subcolumn(name[:dot])
	}
	if t == nil || !whole(t) {
		return nil
	}
	member := name[dot+1:]
	switch {
	case t.Text == "Array" && member == "size0":
		return simple("UInt64")
	case t.Text == "Map" && member == "keys":
		return wrap("Array", t.Kids[0])
	case t.Text == "Map" && member == "values":
		return wrap("Array", t.Kids[1])
	case t.Text == "Nullable" && member == "null":
		return simple("UInt8")
	case t.Text == "Tuple":
		return element(t, member)
	}
	return nil
}

// element returns the type of a tuple's element by its name.
func element(t *ast.Node, name string) *ast.Node {
	for _, k := range t.Kids {
		if k.Kind == ast.NamedType && k.Text == name {
			return k.Kids[0]
		}
	}
	return nil
}

func (i *inferrer) array(n *ast.Node) (value, bool) {
	values, ok := i.values(n.Kids)
	if !ok {
		return value{}, false
	}
	t := simple("Nothing")
	if len(values) > 0 {
		if t = supertype(types(values)); t == nil {
			return i.fail("the elements of an array have no common type that the text determines")
		}
	}
	return value{wrap("Array", t), constants(values)}, true
}

func simple(name string) *ast.Node { return ast.N(ast.Type, name) }

func wrap(name string, kids ...*ast.Node) *ast.Node { return ast.N(ast.Type, name, kids...) }

func numberType(text string) *ast.Node {
	switch {
	case strings.ContainsAny(text, ".einf"):
		return simple("Float64")
	case strings.HasPrefix(text, "-"):
		for _, limit := range []struct{ digits, name string }{{"128", "Int8"}, {"32768", "Int16"}, {"2147483648", "Int32"}} {
			if atMost(text[1:], limit.digits) {
				return simple(limit.name)
			}
		}
		return simple("Int64")
	}
	for _, limit := range []struct{ digits, name string }{{"255", "UInt8"}, {"65535", "UInt16"}, {"4294967295", "UInt32"}} {
		if atMost(text, limit.digits) {
			return simple(limit.name)
		}
	}
	return simple("UInt64")
}

// atMost compares two unsigned decimal numbers without leading zeros.
func atMost(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a <= b }
