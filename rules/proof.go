package rules

import (
	"fmt"
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
		if missing := enumMissing(from, to); len(missing) > 0 {
			names := make([]string, len(missing))
			for i, m := range missing {
				names[i] = ast.QuoteString(m.Text)
			}
			lost = append(lost, fmt.Sprintf("toString(%s) IN (%s)", c, strings.Join(names, ", ")))
		}
	case isEnum(to):
		// A cast to an enum fails the whole query at a value it does not have.
		lost = append(lost, fmt.Sprintf("(%s IS NOT NULL AND %s NOT IN (%s))", c, c, enumValues(to, from.Text == "String" || from.Text == "FixedString")))
	case from.Text == "DateTime64" && to.Text == "DateTime64" && timeScale(to) == 9:
		// Beyond the range of nanoseconds the cast overflows and fails the whole query.
		lost = append(lost, fmt.Sprintf("(%s < toDateTime64('1900-01-01 00:00:00', 3, 'UTC') OR %s > toDateTime64('2262-04-11 00:00:00', 3, 'UTC'))", c, c))
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
