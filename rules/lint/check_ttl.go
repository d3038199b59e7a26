package lint

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func ttlChecks() []Check {
	return []Check{
		{Code: "DFE221", Title: "a table partitioned by time that keeps rows for ever", Severity: Note, table: noTTL},
		{Code: "DFE222", Title: "a TTL that rewrites parts it could drop", Severity: Warning, table: rewritingTTL},
		{Code: "DFE223", Title: "a TTL shorter than a partition", Severity: Warning, table: shortTTL},
		{Code: "DFE224", Title: "whole parts that never expire as a whole", Severity: Warning, table: wholePartsOfAll},
		{Code: "DFE225", Title: "a TTL on a key column", Severity: Error, table: keyTTL},
	}
}

func (t *table) timePartition() (e element, of string, u unit, ok bool) {
	for _, e := range t.partition {
		if of, u, ok := t.partitionUnit(e); ok {
			return e, of, u, true
		}
	}
	return element{}, "", unit{}, false
}

func noTTL(t *table) {
	if !t.merges || t.def.TTL != nil {
		return
	}
	for _, c := range t.def.Columns {
		if c.TTL != nil {
			return
		}
	}
	if e, of, u, ok := t.timePartition(); ok {
		t.report(e.path, e.node, fmt.Sprintf("Partitioned by the %s of %q, and nothing ever expires", u.name, of),
			"The table grows until its disk is full, and by then a TTL set on it has to be worked off against all old data at once.",
			fmt.Sprintf("State how long rows are kept: ttl = \"%s + INTERVAL 90 DAY\".", dated(t, of)))
	}
}

// dated is how a TTL mentions a column: those of a DateTime64 are commonly converted.
func dated(t *table, of string) string {
	if t.types[of].name == "DateTime64" {
		return "toDateTime(" + of + ")"
	}
	return of
}

func rewritingTTL(t *table) {
	of, hours, rule, ok := t.retention()
	if !t.merges || !ok || t.isOn("ttl_only_drop_parts") || len(t.partition) != 1 || len(t.def.TTL.Kids) != 1 {
		return
	}
	if _, by, u, ok := t.timePartition(); ok && by == of && u.hours <= hours {
		t.report(ast.Path{Part: "ttl"}, rule, "Expired rows are cut out of parts one by one",
			fmt.Sprintf("Partition and TTL go by %q both, so that whole parts expire together; without ttl_only_drop_parts ClickHouse still rewrites each part again and again to drop the rows that are due.", of),
			"Set ttl_only_drop_parts = 1: a part is dropped when its last row is due.")
	}
}

func shortTTL(t *table) {
	of, hours, rule, ok := t.retention()
	if !t.merges || !ok || !t.isOn("ttl_only_drop_parts") {
		return
	}
	if _, by, u, ok := t.timePartition(); ok && by == of && u.hours > hours {
		t.report(ast.Path{Part: "ttl"}, rule, fmt.Sprintf("Rows are kept for %s, partitions for a %s", spell(hours), u.name),
			fmt.Sprintf("With ttl_only_drop_parts a part goes when its newest row is due, and parts of a partition merge into one: rows stay up to a %s longer than the TTL says.", u.name),
			"Partition by a unit shorter than the TTL.")
	}
}

func wholePartsOfAll(t *table) {
	if _, _, rule, ok := t.retention(); t.merges && ok && t.isOn("ttl_only_drop_parts") && t.def.PartitionBy == nil {
		t.report(ast.Path{Part: "ttl"}, rule, "Parts are dropped as a whole, but nothing keeps old and new rows apart",
			"Without a partition key parts of all ages merge into ever larger ones, and one with a single new row keeps all its old rows.",
			"Partition by the time the TTL counts from, or leave ttl_only_drop_parts out.")
	}
}

// keyTTL: error 44 of 26.7, "Trying to set TTL for key column".
func keyTTL(t *table) {
	if !t.merges {
		return
	}
	keys := map[string]bool{}
	for _, e := range t.sorting {
		for _, name := range t.columnsIn(e.node) {
			keys[name] = true
		}
	}
	for _, e := range t.partition {
		for _, name := range t.columnsIn(e.node) {
			keys[name] = true
		}
	}
	for _, c := range t.def.Columns {
		if c.TTL != nil && keys[c.Name] {
			t.report(column(c.Name, "ttl"), c.TTL, fmt.Sprintf("Key column %q has a TTL", c.Name),
				"A TTL would put the default in its place and leave the part unsorted: ClickHouse refuses it (error 44).",
				"Take the TTL off the column; to drop whole rows, give the table one.")
		}
	}
}

// isDefaultLiteral reports a default that is a literal string.
func isDefaultLiteral(c *ast.Column) (string, bool) {
	n := c.Default
	for n != nil && n.Kind == ast.Paren {
		n = n.Kids[0]
	}
	if n == nil || n.Kind != ast.String || c.DefaultKind != ast.Default {
		return "", false
	}
	return n.Text, true
}

func hasSuffixFold(name string, suffixes ...string) bool {
	name = strings.ToLower(name)
	for _, s := range suffixes {
		if name == strings.TrimPrefix(s, "_") || strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}
