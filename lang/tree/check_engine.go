package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// mergeTreeArgs are the fewest and most arguments of each family of the MergeTree engines (their documentation pages).
var mergeTreeArgs = map[string][2]int{
	"MergeTree": {0, 0}, "ReplacingMergeTree": {0, 2}, "SummingMergeTree": {0, 1}, "AggregatingMergeTree": {0, 0},
	"CoalescingMergeTree": {0, 1}, "CollapsingMergeTree": {1, 1}, "VersionedCollapsingMergeTree": {2, 2}, "GraphiteMergeTree": {1, 1},
}

// family strips the platform's prefix off an engine's name.
func family(name string) (base, prefix string) {
	for _, prefix := range []string{"Replicated", "Shared"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.HasSuffix(rest, "MergeTree") {
			return rest, prefix
		}
	}
	return name, ""
}

func (l *loader) checkEngine(d *Declared, t *ast.Table) {
	if t.Engine == nil {
		if t.Structure == nil && d.Kind == ast.KindTable {
			l.fault(CodeEngine, d.Place(ast.Path{Part: "engine"}, nil), "A table without an engine",
				"State the engine; what a server uses without one depends on its configuration.")
		}
		return
	}
	base, prefix := family(t.Engine.Name)
	at := func() hcl.Range { return d.Place(ast.Path{Part: "engine"}, nil) }
	engine, known := facts.FindEngine(base)
	if !known {
		l.fault(CodeEngine, at(), fmt.Sprintf("Unknown table engine %q", base),
			fmt.Sprintf("ClickHouse %s has no table engine of this name; engine names are case-sensitive.", facts.Version())+suggest(base, facts.EngineNames()))
		return
	}
	if prefix != "" && len(t.Engine.Args) > 0 && t.Engine.Args[0].Kind == ast.String {
		l.fault(CodePlatform, at(), fmt.Sprintf("%s with arguments of its own", t.Engine.Name),
			fmt.Sprintf("A definition names the family only, %s: the platform makes it %s, and the database decides path and replica.", base, prefix))
		return
	}
	if bounds, ok := mergeTreeArgs[base]; ok && (len(t.Engine.Args) < bounds[0] || len(t.Engine.Args) > bounds[1]) {
		l.fault(CodeEngine, at(), fmt.Sprintf("Wrong number of arguments of %s", base),
			fmt.Sprintf("%s takes %s; this one has %d.", base, atLeastAtMost(bounds), len(t.Engine.Args)))
	}
	merges := strings.HasSuffix(base, "MergeTree")
	if merges && t.OrderBy == nil && t.PrimaryKey == nil && !slices.ContainsFunc(t.Columns, func(c *ast.Column) bool { return c.PrimaryKey }) {
		l.fault(CodeMissing, d.Place(ast.Path{Part: "order_by"}, nil), "A table without a sorting key",
			base+` sorts its rows: state order_by, as in order_by = ["timestamp"]; order_by = [] is the table that has no order.`)
	}
	if d.Kind == ast.KindTable { // of an inner table a server passes over what its engine has no use for
		l.checkEngineTakes(d, t, engine, base)
	}
}

// checkEngineTakes finds clauses and parts the engine has no use for: a server refuses them.
func (l *loader) checkEngineTakes(d *Declared, t *ast.Table, engine facts.Engine, base string) {
	refuse := func(path ast.Path, what string) {
		l.fault(CodeEngine, d.Place(path, nil), fmt.Sprintf("%s takes no %s", base, what),
			fmt.Sprintf("A server refuses %s in a table of this engine. Remove it, or choose another engine.", what))
	}
	if t.OrderBy != nil && !engine.SortOrder {
		refuse(ast.Path{Part: "order_by"}, "ORDER BY")
	}
	if t.PrimaryKey != nil && !engine.SortOrder {
		refuse(ast.Path{Part: "primary_key"}, "PRIMARY KEY")
	}
	if t.TTL != nil && !engine.TTL {
		refuse(ast.Path{Part: "ttl"}, "TTL")
	}
	if len(t.Indexes) > 0 && !engine.SkippingIndexes {
		refuse(ast.Path{Part: "index", Name: t.Indexes[0].Name}, "index")
	}
	if len(t.Projections) > 0 && !engine.Projections {
		refuse(ast.Path{Part: "projection", Name: t.Projections[0].Name}, "projection")
	}
	if len(t.Settings) > 0 && !engine.Settings {
		refuse(ast.Path{Part: "setting", Name: t.Settings[0].Name}, "SETTINGS")
	}
}

// checkSettings finds settings no MergeTree table has.
func (l *loader) checkSettings(d *Declared, t *ast.Table) {
	if t.Engine == nil {
		return
	}
	if base, _ := family(t.Engine.Name); !strings.HasSuffix(base, "MergeTree") {
		return
	}
	for _, s := range t.Settings {
		setting, known := facts.MergeTreeSetting(s.Name)
		path := ast.Path{Part: "setting", Name: s.Name}
		switch {
		case !known && !facts.SessionSetting(s.Name):
			l.fault(CodeSetting, d.Place(path, nil), fmt.Sprintf("Unknown setting %q", s.Name),
				fmt.Sprintf("ClickHouse %s has no setting of this name for MergeTree tables.", facts.Version())+suggest(s.Name, facts.SettingNames()))
		case !known:
			l.fault(CodeSetting, d.Place(path, nil), fmt.Sprintf("%q is no setting of a table", s.Name),
				"It is a setting of the session that creates the table: the table keeps no trace of it, and a pass sends none.")
		case setting.Obsolete:
			l.warn(CodeSetting, d.Place(path, nil), fmt.Sprintf("Setting %q is obsolete", s.Name), "A server accepts it and does nothing with it. Remove it.")
		}
	}
}

// platformEngines are what the platform chooses for a database.
var platformEngines = []string{"Atomic", "Replicated", "Shared"}

func (l *loader) checkDatabaseEngine(d *Declared, e *ast.Engine) {
	if e == nil {
		return
	}
	if slices.Contains(platformEngines, e.Name) {
		l.fault(CodePlatform, d.Place(ast.Path{Part: "engine"}, nil), fmt.Sprintf("The engine %s is the platform's choice", e.Name),
			"Leave the engine out: a self-hosted server gets Replicated, ClickHouse Cloud Shared, an embedded one Atomic.")
	}
}
