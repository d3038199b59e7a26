package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func partitionChecks() []Check {
	return []Check{
		{Code: "DFE211", Title: "a partition for every moment", Severity: Warning, table: finePartition},
		{Code: "DFE212", Title: "a partition for every value of a column with many", Severity: Warning, table: manyPartitions},
		{Code: "DFE213", Title: "more partitions than a table carries", Severity: Warning, table: longRetention},
		{Code: "DFE214", Title: "a partition key that keeps rows from merging", Severity: Warning, table: splitMerges},
	}
}

// maxPartitions is what ClickHouse's documentation advises to stay under ("Custom partitioning key": more than about a
// thousand partitions make inserts, selects and starts slow; max_partitions_per_insert_block is 100).
const maxPartitions = 1000

// unit is how much time one partition holds, in hours; for units of the calendar the shortest.
type unit struct {
	name  string
	hours float64
}

var partitionUnits = map[string]unit{
	"toyyyymmddhhmmss": {"second", 1. / 3600}, "tounixtimestamp": {"second", 1. / 3600}, "tostartofsecond": {"second", 1. / 3600},
	"tounixtimestamp64milli": {"millisecond", 0}, "tounixtimestamp64micro": {"microsecond", 0}, "tounixtimestamp64nano": {"nanosecond", 0},
	"tostartofminute": {"minute", 1. / 60}, "tostartoffiveminutes": {"five minutes", 5. / 60}, "tostartoffiveminute": {"five minutes", 5. / 60},
	"tostartoftenminutes": {"ten minutes", 10. / 60}, "tostartoffifteenminutes": {"quarter of an hour", .25},
	"tostartofhour": {"hour", 1}, "todate": {"day", 24}, "todate32": {"day", 24}, "tostartofday": {"day", 24}, "toyyyymmdd": {"day", 24},
	"tomonday": {"week", 7 * 24}, "tostartofweek": {"week", 7 * 24}, "toyearweek": {"week", 7 * 24}, "toyyyymm": {"month", 28 * 24},
	"tostartofmonth": {"month", 28 * 24}, "tostartofquarter": {"quarter", 90 * 24}, "tostartofyear": {"year", 365 * 24}, "toyear": {"year", 365 * 24},
}

var intervalHours = map[string]float64{"SECOND": 1. / 3600, "MINUTE": 1. / 60, "HOUR": 1, "DAY": 24, "WEEK": 7 * 24,
	"MONTH": 28 * 24, "QUARTER": 90 * 24, "YEAR": 365 * 24}

// partitionUnit reads what a partition key does with a time column of the table.
func (t *table) partitionUnit(e element) (of string, u unit, ok bool) {
	if e.column != "" {
		switch typ := t.types[e.column]; {
		case typ.isInstant():
			return e.column, unit{"moment", 0}, true
		case typ.name == "Date" || typ.name == "Date32":
			return e.column, unit{"day", 24}, true
		}
		return "", unit{}, false
	}
	name, args := call(e.node)
	if len(args) == 0 {
		return "", unit{}, false
	}
	of = t.timeOf(args[0])
	if of == "" {
		return "", unit{}, false
	}
	if name == "tostartofinterval" && len(args) > 1 {
		if hours, ok := interval(args[1]); ok {
			return of, unit{"interval of " + spell(hours), hours}, true
		}
		return "", unit{}, false
	}
	u, ok = partitionUnits[name]
	if ok && u.hours < 24 && !t.types[of].isInstant() {
		return "", unit{}, false
	}
	return of, u, ok
}

// timeOf is the time column an expression is, a conversion or a whole number of a unit of it aside.
func (t *table) timeOf(n *ast.Node) string {
	for n != nil {
		if name := identifier(n); name != "" {
			if t.types[name].isTime() {
				return name
			}
			return ""
		}
		name, args := call(n)
		if len(args) == 0 || !slices.Contains([]string{"todatetime", "todatetime64", "todate", "totimezone", "assumenotnull"}, name) {
			return ""
		}
		n = args[0]
	}
	return ""
}

// interval is the length of a literal interval, in hours.
func interval(n *ast.Node) (hours float64, ok bool) {
	for n != nil && n.Kind == ast.Paren {
		n = n.Kids[0]
	}
	if n == nil {
		return 0, false
	}
	word, amount := "", n
	switch name, args := call(n); {
	case n.Kind == ast.Interval && len(n.Kids) == 1:
		word, amount = n.Text, n.Kids[0]
	case strings.HasPrefix(name, "tointerval") && len(args) == 1:
		word, amount = strings.ToUpper(strings.TrimPrefix(name, "tointerval")), args[0]
	}
	count, err := strconv.ParseFloat(literal(amount), 64)
	length, known := intervalHours[word]
	return count * length, err == nil && known && count > 0
}

// spell prints a number of hours for people.
func spell(hours float64) string {
	switch {
	case hours >= 48:
		return strconv.FormatFloat(hours/24, 'f', -1, 64) + " days"
	case hours >= 1:
		return strconv.FormatFloat(hours, 'f', -1, 64) + " h"
	}
	return strconv.FormatFloat(hours*60, 'g', 3, 64) + " min"
}

// clockParts are functions whose values come again every day.
var clockParts = []string{"tohour", "tominute", "tosecond", "totime"}

func finePartition(t *table) {
	if !t.merges {
		return
	}
	for _, e := range t.partition {
		if name, args := call(e.node); slices.Contains(clockParts, name) && len(args) > 0 && t.timeOf(args[0]) != "" {
			t.report(e.path, e.node, fmt.Sprintf("Partitions by %s come again every day", e.node.Text),
				"Rows of all days lie together in each partition: none is ever complete, none can be dropped when its data is old, and each insert writes into several.",
				"Partition by a date, such as toYYYYMM or toDate of the column.")
			continue
		}
		if of, u, ok := t.partitionUnit(e); ok && u.hours < 24 {
			t.report(e.path, e.node, fmt.Sprintf("A partition for every %s of %q", u.name, of),
				fmt.Sprintf("Parts are never merged across partitions, so that the table gets more parts than ClickHouse keeps up with (\"too many parts\", or error 252). About %d partitions are the most that works well.", maxPartitions),
				"Partition by what is dropped as a whole, mostly the month or the day; the sorting key finds the rows inside.")
		}
	}
}

var hashes = []string{"cityhash64", "siphash64", "siphash128", "xxhash32", "xxhash64", "xxh3", "murmurhash2_64", "murmurhash3_32",
	"murmurhash3_64", "murmurhash3_128", "farmhash64", "farmfingerprint64", "metrohash64", "inthash32", "inthash64", "halfmd5", "md5",
	"sha1", "sha224", "sha256", "sha512", "javahash", "wyhash64"}

func manyPartitions(t *table) {
	if !t.merges {
		return
	}
	const reason = "Each distinct value makes a partition of its own, parts are never merged across them, and one insert may touch no more than 100 (max_partitions_per_insert_block)."
	for _, e := range t.partition {
		name, args := call(e.node)
		modulus := 0
		switch {
		case name == "modulo" && len(args) == 2:
			modulus, _ = strconv.Atoi(literal(args[1]))
		case e.node.Kind == ast.Operator && (e.node.Text == "%" || e.node.Text == "MOD") && len(e.node.Kids) == 2:
			modulus, _ = strconv.Atoi(literal(e.node.Kids[1]))
		}
		switch {
		case modulus > maxPartitions:
			t.report(e.path, e.node, fmt.Sprintf("A partition key of %d values", modulus), reason, fmt.Sprintf("Take a modulus far below %d, or leave the column to the sorting key.", maxPartitions))
		case slices.Contains(hashes, name):
			t.report(e.path, e.node, fmt.Sprintf("A partition for every value of %s", e.node.Text), reason, fmt.Sprintf("Take the remainder of a small number, as in %s(...) %% 16, or leave the column to the sorting key.", e.node.Text))
		case e.column != "" && t.manyValues(e.column):
			t.report(e.path, e.node, fmt.Sprintf("A partition for every value of %q", e.column), reason,
				"Leave the column to the sorting key, which is what finds it; partition by time. A column with few values says so by its type: LowCardinality(String) or an Enum.")
		}
	}
}

// manyValues reports a column whose type says nothing of few values and whose value is not computed from others.
func (t *table) manyValues(name string) bool {
	typ := t.types[name]
	if typ.lowCardinality || typ.size() > 0 && typ.size() < 4 {
		return false
	}
	if c := t.def.Column(name); c == nil || c.Default != nil && literal(c.Default) == "" {
		return false
	}
	return typ.isString() || typ.name == "UUID" || typ.name == "IPv6" || typ.name == "IPv4"
}

// retention is how long the table keeps a row, in hours, by the longest rule that deletes all of them, and the time
// column it counts from; false where the table keeps some for ever or the rule cannot be read.
func (t *table) retention() (of string, hours float64, rule *ast.Node, ok bool) {
	if t.def.TTL == nil {
		return "", 0, nil, false
	}
	for _, r := range t.def.TTL.Kids {
		expr := r
		if r.Kind == ast.Clause {
			if r.Text != "DELETE" || len(r.Kids) != 1 {
				continue
			}
			expr = r.Kids[0]
		}
		of, hours, ok := t.expiry(expr)
		if ok {
			return of, hours, r, true
		}
	}
	return "", 0, nil, false
}

// expiry reads column + INTERVAL.
func (t *table) expiry(n *ast.Node) (of string, hours float64, ok bool) {
	for n.Kind == ast.Paren {
		n = n.Kids[0]
	}
	if n.Kind != ast.Operator || n.Text != "+" || len(n.Kids) != 2 {
		return "", 0, false
	}
	if hours, ok = interval(n.Kids[1]); !ok {
		return "", 0, false
	}
	left := n.Kids[0]
	if of = t.timeOf(left); of == "" {
		return "", 0, false
	}
	return of, hours, true
}

func longRetention(t *table) {
	of, hours, _, ok := t.retention()
	if !t.merges || !ok {
		return
	}
	for _, e := range t.partition {
		by, u, ok := t.partitionUnit(e)
		if !ok || by != of || u.hours < 24 {
			continue
		}
		if count := hours / u.hours; count > maxPartitions {
			t.report(e.path, e.node, fmt.Sprintf("The table comes to %.0f partitions", count),
				fmt.Sprintf("It keeps rows for %s and gives each %s a partition. Beyond about %d partitions starts, inserts and queries get slow, on every replica.", spell(hours), u.name, maxPartitions),
				"Partition by a longer time, such as toYYYYMM, or keep rows for less.")
		}
	}
}

// splitMerges: Replacing, Collapsing, Summing and their like treat rows with one sorting key as one, inside a partition.
func splitMerges(t *table) {
	if !t.merges || t.family == "MergeTree" || len(t.sorting) == 0 {
		return
	}
	sorted := map[string]bool{}
	for _, e := range t.sorting {
		for _, name := range t.columnsIn(e.node) {
			sorted[name] = true
		}
	}
	for _, e := range t.partition {
		for _, name := range t.columnsIn(e.node) {
			if !sorted[name] && !t.computedFrom(name, sorted) {
				t.report(e.path, e.node, fmt.Sprintf("The partition depends on %q, which is not in the sorting key", name),
					fmt.Sprintf("%s treats rows with the same sorting key as one, but merges never cross partitions: two such rows with different %s both stay, also with FINAL when do_not_merge_across_partitions_select_final is set.", t.family, name),
					"Partition by columns of the sorting key, or add the column to it.")
			}
		}
	}
}

// computedFrom reports a column that is computed from columns of the given set alone.
func (t *table) computedFrom(name string, from map[string]bool) bool {
	c := t.def.Column(name)
	if c == nil || c.DefaultKind != ast.Materialized && c.DefaultKind != ast.AliasColumn {
		return false
	}
	reads := t.columnsIn(c.Default)
	for _, r := range reads {
		if !from[r] {
			return false
		}
	}
	return len(reads) > 0
}
