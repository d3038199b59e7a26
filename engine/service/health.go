package service

import (
	"context"
	"time"

	"github.com/dfe-engine/dfe/engine"
)

const (
	// pingWait bounds one ping: a prober gives up after a second or a few.
	pingWait = 3 * time.Second
	// pingFresh is how long an answer is used again: probes of several observers cost one connection.
	pingFresh = time.Second
)

// pinger asks the server at most once at a time and remembers the answer for a moment.
type pinger struct {
	ask func(context.Context) error

	turn chan struct{} // held by the one who asks, and guards the answer
	at   time.Time
	err  error
}

func newPinger(ask func(context.Context) error) *pinger {
	return &pinger{ask: ask, turn: make(chan struct{}, 1)}
}

// check returns the newest answer, asking for one where that is stale. Whoever comes meanwhile waits for it.
func (p *pinger) check(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if !p.at.IsZero() && time.Since(p.at) < pingFresh {
		return p.err
	}
	// One prober that hangs up does not spoil the answer for the others.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingWait)
	defer cancel()
	p.err = p.ask(ctx)
	p.at = time.Now()
	return p.err
}

// Readiness is the document of /readyz.
type Readiness struct {
	Version int    `json:"version"`
	Ready   bool   `json:"ready"`
	Checks  Checks `json:"checks"`
}

// Checks are what readiness consists of.
type Checks struct {
	ClickHouse Check `json:"clickhouse"`
	Schema     Check `json:"schema"`
}

// Check is one part of readiness.
type Check struct {
	OK bool `json:"ok"`
	// State is that of the newest finished pass, for the schema: running before there is one, unknown where the phase
	// is switched off.
	State engine.State `json:"state,omitempty"`
	Error string       `json:"error,omitempty"`
}

// Readiness asks ClickHouse and looks at the newest finished pass.
func (s *Service) Readiness(ctx context.Context) Readiness {
	r := Readiness{Version: 1}
	r.Checks.Schema = s.schemaCheck()
	r.Checks.ClickHouse.OK = true
	if err := s.ping.check(ctx); err != nil {
		r.Checks.ClickHouse = Check{Error: err.Error()}
	}
	r.Ready = r.Checks.ClickHouse.OK && r.Checks.Schema.OK
	return r
}

func (s *Service) schemaCheck() Check {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.o.Off:
		return Check{OK: true, State: engine.Unknown}
	case s.last == nil:
		return Check{State: engine.Running, Error: "no pass has finished yet"}
	}
	return Check{OK: s.last.State.Settled(), State: s.last.State, Error: s.last.Error}
}
