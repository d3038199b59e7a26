package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/platform"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/lang/deps"
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
	p := e.begin(ledger.ScopeSchema)
	p.step("connecting")
	defer p.conceal()
	err := p.run(ctx, reviewed)
	return p.end(ctx, err), err
}

// begin returns a pass that has not done anything.
func (e *Engine) begin(scope ledger.Scope) *pass {
	return &pass{e: e, mutating: map[ast.Name]bool{}, lost: map[*tree.Declared]string{}, bootstrapped: map[*declared]*ObjectReport{}, report: &Report{
		Version: 1, State: Running, Pass: e.newPass(), Scope: string(scope), EngineRelease: e.options.Release,
		Started: e.now().UTC(), Objects: []*ObjectReport{}, Topics: []*topics.Topic{},
	}}
}

// end says in the report how the pass ended.
func (p *pass) end(ctx context.Context, err error) Report {
	p.report.Finished = p.e.now().UTC()
	p.tellBootstrapped()
	p.report.summarize()
	p.report.State = Converged
	if p.e.options.SkipTables && p.part == nil {
		p.report.State = Unknown
	}
	if err != nil {
		p.report.State, p.report.Error, p.report.Code = Failed, err.Error(), codeOf(err)
	}
	var observed *lease.ObservedError
	if errors.As(err, &observed) {
		p.report.observed(observed)
	}
	// Whoever called has the report and tells of it.
	p.e.log.DebugContext(ctx, "pass ended", "pass", p.report.Pass, "state", p.report.State, "statements", p.report.Summary.Statements,
		"refused", p.report.Summary.Refused, "error", p.report.Error)
	return *p.report
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
	e        *Engine
	report   *Report
	conn     *catalog.Conn
	schema   *schema
	facts    *catalog.Facts
	platform rules.Platform
	members  catalog.Members
	lease    leading
	x        *executor.Executor
	c        *comparison
	ledger   *ledger.Ledger
	// early are records made before there was a ledger to write them to.
	early    []*ledger.Record
	sequence uint32
	// lost are the objects that did not come to be, with what a dependant is told.
	lost map[*tree.Declared]string
	// unrecorded is why the newest row could not be written. Nothing is applied that cannot be recorded.
	unrecorded error
	// stale are rows that say nothing new but let the next pass leave their objects unread.
	stale []*ledger.Record
	// stopped is why nothing more may be sent: the lease is lost, or a queue of the servers does not move.
	stopped error
	// cause is what went wrong at the object that failed last.
	cause error
	// mutating are the tables that this pass gave a column another type.
	mutating map[ast.Name]bool
	// bootstrapped are the bookkeeping objects this pass created before comparing.
	bootstrapped map[*declared]*ObjectReport
	// part is what the pass makes true instead of the schema; nil for the schema.
	part *Part
	// quiet keeps the pass from those who watch the schema's.
	quiet bool
	// written are the rows of this pass, the newest of each object.
	written map[ledger.Key]*ledger.Record
	// decided is the plan that the pass went by.
	decided *plan.Document
}

// step says what the pass is at.
func (p *pass) step(what string) {
	p.e.options.Progress(Progress{Step: what})
	p.publish(what)
}

// run goes through the steps of DESIGN.md section 6.
func (p *pass) run(ctx context.Context, reviewed *plan.Document) error {
	if p.e.options.SkipTables {
		if err := p.resolve(); err != nil {
			return err
		}
		return p.topicsPass(ctx, reviewed)
	}
	conn, err := p.e.connect(ctx)
	if err != nil {
		return err
	}
	p.conn = conn
	defer p.e.disconnect(ctx, conn, "passed")
	if err := p.resolve(); err != nil {
		return err
	}
	if err := p.meet(ctx); err != nil {
		return err
	}
	if reviewed != nil {
		// A reviewed plan is compared before anything is sent, the bookkeeping included, and again under the lease.
		if err := p.compare(ctx); err != nil {
			return err
		}
		if err := samePlan(reviewed, p.c.plan()); err != nil {
			return err
		}
	}
	if err := p.bootstrap(ctx); err != nil {
		return err
	}
	defer p.release(ctx)
	if err := p.lead(ctx); err != nil {
		return err
	}
	p.step("reading the catalogue")
	if err := p.compare(ctx); err != nil {
		return err
	}
	err = p.apply(ctx, reviewed)
	if p.stopped != nil || p.unrecorded != nil || context.Cause(ctx) != nil {
		return err
	}
	return errors.Join(err, p.topicsPass(ctx, reviewed))
}

// resolve loads the schema.
func (p *pass) resolve() error {
	var err error
	if p.schema, err = p.e.resolve(); err != nil {
		return err
	}
	p.report.SchemaRelease = p.schema.release
	p.schema.overlay.tell(p.report)
	p.declare(p.schema)
	return nil
}

// meet asks the server about itself and refuses one that cannot have the schema.
func (p *pass) meet(ctx context.Context) error {
	p.step("asking the server")
	facts, err := catalog.ReadFacts(ctx, p.conn)
	if err != nil {
		return err
	}
	p.facts, p.platform = facts, p.e.platform(facts)
	p.members = platform.Members(p.platform, facts)
	p.report.Server, p.report.Platform = facts.Version, string(p.platform)
	if err := p.e.checkServer(facts, p.schema); err != nil {
		return err
	}
	if err := p.checkGrants(ctx); err != nil {
		return err
	}
	p.x = p.executor()
	return nil
}

func (p *pass) executor() *executor.Executor {
	return executor.New(p.conn, executor.Options{
		Scope: p.report.Scope, Pass: p.report.Pass, Members: p.members, Knows: p.facts.Knows,
		Ceiling: p.e.options.MaxQuerySize, Pause: p.e.pause, Log: p.e.log,
	})
}

// bootstrap creates the bookkeeping objects that are absent, by the same code as every other object: lease and ledger
// have to be there before anything else is decided. One that is there and differs is left to the comparison, which is
// made under the lease.
func (p *pass) bootstrap(ctx context.Context) error {
	live := &catalog.Catalog{Facts: p.facts, Databases: map[string]*catalog.Object{}, Relations: map[ast.Name]*catalog.Object{}, Functions: map[string]*catalog.Object{}}
	p.c = p.e.comparison(p.schema, live, nil)
	for _, id := range bookkeeping() {
		d := p.schema.find(id)
		if err := p.found(ctx, d); err != nil {
			return err
		}
		if err := p.shared(d); err != nil {
			return err
		}
		if live.Find(d.Kind, d.Name) != nil {
			continue
		}
		doc := p.planOne(d)
		o := p.object(ctx, d, doc.Objects[0], doc.Statements)
		if o.Outcome == ledger.Applied {
			p.bootstrapped[d] = o
			p.tell(ctx, o)
			continue
		}
		// Another pass may have been quicker: then it is there now, and that is all that was wanted.
		if err := p.found(ctx, d); err != nil {
			if len(o.Statements) > 0 {
				p.report.Objects = append(p.report.Objects, o)
			}
			return err
		}
		if live.Find(d.Kind, d.Name) == nil || o.Outcome != ledger.Failed {
			p.report.Objects = append(p.report.Objects, o)
			p.tell(ctx, o)
			return fmt.Errorf("the bookkeeping: %w", &ObjectError{d.Kind, d.Name.String(), o.Error, p.cause})
		}
		delete(p.lost, d.Declared)
		p.early = p.early[:len(p.early)-1]
	}
	return nil
}

// tellBootstrapped puts the bookkeeping that was created into the report of a pass that ended before it came to the
// objects: it was sent all the same.
func (p *pass) tellBootstrapped() {
	if len(p.bootstrapped) == 0 {
		return
	}
	var early []*ObjectReport
	for _, id := range bookkeeping() {
		if o := p.bootstrapped[p.schema.find(id)]; o != nil && !slices.Contains(p.report.Objects, o) {
			early = append(early, o)
		}
	}
	p.report.Objects = append(early, p.report.Objects...)
}

// found reads what holds the name of a declared object.
func (p *pass) found(ctx context.Context, d *declared) error {
	o, err := catalog.ReadObject(ctx, p.conn, d.Kind, d.Name)
	if err == nil {
		p.c.live.Put(d.Kind, d.Name, o)
	}
	return err
}

// compare reads the ledger and the catalogue, and writes to the ledger what was done before there was one.
func (p *pass) compare(ctx context.Context) error {
	if err := p.openLedger(ctx); err != nil {
		return err
	}
	records, err := p.schema.records(ctx, p.ledger)
	if err != nil {
		return err
	}
	live, err := catalog.ReadAround(ctx, p.conn, p.facts)
	if err != nil {
		return err
	}
	if err := catalog.ReadBeside(ctx, p.conn, live, p.schema.reads(records)); err != nil {
		return err
	}
	p.c = p.e.comparison(p.schema, live, records)
	if err := p.c.readValues(ctx, p.e); err != nil {
		return err
	}
	if err := p.read(ctx); err != nil {
		return err
	}
	return p.flushEarly(ctx)
}

// openLedger finds the ledger, where there is one yet.
func (p *pass) openLedger(ctx context.Context) error {
	table, err := catalog.ReadObject(ctx, p.conn, ast.KindTable, ledger.Table())
	if err != nil {
		return err
	}
	p.ledger, err = ledger.Open(p.conn, table)
	return err
}

// flushEarly writes to the ledger what was done before there was one.
func (p *pass) flushEarly(ctx context.Context) error {
	if p.ledger == nil {
		return nil
	}
	early := p.early
	p.early = nil
	for _, r := range early {
		if err := p.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// read reads the tables, views and dictionaries, those in full about which the ledger does not tell enough.
func (p *pass) read(ctx context.Context) error {
	scope := p.schema.reads(p.c.records)
	if p.ledger == nil || p.e.options.Release == unreleased || p.part != nil {
		return catalog.ReadTables(ctx, p.conn, p.c.live, scope)
	}
	seen, err := catalog.Glance(ctx, p.conn, scope.Databases)
	if err != nil {
		return err
	}
	p.c.leave(seen, p.e.options.Release)
	if len(p.c.unread) > 0 {
		scope.Names = []ast.Name{}
		for name := range seen {
			if p.c.unread[name] == nil {
				scope.Names = append(scope.Names, name)
			}
		}
	}
	if err := catalog.ReadTables(ctx, p.conn, p.c.live, scope); err != nil {
		return err
	}
	for name, o := range p.c.unread {
		p.c.live.Relations[name] = o
	}
	return nil
}

func (p *pass) planOne(d *declared) *plan.Document {
	return p.c.schema.book.Plan([]rules.Pair{p.c.pair(d, p.c.liveOf(d))}, p.c.options)
}

// apply goes through the objects in manifest order. One that fails does not stop those that do not depend on it.
func (p *pass) apply(ctx context.Context, reviewed *plan.Document) error {
	p.step("deciding")
	if err := p.sharesFunctions(ctx); err != nil {
		return err
	}
	doc := p.c.plan()
	if reviewed != nil {
		if err := samePlan(p.without(reviewed), doc); err != nil {
			return err
		}
	}
	p.decided = doc
	newer := p.c.newerRelease()
	switch {
	case newer != "" && p.part != nil:
		return &OlderError{p.part.What, p.schema.release, newer}
	case newer != "" && !p.e.options.AllowDowngrade:
		return p.regress(ctx, doc, newer)
	}
	if p.part != nil && p.part.Whole && slices.ContainsFunc(doc.Objects[:len(p.schema.objects)], func(o *plan.Object) bool {
		return o.Action == plan.ObjectRefused || o.Unreadable != nil
	}) {
		return p.refuse(doc)
	}
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
		switch {
		case o != nil:
		case p.c.unread[d.Name] != nil && d.Kind.IsRelation():
			o = p.left(d, doc.Objects[i])
			p.tell(ctx, o)
		default:
			o = p.object(ctx, d, doc.Objects[i], statements[object{d.Kind, d.Name.String()}])
			if untried(ctx, o) {
				return errors.Join(append(failures, stoppedAfter(i, len(declared), context.Cause(ctx)))...)
			}
			p.tell(ctx, o)
		}
		p.report.Objects = append(p.report.Objects, o)
		p.publish("applying")
		switch o.Outcome {
		case ledger.Failed, ledger.Unresolved:
			failures = append(failures, &ObjectError{o.Kind, o.Name, o.Error, p.cause})
			if p.stopped != nil && i+1 < len(declared) {
				return errors.Join(append(failures, fmt.Errorf("stopped after %d of %d objects", i+1, len(declared)))...)
			}
		}
		if d.Name == ledger.Table() && o.Outcome == ledger.Applied {
			// It may have columns now that it had not, or be another's that was left unread.
			if err := p.openLedger(ctx); err != nil {
				return errors.Join(append(failures, err)...)
			}
		}
		if err := context.Cause(ctx); err != nil {
			return errors.Join(append(failures, stoppedAfter(i+1, len(declared), err))...)
		}
		if p.unrecorded != nil {
			return errors.Join(append(failures, p.unrecorded)...)
		}
		if p.stopped == nil {
			p.stopped = p.lease.held.Check(ctx)
		}
		if p.stopped != nil && i+1 < len(declared) {
			return errors.Join(append(failures, stoppedAfter(i+1, len(declared), p.stopped))...)
		}
	}
	p.others(doc)
	if err := p.refresh(ctx); err != nil {
		failures = append(failures, err)
	}
	if err := p.settleRights(ctx); err != nil {
		failures = append(failures, err)
	}
	if p.part != nil {
		return errors.Join(append(failures, p.noteTakenOut(ctx))...)
	}
	if err := p.compareMembers(ctx); err != nil {
		failures = append(failures, err)
	}
	if err := p.compareMutations(ctx); err != nil {
		failures = append(failures, err)
	}
	if p.newer(p.c.newerRelease()) {
		if err := p.downgraded(ctx); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// others reports what is live in the declared databases and nothing declares.
func (p *pass) others(doc *plan.Document) {
	others := map[string]ast.Object{}
	for name, o := range p.c.live.Relations {
		others[name.String()] = o.Tree
	}
	for _, o := range doc.Objects[len(p.schema.objects):] {
		if o.Action == plan.ObjectNone {
			continue
		}
		other := &ObjectReport{Kind: ast.Kind(o.Kind), Name: o.Name, Action: o.Action, Outcome: Undeclared, Changes: o.Changes, Error: unreadable(o)}
		if p.part != nil {
			other.Scope = string(p.schema.scope)
		}
		if live := others[o.Name]; live != nil {
			other.Reads, other.Writes = p.c.schema.flow(live.ID(), deps.Of(live))
		}
		p.report.Objects = append(p.report.Objects, other)
	}
}

// without is a reviewed plan without the statements that have been sent for the bookkeeping.
func (p *pass) without(reviewed *plan.Document) *plan.Document {
	left := *reviewed
	left.Statements = slices.DeleteFunc(slices.Clone(reviewed.Statements), func(s *plan.Statement) bool {
		for d := range p.bootstrapped {
			if string(d.Kind) == s.Kind && d.Name.String() == s.Object {
				return true
			}
		}
		return false
	})
	return &left
}

func unreadable(o *plan.Object) string {
	if o.Unreadable == nil {
		return ""
	}
	return o.Unreadable.Text()
}
