package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func indexChecks() []Check {
	return []Check{
		{Code: "DFE261", Title: "an index that cannot hold its column", Severity: Error, table: indexType},
		{Code: "DFE262", Title: "a minmax index on random values", Severity: Warning, table: minmaxRandom},
		{Code: "DFE263", Title: "a set index without a limit", Severity: Note, table: setWithoutLimit},
		{Code: "DFE264", Title: "an index on the first column of the key", Severity: Note, table: indexOnKey},
		{Code: "DFE265", Title: "two indexes of one kind on one expression", Severity: Warning, table: indexTwice},
		{Code: "DFE266", Title: "an index entry that covers too much", Severity: Note, table: indexGranularity},
	}
}

func indexPath(i *ast.Index, attr string) ast.Path {
	return ast.Path{Part: "index", Name: i.Name, Attr: attr}
}

// indexKind is the name of an index's type, in lower case.
func indexKind(i *ast.Index) string {
	if i.Type == nil {
		return ""
	}
	return strings.ToLower(i.Type.Text)
}

// indexed are the columns an index is on, where its expression is columns alone.
func (t *table) indexed(i *ast.Index) []string {
	var names []string
	for _, e := range elements(indexPath(i, "expr"), i.Expr) {
		if e.column != "" {
			names = append(names, e.column)
		}
	}
	return names
}

// indexMisfit says why an index type cannot hold a column, measured on 26.7; "" where it can.
func indexMisfit(kind string, column *ast.Node) string {
	outer := typeOf(column)
	element := outer
	if outer.name == "Array" && len(outer.node.Kids) == 1 {
		element = typeOf(outer.node.Kids[0])
	}
	text := element.isString() || element.name == "FixedString"
	switch kind {
	case "ngrambf_v1", "tokenbf_v1", "sparse_grams":
		switch {
		case element.name != "" && !text:
			return "it takes String and FixedString, alone, in LowCardinality or in an Array"
		case text && element.nullable:
			return "it takes no Nullable"
		}
	case "text":
		if element.name != "" && !text && element.name != "Map" && element.name != "JSON" {
			return "it takes texts"
		}
	case "vector_similarity":
		if outer.name != "" && (outer.name != "Array" || element.name != "" && !element.isFloat()) {
			return "it takes Array(Float32), Array(Float64) and Array(BFloat16)"
		}
	case "bloom_filter":
		if element.name == "JSON" || element.name == "Map" || element.isDecimal() {
			return "it takes numbers, dates, texts, UUIDs and arrays of them; of a Map index mapKeys(...) or mapValues(...)"
		}
	}
	return ""
}

func indexType(t *table) {
	for _, i := range t.def.Indexes {
		for _, name := range t.indexed(i) {
			c := t.def.Column(name)
			if c == nil {
				continue
			}
			if why := indexMisfit(indexKind(i), c.Type); why != "" {
				t.report(indexPath(i, "type"), i.Type, fmt.Sprintf("A %s index cannot hold %q", indexKind(i), name),
					fmt.Sprintf("The column is a %s, and of this index ClickHouse says: %s. The table is refused.", typeOf(c.Type).name, why),
					"Choose a type that fits: minmax for what grows with the key, set for few values, bloom_filter for equality, text or tokenbf_v1 for words.")
			}
		}
	}
}

func minmaxRandom(t *table) {
	for _, i := range t.def.Indexes {
		if indexKind(i) != "minmax" {
			continue
		}
		for _, name := range t.indexed(i) {
			c := t.def.Column(name)
			if c == nil {
				continue
			}
			if _, made := isRandom(c.Default); made || t.types[name].name == "UUID" {
				t.report(indexPath(i, "type"), i.Type, fmt.Sprintf("A minmax index on the random values of %q", name),
					"Every granule holds values from nearly the whole range, so that the smallest and the largest exclude none: the index is written and read and skips nothing.",
					"Use bloom_filter, which answers whether a value may be in a granule.")
			}
		}
	}
}

func setWithoutLimit(t *table) {
	for _, i := range t.def.Indexes {
		if indexKind(i) == "set" && len(i.Type.Kids) == 1 && literal(i.Type.Kids[0]) == "0" {
			t.report(indexPath(i, "type"), i.Type, "set(0) keeps every distinct value",
				"A granule with many values makes an index entry as large as the column itself, and reading it costs what skipping would have saved.",
				"State the most values an entry may have, as in set(100): a granule with more is simply read.")
		}
	}
}

func indexOnKey(t *table) {
	if !t.merges || len(t.sorting) == 0 || t.sorting[0].column == "" {
		return
	}
	first := t.sorting[0].column
	for _, i := range t.def.Indexes {
		names := t.indexed(i)
		if slices.Contains([]string{"minmax", "set", "bloom_filter"}, indexKind(i)) && len(names) == 1 && names[0] == first {
			t.report(indexPath(i, "type"), i.Type, fmt.Sprintf("%q is the first column of the key already", first),
				"The primary index knows the range of every granule for it: this index skips only what that has skipped.", "Remove the index.")
		}
	}
}

func indexTwice(t *table) {
	for n, i := range t.def.Indexes {
		for _, before := range t.def.Indexes[:n] {
			if i.Type != nil && before.Type != nil && indexKind(i) == indexKind(before) && ast.Compare(i.Expr, before.Expr) == ast.Same {
				t.report(indexPath(i, "type"), i.Type, fmt.Sprintf("Index %q is %q once more", i.Name, before.Name),
					"Both have the same type on the same expression: each is written with every part and read by every query, and one skips what the other does.", "Keep one of the two.")
				break
			}
		}
	}
}

// indexGranularity: a granule has 8,192 rows by default, so that 1,000 granules are a good part of a part.
func indexGranularity(t *table) {
	const most = 1000
	for _, i := range t.def.Indexes {
		if kind := indexKind(i); i.Granularity > most && kind != "vector_similarity" && kind != "text" {
			t.report(indexPath(i, "granularity"), nil, fmt.Sprintf("An entry of index %q covers %d granules", i.Name, i.Granularity),
				"That is more than 8 million rows with one answer for all of them: one row that may match, and all are read.",
				"Use a granularity from 1 to about 16.")
		}
	}
}
