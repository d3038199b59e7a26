package service

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/tokens"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Controller is what a service needs of an engine; [engine.Engine] is one.
type Controller interface {
	Pass(context.Context) (engine.Report, error)
	Running() (engine.Report, bool)
	Watch(func(context.Context, string, *engine.ObjectReport))
	LeaseStats() *lease.Stats
	Declared() (engine.Report, error)
	Ping(context.Context) error
	Target() string
}

// Options of [New]. Engine is required; the zero value of the rest is usable.
type Options struct {
	Engine Controller
	// Off switches the phase off: no pass is made, the state is unknown, and readiness does not depend on it.
	Off bool
	// Release is the engine's own release. Empty: "dev".
	Release string
	// Deployer carries out what the routes that change something ask for; nil: Engine, where it can.
	Deployer Deployer
	// Tokens says who may call those routes; nil: nobody, and they say how that is changed.
	Tokens *tokens.File
	// Log gets each event once; nil is silent.
	Log *slog.Logger
	// Ended is called by [Service.Run] after each pass, when what the pass needed is garbage; nil: nothing.
	Ended func(engine.State)
}

// Deployer carries out parts of a deployment; [engine.Engine] is one.
type Deployer interface {
	PassPart(context.Context, engine.Part) (engine.Report, *plan.Document, error)
	PlanPart(context.Context, engine.Part) (*plan.Document, error)
}

// Service is the controller at work, and the routes that tell of it. It is safe for concurrent use.
type Service struct {
	o        Options
	log      *slog.Logger
	handler  http.Handler
	ping     *pinger
	journal  journal
	renderer *renderer

	declaration declaration

	calls sync.WaitGroup // of the routes that change something

	mu sync.Mutex
	// tokensSaid is the fault of the tokens that was told of last.
	tokensSaid string
	begun      int // passes
	running    bool
	started    time.Time      // of the pass at hand
	last       *engine.Report // the newest finished pass
	next       time.Time      // when the next pass begins; zero: none is due
}

// New returns a service that has not begun: [Service.Run] makes the passes.
func New(o Options) *Service {
	if o.Release == "" {
		o.Release = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ended == nil {
		o.Ended = func(engine.State) {}
	}
	if o.Deployer == nil {
		o.Deployer, _ = o.Engine.(Deployer)
	}
	s := &Service{o: o, log: o.Log, ping: newPinger(o.Engine.Ping), journal: journal{log: o.Log, told: map[string]string{}}, renderer: newRenderer()}
	s.handler = s.routes()
	o.Engine.Watch(s.journal.object)
	return s
}

// ServeHTTP answers the routes in the package's documentation.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Back-off between passes, by DESIGN.md section 6: from 30 s to 10 min. Jitter only ever lengthens a wait, so that the
// replicas of a deployment do not come back together.
const (
	firstWait = 30 * time.Second
	lastWait  = 8 * time.Minute
	jitter    = 0.25
)

// Run makes passes until one converges, and returns then, or when the context has ended and the pass at hand with it.
func (s *Service) Run(ctx context.Context) {
	if s.o.Off {
		s.log.InfoContext(ctx, "the schema phase is switched off: no pass is made, and readiness does not depend on it")
		return
	}
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		state := s.attempt(ctx)
		s.o.Ended(state)
		if state.Settled() || ctx.Err() != nil {
			return
		}
		pause := wait + time.Duration(rand.Float64()*jitter*float64(wait))
		s.due(pause)
		s.log.InfoContext(ctx, "the pass runs again", "in", pause.Round(time.Second).String())
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			s.due(0)
			return
		case <-timer.C:
		}
	}
}

// Pass makes one pass and keeps its report for the routes. Programs that wait for their schema at start-up call it
// themselves instead of [Service.Run].
func (s *Service) Pass(ctx context.Context) (engine.Report, error) {
	s.mu.Lock()
	s.begun++
	n := s.begun
	s.running, s.started, s.next = true, time.Now().UTC(), time.Time{}
	s.mu.Unlock()
	s.journal.begin(ctx, n)
	r, err := s.o.Engine.Pass(ctx)
	kept := keep(&r)
	s.mu.Lock()
	s.running, s.last = false, kept
	s.mu.Unlock()
	s.journal.write(ctx, &r)
	return r, err
}

// attempt is a pass whose report nobody holds once it returns.
func (s *Service) attempt(ctx context.Context) engine.State {
	r, _ := s.Pass(ctx) // its error is in the report
	return r.State
}

// keep returns what the routes tell of a report. Statements are most of what a pass leaves behind, and the ledger has
// them; only those for an operator to run stay.
func keep(r *engine.Report) *engine.Report {
	kept := *r
	kept.Objects = make([]*engine.ObjectReport, len(r.Objects))
	for i, o := range r.Objects {
		object := *o
		object.Statements = make([]string, len(o.Statements)) // they are counted
		object.Changes = make([]*plan.Change, len(o.Changes))
		for j, c := range o.Changes {
			change := *c
			if rules.Action(c.Action).Carried() && !c.Report {
				change.Statement, change.Live, change.Desired = "", "", ""
			}
			object.Changes[j] = &change
		}
		kept.Objects[i] = &object
	}
	return &kept
}

// declaration is what the tree declares, for answers about a pass that did not come to all of it. It is read when the
// first of them is asked for, once a pass: a pass that goes well reads the tree itself, and nobody needs it twice.
type declaration struct {
	mu   sync.Mutex
	read bool
	pass int
	of   engine.Report
}

// declared returns the declaration as of the newest pass. A tree with faults has none here: the pass tells them.
func (s *Service) declared(pass int) engine.Report {
	d := &s.declaration
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.read || d.pass != pass {
		d.of, _ = s.o.Engine.Declared()
		d.read, d.pass = true, pass
	}
	return d.of
}

func (s *Service) due(in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = time.Time{}
	if in > 0 {
		s.next = time.Now().UTC().Add(in)
	}
}
