package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/lang/deps"
)

// Pending is the outcome of a declared object that a running pass has not come to. The ledger never holds it.
const Pending ledger.Outcome = "pending"

// running is what others see of the pass at hand. The pass writes it, on its own goroutine; anyone reads it.
type running struct {
	mu     sync.Mutex
	at     bool
	report Report
	// pending are the declared objects in manifest order. A pass reports them in that order, so that those after the
	// reported ones are those to come.
	pending []*ObjectReport
	watch   func(context.Context, string, *ObjectReport)
}

// Running returns what the pass at hand has come to: the objects it is through with, and after them the declared ones
// it has not come to, [Pending]. It reports false while no pass runs.
func (e *Engine) Running() (Report, bool) {
	e.running.mu.Lock()
	defer e.running.mu.Unlock()
	if !e.running.at {
		return Report{}, false
	}
	r := e.running.report
	// The pass only appends to its list, and what is in it does not change: a shorter view of it is safe to read.
	r.Objects = slices.Clone(r.Objects)
	if through := len(r.Objects); through < len(e.running.pending) {
		r.Objects = append(r.Objects, e.running.pending[through:]...)
	}
	r.summarize()
	return r, true
}

// Watch has f called with each object of a pass when the pass is through with it, on the goroutine of the pass, with the
// pass's id. It replaces what watched before; nil ends it.
func (e *Engine) Watch(f func(ctx context.Context, pass string, o *ObjectReport)) {
	e.running.mu.Lock()
	defer e.running.mu.Unlock()
	e.running.watch = f
}

// tell shows an object that the pass is through with to whoever watches.
func (p *pass) tell(ctx context.Context, o *ObjectReport) {
	p.e.running.mu.Lock()
	watch := p.e.running.watch
	p.e.running.mu.Unlock()
	if watch != nil {
		watch(ctx, p.report.Pass, o)
	}
}

// publish shows the pass as it is now.
func (p *pass) publish(step string) {
	if p.quiet {
		return // what others watch is the schema
	}
	p.e.running.mu.Lock()
	defer p.e.running.mu.Unlock()
	p.e.running.at = true
	p.e.running.report = *p.report
	p.e.running.report.Step = step
}

// declare shows what the pass is going to come to.
func (p *pass) declare(s *schema) {
	pending := s.pending()
	p.e.running.mu.Lock()
	defer p.e.running.mu.Unlock()
	p.e.running.pending = pending
}

// conceal ends what others see of the pass: the caller has its report.
func (p *pass) conceal() {
	p.e.running.mu.Lock()
	defer p.e.running.mu.Unlock()
	p.e.running.at, p.e.running.report, p.e.running.pending = false, Report{}, nil
}

// Declared returns what the schema tree and the overlay declare, object by object, as a report of a pass that has not
// begun: no server is asked. Its state is [Unknown]. The error is a [TreeError].
func (e *Engine) Declared() (Report, error) {
	r := Report{Version: 1, State: Unknown, Scope: string(ledger.ScopeSchema), EngineRelease: e.options.Release, Objects: []*ObjectReport{}, Topics: []*topics.Topic{}}
	s, err := e.resolve()
	if err != nil {
		return r, err
	}
	r.SchemaRelease, r.Objects, r.Topics = s.release, s.pending(), e.pendingTopics(s)
	s.overlay.tell(&r)
	return r, nil
}

func (s *schema) pending() []*ObjectReport {
	list := make([]*ObjectReport, len(s.objects))
	for i, d := range s.objects {
		o := &ObjectReport{Scope: string(d.scope), Kind: d.Kind, Name: d.Name.String(), Outcome: Pending}
		o.Reads, o.Writes = s.flow(d.Name, d.Refs())
		list[i] = o
	}
	return list
}

// flow lists, of what an object refers to, the declared tables, views and dictionaries whose rows it reads, and those it
// writes, each once.
func (s *schema) flow(own ast.Name, refs []deps.Ref) (reads, writes []string) {
	for _, ref := range refs {
		if !ref.InDatabase() || ref.Name == own || s.relations[ref.Name] == nil {
			continue
		}
		into := &reads
		if ref.Writes {
			into = &writes
		}
		if name := ref.Name.String(); !slices.Contains(*into, name) {
			*into = append(*into, name)
		}
	}
	return reads, writes
}
