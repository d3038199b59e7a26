package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/rules/plan"
)

// fake is a controller whose passes end as a test says.
type fake struct {
	// ends are the reports of the passes to come; the last one is that of every pass after it.
	ends []engine.Report
	// declares are the objects of the tree; nil: the shop's.
	declares []*engine.ObjectReport
	// fault is of the tree, where it cannot be read.
	fault error
	// within, when set, is called inside each pass.
	within func(ctx context.Context, n int)

	mu     sync.Mutex
	passes []time.Time
	now    *engine.Report
	pinged int
	// declared counts the readings of the tree.
	declared int
	watch    func(context.Context, string, *engine.ObjectReport)
	leases   lease.Stats
	down     error
}

func (f *fake) Pass(ctx context.Context) (engine.Report, error) {
	f.mu.Lock()
	f.passes = append(f.passes, time.Now())
	n := len(f.passes)
	r := f.ends[min(n, len(f.ends))-1]
	f.mu.Unlock()
	r.Started = time.Now()
	if f.within != nil {
		f.within(ctx, n)
	}
	for _, o := range r.Objects {
		if o.Outcome != engine.Pending {
			f.watch(ctx, r.Pass, o)
		}
	}
	r.Finished = time.Now()
	if ctx.Err() != nil {
		r.State, r.Error = engine.Failed, ctx.Err().Error()
	}
	if r.State != engine.Converged {
		return r, errors.New(r.Error)
	}
	return r, nil
}

func (f *fake) Watch(watch func(context.Context, string, *engine.ObjectReport)) { f.watch = watch }

func (f *fake) LeaseStats() *lease.Stats { return &f.leases }

func (f *fake) Running() (engine.Report, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return engine.Report{}, false
	}
	return *f.now, true
}

func (f *fake) Declared() (engine.Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declared++
	if f.fault != nil {
		return engine.Report{}, f.fault
	}
	objects := f.declares
	if objects == nil {
		objects = shop(engine.Pending)
	}
	return engine.Report{Version: 1, State: engine.Unknown, SchemaRelease: "2026.11.0", Objects: objects}, nil
}

func (f *fake) Ping(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pinged++
	return f.down
}

func (f *fake) Target() string { return "https://clickhouse.example:8443" }

// began is how long after the first pass each began.
func (f *fake) began() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []time.Duration
	for _, at := range f.passes {
		list = append(list, at.Sub(f.passes[0]))
	}
	return list
}

func object(kind ast.Kind, name string, outcome ledger.Outcome, reads ...string) *engine.ObjectReport {
	o := &engine.ObjectReport{Scope: "schema", Kind: kind, Name: name, Outcome: outcome, Reads: reads}
	switch outcome {
	case ledger.Applied:
		o.Action = plan.ObjectCreate
		o.Changes = []*plan.Change{{Op: "add", Action: "create", Rule: "an absent object is created"}}
		o.Statements = []string{"CREATE TABLE sent"}
	case ledger.Unchanged:
		o.Action = plan.ObjectNone
	}
	if outcome != engine.Pending {
		o.Checksum = fmt.Sprintf("%064x", len(name)*7919)
	}
	return o
}

func writing(o *engine.ObjectReport, into string) *engine.ObjectReport {
	o.Writes = []string{into}
	return o
}

// shop is a schema of thirty objects in four databases.
func shop(outcome ledger.Outcome) []*engine.ObjectReport {
	table := func(name string) *engine.ObjectReport { return object(ast.KindTable, name, outcome) }
	view := func(name string, reads ...string) *engine.ObjectReport {
		return object(ast.KindView, name, outcome, reads...)
	}
	rollup := func(name, into string, reads ...string) *engine.ObjectReport {
		return writing(object(ast.KindMaterializedView, name, outcome, reads...), into)
	}
	return []*engine.ObjectReport{
		object(ast.KindDatabase, "dfe", outcome), table("dfe.schema_lock"), table("dfe.schema_migrations"),
		view("dfe.lease_holder", "dfe.schema_lock"), view("dfe.schema_objects", "dfe.schema_migrations"), view("dfe.schema_refusals", "dfe.schema_migrations"),
		object(ast.KindDatabase, "shop", outcome), table("shop.orders"), table("shop.order_lines"), table("shop.page_views"), table("shop.customers"),
		object(ast.KindDictionary, "shop.customer_names", outcome, "shop.customers"),
		view("shop.revenue_by_day", "shop.orders", "shop.order_lines"), view("shop.open_orders", "shop.orders", "shop.customer_names"),
		object(ast.KindDatabase, "reports", outcome), table("reports.views_by_hour"), table("reports.revenue_by_hour"), table("reports.visitors_by_day"),
		rollup("reports.count_views", "reports.views_by_hour", "shop.page_views"), rollup("reports.sum_revenue", "reports.revenue_by_hour", "shop.order_lines"),
		rollup("reports.count_visitors", "reports.visitors_by_day", "shop.page_views"),
		view("reports.conversion", "reports.views_by_hour", "reports.revenue_by_hour"), view("reports.funnel_of_the_last_thirty_days_by_landing_page_and_country", "reports.conversion", "reports.visitors_by_day"),
		object(ast.KindDatabase, "otel", outcome), table("otel.otel_logs"), table("otel.otel_traces"), table("otel.otel_metrics_gauge"), table("otel.otel_metrics_sum"),
		view("otel.service_errors", "otel.otel_logs", "otel.otel_traces"), object(ast.KindFunction, "cents", outcome),
	}
}

func find(objects []*engine.ObjectReport, name string) *engine.ObjectReport {
	for _, o := range objects {
		if o.Name == name {
			return o
		}
	}
	panic("no object " + name)
}

// ended is a report of a pass over objects.
func ended(state engine.State, fault string, objects []*engine.ObjectReport) engine.Report {
	r := engine.Report{
		Version: 1, State: state, Pass: "20261129T090000Z-5c19068d", Scope: "schema", SchemaRelease: "2026.11.0", OverlayRelease: "1.4.0", EngineRelease: "2026.11.2",
		Server: "26.7.2.1", Platform: "self_hosted", Objects: objects, Error: fault,
	}
	for _, o := range objects {
		switch o.Outcome {
		case ledger.Applied:
			r.Summary.Applied++
			r.Summary.Statements++
		case ledger.Unchanged:
			r.Summary.Unchanged++
		case ledger.Failed:
			r.Summary.Failed++
		case ledger.Blocked:
			r.Summary.Blocked++
		}
		if o.Refused() > 0 {
			r.Summary.Refused++
		}
		if o.Reported() > 0 {
			r.Summary.Reported++
		}
	}
	return r
}

// withRefusals is the shop with two refused differences, a carried one and reports.
func withRefusals() engine.Report {
	objects := shop(ledger.Unchanged)
	views := find(objects, "shop.page_views")
	views.Outcome, views.Action = ledger.Refused, plan.ObjectRefused
	views.Changes = []*plan.Change{{
		Path: "order_by", Op: "change", Action: "refused", Rule: "a table keeps its sorting key",
		Reason: "rows are stored in the order of the key: another one needs the table rebuilt",
		Advice: "create a table with the declared key beside this one, copy the rows and EXCHANGE the two",
		Live:   "(path, viewed_at)", Desired: "(viewed_at, path)",
	}}
	rollup := find(objects, "reports.count_visitors")
	rollup.Outcome, rollup.Action = ledger.Refused, plan.ObjectRefused
	rollup.Changes = []*plan.Change{{
		Path: "query", Op: "change", Action: "refused", Rule: "a materialized view keeps its query",
		Reason:    "it holds what it has already aggregated: another query would mix two meanings in one table",
		Advice:    "decide what becomes of the stored rows, then run the statement",
		Live:      "SELECT toDate(viewed_at) AS day, uniqState(visitor) AS visitors FROM shop.page_views GROUP BY day",
		Desired:   "SELECT toDate(viewed_at) AS day, country, uniqState(visitor) AS visitors FROM shop.page_views GROUP BY day, country",
		Statement: "ALTER TABLE reports.count_visitors\n    MODIFY QUERY SELECT toDate(viewed_at) AS day, country, uniqState(visitor) AS visitors FROM shop.page_views GROUP BY day, country",
	}}
	orders := find(objects, "shop.orders")
	orders.Outcome, orders.Action = ledger.Applied, plan.ObjectAlter
	orders.Changes = []*plan.Change{{Path: "column.discount", Op: "add", Action: "add-column", Rule: "a declared column the table lacks is added"}}
	orders.Statements, orders.ElapsedMS = []string{"ALTER TABLE sent"}, 41
	logs := find(objects, "otel.otel_logs")
	logs.Action = plan.ObjectReport
	logs.Changes = []*plan.Change{{
		Path: "column.debug_note", Op: "remove", Action: "report", Rule: "a live column nothing declares is only reported",
		Reason: "the table has a column that nothing declares", Live: "String",
	}}
	extra := object(ast.KindTable, "shop.orders_backup", ledger.Unchanged)
	extra.Scope, extra.Action = "", plan.ObjectReport
	extra.Changes = []*plan.Change{{Op: "remove", Action: "report", Rule: "a live object nothing declares is only reported", Reason: "nothing declares it"}}
	return ended(engine.Converged, "", append(objects, extra))
}

// failed is the shop after a statement failed.
func failed() engine.Report {
	objects := shop(ledger.Unchanged)
	lines := find(objects, "shop.order_lines")
	lines.Outcome, lines.Action, lines.ErrorCode = ledger.Failed, plan.ObjectAlter, 241
	lines.Error = "the server answers code 241: Memory limit (total) exceeded: would use 13.97 GiB; the ALTER was not carried out, run the pass again when there is memory"
	lines.Changes = []*plan.Change{{Path: "column.tax", Op: "add", Action: "add-column", Rule: "a declared column the table lacks is added"}}
	for _, name := range []string{"shop.revenue_by_day", "reports.sum_revenue"} {
		o := find(objects, name)
		o.Outcome, o.BlockedBy, o.Action = ledger.Blocked, "table shop.order_lines", plan.ObjectReplace
		o.Error = "not tried, because table shop.order_lines did not come to be"
	}
	return ended(engine.Failed, "table shop.order_lines: "+lines.Error, objects)
}

// unreachable is a pass that found no server.
func unreachable() engine.Report {
	r := ended(engine.Failed, "https://clickhouse.example:8443: the connection is refused: nothing listens there; start it, wait for it, or correct the URL", nil)
	r.Server, r.Platform = "", ""
	return r
}

// lines collects structured lines.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(l, nil)) }

// messages returns the lines' messages with how often each was written.
func (l *lines) messages(t *testing.T) map[string]int {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	n := map[string]int{}
	for line := range bytes.Lines(l.b.Bytes()) {
		var entry struct{ Msg string }
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatal(err)
		}
		n[entry.Msg]++
	}
	return n
}

// get asks a service for a path.
func get(t testing.TB, h http.Handler, method, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	return w.Result()
}

func body(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func passed(t testing.TB, r engine.Report) *service.Service {
	t.Helper()
	s := service.New(service.Options{Engine: &fake{ends: []engine.Report{r}, declares: r.Objects}, Release: "2026.11.2"})
	s.Pass(t.Context())
	return s
}
