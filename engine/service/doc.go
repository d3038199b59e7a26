// Package service runs the controller as a service: it carries out the pass at boot, again with back-off until one
// converges, and answers over HTTP what became of it.
//
//	s := service.New(service.Options{Engine: e, Log: log})
//	go s.Run(ctx)
//	err := service.Serve(ctx, listener, s, log)
//
// A [Service] is an http.Handler that a program may mount beside its own routes, under any prefix it strips: the page
// links relatively. The routes:
//
//	GET /                       a page for operators: the last pass, and a picture of the schema
//	GET /livez                  the process answers
//	GET /readyz                 the schema's state beside a ping of ClickHouse
//	GET /metrics                Prometheus
//	GET /api/v1/system/schema   the last pass, or the one at hand, object by object ([Document])
//	GET /api/v1/system/version  the releases
//
// These only read. Two more are for those alone whose token [Options.Tokens] knows, each with a permission of its own, a
// limit on its body and a line in the log:
//
//	POST /api/v1/sources/{id}/deploy  makes the schema of a data source true: the body is its config, the answer [Deployed]
//	POST /api/v1/sources/{id}/plan    says what that would do
//
// Readiness follows the newest finished pass; liveness asks nothing. No credential is part of any answer or log line:
// the server is named by its URL without user and password, and statements that were sent are left to the ledger.
package service
