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
