package rules

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// proofNote says what a proof cannot promise.
const proofNote = "rows written while the statement runs are not covered by the proof"

// proofQuery is the query that finds what a type change would lose: one row with the number of rows whose value the
// new type cannot keep, and up to ten of those values as text. It is asked of one member at a time.
//
// A value is kept when cast there and back it reads the same. The text of the two is compared and not the values, so
// that NaN equals itself; accurateCastOrNull makes a value that does not fit NULL where a cast would wrap it (case S31)
// or fail the whole query.
func proofQuery(table ast.Name, column string, live, desired *ast.Node) string {
	c := ast.QuoteIdent(column)
	return fmt.Sprintf("SELECT count(), groupUniqArray(10)(toString(%s)) FROM %s WHERE %s", c, table.SQL(), lossCondition(c, live, desired))
}

// lossCondition is true of a row whose value is lost.
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
	case composite(from) || composite(to):
		lost = append(lost, fmt.Sprintf("toString(CAST(CAST(%s, %s), %s)) != toString(%s)", c,
			ast.QuoteString(desired.String()), ast.QuoteString(live.String()), c))
	default:
		there := fmt.Sprintf("accurateCastOrNull(%s, %s)", c, ast.QuoteString(to.String()))
		back := fmt.Sprintf("toString(accurateCastOrNull(%s, %s))", there, ast.QuoteString(from.String()))
		lost = append(lost, fmt.Sprintf("(%s IS NOT NULL AND ifNull(%s != toString(%s), 1))", c, back, c))
	}
	if len(lost) == 0 {
		return "0"
	}
	return strings.Join(lost, " OR ")
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
