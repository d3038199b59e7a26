package engine_test

import (
	"context"
	"sync"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/lease"
)

// hurry is the clock of a lease under test: it is the machine's own, but what a lease only waits for passes at once,
// for all three clocks: the wait for rivals after a claim, and the pauses while another holds. Its store tells it which
// timers those are.
type hurry struct {
	lease.Clock

	mu      sync.Mutex
	ahead   time.Duration
	wall    time.Duration // the wall clock alone
	settles bool          // a claim was acknowledged, and the wait for rivals comes next
	claim   string        // the newest of our own that was not released; "" for none
}

func newHurry() *hurry { return &hurry{Clock: lease.SystemClock()} }

func (h *hurry) on(e *engine.Engine) {
	e.SetLease(h, func(s lease.Store) lease.Store { return &hurried{s, h} })
}

func (h *hurry) Now() lease.Reading {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.Clock.Now()
	return lease.Reading{Mono: r.Mono + h.ahead, Boot: r.Boot + h.ahead, Wall: r.Wall + h.ahead + h.wall}
}

func (h *hurry) Timer(d time.Duration) (<-chan time.Time, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	settling, polling := h.settles && d == lease.Settle, h.claim == "" && d == lease.PollEvery
	if !settling && !polling {
		return h.Clock.Timer(d)
	}
	h.settles = false
	h.ahead += d
	fired := make(chan time.Time, 1)
	fired <- time.Now()
	return fired, func() {}
}

// pass lets time go by.
func (h *hurry) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ahead += d
}

// jump sets the wall clock forward.
func (h *hurry) jump(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wall += d
}

type hurried struct {
	lease.Store
	clock *hurry
}

func (s *hurried) Insert(ctx context.Context, row lease.Row) error {
	s.clock.mu.Lock()
	// From here on a holder counts: no time is skipped while the claim is on its way, however slow the machine is.
	if row.Action == lease.Claim {
		s.clock.claim = row.ClaimID
	}
	s.clock.mu.Unlock()
	err := s.Store.Insert(ctx, row)
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	switch row.Action {
	case lease.Claim:
		s.clock.settles = err == nil
	case lease.Release:
		// A holder releases what it finds expired, too: that is another's claim, and it goes on holding.
		if row.ClaimID == s.clock.claim {
			s.clock.claim = ""
		}
	}
	return err
}
