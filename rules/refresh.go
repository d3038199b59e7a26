package rules

import "github.com/dfe-engine/dfe/ast"

// lonelyRefresh reports a refreshable view that a self-hosted server refuses with error 36 (case S84,
// StorageMaterializedView.cpp): it looks at the view's own database, wherever the target is. What is not known is left to
// the server.
func (s *situation) lonelyRefresh() bool {
	view, ok := s.pair.Desired.(*ast.MaterializedView)
	if !ok || view.Refresh == nil || view.Refresh.Append || s.options.Platform != SelfHosted || s.options.Database == nil {
		return false
	}
	target := view.Inner
	if target == nil {
		if s.options.Env.Lookup == nil {
			return false
		}
		to := view.To
		if to.Database == "" {
			to.Database = view.Name.Database
		}
		if target, ok = s.options.Env.Lookup(to).(*ast.Table); !ok {
			return false
		}
	}
	database := s.options.Database(view.Name.Database)
	if database == nil || target.Engine == nil {
		return false
	}
	engine := database.Engine
	return (engine != nil && (engine.Name == "Replicated" || engine.Name == "Shared")) != isMergeTree(target.Engine.Name)
}

// unsharedDatabase reports an object of a database that each of several servers has for itself. A statement without ON
// CLUSTER, and every one about a table or a view is, then reaches one of them; and the path of a replicated table has the
// table's UUID in it, so that one that is created on another server later is another table with rows of its own.
func (s *situation) unsharedDatabase() bool {
	switch s.pair.Kind {
	case ast.KindTable, ast.KindView, ast.KindMaterializedView, ast.KindDictionary:
	default:
		return false // what a row policy is for is in its name, and it is in Keeper itself
	}
	if s.options.Platform != SelfHosted || s.options.Server.Servers < 2 || s.options.Database == nil {
		return false
	}
	database := s.options.Database(s.pair.Name.Database)
	return database != nil && database.Engine != nil && (database.Engine.Name == "Atomic" || database.Engine.Name == "Ordinary")
}
