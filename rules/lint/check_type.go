package lint

import (
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

func typeChecks() []Check {
	return []Check{
		{Code: "DFE231", Title: "a String that a constraint limits to few values", Severity: Note, table: enumString},
		{Code: "DFE232", Title: "LowCardinality of what is no text", Severity: Error, table: lowCardinality},
		{Code: "DFE233", Title: "a table most of whose columns are Nullable", Severity: Note, table: muchNullable},
		{Code: "DFE234", Title: "a FixedString for text of other lengths", Severity: Warning, table: fixedString},
		{Code: "DFE235", Title: "a UUID kept as text", Severity: Note, table: uuidText},
		{Code: "DFE236", Title: "an IP address kept as text", Severity: Note, table: ipText},
		{Code: "DFE237", Title: "a time without a time zone", Severity: Note, table: noZone},
		{Code: "DFE243", Title: "LowCardinality of a UUID", Severity: Warning, table: lowCardinalityUUID},
	}
}

// enumString reads constraints column IN ('a', 'b', ...).
func enumString(t *table) {
	for _, c := range t.def.Constraints {
		if c.Expr == nil || c.Expr.Kind != ast.Operator || c.Expr.Text != "IN" || len(c.Expr.Kids) != 2 {
			continue
		}
		name, values := identifier(c.Expr.Kids[0]), c.Expr.Kids[1]
		typ := t.types[name]
		if !typ.isString() || typ.lowCardinality || values.Kind != ast.Tuple {
			continue
		}
		if slices.ContainsFunc(values.Kids, func(n *ast.Node) bool { return n.Kind != ast.String }) {
			continue
		}
		t.report(column(name, "type"), typ.node, fmt.Sprintf("%q is a String of %d values", name, len(values.Kids)),
			fmt.Sprintf("Constraint %q holds it to a list, so that every row repeats one of a few words; kept as numbers they take a byte, and comparing them is comparing numbers.", c.Name),
			"Make it an Enum8 of these values, which needs no constraint, or LowCardinality(String) where the list grows.")
	}
}

// lowCardinality: numbers, dates and addresses are refused with error 455, the rest with error 43.
func lowCardinality(t *table) {
	t.lowCardinalities(func(c *ast.Column, typ dataType) {
		if typ.isString() || typ.name == "FixedString" || typ.name == "UUID" || typ.name == "" {
			return
		}
		t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("LowCardinality(%s) on %q", typ.name, c.Name),
			"ClickHouse refuses it (error 455 or 43): a dictionary of values as small as its own indexes saves nothing and costs a look-up for each row.",
			fmt.Sprintf("Write %s alone; a codec such as T64 or ZSTD does better.", typ.name))
	})
}

func lowCardinalityUUID(t *table) {
	t.lowCardinalities(func(c *ast.Column, typ dataType) {
		if typ.name == "UUID" {
			t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("LowCardinality(UUID) on %q", c.Name),
				"A UUID has a value of its own in nearly every row: the dictionary grows as large as the column and every read goes through it.", "Write UUID alone.")
		}
	})
}

// lowCardinalities calls f for every LowCardinality in the columns' types.
func (t *table) lowCardinalities(f func(*ast.Column, dataType)) {
	for _, c := range t.def.Columns {
		leaves(c.Type, func(typ dataType) {
			if typ.lowCardinality {
				f(c, typ)
			}
		})
	}
}

// muchNullable: half the columns and at least four of them.
func muchNullable(t *table) {
	const least = 4
	var names []string
	for _, c := range t.def.Columns {
		if t.types[c.Name].nullable {
			names = append(names, c.Name)
		}
	}
	if !t.merges || len(names) < least || 2*len(names) <= len(t.def.Columns) {
		return
	}
	first := t.def.Column(names[0])
	t.report(column(first.Name, "type"), first.Type, fmt.Sprintf("%d of %d columns are Nullable", len(names), len(t.def.Columns)),
		fmt.Sprintf("Each keeps a second file of NULL marks, which every read opens and every function looks at; %s have it.", list(names)),
		"Keep Nullable for columns where absent and the default mean different things; elsewhere let '', 0 or a default stand for absent.")
}

func fixedString(t *table) {
	for _, c := range t.def.Columns {
		typ := t.types[c.Name]
		n := typ.argument(0)
		if typ.name != "FixedString" || n == 0 {
			continue
		}
		const remedy = "Write String, or LowCardinality(String) where values repeat; FixedString is for bytes of one length, such as hashes."
		value, isText := isDefaultLiteral(c)
		switch {
		case n > 256:
			t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("%q is a FixedString of %d bytes", c.Name, n),
				"ClickHouse refuses more than 256 bytes (error 44): every row would take them, however short its text.", remedy)
		case isText && value != "" && len(value) != n:
			t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("%q holds text of other lengths than %d bytes", c.Name, n),
				fmt.Sprintf("Its own default has %d bytes. A shorter text is filled with zero bytes, which come back with every value and make it unequal to the text that went in; a longer one is refused.", len(value)), remedy)
		}
	}
}

// uuidMakers are functions that return a UUID.
var uuidMakers = []string{"generateuuidv4", "generateuuidv7", "touuid", "datetimetouuidv7"}

func uuidText(t *table) {
	for _, c := range t.def.Columns {
		typ := t.types[c.Name]
		if !typ.isString() && (typ.name != "FixedString" || typ.argument(0) != 36) || typ.lowCardinality {
			continue
		}
		made := false
		c.Default.Walk(func(n *ast.Node) bool {
			name, _ := call(n)
			made = made || slices.Contains(uuidMakers, name)
			return !made
		})
		if !made && !hasSuffixFold(c.Name, "_uuid") {
			continue
		}
		t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("%q holds a UUID as text", c.Name),
			"The text of a UUID takes 37 bytes and compresses badly; the type takes 16, compares as two numbers and reads and prints the same text.",
			"Write UUID, with generateUUIDv4() or generateUUIDv7() as its default and no toString.")
	}
}

func ipText(t *table) {
	for _, c := range t.def.Columns {
		typ := t.types[c.Name]
		if !typ.isString() || typ.lowCardinality || !hasSuffixFold(c.Name, "_ip", "_ipv4", "_ipv6", "_ip_address") {
			continue
		}
		t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("%q holds an IP address as text", c.Name),
			"As text an address takes up to 40 bytes, sorts by its digits and is in no network; IPv4 takes 4 bytes and IPv6 16, both read and print the text.",
			"Write IPv6, which holds IPv4 addresses as well (::ffff:192.0.2.1), or IPv4 where there are no others.")
	}
}

// noZone looks at columns of tables alone: a view has the zones of what it reads.
func noZone(t *table) {
	for _, c := range t.def.Columns {
		leaves(c.Type, func(typ dataType) {
			zone := 0
			if typ.name == "DateTime64" {
				zone = 1
			}
			if !typ.isInstant() || len(typ.node.Kids) > zone {
				return
			}
			remedy := "DateTime('UTC')"
			if typ.name == "DateTime64" {
				remedy = fmt.Sprintf("DateTime64(%d, 'UTC')", max(typ.argument(0), 3))
				if typ.argument(0) > 0 {
					remedy = fmt.Sprintf("DateTime64(%d, 'UTC')", typ.argument(0))
				}
			}
			t.report(column(c.Name, "type"), typ.node, fmt.Sprintf("%q has no time zone", c.Name),
				"Text is read and printed, and days begin, in the time zone of whatever server or session there is: the same insert stores another instant elsewhere, and toDate gives another day.",
				fmt.Sprintf("State the zone: %s.", remedy))
		})
	}
}
