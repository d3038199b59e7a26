// Package engine is the controller: it makes a ClickHouse server match a schema release.
//
//	e, err := engine.New(engine.Options{Target: catalog.Target{URL: "https://clickhouse.example:8443"}})
//	report, err := e.Pass(ctx)
//
// A pass resolves the schema tree, renders it for the server's platform, compares it with the live catalogue and
// applies what the rule tables decide, object by object in manifest order. Each object is recorded in the ledger at
// once, each statement's effect is read back, and what is refused is named and left alone. [Engine.Plan] says what a
// pass would do and changes nothing; [Engine.Status] says what the ledger and the server have.
//
// What a deployment has besides its schema, a data source or its tenants, is a [Part], which packages engine/sources and
// engine/tenants make: [Engine.PassPart] does for it what Pass does for the schema, and [Engine.PlanPart] what Plan does.
//
// [Engine.Running] tells of a pass at hand, object by object; package engine/service makes an http.Handler of both and
// runs the pass again with back-off until it converges. examples/embed is a program that has its schema by these means.
//
// The package holds no DDL: every statement comes from the tree, by way of package rules, and goes through package
// engine/executor. Commands are in engine/cli, the program in engine/cmd/dfe.
//
// # Stability
//
// [New], [Options], [Engine] with its methods, [Report], [Status] and package engine/service are stable: fields and
// methods are added, and the JSON forms carry "version": 1, which only gains fields. The other packages below this one
// serve it. What is exported is listed in testdata/api.txt; a change of it is a change of that file.
package engine
