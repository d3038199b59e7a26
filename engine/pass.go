package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Pass makes the server match the schema, once. The report is complete also when the pass failed; the error is then
// the reason, and nil otherwise: a refusal is no failure.
func (e *Engine) Pass(ctx context.Context) (Report, error) { return e.pass(ctx, nil) }

// PassPlan is [Engine.Pass] held to a plan that was reviewed: it sends exactly the plan's statements, or none where
// the schema or the server moved since ([PlanMovedError]).
func (e *Engine) PassPlan(ctx context.Context, reviewed *plan.Document) (Report, error) {
	return e.pass(ctx, reviewed)
}

func (e *Engine) pass(ctx context.Context, reviewed *plan.Document) (Report, error) {
	select {
	case e.passing <- struct{}{}:
		defer func() { <-e.passing }()
	default:
		return Report{}, ErrPassRunning
	}
	p := &pass{e: e, report: &Report{
		Version: 1, State: Running, Pass: e.newPass(), Scope: string(ledger.ScopeSchema), EngineRelease: e.options.Release,
		Started: e.now().UTC(), Objects: []*ObjectReport{},
	}}
	p.publish("connecting")
	defer p.conceal()
	err := p.run(ctx, reviewed)
	p.report.Finished = e.now().UTC()
	p.report.summarize()
	p.report.State = Converged
	if err != nil {
		p.report.State, p.report.Error, p.report.Code = Failed, err.Error(), codeOf(err)
	}
	// Whoever called has the report and tells of it.
	e.log.DebugContext(ctx, "pass ended", "pass", p.report.Pass, "state", p.report.State, "statements", p.report.Summary.Statements,
		"refused", p.report.Summary.Refused, "error", p.report.Error)
	return *p.report, err
}

// codeOf returns the word by which programs know an error, or "".
func codeOf(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}

// pass is one pass at work.
type pass struct {
	e      *Engine
	report *Report
	conn   *catalog.Conn
	x      *executor.Executor
	c      *comparison
	ledger *ledger.Ledger
	// early are records made before there was a ledger to write them to.
	early    []*ledger.Record
	sequence uint32
	// lost are the objects that did not come to be, with what a dependant is told.
	lost map[*tree.Declared]string
	// unrecorded is why the newest row could not be written. Nothing is applied that cannot be recorded.
	unrecorded error
	// bootstrapped are the bookkeeping objects this pass created before comparing.
	bootstrapped map[*declared]*ObjectReport
}

// run goes through the steps of DESIGN.md section 6.
func (p *pass) run(ctx context.Context, reviewed *plan.Document) error {
	conn, err := p.e.connect(ctx)
	if err != nil {
		return err
	}
	p.conn = conn
	defer p.e.disconnect(ctx, conn, "passed")
	s, err := p.e.resolve()
	if err != nil {
		return err
	}
	p.report.SchemaRelease, p.report.OverlayRelease = s.release, s.overlayRelease
	if s.overlayFault != nil {
		p.report.OverlayFault = s.overlayFault.Error()
		p.e.log.ErrorContext(ctx, "the overlay is left out", "error", s.overlayFault.Error())
	}
	p.declare(s)
	p.publish("reading the catalogue")
	live, err := p.e.read(ctx, conn, s, s.scope())
	if err != nil {
		return err
	}
	p.x = executor.New(conn, executor.Options{
		Scope: p.report.Scope, Pass: p.report.Pass, Ceiling: p.e.options.MaxQuerySize, Pause: p.e.pause, Log: p.e.log,
	})
	p.lost, p.bootstrapped = map[*tree.Declared]string{}, map[*declared]*ObjectReport{}
	p.c = p.e.comparison(s, live, nil)
	p.report.Server, p.report.Platform = live.Facts.Version, string(p.c.platform)
	p.publish("deciding")
	if reviewed != nil {
		// A reviewed plan is compared before anything is sent, the bookkeeping included.
		if err := p.readLedger(ctx); err != nil {
			return err
		}
		if err := samePlan(reviewed, p.c.plan()); err != nil {
			return err
		}
	}
	if err := p.bootstrap(ctx); err != nil {
		return err
	}
	if err := p.readLedger(ctx); err != nil {
		return err
	}
	return p.apply(ctx)
}

// bootstrap creates the bookkeeping objects that are absent, by the same code as every other object: the ledger has to
// be there before anything is recorded. One that is there and differs is left to the comparison.
func (p *pass) bootstrap(ctx context.Context) error {
	for _, id := range bookkeeping() {
		d := p.c.schema.find(id)
		if d == nil {
			return fmt.Errorf("the schema tree declares %s as another kind than %s: the bookkeeping is a part of the core release, leave it out", id.name, id.kind)
		}
		if p.c.live.Find(d.Kind, d.Name) != nil {
			continue
		}
		doc := p.planOne(d)
		o := p.object(ctx, d, doc.Objects[0], doc.Statements)
		p.bootstrapped[d] = o
		if o.Outcome != ledger.Applied {
			p.report.Objects = append(p.report.Objects, o)
			return fmt.Errorf("the bookkeeping %s %s: %s", d.Kind, d.Name, o.Error)
		}
	}
	return nil
}

func (p *pass) readLedger(ctx context.Context) error {
	l, err := ledger.Open(p.conn, p.c.live)
	if err != nil {
		return err
	}
	if l == nil {
		return nil
	}
	records, err := l.Newest(ctx)
	if err != nil {
		return err
	}
	p.ledger = l
	p.c = p.e.comparison(p.c.schema, p.c.live, records)
	early := p.early
	p.early = nil
	for _, r := range early {
		if err := p.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// reopenLedger takes up the columns that this pass gave the ledger.
func (p *pass) reopenLedger() error {
	l, err := ledger.Open(p.conn, p.c.live)
	p.ledger = l
	return err
}

func (p *pass) planOne(d *declared) *plan.Document {
	return p.c.schema.book.Plan([]rules.Pair{p.c.pair(d, p.c.live.Find(d.Kind, d.Name))}, p.c.options)
}

// apply goes through the objects in manifest order. One that fails does not stop those that do not depend on it.
func (p *pass) apply(ctx context.Context) error {
	p.e.options.Progress(Progress{Step: "deciding"})
	doc := p.c.plan()
	statements := map[object][]*plan.Statement{}
	for _, s := range doc.Statements {
		key := object{ast.Kind(s.Kind), s.Object}
		statements[key] = append(statements[key], s)
	}
	var failures []error
	declared := p.c.schema.objects
	for i, d := range declared {
		p.e.options.Progress(Progress{Step: "applying", Object: d.Name.String(), Done: i, Total: len(declared)})
		o := p.bootstrapped[d]
		if o == nil {
			o = p.object(ctx, d, doc.Objects[i], statements[object{d.Kind, d.Name.String()}])
		}
		p.report.Objects = append(p.report.Objects, o)
		p.publish("applying")
		switch o.Outcome {
		case ledger.Failed, ledger.Unresolved:
			failures = append(failures, fmt.Errorf("%s %s: %s", o.Kind, o.Name, o.Error))
		}
		if d.Name == ledger.Table() && o.Outcome == ledger.Applied {
			if err := p.reopenLedger(); err != nil {
				return errors.Join(append(failures, err)...)
			}
		}
		if err := context.Cause(ctx); err != nil {
			return errors.Join(append(failures, fmt.Errorf("stopped after %d of %d objects: %w", i+1, len(declared), err))...)
		}
		if p.unrecorded != nil {
			return errors.Join(append(failures, p.unrecorded)...)
		}
	}
	others := map[string]ast.Object{}
	for name, o := range p.c.live.Relations {
		others[name.String()] = o.Tree
	}
	for _, o := range doc.Objects[len(declared):] {
		if o.Action == plan.ObjectNone {
			continue
		}
		other := &ObjectReport{Kind: ast.Kind(o.Kind), Name: o.Name, Action: o.Action, Outcome: ledger.Unchanged, Changes: o.Changes, Error: unreadable(o)}
		other.Reads, other.Writes = p.c.schema.flow(others[o.Name])
		p.report.Objects = append(p.report.Objects, other)
	}
	return errors.Join(failures...)
}

func unreadable(o *plan.Object) string {
	if o.Unreadable == nil {
		return ""
	}
	return fmt.Sprintf("the %s definition cannot be read: %s", o.Unreadable.Side, o.Unreadable.Message)
}
