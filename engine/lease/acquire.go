package lease

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"
)

// Options are what Acquire needs.
type Options struct {
	Store Store  // on connections of its own: a renewal waits behind no statement
	Scope string // what the lease guards: "schema" for a pass

	Owner         string // who claims, for people to find it: host, process and pod
	Pass          string
	SchemaRelease string
	EngineRelease string

	// Wait is how long a held lease is waited for. One try is made in any case, and
	// a try that has begun is brought to its end.
	Wait time.Duration

	Observer *Observer    // of this process; a new one if nil, which must see everything first
	Clock    Clock        // the observer's own SystemClock if nil; one for all that share an observer
	Stats    *Stats       // counted into, if not nil
	Log      *slog.Logger // nothing is logged if nil
}

// Stats counts what became of leases, for metrics. The zero value is ready.
type Stats struct {
	Acquired atomic.Uint64
	Lost     atomic.Uint64 // ended without their holder's doing

	// ReleaseFailures counts claims that were to be released and lapse instead: the
	// metric dfe_schema_lease_release_failures_total.
	ReleaseFailures atomic.Uint64
}

// Acquire takes the lease, waiting for it as long as the options say. Its context
// covers the taking only: the lease is then renewed until Held.Release is called or
// it is lost. The error is an *ObservedError when the wait ran out, and the
// context's own when that ended; a claim that was acknowledged by then is released
// first, which takes up to WriteTimeout.
func Acquire(ctx context.Context, o Options) (*Held, error) {
	if o.Store == nil || o.Scope == "" || o.Owner == "" {
		return nil, errors.New("lease: a store, a scope and an owner are needed")
	}
	if o.Observer == nil {
		o.Observer = &Observer{}
	}
	if o.Clock == nil {
		o.Clock = o.Observer.system()
	}
	if o.Stats == nil {
		o.Stats = &Stats{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := theLaws()
	d := newRunner(ctx, o.Store, o.Clock, machine{
		laws:  &r,
		seen:  o.Observer.scope(o.Scope),
		newID: newClaimID,
		wait:  o.Wait,
		own: Row{
			Scope: o.Scope, Owner: o.Owner, TTL: TTL,
			Pass: o.Pass, SchemaRelease: o.SchemaRelease, EngineRelease: o.EngineRelease,
		},
	})
	if err := take(ctx, d, o.Log); err != nil {
		d.stop()
		o.Stats.ReleaseFailures.Add(uint64(d.m.count.yieldFailed))
		return nil, err
	}
	o.Stats.Acquired.Add(1)
	h := &Held{runner: d, stats: o.Stats, log: o.Log.With("scope", o.Scope, "claim", d.m.claim.ClaimID),
		done: make(chan struct{}), asked: make(chan struct{}), quit: make(chan struct{}), over: make(chan struct{}),
		open: map[*Statement]context.CancelCauseFunc{}}
	h.log.Info("lease acquired", "epoch", d.m.claim.Epoch)
	go h.hold()
	return h, nil
}

// take runs the machine until it holds, or ends.
func take(ctx context.Context, d *runner, log *slog.Logger) error {
	gone := ctx.Done()
	waitedFor := ""
	d.step(d.m.start)
	for d.phase() != holding {
		if d.phase() == ended {
			if err := context.Cause(ctx); err != nil && errors.Is(d.m.err, errGone) {
				return err
			}
			return d.m.err
		}
		if !d.next(gone, nil) {
			gone = nil
			d.step(d.m.abandon)
		}
		if holder := d.m.report.holder; d.m.report.held && holder.ClaimID != waitedFor {
			waitedFor = holder.ClaimID
			log.Info("waiting for the lease", "scope", holder.Scope, "holder", holder.Owner, "claim", holder.ClaimID)
		}
	}
	return nil
}
