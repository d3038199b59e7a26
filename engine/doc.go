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
// The package holds no DDL: every statement comes from the tree, by way of package rules, and goes through package
// engine/executor. Commands are in engine/cli, the program in engine/cmd/dfe.
package engine
