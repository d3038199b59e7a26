package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Part is what a deployment has besides its schema: one data source, or its tenants. Packages engine/sources and
// engine/tenants make them; they go through the same pass as the schema, under the same lease.
type Part struct {
	// Scope is what the ledger records the objects under.
	Scope ledger.Scope
	// What names the part for people, as in "the source web of acme".
	What string
	// Render gives the objects, as a tree that is laid over the core release. It asks no server.
	Render func(core *tree.Tree) (*tree.Tree, hcl.Diagnostics)
	// Files are sources of its faults besides those of the tree.
	Files map[string]*hcl.File
	// Whole demands that nothing is sent where a change is refused: whoever asked for it is told and may ask for another.
	Whole bool
	// Owns tells of an object that the ledger records under the scope whether it is of this part: one that is, and that the
	// part does not declare any more, is reported. Nil: none is.
	Owns func(kind ast.Kind, name string) bool
	// Prefixes are what the names of the objects begin with that the part owns, so that the ledger is asked about these
	// alone. None: it is asked about all of its scope.
	Prefixes []string
}

// RefusedError is a part with a change that is refused: nothing was sent. Plan says what and why.
type RefusedError struct {
	What string
	Plan *plan.Document
}

func (e *RefusedError) Error() string {
	var list []string
	for _, o := range e.Plan.Objects {
		if o.Unreadable != nil {
			list = append(list, fmt.Sprintf("%s %s cannot be read", o.Kind, o.Name))
		}
		for _, c := range o.Changes {
			if rules.Action(c.Action) != rules.Refused {
				continue
			}
			reason := c.Reason
			if reason == "" {
				reason = c.Rule
			}
			list = append(list, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s: %s", o.Kind, o.Name, c.Path, reason)), " "))
		}
	}
	return fmt.Sprintf("%s is refused, nothing was sent: %s", e.What, strings.Join(list, "; "))
}

// ErrorCode is the error as one word.
func (e *RefusedError) ErrorCode() string { return "refused" }

// OlderError is a part whose standard definitions are older than those that the ledger records for it. Nothing was sent.
type OlderError struct{ What, Release, Ledger string }

func (e *OlderError) Error() string {
	return fmt.Sprintf("%s is made of standard definitions of release %s, and the ledger has it of %s: nothing was sent; use the newer engine", e.What, e.Release, e.Ledger)
}

// ErrorCode is the error as one word.
func (e *OlderError) ErrorCode() string { return releaseRegressed }

// LockedError is a part that did not get the lease within the wait. Nothing was sent.
type LockedError struct {
	Waited time.Duration
	Err    error // a [lease.ObservedError], or [lease.ErrTurn]
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("nothing was sent: the lease of the schema could not be had in %s: %v", e.Waited.Round(time.Millisecond), e.Err)
}

func (e *LockedError) Unwrap() error { return e.Err }

// ErrorCode is the error as one word.
func (e *LockedError) ErrorCode() string { return "schema_locked" }

// carried bounds how long one lease is carried from part to part: less than the default wait of another engine's pass,
// which then has its turn.
const carried = 2 * time.Minute

// PassPart makes the server match a part of the deployment, once, as [Engine.Pass] does the schema. Parts wait for each
// other, and one lease is carried from one to the next while some wait. The plan is what was decided; it is nil where the
// pass did not get that far.
func (e *Engine) PassPart(ctx context.Context, part Part) (Report, *plan.Document, error) {
	p := e.begin(part.Scope)
	p.part, p.quiet = &part, true
	err := p.runPart(ctx)
	return p.end(ctx, err), p.decided, err
}

func (p *pass) runPart(ctx context.Context) error {
	began := time.Now()
	var err error
	if p.schema, err = p.e.resolvePart(p.part); err != nil {
		return err
	}
	p.report.SchemaRelease = p.schema.release
	turn := false
	err = p.e.carrier.Do(ctx, func(ctx context.Context, held *lease.Held) error {
		turn = true
		p.report.WaitedMS = time.Since(began).Milliseconds()
		return p.underShift(ctx, held)
	})
	var observed *lease.ObservedError
	if !turn {
		p.report.WaitedMS = time.Since(began).Milliseconds()
	}
	if !turn && (errors.As(err, &observed) || errors.Is(err, lease.ErrTurn)) {
		return &LockedError{time.Since(began), err}
	}
	return err
}

// takeShift connects, makes sure of the bookkeeping and takes the lease: what one part after the other works with.
func (e *Engine) takeShift(ctx context.Context) (_ *lease.Held, err error) {
	p := e.begin(ledger.ScopeSchema)
	p.quiet = true
	if p.conn, err = e.connect(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.leaveShift(ctx)
		}
	}()
	if p.schema, err = e.load(); err != nil {
		return nil, err
	}
	p.report.SchemaRelease = p.schema.release
	if err := p.meet(ctx); err != nil {
		return nil, err
	}
	if err := p.bootstrap(ctx); err != nil {
		return nil, err
	}
	if err := p.lead(ctx); err != nil {
		return nil, err
	}
	if err := p.recordEarly(ctx); err != nil {
		return nil, err
	}
	e.shift = p
	return p.lease.held, nil
}

// recordEarly writes down what was created before there was a ledger.
func (p *pass) recordEarly(ctx context.Context) error {
	if len(p.early) == 0 {
		return nil
	}
	if err := p.openLedger(ctx); err != nil {
		return err
	}
	return p.flushEarly(ctx)
}

func (p *pass) leaveShift(ctx context.Context) {
	p.release(ctx)
	p.e.disconnect(ctx, p.conn, "parts passed")
}

// underShift compares and applies a part with what the shift has: its connection, its lease, what it knows of the server.
func (p *pass) underShift(ctx context.Context, held *lease.Held) error {
	s := p.e.shift
	p.conn, p.facts, p.platform, p.members = s.conn, s.facts, s.platform, s.members
	p.report.Server, p.report.Platform = p.facts.Version, string(p.platform)
	p.lease.held, p.report.Epoch = held, held.Epoch()
	p.x = p.executor()
	p.x.Lease = held
	if err := p.e.checkServer(p.facts, p.schema); err != nil {
		return err
	}
	if err := p.checkGrants(ctx); err != nil {
		return err
	}
	if err := p.compare(ctx); err != nil {
		return err
	}
	err := p.apply(ctx, nil)
	if p.stopped != nil || slices.ContainsFunc(p.report.Objects, func(o *ObjectReport) bool { return o.Outcome == ledger.Unresolved }) {
		// What is unresolved may still happen: the next part takes a lease anew, and waits for quiet.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWait)
		defer cancel()
		var failed *lease.ReleaseError
		p.report.LeaseUnreleased = errors.As(held.Release(ctx), &failed)
		return err
	}
	if err != nil || p.unrecorded != nil || context.Cause(ctx) != nil {
		return err
	}
	return p.topicsPass(ctx, nil)
}

// PlanPart says what [Engine.PassPart] would decide and send, and changes nothing.
func (e *Engine) PlanPart(ctx context.Context, part Part) (*plan.Document, error) {
	s, err := e.resolvePart(&part)
	if err != nil {
		return nil, err
	}
	var doc *plan.Document
	err = e.plannedOf(ctx, s, func(conn *catalog.Conn, c *comparison) error {
		doc = e.document(ctx, conn, c)
		e.planTopics(ctx, c.schema, c.records, true, doc)
		return nil
	})
	return doc, err
}

// CheckPart renders a part and returns what it declares; no server is asked. The error is a [TreeError].
func (e *Engine) CheckPart(part Part) (*tree.Tree, error) {
	s, err := e.resolvePart(&part)
	if err != nil {
		return nil, err
	}
	return s.rendered, nil
}

// resolvePart renders a part over the core release.
func (e *Engine) resolvePart(part *Part) (*schema, error) {
	below, err := e.load()
	if err != nil {
		return nil, err
	}
	rendered, diags := part.Render(below.core)
	if diags.HasErrors() {
		return nil, part.fault(rendered, diags)
	}
	s := &schema{
		scope: part.Scope, release: rendered.Release, minServer: below.minServer, relations: map[ast.Name]*declared{}, book: below.book,
		core: below.core, rendered: rendered, part: part,
	}
	for _, d := range rendered.Objects {
		if taken := below.holder(d.Kind, d.Name); taken != nil {
			return nil, part.fault(rendered, hcl.Diagnostics{{Severity: hcl.DiagError, Extra: tree.CodeDuplicate,
				Summary: fmt.Sprintf("%s belongs to the %s", d.Name, taken.scope),
				Detail:  fmt.Sprintf("A %s of this name is needed for %s, and a %s is declared there. Give one of the two another name.", d.Kind, part.What, taken.Kind)}})
		}
		s.add(&declared{d, part.Scope, rendered.Release})
	}
	return s, e.checkLoss(s)
}

// holder is the declared object that holds a name among those that share one space of names with a kind: tables, views
// and dictionaries do, and so do users and roles. It is nil where nothing does.
func (s *schema) holder(kind ast.Kind, name ast.Name) *declared {
	space := func(kind ast.Kind) ast.Kind {
		switch {
		case kind.IsRelation():
			return ast.KindTable
		case kind == ast.KindUser:
			return ast.KindRole
		}
		return kind
	}
	for _, d := range slices.Concat(s.objects, s.topics) {
		if d.Name == name && space(d.Kind) == space(kind) {
			return d
		}
	}
	return nil
}

func (part *Part) fault(rendered *tree.Tree, diags hcl.Diagnostics) error {
	files := rendered.Files()
	maps.Copy(files, part.Files)
	return &TreeError{part.What, files, diags}
}

// records reads what the ledger has about the objects of the schema: of a part its own alone, however many others
// there are, and who made a database that it shares with another part.
func (s *schema) records(ctx context.Context, l *ledger.Ledger) (map[ledger.Key]*ledger.Record, error) {
	if s.part == nil || l == nil {
		return l.Newest(ctx)
	}
	var names ledger.Names
	if s.part.Owns == nil || len(s.part.Prefixes) > 0 {
		names.Prefixes = s.part.Prefixes
		for _, d := range slices.Concat(s.objects, s.topics) {
			names.Exact = append(names.Exact, d.Name.String())
		}
	}
	records, err := l.NewestIn(ctx, s.scope, names)
	if err != nil {
		return nil, err
	}
	declared := s.keys()
	maps.DeleteFunc(records, func(key ledger.Key, _ *ledger.Record) bool {
		return !declared[key] && !s.owned(key) // another source may have a name with the same beginning
	})
	var shared []string
	for _, name := range s.databases() {
		if records[ledger.Key{Scope: s.scope, Kind: ast.KindDatabase, Name: name}] == nil {
			shared = append(shared, name)
		}
	}
	for _, key := range s.takenOut(records) {
		if key.Kind == ast.KindDatabase {
			shared = append(shared, key.Name)
		}
	}
	if len(shared) == 0 {
		return records, nil
	}
	for _, scope := range []ledger.Scope{ledger.ScopeSource, ledger.ScopeTenant} {
		if scope == s.scope {
			continue
		}
		more, err := l.NewestIn(ctx, scope, ledger.Names{Exact: shared})
		if err != nil {
			return nil, err
		}
		for key, r := range more {
			if key.Kind == ast.KindDatabase { // of many names the ledger gives all there are
				records[key] = r
			}
		}
	}
	return records, nil
}

// refuse ends a pass that would do a part of what was asked for: it tells what is refused and sends nothing.
func (p *pass) refuse(doc *plan.Document) error {
	for i, d := range p.schema.objects {
		p.report.Objects = append(p.report.Objects, p.withheld(d, doc.Objects[i]))
	}
	p.others(doc)
	return &RefusedError{p.part.What, doc}
}
