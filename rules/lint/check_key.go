package lint

import (
	"fmt"

	"github.com/dfe-engine/dfe/ast"
)

func keyChecks() []Check {
	return []Check{
		{Code: "DFE201", Title: "a Nullable column in a key", Severity: Error, table: nullableKey},
		{Code: "DFE202", Title: "a floating-point column in a key", Severity: Warning, table: floatKey},
		{Code: "DFE203", Title: "a unique column before coarse ones in the sorting key", Severity: Warning, table: uniqueFirst},
		{Code: "DFE204", Title: "a time before coarse columns in the sorting key", Severity: Warning, table: timeFirst},
		{Code: "DFE205", Title: "a MergeTree table without an order", Severity: Note, table: noOrder},
	}
}

// nullableKey: the server refuses it with error 44 unless allow_nullable_key is set (measured on 26.7).
func nullableKey(t *table) {
	if !t.merges || t.isOn("allow_nullable_key") {
		return
	}
	for _, key := range [][]element{t.sorting, t.partition} {
		for _, e := range key {
			if typ := t.types[e.column]; e.column != "" && typ.nullable {
				t.report(e.path, e.node, fmt.Sprintf("Key column %q is Nullable", e.column),
					"ClickHouse refuses a key that may hold NULL (error 44, allow_nullable_key is off), and with it allowed no comparison is left that reads the key alone.",
					"Make the column a plain type with a default that stands for absent, such as '' or 0.")
			}
		}
	}
}

// floatKey: a Float in PARTITION BY is refused (error 36); in a sorting key NaN and rounding make equal keys differ.
func floatKey(t *table) {
	if !t.merges {
		return
	}
	for _, key := range [][]element{t.sorting, t.partition} {
		for _, e := range key {
			if e.column != "" && t.types[e.column].isFloat() {
				t.report(e.path, e.node, fmt.Sprintf("Key column %q is a %s", e.column, t.types[e.column].name),
					"Two values that print the same may differ in their last bit, so that rows with one key are not found, merged or skipped as one; a partition key of this type is refused.",
					"Use an integer or a Decimal, or a rounded expression of the column.")
			}
		}
	}
}

// uniqueFirst judges by the types alone: a UUID has a value of its own in nearly every row.
func uniqueFirst(t *table) {
	if !t.merges || len(t.sorting) < 2 || t.types[t.sorting[0].column].name != "UUID" {
		return
	}
	first := t.sorting[0]
	for _, e := range t.sorting[1:] {
		if t.coarse(e) {
			t.report(first.path, first.node, fmt.Sprintf("The sorting key begins with the unique column %q", first.column),
				fmt.Sprintf("Behind a column that differs in nearly every row %q sorts nothing: a query that filters by it reads all of the table, and equal values do not lie together to compress.", e.column),
				fmt.Sprintf("Put the columns with few values first: (%s, ..., %s).", e.column, first.column))
			return
		}
	}
}

func timeFirst(t *table) {
	if !t.merges || len(t.sorting) < 2 || !t.types[t.sorting[0].column].isInstant() {
		return
	}
	first := t.sorting[0]
	for _, e := range t.sorting[1:] {
		if t.coarse(e) {
			t.report(first.path, first.node, fmt.Sprintf("The sorting key begins with the time %q, before %q", first.column, e.column),
				fmt.Sprintf("Nearly every row has a time of its own, so that %q behind it sorts nothing: a query for one %s reads everything of its time.", e.column, e.column),
				fmt.Sprintf("Put the columns with few values first, (%s, ..., %s), or a coarser time before them, such as toStartOfHour(%s).", e.column, first.column, first.column))
			return
		}
	}
}

// coarse reports a key element with few distinct values, by its type.
func (t *table) coarse(e element) bool { return e.column != "" && t.types[e.column].fewValues() }

func noOrder(t *table) {
	if t.merges && t.def.OrderBy != nil && len(t.sorting) == 0 {
		t.report(ast.Path{Part: "order_by"}, nil, "The table has no order",
			"Without a sorting key there is no primary index: every query reads every row, and nothing compresses by its neighbours. The key cannot be changed later.",
			"Sort by what queries filter by, the columns with few values first.")
	}
}
