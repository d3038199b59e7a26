package infer

import (
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// num is a numeric type of at most 8 bytes.
type num struct {
	signed, float bool
	size          int // bytes
}

func numeric(t *ast.Node) (num, bool) {
	switch t.Text {
	case "Bool":
		return num{size: 1}, true
	case "Float32":
		return num{signed: true, float: true, size: 4}, true
	case "Float64":
		return num{signed: true, float: true, size: 8}, true
	}
	signed := strings.HasPrefix(t.Text, "Int")
	digits, ok := strings.CutPrefix(strings.TrimPrefix(t.Text, "U"), "Int")
	if !ok || len(t.Kids) > 0 {
		return num{}, false
	}
	bits, err := strconv.Atoi(digits)
	if err != nil || bits > 64 {
		return num{}, false
	}
	return num{signed: signed, size: bits / 8}, true
}

func (n num) typ() *ast.Node {
	bits := strconv.Itoa(n.size * 8)
	switch {
	case n.float:
		return simple("Float" + strconv.Itoa(max(n.size, 4)*8))
	case n.signed:
		return simple("Int" + bits)
	}
	return simple("UInt" + bits)
}

func next(size int) int { return min(size*2, 8) }

// arithmetic is NumberTraits.h: what +, -, *, /, %, intDiv and the bit functions make of two numbers.
func arithmetic(op string, a, b num) *ast.Node {
	signed, float := a.signed || b.signed, a.float || b.float
	switch op {
	case "+", "*":
		return num{signed, float, next(max(a.size, b.size))}.typ()
	case "-":
		return num{true, float, next(max(a.size, b.size))}.typ()
	case "/":
		return simple("Float64")
	case "intDiv":
		if float {
			return nil
		}
		return num{signed, false, a.size}.typ()
	case "%":
		if float {
			return simple("Float64")
		}
		size := b.size
		if a.signed {
			size = next(size)
		}
		return num{a.signed, false, size}.typ()
	case "bitAnd", "bitOr", "bitXor":
		if float {
			return nil
		}
		return num{signed, false, max(a.size, b.size)}.typ()
	}
	return nil
}

func negated(a num) *ast.Node {
	if !a.signed {
		a.size = next(a.size)
	}
	a.signed = true
	return a.typ()
}

// supertype is getLeastSupertype.cpp, for what the text determines; nil where it does not.
func supertype(list []*ast.Node) *ast.Node {
	nullable := false
	var bare []*ast.Node
	for _, t := range list {
		if t.Text == "Nullable" {
			nullable = true
			t = t.Kids[0]
		}
		if t.Text == "LowCardinality" {
			return same(list)
		}
		if t.Text != "Nothing" {
			bare = append(bare, t)
		}
	}
	result := simple("Nothing")
	if len(bare) > 0 {
		if result = common(bare); result == nil {
			return nil
		}
	}
	if nullable {
		switch result.Text {
		case "Array", "Map", "Tuple", "Variant", "Dynamic", "JSON":
			return nil
		}
		return wrap("Nullable", result)
	}
	return result
}

func same(list []*ast.Node) *ast.Node {
	for _, t := range list[1:] {
		if ast.Compare(t, list[0]) != ast.Same {
			return nil
		}
	}
	return list[0]
}

func common(list []*ast.Node) *ast.Node {
	if t := same(list); t != nil {
		return t
	}
	if list[0].Text == "Array" {
		elements := make([]*ast.Node, len(list))
		for i, t := range list {
			if t.Text != "Array" {
				return nil
			}
			elements[i] = t.Kids[0]
		}
		if t := supertype(elements); t != nil {
			return wrap("Array", t)
		}
		return nil
	}
	return commonNumber(list)
}

func commonNumber(list []*ast.Node) *ast.Node {
	var unsigned, signed, mantissa int // the most bits of each
	for _, t := range list {
		n, ok := numeric(t)
		switch {
		case !ok || t.Text == "Bool":
			return nil
		case n.float:
			mantissa = max(mantissa, map[int]int{4: 24, 8: 53}[n.size])
		case n.signed:
			signed = max(signed, n.size*8)
		default:
			unsigned = max(unsigned, n.size*8)
		}
	}
	bits := max(signed, unsigned)
	if signed > 0 && unsigned >= signed {
		bits++ // UInt8 and Int8 need a ninth
	}
	switch {
	case mantissa > 0 && max(bits, mantissa) <= 24:
		return simple("Float32")
	case mantissa > 0 && max(bits, mantissa) <= 53:
		return simple("Float64")
	case mantissa > 0 || bits > 64:
		return nil
	}
	size := 1
	for size*8 < bits {
		size *= 2
	}
	return num{signed: signed > 0, size: size}.typ()
}
