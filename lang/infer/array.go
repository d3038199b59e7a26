package infer

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// overArrays is a function of a lambda and arrays: arrayMap(x -> x + 1, list).
func (i *inferrer) overArrays(n *ast.Node) (value, bool) {
	lambda := n.Kids[0]
	arrays, ok := i.values(n.Kids[1:])
	if !ok {
		return value{}, false
	}
	parameters := lambda.Kids[:len(lambda.Kids)-1]
	if len(parameters) != len(arrays) {
		return i.fail("the lambda of %s does not take its arrays one by one", n.Text)
	}
	inner := &inferrer{scope: i.scope, local: map[string]*ast.Node{}}
	for name, t := range i.local {
		inner.local[name] = t
	}
	for k, p := range parameters {
		if arrays[k].typ.Text != "Array" {
			return i.fail("%s over %s does not follow from the text", n.Text, arrays[k].typ.Text)
		}
		inner.local[p.Text] = arrays[k].typ.Kids[0]
	}
	body, ok := inner.value(lambda.Kids[len(parameters)])
	if !ok {
		return i.fail("%s", inner.reason)
	}
	constant := constants(arrays)
	switch n.Text {
	case "arrayMap":
		return value{wrap("Array", body.typ), constant}, true
	case "arrayFilter", "arraySort", "arrayReverseSort":
		return value{arrays[0].typ, constant}, true
	case "arrayExists", "arrayAll":
		return value{simple("UInt8"), constant}, true
	case "arraySum":
		if t := sumOf(body.typ); t != nil {
			return value{t, constant}, true
		}
	}
	return i.fail("the result type of %s does not follow from the text", n.Text)
}

// sumOf is the type arraySum adds in.
func sumOf(t *ast.Node) *ast.Node {
	n, ok := numeric(t)
	switch {
	case !ok:
		return nil
	case n.float:
		return simple("Float64")
	case n.signed:
		return simple("Int64")
	}
	return simple("UInt64")
}

// choosing are functions that give back one of their arguments, or round one.
func (i *inferrer) choosing(n *ast.Node, values []value) (value, bool) {
	first := values[0].typ
	for _, v := range values {
		if v.typ.Text == "LowCardinality" {
			return i.fail("the result of %s over LowCardinality does not follow from the text", n.Text)
		}
	}
	switch n.Text {
	case "coalesce":
		if t := coalesced(values); t != nil {
			return value{t, constants(values)}, true
		}
	case "arraySum":
		if len(values) == 1 && first.Text == "Array" {
			if t := sumOf(first.Kids[0]); t != nil {
				return value{t, values[0].constant}, true
			}
		}
	case "arrayJoin":
		if first.Text == "Array" {
			return value{typ: first.Kids[0]}, true
		}
	case "has":
		if first.Text == "Array" && values[1].typ.Text != "Nullable" && len(values) == 2 {
			return value{simple("UInt8"), constants(values)}, true
		}
	case "round", "floor", "ceil", "trunc":
		if a, ok := numeric(first); ok && first.Text != "Bool" && (a.float || len(values) == 1) {
			return ordinary(values, first)
		}
	case "toStartOfInterval":
		if len(values) == 2 && (first.Text == "DateTime" || first.Text == "Date") {
			if t := startOfInterval(first, strings.TrimPrefix(values[1].typ.Text, "Interval")); t != nil {
				return ordinary(values, t)
			}
		}
	}
	return i.fail("the result type of %s does not follow from the text", n.Text)
}

func startOfInterval(from *ast.Node, unit string) *ast.Node {
	switch unit {
	case "Second", "Minute", "Hour":
		if from.Text == "DateTime" {
			return from
		}
	case "Week", "Month", "Quarter", "Year":
		return simple("Date")
	}
	return nil
}

// coalesced: the first argument that cannot be NULL ends the list.
func coalesced(values []value) *ast.Node {
	var list []*ast.Node
	for _, v := range values {
		if v.typ.Text != "Nullable" {
			list = append(list, v.typ)
			break
		}
		if v.typ.Kids[0].Text != "Nothing" {
			list = append(list, v.typ)
		}
	}
	if len(list) == 0 {
		return nil
	}
	t := supertype(list)
	if t != nil && t.Text == "Nullable" && list[len(list)-1].Text != "Nullable" {
		return t.Kids[0]
	}
	return t
}
