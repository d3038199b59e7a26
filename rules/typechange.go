package rules

import (
	"slices"
	"strconv"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// lossless says whether a type keeps every value of another: cast there and back each value is what it was, no two become
// one, and what is stored means the same. True or False where the types alone decide for every value the old type can
// hold, Ask where the data must. Types are canonical.
//
// What ClickHouse does with a value that does not fit is measured in cases S09 (an enum value removed: the table can
// no longer be read), S31 (a narrower integer wraps) and S32 (a NULL has nowhere to go); it accepts the first two
// without a word.
func lossless(live, desired *ast.Node) rulelang.Truth {
	if ast.Compare(live, desired) == ast.Same {
		return rulelang.True
	}
	if live == nil || desired == nil || live.Kind != ast.Type || desired.Kind != ast.Type {
		return rulelang.False
	}
	if inner, ok := unwrap(live, "LowCardinality"); ok {
		return lossless(inner, desired)
	}
	if inner, ok := unwrap(desired, "LowCardinality"); ok {
		return lossless(live, inner)
	}
	liveInner, liveNull := unwrap(live, "Nullable")
	desiredInner, desiredNull := unwrap(desired, "Nullable")
	if liveNull || desiredNull {
		answer := lossless(liveInner, desiredInner)
		if liveNull && !desiredNull {
			// NULLs, if there are any, would become the type's default.
			return min(answer, rulelang.Ask)
		}
		return answer
	}
	if answer, decided := losslessComposite(live, desired); decided {
		return answer
	}
	return losslessScalar(live, desired)
}

func unwrap(t *ast.Node, wrapper string) (*ast.Node, bool) {
	if t.Kind == ast.Type && t.Text == wrapper && len(t.Kids) == 1 {
		return t.Kids[0], true
	}
	return t, false
}

// losslessComposite decides the types that hold others. The second answer is false where neither type is one.
func losslessComposite(live, desired *ast.Node) (rulelang.Truth, bool) {
	switch {
	case live.Text == "Variant" && desired.Text == "Variant":
		for _, member := range live.Kids {
			if !slices.ContainsFunc(desired.Kids, func(d *ast.Node) bool { return ast.Compare(member, d) == ast.Same }) {
				return rulelang.False, true
			}
		}
		return rulelang.True, true
	case !composite(live) && !composite(desired):
		return rulelang.False, false
	case live.Text != desired.Text || len(live.Kids) != len(desired.Kids):
		return rulelang.False, true
	case live.Text == "Array" || live.Text == "Map" || live.Text == "Tuple" || live.Text == "Nested":
		answer := rulelang.True
		for i, kid := range live.Kids {
			answer = min(answer, losslessElement(kid, desired.Kids[i]))
			if padded(bareType(kid), bareType(desired.Kids[i])) {
				return rulelang.False, true // no way there and back shows it
			}
		}
		return answer, true
	default:
		// JSON, Dynamic, AggregateFunction and their like: what a cast of them keeps is not in the types, and it cannot
		// be asked of the data either, because their text form does not tell paths and states apart.
		return rulelang.False, true
	}
}

// bareType is the type of an element without its name, LowCardinality and Nullable.
func bareType(t *ast.Node) *ast.Node {
	if t.Kind == ast.NamedType {
		t = t.Kids[0]
	}
	t, _ = bare(t)
	return t
}

// padded reports a change to or from a FixedString, or of its length. Such a string is filled up with zero bytes, and a
// cast to String takes them off: 'ab' there and back is 'ab' although length() of it was 4 in between, and what ends in a
// zero byte of its own is cut.
func padded(live, desired *ast.Node) bool {
	return (live.Text == "FixedString" || desired.Text == "FixedString") && ast.Compare(live, desired) != ast.Same
}

func losslessElement(live, desired *ast.Node) rulelang.Truth {
	if live.Kind == ast.NamedType && desired.Kind == ast.NamedType {
		// A named tuple is cast by its names: an element of another name is lost.
		if live.Text != desired.Text {
			return rulelang.False
		}
		return lossless(live.Kids[0], desired.Kids[0])
	}
	return lossless(live, desired)
}

func composite(t *ast.Node) bool {
	switch t.Text {
	case "Array", "Map", "Tuple", "Nested", "Variant", "JSON", "Object", "Dynamic", "AggregateFunction", "SimpleAggregateFunction",
		"Point", "Ring", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "Geometry", "QBit":
		return true
	}
	return false
}

// losslessScalar decides types that hold no others.
func losslessScalar(live, desired *ast.Node) rulelang.Truth {
	from, to := numberOf(live), numberOf(desired)
	if from.known && to.known {
		return losslessNumber(from, to)
	}
	switch {
	case isEnum(live) && isEnum(desired):
		if missing := enumMissing(live, desired); len(missing) > 0 {
			return rulelang.Ask
		}
		return rulelang.True
	case isEnum(live):
		return rulelang.Answer(desired.Text == "String")
	case live.Text == "Bool":
		return rulelang.Answer(to.known && (!to.decimal || to.digits > 0) || desired.Text == "String")
	case padded(live, desired):
		// Between a String and a FixedString the length of each value tells.
		return min(rulelang.Ask, rulelang.Answer(live.Text == "String" || desired.Text == "String"))
	case desired.Text == "String":
		// Each of these prints as a text of its own, from which the value can be read back. A DateTime does not: an hour
		// that a time zone has twice prints the same twice.
		if from.known || live.Text == "UUID" || live.Text == "IPv4" || live.Text == "IPv6" || live.Text == "Date" || live.Text == "Date32" {
			return rulelang.True
		}
		return rulelang.Ask
	case isTime(live) && isTime(desired):
		return losslessTime(live, desired)
	case live.Text == "Nothing":
		return rulelang.True
	}
	return rulelang.Ask
}

// numeric is what a number type can hold.
type numeric struct {
	known, signed, float, decimal bool
	bits                          int // of an integer
	digits, scale                 int // integer digits that always fit, and digits after the point
	stored                        int // of a decimal: digits of the largest number it stores, the scale included
	mantissa                      int // of a float: integers up to 2^mantissa are exact
}

func numberOf(t *ast.Node) numeric {
	if len(t.Kids) == 0 {
		switch t.Text {
		case "Float32":
			return numeric{known: true, signed: true, float: true, mantissa: 24, bits: 32}
		case "Float64":
			return numeric{known: true, signed: true, float: true, mantissa: 53, bits: 64}
		case "BFloat16":
			return numeric{known: true, signed: true, float: true, mantissa: 8, bits: 16}
		case "Bool":
			return numeric{}
		}
		for prefix, signed := range map[string]bool{"Int": true, "UInt": false} {
			if len(t.Text) > len(prefix) && t.Text[:len(prefix)] == prefix {
				if bits, err := strconv.Atoi(t.Text[len(prefix):]); err == nil {
					return numeric{known: true, signed: signed, bits: bits, digits: integerDigits(bits, signed)}
				}
			}
		}
		return numeric{}
	}
	if t.Text == "Decimal" && len(t.Kids) == 2 {
		precision, err1 := strconv.Atoi(t.Kids[0].Text)
		scale, err2 := strconv.Atoi(t.Kids[1].Text)
		if err1 == nil && err2 == nil {
			return numeric{known: true, signed: true, decimal: true, digits: precision - scale, scale: scale,
				bits: decimalBits(precision), stored: integerDigits(decimalBits(precision), true)}
		}
	}
	return numeric{}
}

// decimalBits is the width of the integer a Decimal is stored as. All of it is used: a cast to Decimal(4, 2) takes 100000.
func decimalBits(precision int) int {
	switch {
	case precision <= 9:
		return 32
	case precision <= 18:
		return 64
	case precision <= 38:
		return 128
	}
	return 256
}

// integerDigits is how many decimal digits the largest value of an integer type has.
func integerDigits(bits int, signed bool) int {
	if signed {
		bits--
	}
	return int(float64(bits)*0.30103) + 1
}

func losslessNumber(from, to numeric) rulelang.Truth {
	switch {
	case from.float && to.float:
		if from.mantissa <= to.mantissa && from.bits <= to.bits {
			return rulelang.True
		}
	case from.float:
		return rulelang.Ask
	case to.float:
		width := from.bits
		if from.signed {
			width--
		}
		if !from.decimal && width <= to.mantissa {
			return rulelang.True
		}
	case from.decimal && to.decimal:
		// The number is multiplied where the scale grows, and has to fit then as large as it can be stored.
		fits := from.scale == to.scale || from.stored+to.scale-from.scale < to.stored
		if from.digits <= to.digits && from.scale <= to.scale && fits {
			return rulelang.True
		}
	case to.decimal:
		if from.digits <= to.digits {
			return rulelang.True
		}
	case from.decimal:
		if from.scale == 0 && to.signed && from.bits <= to.bits {
			return rulelang.True
		}
	case from.signed == to.signed && from.bits <= to.bits, !from.signed && to.signed && from.bits < to.bits:
		return rulelang.True
	}
	return rulelang.Ask
}

func isEnum(t *ast.Node) bool { return t.Text == "Enum8" || t.Text == "Enum16" || t.Text == "Enum" }

// enumMissing lists the values of one enum, names with their numbers, that another lacks. A name with another number
// is missing: the stored number would read as another name.
func enumMissing(live, desired *ast.Node) []*ast.Node {
	var missing []*ast.Node
	for _, value := range live.Kids {
		if !slices.ContainsFunc(desired.Kids, func(d *ast.Node) bool { return ast.Compare(value, d) == ast.Same }) {
			missing = append(missing, value)
		}
	}
	return missing
}

func isTime(t *ast.Node) bool {
	switch t.Text {
	case "Date", "Date32", "DateTime", "DateTime64":
		return true
	}
	return false
}

// losslessTime decides between the types of dates and times. A time zone is how an instant is shown, no part of it:
// between DateTimes it is metadata alone (case S05).
func losslessTime(live, desired *ast.Node) rulelang.Truth {
	switch live.Text + " " + desired.Text {
	case "Date Date32", "DateTime DateTime":
		return rulelang.True
	case "DateTime DateTime64":
		// 1970 to 2106 lies within what every scale holds (1900 to 2262 at the finest).
		return rulelang.True
	case "DateTime64 DateTime64":
		// The finest scale holds 1900 to 2262 alone, the others up to 2299.
		if from, to := timeScale(live), timeScale(desired); from <= to && (to < 9 || from == 9) {
			return rulelang.True
		}
	}
	return rulelang.Ask
}

func timeScale(t *ast.Node) int {
	if len(t.Kids) > 0 {
		if scale, err := strconv.Atoi(t.Kids[0].Text); err == nil {
			return scale
		}
	}
	return 3
}
