package lease

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Carrier carries one lease across pieces of work that are queued, such as source
// deploys: it is taken for the first, kept while others wait for their turn, and
// released after the last. Pieces are done one at a time, first come first served.
type Carrier struct {
	acquire func(context.Context) (*Held, error)
	// Released is called after a lease that was carried is given back or found lost;
	// nil: nothing.
	Released func(context.Context)
	// Wait bounds how long one waits for its turn: ErrTurn then. 0: no bound.
	Wait time.Duration
	// Most is how long one lease is carried: after it the next in the queue takes a
	// lease anew, so that others who wait for it have their chance. 0: no bound.
	Most time.Duration

	mu    sync.Mutex
	busy  bool
	queue []chan struct{} // of those who wait; closed to give one the turn

	// Of whoever has the turn: the lease, and since when it is carried.
	held  *Held
	since time.Time
}

// ErrTurn says that others who came before were not through within the wait. The lease
// is this process's own meanwhile, or what they wait for.
var ErrTurn = errors.New("others that were queued before are not through")

// NewCarrier returns a carrier that takes the lease by acquire.
func NewCarrier(acquire func(context.Context) (*Held, error)) *Carrier {
	return &Carrier{acquire: acquire}
}

// Do waits for its turn, takes the lease if none is carried or the carried one is
// lost, and does the work under it. It returns the work's error, or why the turn or
// the lease could not be had. That a lease then lapses instead of being released is
// counted by the lease and is no error of the work.
func (c *Carrier) Do(ctx context.Context, work func(context.Context, *Held) error) error {
	if err := c.waitForTurn(ctx); err != nil {
		return err
	}
	defer c.passOn(ctx)
	if c.held != nil && (!c.held.Valid() || c.Most > 0 && time.Since(c.since) > c.Most) {
		c.put(ctx)
	}
	if c.held == nil {
		held, err := c.acquire(ctx)
		if err != nil {
			return err
		}
		c.held, c.since = held, time.Now()
	}
	return work(ctx, c.held)
}

func (c *Carrier) waitForTurn(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	if !c.busy {
		c.busy = true
		c.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	c.queue = append(c.queue, turn)
	c.mu.Unlock()
	var late <-chan time.Time
	if c.Wait > 0 {
		timer := time.NewTimer(c.Wait)
		defer timer.Stop()
		late = timer.C
	}
	why := ErrTurn
	select {
	case <-turn:
		return nil
	case <-late:
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	c.mu.Lock()
	at := slices.Index(c.queue, turn)
	if at >= 0 {
		c.queue = slices.Delete(c.queue, at, at+1)
	}
	c.mu.Unlock()
	if at < 0 {
		c.passOn(ctx) // the turn came with the lease; neither may be lost with its taker
	}
	return why
}

// passOn gives turn and lease to the next in the queue; if nobody waits, it
// releases the lease.
func (c *Carrier) passOn(ctx context.Context) {
	if c.next() {
		return
	}
	c.put(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) > 0 { // who came meanwhile takes a lease anew
		c.give()
		return
	}
	c.busy = false
}

func (c *Carrier) next() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return false
	}
	c.give()
	return true
}

// give closes the first channel of the queue; the lock is held.
func (c *Carrier) give() {
	close(c.queue[0])
	c.queue = slices.Delete(c.queue, 0, 1)
}

// put releases the lease, if there is one.
func (c *Carrier) put(ctx context.Context) {
	if c.held != nil {
		_ = c.held.Release(context.WithoutCancel(ctx)) // logged and counted there
		c.held = nil
		if c.Released != nil {
			c.Released(context.WithoutCancel(ctx))
		}
	}
}
