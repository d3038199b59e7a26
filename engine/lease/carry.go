package lease

import (
	"context"
	"slices"
	"sync"
)

// Carrier carries one lease across pieces of work that are queued, such as source
// deploys: it is taken for the first, kept while others wait for their turn, and
// released after the last. Pieces are done one at a time, first come first served.
type Carrier struct {
	acquire func(context.Context) (*Held, error)

	mu    sync.Mutex
	busy  bool
	queue []chan struct{} // of those who wait; closed to give one the turn

	held *Held // of whoever has the turn
}

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
	if c.held != nil && !c.held.Valid() {
		c.put(ctx)
	}
	if c.held == nil {
		held, err := c.acquire(ctx)
		if err != nil {
			return err
		}
		c.held = held
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
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
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
	return context.Cause(ctx)
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
	}
}
