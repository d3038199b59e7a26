package lint

import (
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// dataType is a data type without what wraps it.
type dataType struct {
	name           string // the family's own name: VARCHAR is String; empty where no type is written
	nullable       bool
	lowCardinality bool
	node           *ast.Node
}

// typeOf unwraps Nullable and LowCardinality.
func typeOf(n *ast.Node) dataType {
	var t dataType
	for n != nil && n.Kind == ast.Type {
		t.name, _ = facts.TypeName(n.Text)
		t.node = n
		switch {
		case t.name == "Nullable" && len(n.Kids) == 1:
			t.nullable = true
		case t.name == "LowCardinality" && len(n.Kids) == 1:
			t.lowCardinality = true
		default:
			return t
		}
		n = n.Kids[0]
	}
	return dataType{}
}

func (t dataType) isString() bool  { return t.name == "String" }
func (t dataType) isFloat() bool   { return strings.HasPrefix(t.name, "Float") || t.name == "BFloat16" }
func (t dataType) isEnum() bool    { return strings.HasPrefix(t.name, "Enum") }
func (t dataType) isDecimal() bool { return strings.HasPrefix(t.name, "Decimal") }
func (t dataType) isInteger() bool {
	return strings.HasPrefix(t.name, "Int") && t.name != "Interval" || strings.HasPrefix(t.name, "UInt")
}

// isInstant reports a point in time finer than a day.
func (t dataType) isInstant() bool {
	return t.name == "DateTime" || t.name == "DateTime64" || t.name == "DateTime32"
}

func (t dataType) isTime() bool { return t.isInstant() || t.name == "Date" || t.name == "Date32" }

// fewValues reports a type that by itself says that a column has few distinct values.
func (t dataType) fewValues() bool {
	return t.lowCardinality || t.isEnum() || t.name == "Bool" || t.name == "UInt8" || t.name == "Int8"
}

// size is how many bytes a value takes; 0 where that is not fixed or not known here.
func (t dataType) size() int {
	switch t.name {
	case "Bool", "Enum8":
		return 1
	case "Enum16", "Date", "BFloat16":
		return 2
	case "Date32", "DateTime", "DateTime32", "IPv4":
		return 4
	case "DateTime64":
		return 8
	case "UUID", "IPv6":
		return 16
	case "FixedString":
		return t.argument(0)
	case "Decimal", "Decimal32", "Decimal64", "Decimal128", "Decimal256":
		return t.decimalSize()
	}
	for _, prefix := range []string{"UInt", "Int", "Float"} {
		if bits, err := strconv.Atoi(strings.TrimPrefix(t.name, prefix)); err == nil && strings.HasPrefix(t.name, prefix) {
			return bits / 8
		}
	}
	return 0
}

// decimalSize follows DataTypesDecimal.h: 9, 18, 38 and 76 digits take 4, 8, 16 and 32 bytes.
func (t dataType) decimalSize() int {
	if bits, err := strconv.Atoi(strings.TrimPrefix(t.name, "Decimal")); err == nil {
		return bits / 8
	}
	switch precision := t.argument(0); {
	case precision == 0, precision > 38:
		return 0
	case precision <= 9:
		return 4
	case precision <= 18:
		return 8
	}
	return 16
}

// scale is how many digits a Decimal has behind the point; false where it is not written.
func (t dataType) scale() (int, bool) {
	i := 0
	if t.name == "Decimal" {
		i = 1
	}
	if t.node == nil || len(t.node.Kids) <= i {
		return 0, t.name == "Decimal" && t.node != nil && len(t.node.Kids) == 1
	}
	return t.argument(i), true
}

// argument is a whole number among the type's arguments; 0 where there is none.
func (t dataType) argument(i int) int {
	if t.node == nil || i >= len(t.node.Kids) || t.node.Kids[i].Kind != ast.Number {
		return 0
	}
	n, err := strconv.Atoi(t.node.Kids[i].Text)
	if err != nil {
		return 0
	}
	return n
}

// leaves calls f for each scalar type that a column of the type stores: the elements of arrays, maps, tuples and nested
// columns, and the dictionary of a LowCardinality.
func leaves(n *ast.Node, f func(dataType)) {
	t := typeOf(n)
	switch t.name {
	case "":
	case "Array", "Map", "Tuple", "Nested":
		for _, kid := range t.node.Kids {
			if kid.Kind == ast.NamedType {
				kid = kid.Kids[0]
			}
			leaves(kid, f)
		}
	case "SimpleAggregateFunction":
		if len(t.node.Kids) > 1 {
			leaves(t.node.Kids[len(t.node.Kids)-1], f)
		}
	default:
		f(t)
	}
}
