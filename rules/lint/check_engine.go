package lint

import (
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

func engineChecks() []Check {
	return []Check{
		{Code: "DFE271", Title: "a ReplacingMergeTree without a version", Severity: Warning, table: noVersion},
		{Code: "DFE272", Title: "a version or deletion mark of the wrong type", Severity: Error, table: versionType},
		{Code: "DFE273", Title: "a sign that is no Int8", Severity: Error, table: signType},
		{Code: "DFE274", Title: "a SummingMergeTree that does not sum", Severity: Warning, table: summing},
		{Code: "DFE275", Title: "a plain column in an AggregatingMergeTree", Severity: Warning, table: aggregating},
		{Code: "DFE276", Title: "a projection where rows are replaced", Severity: Error, table: projectionMode},
		{Code: "DFE277", Title: "an engine whose rows are not replicated", Severity: Warning, table: notReplicated},
	}
}

// arg is a column among the engine's arguments.
func (t *table) arg(i int) (name string, node *ast.Node) {
	if t.def.Engine == nil || i < 0 || i >= len(t.def.Engine.Args) {
		return "", nil
	}
	node = t.def.Engine.Args[i]
	return identifier(node), node
}

func argPath() ast.Path { return ast.Path{Part: "engine", Attr: "args"} }

func noVersion(t *table) {
	if t.family == "ReplacingMergeTree" && len(t.def.Engine.Args) == 0 {
		t.report(ast.Path{Part: "engine"}, nil, "ReplacingMergeTree without a version",
			"Of rows with one key it keeps the one inserted last, and with several writers, retries or replicas nobody decides which that is.",
			"Name a column that grows with every change: ReplacingMergeTree(version).")
	}
}

// versionType: error 169 of 26.7.
func versionType(t *table) {
	at := -1
	switch t.family {
	case "ReplacingMergeTree":
		at = 0
	case "VersionedCollapsingMergeTree":
		at = 1
	}
	if name, node := t.arg(at); at >= 0 && name != "" {
		typ := t.types[name]
		if typ.name != "" && (typ.nullable || !typ.isInteger() && !typ.isTime() && !typ.isFloat() && typ.name != "Bool") {
			t.report(argPath(), node, fmt.Sprintf("The version %q is a %s", name, wrapped(typ)),
				"ClickHouse takes integers, dates and times that are not Nullable for a version (error 169).", "Make it a UInt64 or a DateTime64.")
		}
	}
	if t.family != "ReplacingMergeTree" {
		return
	}
	if name, node := t.arg(1); name != "" {
		if typ := t.types[name]; typ.name != "" && (typ.nullable || typ.name != "UInt8" && typ.name != "Bool") {
			t.report(argPath(), node, fmt.Sprintf("The deletion mark %q is a %s", name, wrapped(typ)),
				"ClickHouse takes a UInt8 of 0 and 1 for it (error 169).", "Make it a UInt8.")
		}
	}
}

func wrapped(t dataType) string {
	if t.nullable {
		return "Nullable(" + t.name + ")"
	}
	return t.name
}

func signType(t *table) {
	if t.family != "CollapsingMergeTree" && t.family != "VersionedCollapsingMergeTree" {
		return
	}
	if name, node := t.arg(0); name != "" {
		if typ := t.types[name]; typ.name != "" && (typ.nullable || typ.name != "Int8") {
			t.report(argPath(), node, fmt.Sprintf("The sign %q is a %s", name, wrapped(typ)),
				"A sign is 1 or -1, and ClickHouse takes an Int8 for it (error 169).", "Make it an Int8.")
		}
	}
}

// summable reports a type SummingMergeTree adds up.
func summable(t dataType) bool {
	return t.isInteger() || t.isFloat() || t.isDecimal() || t.name == "AggregateFunction" || t.name == "SimpleAggregateFunction" ||
		t.name == "Nested" || t.name == "Map" || t.name == "Array" || t.name == "Tuple" || t.name == ""
}

func summing(t *table) {
	if t.family != "SummingMergeTree" {
		return
	}
	sorted := map[string]bool{}
	for _, e := range t.sorting {
		sorted[e.column] = true
	}
	if len(t.def.Engine.Args) == 0 {
		for _, c := range t.def.Columns {
			if !sorted[c.Name] && summable(t.types[c.Name]) {
				return
			}
		}
		t.report(ast.Path{Part: "engine"}, nil, "Nothing in the table can be added up",
			"No column outside the sorting key is a number, so that of rows with one key an arbitrary one is kept.",
			"Add the columns to be summed, or use ReplacingMergeTree with a version.")
		return
	}
	for _, e := range elements(argPath(), t.def.Engine.Args[0]) {
		switch {
		case sorted[e.column] && e.column != "":
			t.report(argPath(), e.node, fmt.Sprintf("%q is summed and sorted by", e.column),
				"Rows are added up that have the same sorting key: a column of it is the same in all of them, and ClickHouse refuses it (error 36).", "Take it out of one of the two.")
		case e.column != "" && !summable(t.types[e.column]):
			t.report(argPath(), e.node, fmt.Sprintf("%q is a %s, which is not added up", e.column, t.types[e.column].name),
				"ClickHouse takes it without a word and keeps the value of an arbitrary row.", "List numeric columns alone.")
		}
	}
}

func aggregating(t *table) {
	if t.family != "AggregatingMergeTree" {
		return
	}
	sorted := map[string]bool{}
	for _, e := range t.sorting {
		for _, name := range t.columnsIn(e.node) {
			sorted[name] = true
		}
	}
	var plain []string
	for _, c := range t.def.Columns {
		typ := t.types[c.Name]
		state := typ.name == "AggregateFunction" || typ.name == "SimpleAggregateFunction" || typ.name == "Nested" || typ.name == ""
		if sorted[c.Name] || state || c.DefaultKind == ast.AliasColumn || c.DefaultKind == ast.Ephemeral || t.computedFrom(c.Name, sorted) {
			continue
		}
		plain = append(plain, c.Name)
	}
	if len(plain) == 0 {
		return
	}
	c := t.def.Column(plain[0])
	t.report(column(c.Name, "type"), c.Type, fmt.Sprintf("%s neither in the sorting key nor an aggregate", is(plain)),
		"A merge of rows with one key keeps the value of an arbitrary row for it.",
		"Make it SimpleAggregateFunction(any, T), or another function that says which value stays, or put it into the key.")
}

func is(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("%q is", names[0])
	}
	return list(names) + " are"
}

// projectionMode: error 344 of 26.7 for every family that changes rows in merges (case S62).
func projectionMode(t *table) {
	if !t.merges || t.family == "MergeTree" || len(t.def.Projections) == 0 {
		return
	}
	if mode := t.setting("deduplicate_merge_projection_mode"); mode != "" && mode != "throw" {
		return
	}
	p := t.def.Projections[0]
	path, node := ast.Path{Part: "projection", Name: p.Name, Attr: "query"}, p.Query
	if p.Index != nil {
		path, node = ast.Path{Part: "projection", Name: p.Name, Attr: "index"}, p.Index
	}
	t.report(path, node, fmt.Sprintf("A projection on a %s", t.family),
		"Its merges change rows and a projection would keep the old ones: ClickHouse refuses it (error 344) until the table says what becomes of the projection.",
		"Set deduplicate_merge_projection_mode to 'rebuild', which costs time in each merge, or to 'drop'.")
}

// keepsAlone are engines with rows of their own that no platform replicates.
var keepsAlone = []string{"Memory", "Log", "TinyLog", "StripeLog", "Set", "Join", "EmbeddedRocksDB", "File", "Buffer"}

func notReplicated(t *table) {
	if slices.Contains(keepsAlone, t.family) {
		t.report(ast.Path{Part: "engine"}, nil, fmt.Sprintf("Each server has its own rows of a %s table", t.family),
			"A pass creates the table on every member of a cluster, and only MergeTree tables are replicated: what is inserted on one is nowhere else, and is lost with it.",
			"Use MergeTree; a dictionary serves what is to be held in memory.")
	}
}
