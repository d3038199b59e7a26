package infer

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func holdsColumn(n *ast.Node) bool {
	found := false
	n.Walk(func(k *ast.Node) bool {
		found = found || k.Kind == ast.Ident
		return !found
	})
	return found
}

func (i *inferrer) operator(n *ast.Node) (value, bool) {
	switch n.Text {
	case "IN", "NOT IN", "GLOBAL IN", "GLOBAL NOT IN":
		left, ok := i.value(n.Kids[0])
		if !ok {
			return left, false
		}
		if set := n.Kids[len(n.Kids)-1]; set.Kind == ast.Tuple && holdsColumn(set) { // no set: compared one by one
			return i.fail("the result of %s over columns does not follow from the text", n.Text)
		}
		return ordinary([]value{left, {simple("UInt8"), true}}, simple("UInt8"))
	case ".":
		return i.member(n)
	}
	values, ok := i.values(n.Kids)
	if !ok {
		return value{}, false
	}
	switch n.Text {
	case "=", "!=", "<", ">", "<=", ">=", "AND", "OR", "NOT", "LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE":
		return i.comparison(n, values)
	case "IS NULL", "IS NOT NULL", "<=>", "IS DISTINCT FROM":
		if values[0].typ.Text == "LowCardinality" || values[0].typ.Text == "Tuple" {
			return i.fail("the result of %s over %s does not follow from the text", n.Text, values[0].typ.Text)
		}
		return value{simple("UInt8"), constants(values)}, true
	case "[]":
		return i.subscript(values)
	case "-":
		if len(values) == 1 {
			return i.ordinary(values, func(args []*ast.Node) *ast.Node {
				if a, ok := numeric(args[0]); ok {
					return negated(a)
				}
				if args[0].Text == "Decimal" {
					return args[0]
				}
				return nil
			}, "-")
		}
	}
	return i.arithmetic(n.Text, values)
}

func (i *inferrer) comparison(n *ast.Node, values []value) (value, bool) {
	for _, v := range values {
		if t := bare(v.typ); t.Text == "Tuple" || t.Text == "Dynamic" || t.Text == "Variant" || t.Text == "JSON" || t.Text == "Nothing" {
			return i.fail("the result of %s over %s does not follow from the text", n.Text, t.Text)
		}
	}
	switch n.Text {
	case "AND", "OR":
		return logical(values), true
	case "NOT":
		if bare(values[0].typ).Text == "Bool" {
			return ordinary(values, simple("Bool"))
		}
	}
	return ordinary(values, simple("UInt8"))
}

// logical is AND and OR: Bool where an argument is, Nullable where one is, and never LowCardinality.
func logical(values []value) value {
	result, nullable := "UInt8", false
	for _, v := range values {
		t := v.typ
		if t.Text == "LowCardinality" {
			t = t.Kids[0]
		}
		nullable = nullable || t.Text == "Nullable"
		if bare(t).Text == "Bool" {
			result = "Bool"
		}
	}
	t := simple(result)
	if nullable {
		t = wrap("Nullable", t)
	}
	return value{t, constants(values)}
}

func (i *inferrer) subscript(values []value) (value, bool) {
	switch t := values[0].typ; t.Text {
	case "Array":
		if index := bare(values[1].typ); values[1].typ.Text != "Nullable" && strings.Contains(index.Text, "Int") && values[1].typ.Text != "LowCardinality" {
			return value{t.Kids[0], constants(values)}, true
		}
	case "Map":
		if values[1].typ.Text != "Nullable" {
			return value{t.Kids[1], constants(values)}, true
		}
	}
	return i.fail("the result of [] over %s does not follow from the text", values[0].typ.Text)
}

// member is t.1 or (t).a.
func (i *inferrer) member(n *ast.Node) (value, bool) {
	v, ok := i.value(n.Kids[0])
	if !ok {
		return v, false
	}
	if t := tupleMember(v.typ, n.Kids[1]); t != nil {
		return value{t, v.constant}, true
	}
	return i.fail("the element .%s of a %s is not known", n.Kids[1].Text, v.typ.Text)
}

func tupleMember(t, index *ast.Node) *ast.Node {
	if t.Text != "Tuple" {
		return nil
	}
	if index.Kind != ast.Number {
		return element(t, index.Text)
	}
	for k, e := range t.Kids {
		if ast.Compare(index, ast.N(ast.Number, decimal(k+1))) == ast.Same {
			if e.Kind == ast.NamedType {
				return e.Kids[0]
			}
			return e
		}
	}
	return nil
}

func (i *inferrer) arithmetic(op string, values []value) (value, bool) {
	if len(values) != 2 {
		return i.fail("the result of %s does not follow from the text", op)
	}
	return i.ordinary(values, func(args []*ast.Node) *ast.Node {
		a, aok := numeric(args[0])
		b, bok := numeric(args[1])
		switch {
		case aok && bok:
			return arithmetic(op, a, b)
		case args[0].Text == "Decimal" || args[1].Text == "Decimal":
			return decimals(op, args[0], args[1])
		}
		return temporal(op, args[0], args[1])
	}, op)
}

// temporal is + and - of dates, times and intervals.
func temporal(op string, a, b *ast.Node) *ast.Node {
	if op != "+" && op != "-" {
		return nil
	}
	if op == "+" && !isTime(a) {
		a, b = b, a
	}
	if !isTime(a) {
		return nil
	}
	unit, interval := strings.CutPrefix(b.Text, "Interval")
	n, isNumber := numeric(b)
	switch {
	case interval:
		switch unit {
		case "Day", "Week", "Month", "Quarter", "Year":
			return a
		case "Second", "Minute", "Hour":
			switch a.Text {
			case "Date":
				return simple("DateTime")
			case "DateTime", "DateTime64":
				return a
			}
		}
	case isNumber && !n.float && b.Text != "Bool":
		return a
	case op == "-" && a.Text == b.Text && (a.Text == "Date" || a.Text == "DateTime"):
		return simple("Int32")
	}
	return nil
}

func isTime(t *ast.Node) bool {
	switch t.Text {
	case "Date", "Date32", "DateTime", "DateTime64":
		return true
	}
	return false
}

func bare(t *ast.Node) *ast.Node {
	for t.Text == "Nullable" || t.Text == "LowCardinality" {
		t = t.Kids[0]
	}
	return t
}

// ordinary applies a function that handles Nullable and LowCardinality arguments the default way: the result is Nullable
// where an argument is, and LowCardinality where the only argument that is no constant is.
func (i *inferrer) ordinary(values []value, result func([]*ast.Node) *ast.Node, name string) (value, bool) {
	args := make([]*ast.Node, len(values))
	for k, v := range values {
		args[k] = bare(v.typ)
		if args[k].Text == "Nothing" {
			return i.fail("the result of %s over NULL does not follow from the text", name)
		}
	}
	t := result(args)
	if t == nil {
		names := make([]string, len(args))
		for k, a := range args {
			names[k] = a.Text
		}
		return i.fail("the result of %s over %s does not follow from the text", name, strings.Join(names, ", "))
	}
	return ordinary(values, t)
}

func ordinary(values []value, result *ast.Node) (value, bool) {
	nullable, low, plain := false, 0, 0
	for _, v := range values {
		t := v.typ
		isLow := t.Text == "LowCardinality"
		if isLow {
			t = t.Kids[0]
		}
		nullable = nullable || t.Text == "Nullable"
		switch {
		case v.constant:
		case isLow:
			low++
		default:
			plain++
		}
	}
	if nullable && result.Text != "Nullable" && result.Text != "Array" && result.Text != "Map" {
		result = wrap("Nullable", result)
	}
	if low == 1 && plain == 0 && dictionaryType(bare(result)) && result.Text != "LowCardinality" {
		result = wrap("LowCardinality", result)
	}
	return value{result, constants(values)}, true
}

// dictionaryType reports whether LowCardinality may hold the type.
func dictionaryType(t *ast.Node) bool {
	if _, ok := numeric(t); ok {
		return true
	}
	switch t.Text {
	case "String", "FixedString", "Date", "Date32", "DateTime", "UUID", "IPv4", "IPv6":
		return true
	}
	return strings.HasPrefix(t.Text, "Interval")
}
