package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// proofNote says what a proof cannot promise.
const proofNote = "rows written while the statement runs are not covered by the proof"

// proofQuery counts the rows whose value the new type cannot keep. It is asked of one member at a time.
func proofQuery(table ast.Name, column string, live, desired *ast.Node) string {
	return fmt.Sprintf("SELECT count() FROM %s WHERE %s", table.SQL(), lossCondition(ast.QuoteIdent(column), live, desired))
}

// showQuery lists such values, for a person to run who may see them.
func showQuery(table ast.Name, column string, live, desired *ast.Node) string {
	c := ast.QuoteIdent(column)
	return fmt.Sprintf("SELECT %s, count() FROM %s WHERE %s GROUP BY %s LIMIT 10", c, table.SQL(), lossCondition(c, live, desired), c)
}

// lossCondition is true of a row whose value is lost, never NULL.
//
// A value is kept when cast there and back it is the same, byte for byte: an instant of an hour that a time zone has
// twice differs though its text does not, and NaN is itself. accurateCastOrNull makes a value that does not fit NULL
// where a cast would wrap it (case S31) or fail the whole query.
func lossCondition(c string, live, desired *ast.Node) string {
	from, fromNull := bare(live)
	to, toNull := bare(desired)
	var lost []string
	if fromNull && !toNull {
		lost = append(lost, c+" IS NULL")
	}
	switch {
	case isEnum(from) && isEnum(to):
		if gone := named(c, enumMissing(from, to)); gone != "" {
			lost = append(lost, gone)
		}
	case isEnum(to):
		lost = append(lost, notInEnum(c, from, to))
	case from.Text == "DateTime64" && to.Text == "DateTime64" && timeScale(to) == 9:
		lost = append(lost, beyondNanoseconds(c))
	case lossless(from, to) == rulelang.True:
	case from.Text == "String" && to.Text == "FixedString":
		lost = append(lost, fmt.Sprintf("ifNull(length(%s) != %s OR endsWith(%s, char(0)), 0)", c, to.Kids[0], c))
	case from.Text == "FixedString" && to.Text == "String":
		lost = append(lost, fmt.Sprintf("ifNull(endsWith(%s, char(0)), 0)", c))
	case composite(from) || composite(to):
		lost = append(lost, differs(fmt.Sprintf("CAST(CAST(%s, %s), %s)", c, ast.QuoteString(desired.String()), ast.QuoteString(live.String())), c))
	default:
		back := fmt.Sprintf("accurateCastOrNull(accurateCastOrNull(%s, %s), %s)", c, ast.QuoteString(to.String()), ast.QuoteString(from.String()))
		was := fmt.Sprintf("CAST(%s, %s)", c, ast.QuoteString("Nullable("+from.String()+")"))
		lost = append(lost, fmt.Sprintf("(%s IS NOT NULL AND %s)", c, differs(back, was)))
	}
	if len(lost) == 0 {
		return "0"
	}
	return strings.Join(lost, " OR ")
}

// castQuery counts the rows that the cast of the ALTER itself fails on; "" where the types show that there is none. Such a
// row is no loss that could be accepted: the server takes the type at once, and from then on the column cannot be read, and
// a mutation fails for ever where one is needed.
func castQuery(table ast.Name, column string, live, desired *ast.Node) string {
	condition, counted := castFails(ast.QuoteIdent(column), live, desired)
	switch {
	case !counted:
		// In a WHERE the cast would never be evaluated.
		return fmt.Sprintf("SELECT countIf(ignore(CAST(%s, %s))) FROM %s", ast.QuoteIdent(column), ast.QuoteString(desired.String()), table.SQL())
	case condition == "":
		return ""
	}
	return fmt.Sprintf("SELECT count() FROM %s WHERE %s", table.SQL(), condition)
}

// castShowQuery lists the values that the cast fails on; where they cannot be counted it is the cast of them all.
func castShowQuery(table ast.Name, column string, live, desired *ast.Node) string {
	c := ast.QuoteIdent(column)
	condition, counted := castFails(c, live, desired)
	if !counted {
		return fmt.Sprintf("SELECT %s, CAST(%s, %s) FROM %s", c, c, ast.QuoteString(desired.String()), table.SQL())
	}
	return fmt.Sprintf("SELECT %s, count() FROM %s WHERE %s GROUP BY %s LIMIT 10", c, table.SQL(), condition, c)
}

// castFails is true of a row whose value makes a CAST fail, which wraps, rounds and saturates what it can (measured on
// 26.7.2). It is empty where no value does. counted is false where one failing value fails every query over the rows.
func castFails(c string, live, desired *ast.Node) (condition string, counted bool) {
	from, _ := bare(live)
	to, nullable := bare(desired)
	number, wide := numberOf(to), numberOf(from)
	integer := number.known && !number.decimal && !number.float
	text := from.Text == "String" || from.Text == "FixedString"
	fits := func(t string) string {
		return fmt.Sprintf("%s IS NOT NULL AND accurateCastOrNull(%s, %s) IS NULL", c, c, ast.QuoteString(t))
	}
	switch {
	case composite(from) || composite(to) || from.Text == "FixedString" && to.Text == "FixedString":
		return "", false
	case isEnum(from) && isEnum(to):
		// A number that the other enum gives another name reads as that: a loss. One that it lacks cannot be read at all.
		return named(c, slices.DeleteFunc(enumMissing(from, to), func(m *ast.Node) bool { return hasNumber(to, m) })), true
	case isEnum(to):
		return notInEnum(c, from, to), true
	case to.Text == "String" || from.Text == "Bool":
		return "", true
	case text && nullable && to.Text != "Bool":
		return "", true // a text that cannot be read becomes NULL
	case from.Text == "String" && to.Text == "FixedString":
		return fmt.Sprintf("ifNull(length(%s) > %s, 0)", c, to.Kids[0]), true
	case text && integer && number.signed:
		return fits("Int256"), true // a number that is too large wraps
	case text && integer:
		return fits("UInt256"), true
	case text, number.decimal, wide.decimal && integer:
		return fits(to.String()), true
	case wide.float && integer:
		return fmt.Sprintf("ifNull(NOT isFinite(%s), 0)", c), true
	case from.Text == "DateTime64" && to.Text == "DateTime64" && timeScale(to) == 9:
		return beyondNanoseconds(c), true
	case wide.known && (number.known || to.Text == "Bool"), isTime(from) && isTime(to):
		return "", true
	}
	return "", false
}

// named is true of a row whose value is one of these of an enum; "" where there are none.
func named(c string, values []*ast.Node) string {
	if len(values) == 0 {
		return ""
	}
	names := make([]string, len(values))
	for i, m := range values {
		names[i] = ast.QuoteString(m.Text)
	}
	return fmt.Sprintf("toString(%s) IN (%s)", c, strings.Join(names, ", "))
}

// hasNumber reports whether an enum has a value of the same number, whatever its name.
func hasNumber(enum, value *ast.Node) bool {
	return slices.ContainsFunc(enum.Kids, func(kid *ast.Node) bool {
		return len(kid.Kids) == 1 && len(value.Kids) == 1 && kid.Kids[0].String() == value.Kids[0].String()
	})
}

// notInEnum is true of a name or a number that the enum has not: a cast fails the whole query at one.
func notInEnum(c string, from, to *ast.Node) string {
	return fmt.Sprintf("(%s IS NOT NULL AND %s NOT IN (%s))", c, c, enumValues(to, from.Text == "String" || from.Text == "FixedString"))
}

// beyondNanoseconds is true of an instant at which a cast to nanoseconds overflows and fails the whole query.
func beyondNanoseconds(c string) string {
	return fmt.Sprintf("(%s < toDateTime64('1900-01-01 00:00:00', 3, 'UTC') OR %s > toDateTime64('2262-04-11 00:00:00', 3, 'UTC'))", c, c)
}

// differs compares two values of one type by what is stored.
func differs(a, b string) string {
	return fmt.Sprintf("formatRow('RowBinary', %s) != formatRow('RowBinary', %s)", a, b)
}

// enumValues lists the names of an enum, or its numbers.
func enumValues(enum *ast.Node, names bool) string {
	values := make([]string, 0, len(enum.Kids))
	for _, kid := range enum.Kids {
		switch {
		case names:
			values = append(values, ast.QuoteString(kid.Text))
		case len(kid.Kids) == 1:
			values = append(values, kid.Kids[0].String())
		}
	}
	return strings.Join(values, ", ")
}

// bare strips LowCardinality and Nullable off a type and says whether NULL was one of its values.
func bare(t *ast.Node) (*ast.Node, bool) {
	if inner, ok := unwrap(t, "LowCardinality"); ok {
		t = inner
	}
	return unwrap(t, "Nullable")
}
