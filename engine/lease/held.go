package lease

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Held is a lease that this process holds, or held. A goroutine of its own renews
// it from Acquire on until it is lost or Release has returned. It is safe for
// concurrent use.
//
// Whoever acts under it asks Check immediately before each statement, or better
// sends the statement under Begin's context, which ends with the lease.
type Held struct {
	*runner
	stats *Stats
	log   *slog.Logger

	done  chan struct{} // closed when the lease is no longer held
	asked chan struct{} // closed when a release is to be sent
	quit  chan struct{} // closed when the goroutine is to end at once
	over  chan struct{} // closed when it has ended

	release sync.Once
	result  error // of Release, once it has returned
	ended   error // under mu: errReleased, or the *LostError
	open    map[*Statement]context.CancelCauseFunc
}

// hold renews the lease until it ends. It owns the runner.
func (h *Held) hold() {
	defer close(h.over)
	defer h.runner.stop()
	asked := h.asked
	for h.phase() != ended {
		if h.next(asked, h.quit) {
			continue
		}
		select {
		case <-h.quit:
			return
		default:
			asked = nil
			h.step(h.m.release)
		}
	}
	var lost *LostError
	if errors.As(h.m.err, &lost) {
		h.stats.Lost.Add(1)
		h.log.Warn("lease lost", "error", lost)
		h.end(lost)
	}
}

// end makes the lease invalid for good, closes the statements' connections and
// returns how many statements were unresolved.
func (h *Held) end(cause error) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.m.closed {
		return len(h.open)
	}
	h.m.closed = true
	h.ended = cause
	close(h.done)
	for _, cancel := range h.open {
		cancel(cause)
	}
	return len(h.open)
}

// Valid reports whether the holder may act: the lease is neither given back nor
// lost, and none of this host's clocks has counted a TTL since the last renewal
// that counts was sent. It reads the clocks at each call.
func (h *Held) Valid() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.m.valid(h.clock.Now())
}

// Deadline returns the end of the holder's count by this host's wall clock, as it
// is now: renewals move it on. It is in the past if the lease is not valid.
func (h *Held) Deadline() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock.Now()
	if !h.m.valid(now) {
		return wallTime(h.m.sent)
	}
	return wallTime(now).Add(h.m.remaining(now))
}

// Done is closed when the lease has been given back or lost. A clock that jumped
// closes it within a second; Valid knows at once.
func (h *Held) Done() <-chan struct{} { return h.done }

// Check returns nil if the holder may act and ctx has not ended. It asks no server.
func (h *Held) Check(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.check()
}

func (h *Held) check() error {
	now := h.clock.Now()
	switch {
	case h.m.valid(now):
		return nil
	case h.ended != nil:
		return h.ended
	}
	return &LostError{Scope: h.m.own.Scope, ClaimID: h.m.claim.ClaimID, Clock: h.m.clockThatEnded(now), Cause: h.m.report.cause}
}

var errReleased = errors.New("the lease was given back")

// ClaimID returns the claim's random id.
func (h *Held) ClaimID() string { return h.m.claim.ClaimID }

// Epoch returns the lease's epoch: larger than every earlier holder's of its scope.
func (h *Held) Epoch() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.m.claim.Epoch
}

// Statement is one statement under a lease, from before it is sent until its
// outcome is known.
type Statement struct {
	held *Held
	ctx  context.Context
}

// Begin checks the lease and opens a statement, which is unresolved until Resolved.
// Its context ends with the lease, for the reason that the lease ended: that is the
// statement's network deadline.
func (h *Held) Begin(ctx context.Context) (*Statement, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Statement{held: h, ctx: ctx}
	h.open[s] = cancel
	return s, nil
}

// Context returns the context to send the statement under.
func (s *Statement) Context() context.Context { return s.ctx }

// Resolved says that the statement's outcome is known: its answer has arrived, or
// the catalogue was read and nothing of it can still arrive. It ends the context.
func (s *Statement) Resolved() {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	if cancel, ok := s.held.open[s]; ok {
		cancel(context.Canceled)
		delete(s.held.open, s)
	}
}

// Release gives the lease back and returns when its goroutine has ended. From its
// first instant on nobody may act under the lease. While a statement is unresolved
// no release is sent, and none is waited for beyond ctx: the lease then lapses, the
// error is a *ReleaseError and is counted. For a lease that is already lost it
// returns the *LostError. Later calls return what the first one did.
func (h *Held) Release(ctx context.Context) error {
	h.release.Do(func() { h.result = h.giveBack(ctx) })
	return h.result
}

func (h *Held) giveBack(ctx context.Context) error {
	failed := &ReleaseError{Scope: h.m.own.Scope, ClaimID: h.m.claim.ClaimID}
	if h.end(errReleased) > 0 {
		failed.Cause = ErrUnresolved
		close(h.quit)
	} else {
		close(h.asked)
		select {
		case <-h.over:
		case <-ctx.Done():
			failed.Cause = context.Cause(ctx)
			close(h.quit)
		}
	}
	<-h.over
	var lost *LostError
	switch {
	case errors.As(h.ended, &lost):
		return lost
	case errors.As(h.m.err, &lost):
		return lost // its count ran out while the release was on its way to be sent
	case failed.Cause == nil && h.m.err == nil:
		h.log.Info("lease released")
		return nil
	case failed.Cause == nil:
		failed.Cause = errors.Unwrap(h.m.err)
	}
	h.stats.ReleaseFailures.Add(1)
	h.log.Warn("lease not released", "error", failed)
	return failed
}
