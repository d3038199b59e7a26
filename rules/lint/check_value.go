package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func valueChecks() []Check {
	return []Check{
		{Code: "DFE238", Title: "a Decimal default with more digits than its scale", Severity: Warning, table: decimalDefault},
		{Code: "DFE239", Title: "money in a floating-point column", Severity: Note, table: floatMoney},
		{Code: "DFE240", Title: "an Enum whose default is not what it seems", Severity: Warning, table: enumDefault},
	}
}

// decimalDefault: 26.7 takes DEFAULT 0.125 of a Decimal(12, 2) and stores 0.12 (measured).
func decimalDefault(t *table) {
	for _, c := range t.def.Columns {
		typ := t.types[c.Name]
		scale, known := typ.scale()
		if !typ.isDecimal() || !known {
			continue
		}
		value := strings.TrimPrefix(literal(c.Default), "-")
		_, behind, _ := strings.Cut(value, ".")
		behind = strings.TrimRight(behind, "0")
		if _, err := strconv.ParseFloat(value, 64); err != nil || strings.ContainsAny(value, "eExX_") || len(behind) <= scale {
			continue
		}
		t.report(column(c.Name, "default"), c.Default, fmt.Sprintf("The default of %q has %d digits behind the point, the type %d", c.Name, len(behind), scale),
			"ClickHouse cuts off the digits that do not fit and says nothing: the stored default is another number.",
			"Give the type a scale that holds the default, or the default no more digits.")
	}
}

var moneyNames = []string{"_price", "_usd", "_eur", "_gbp", "_amount_usd", "_amount_eur"}

func floatMoney(t *table) {
	for _, c := range t.def.Columns {
		if typ := t.types[c.Name]; typ.isFloat() && hasSuffixFold(c.Name, moneyNames...) {
			t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("%q is money in a %s", c.Name, typ.name),
				"Most amounts have no exact binary fraction: sums of many rows are off, and depend on the order in which parts were read.",
				"Use a Decimal, such as Decimal(18, 2), or an integer of the smallest unit.")
		}
	}
}

// enumValues reads the elements of an Enum with their numbers; false where some cannot be read.
func enumValues(typ dataType) (names []string, numbers []int, ok bool) {
	next := 1
	for _, kid := range typ.node.Kids {
		switch {
		case kid.Kind == ast.String:
			names, numbers = append(names, kid.Text), append(numbers, next)
		case kid.Kind == ast.Equals && len(kid.Kids) == 1:
			n, err := strconv.Atoi(literal(kid.Kids[0]))
			if err != nil {
				return nil, nil, false
			}
			names, numbers = append(names, kid.Text), append(numbers, n)
			next = n
		default:
			return nil, nil, false
		}
		next++
	}
	return names, numbers, len(names) > 0
}

// enumDefault: a row that does not say gets the smallest number (measured on 26.7: 'err' = -1 before 'ok' = 0); a default
// that is no element is refused (error 691).
func enumDefault(t *table) {
	for _, c := range t.def.Columns {
		typ := t.types[c.Name]
		if !typ.isEnum() || typ.nullable {
			continue
		}
		names, numbers, ok := enumValues(typ)
		if !ok {
			continue
		}
		value, isText := isDefaultLiteral(c)
		lowest := slices.Index(numbers, slices.Min(numbers))
		switch {
		case isText && !slices.Contains(names, value):
			t.report(column(c.Name, "default"), c.Default, fmt.Sprintf("The default of %q is none of its elements", c.Name),
				fmt.Sprintf("%q is not in the Enum, and ClickHouse refuses the column (error 691).", value),
				fmt.Sprintf("Use one of %s, or add the element.", list(names)))
		case c.Default == nil && numbers[lowest] < 0 && slices.Contains(numbers, 0):
			zero := names[slices.Index(numbers, 0)]
			t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("Rows that do not say are %q, not %q", names[lowest], zero),
				fmt.Sprintf("Without a default a missing value is the element with the smallest number, %d, and not the one with 0.", numbers[lowest]),
				fmt.Sprintf("State the default, as in default = \"'%s'\".", zero))
		}
	}
}
