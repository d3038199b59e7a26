package rules

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

// substreamMarks is the setting that a table with a JSON column has on self-hosted servers and nowhere else (DESIGN.md
// section 5).
const substreamMarks = "write_marks_for_substreams_in_compact_parts"

// databaseRoot is where a self-hosted Replicated database keeps its log in Keeper.
const databaseRoot = "/clickhouse/databases/"

// Render gives a definition the form of a platform: the replication of its engine and the setting of JSON tables. It
// returns a copy that shares what it did not change.
func Render(o ast.Object, platform Platform) ast.Object {
	switch o := o.(type) {
	case *ast.Database:
		return renderDatabase(o, platform)
	case *ast.Table:
		return renderTable(o, platform)
	case *ast.MaterializedView:
		if o.Inner == nil {
			return o
		}
		rendered := *o
		inner := *o.Inner
		inner.Engine = renderEngine(inner.Engine, platform)
		rendered.Inner = &inner
		return &rendered
	}
	return o
}

func renderDatabase(d *ast.Database, platform Platform) *ast.Database {
	if d.Engine != nil && d.Engine.Name != "Atomic" && d.Engine.Name != "Replicated" && d.Engine.Name != "Shared" {
		return d
	}
	rendered := *d
	switch platform {
	case SelfHosted:
		rendered.Engine = &ast.Engine{Name: "Replicated", HasParens: true, Args: []*ast.Node{
			ast.N(ast.String, databaseRoot+d.Name), ast.N(ast.String, "{shard}"), ast.N(ast.String, "{replica}")}}
	case Cloud:
		rendered.Engine = nil
	case Embedded:
		rendered.Engine = &ast.Engine{Name: "Atomic"}
	}
	return &rendered
}

func renderTable(t *ast.Table, platform Platform) *ast.Table {
	rendered := *t
	rendered.Engine = renderEngine(t.Engine, platform)
	rendered.Settings = renderSettings(t, platform)
	return &rendered
}

// renderEngine replicates a MergeTree family without arguments of its own: the path is the server's default.
func renderEngine(e *ast.Engine, platform Platform) *ast.Engine {
	if e == nil || !isMergeTree(e.Name) {
		return e
	}
	rendered := *e
	rendered.Replication, rendered.ReplicationArgs = "", nil
	if platform != Embedded {
		rendered.Replication = "Replicated"
	}
	return &rendered
}

func isMergeTree(family string) bool {
	const suffix = "MergeTree"
	return len(family) >= len(suffix) && family[len(family)-len(suffix):] == suffix
}

// renderSettings gives a JSON table the setting where the platform has a say in it, whatever the definition wrote: off
// on self-hosted servers, absent on a service. A single node has no other replica to agree with, and what its author
// declared stands.
func renderSettings(t *ast.Table, platform Platform) []ast.Setting {
	if platform == Embedded || !hasJSON(t) {
		return t.Settings
	}
	settings := make([]ast.Setting, 0, len(t.Settings)+1)
	for _, s := range t.Settings {
		if s.Name != substreamMarks {
			settings = append(settings, s)
		}
	}
	if platform == SelfHosted {
		settings = append(settings, ast.Setting{Name: substreamMarks, Value: ast.N(ast.Number, "0")})
	}
	return settings
}

// render renders a definition for the plan's platform and server; without a platform it stays as written. A server that
// does not know the setting of JSON tables is not sent it.
func (o *Options) render(object ast.Object) ast.Object {
	if t, ok := object.(*ast.Topic); ok {
		return RenderTopic(t, o.Bus)
	}
	if o.Platform == "" {
		return object
	}
	rendered := Render(object, o.Platform)
	t, isTable := rendered.(*ast.Table)
	if !isTable || o.Server.MergeTreeSettings == nil {
		return rendered
	}
	if _, known := o.Server.MergeTreeSettings[substreamMarks]; !known {
		without := *t
		without.Settings = slices.DeleteFunc(slices.Clone(t.Settings), func(s ast.Setting) bool { return s.Name == substreamMarks })
		return &without
	}
	return rendered
}

// statement is the definition as a statement writes it: rendered, and with its names qualified.
func (o *Options) statement(object ast.Object) ast.Object {
	return qualify(o.render(object), func(name ast.Name) bool { return o.Env.Lookup != nil && o.Env.Lookup(name) != nil })
}

// level takes out of two canonical objects what the platform chose where the definition says nothing: the arguments of
// a Replicated engine (case S67), Shared in place of Replicated (case S68), the engine of a database on a service. That
// a table is not replicated at all where it should be stays a difference. Without a platform, replication is none.
func level(live, desired ast.Object, platform Platform) (ast.Object, ast.Object) {
	switch l := live.(type) {
	case *ast.Topic:
		return levelTopic(l, desired.(*ast.Topic)), desired
	case *ast.Database:
		d := desired.(*ast.Database)
		if l.Engine != nil && (d.Engine == nil || d.Engine.Name == l.Engine.Name && d.Engine.Name == "Replicated") {
			levelled := *l
			levelled.Engine = d.Engine
			return &levelled, desired
		}
	case *ast.Table:
		if engine := levelEngine(l.Engine, desired.(*ast.Table).Engine, platform); engine != l.Engine {
			levelled := *l
			levelled.Engine = engine
			return &levelled, desired
		}
	case *ast.MaterializedView:
		d := desired.(*ast.MaterializedView)
		if l.Inner == nil || d.Inner == nil {
			break
		}
		if engine := levelEngine(l.Inner.Engine, d.Inner.Engine, platform); engine != l.Inner.Engine {
			levelled, inner := *l, *l.Inner
			inner.Engine = engine
			levelled.Inner = &inner
			return &levelled, desired
		}
	}
	return live, desired
}

func levelEngine(live, desired *ast.Engine, platform Platform) *ast.Engine {
	if live == nil || desired == nil || live.Replication == "" || len(desired.ReplicationArgs) > 0 || desired.Replication == "" && platform != "" {
		return live
	}
	levelled := *live
	levelled.Replication, levelled.ReplicationArgs = desired.Replication, nil
	return &levelled
}
