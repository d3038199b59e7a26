package lint

import (
	"fmt"

	"github.com/dfe-engine/dfe/ast"
)

func storedChecks() []Check {
	return []Check{
		{Code: "DFE285", Title: "partial aggregates that replace each other", Severity: Warning, query: replacedAggregates},
		{Code: "DFE286", Title: "a materialized view that sorts or limits blocks", Severity: Warning, query: limitedBlocks},
		{Code: "DFE287", Title: "a materialized view with an inner table", Severity: Note, query: innerTable},
		{Code: "DFE288", Title: "a refresh that only one replica sees", Severity: Error, query: lonelyRefresh},
	}
}

// onInsert reports a materialized view that runs on each inserted block; a refreshable one reads the whole table.
func (q *query) onInsert() bool { return q.view != nil && q.view.Refresh == nil }

// replacedAggregates: a view sees one inserted block, so that one group gets a row from every insert.
func replacedAggregates(q *query) {
	if !q.onInsert() || q.view.To == (ast.Name{}) {
		return
	}
	d := q.tree.Find(ast.KindTable, q.view.To)
	if d == nil {
		return
	}
	target, ok := d.Object.(*ast.Table)
	if !ok || newTable(q.object, target).family != "ReplacingMergeTree" {
		return
	}
	for _, sel := range outer(q.node) {
		if group := clause(sel, "GROUP BY", "GROUP BY ALL", "GROUPING SETS"); group != nil {
			at := sel
			if len(group.Kids) > 0 {
				at = first(group.Kids[0])
			}
			q.report(queryPath(), at, fmt.Sprintf("%s replaces what it has counted", q.d.Name),
				fmt.Sprintf("It aggregates each inserted block on its own, so that a group gets a row from every insert, and of these rows the ReplacingMergeTree %s keeps only the last.", q.view.To),
				"Let the target be an AggregatingMergeTree or a SummingMergeTree, whose merges add the rows up.")
			return
		}
	}
}

func limitedBlocks(q *query) {
	if !q.onInsert() {
		return
	}
	for _, sel := range outer(q.node) {
		limit := clause(sel, "ORDER BY", "ORDER BY ALL", "LIMIT", "LIMIT WITH TIES", "OFFSET")
		if limit == nil {
			continue
		}
		at := sel
		if len(limit.Kids) > 0 {
			at = first(limit.Kids[0])
		}
		q.report(queryPath(), at, fmt.Sprintf("%s applies %s to each inserted block", q.d.Name, limit.Text),
			"The query runs on the rows of one insert and not on the table: a limit keeps so many rows of every insert, and an order is the target's own affair.",
			"Take the clause out and let readers sort and limit, or make the view refreshable (REFRESH EVERY ...), which reads the whole table.")
	}
}

// innerTable: a new column in the query is error 16, ADD COLUMN on the view error 48 (case S80).
func innerTable(q *query) {
	if q.view == nil || q.view.Inner == nil {
		return
	}
	q.report(queryPath(), q.node, fmt.Sprintf("%s keeps its rows in a table of its own", q.d.Name),
		"The inner table can be given no column (errors 16 and 48), has a name made of a UUID, and goes when the view goes: a changed query means losing what was aggregated.",
		"Declare a table and write TO it: the view can then be replaced and the table altered.")
}

// lonelyRefresh: error 36 (case S84). A refresh without APPEND fills a new table and puts it in the target's place, which the
// other replicas follow where database and table are both replicated.
func lonelyRefresh(q *query) {
	if q.view == nil || q.view.Refresh == nil || q.view.Refresh.Append {
		return
	}
	target, ok := q.view.Inner, q.view.Inner != nil
	if !ok {
		if d := q.tree.Find(ast.KindTable, q.view.To); d != nil {
			target, ok = d.Object.(*ast.Table)
		}
	}
	database := q.tree.Find(ast.KindDatabase, ast.Name{Name: q.d.Name.Database})
	if !ok || database == nil {
		return
	}
	const remedy = "Write APPEND, which inserts the rows and leaves those there are"
	engine := database.Object.(*ast.Database).Engine
	table := newTable(q.object, target)
	shared := engine == nil || engine.Name == "Atomic" || engine.Name == "Replicated" || engine.Name == "Shared"
	switch {
	case table.merges && !shared:
		q.report(ast.Path{Part: "refresh", Attr: "schedule"}, nil, fmt.Sprintf("%s replaces a replicated table in a database of engine %s", q.d.Name, engine.Name),
			"A refresh puts a new table in the target's place. A database that is not replicated does that on one server alone, where the others would keep the old rows: on a cluster ClickHouse refuses the view (error 36).",
			remedy+", or leave the engine of the database to the platform.")
	case !table.merges && shared && table.family != "":
		q.report(ast.Path{Part: "refresh", Attr: "schedule"}, nil, fmt.Sprintf("%s replaces a %s table, whose rows are not replicated", q.d.Name, table.family),
			"A refresh runs on one replica and puts a new table in the target's place on all of them, where the others would have an empty one: on a cluster ClickHouse refuses the view (error 36).",
			remedy+", or give the target a MergeTree engine.")
	}
}
