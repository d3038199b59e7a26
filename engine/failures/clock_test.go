package failures_test

import (
	"sync"
	"time"

	"github.com/dfe-engine/dfe/engine/lease"
)

// hurried is the clock of an engine that has no living rival, for one lease. What it would only wait for passes at once,
// on all three clocks: the time that a dead holder's claim stands, and the wait for rivals after its own claim. From
// then on it is the machine's own. To set one's clock forward can end one's own lease early, never make it longer.
type hurried struct {
	lease.Clock

	mu    sync.Mutex
	ahead time.Duration
	// claiming says that the newest timer bounds a claim; settled that the wait for rivals is over.
	claiming, settled bool
}

// patience is how long a hurried engine waits for the lease. On its clock a claim that a busy machine took too long to
// write costs 30 s, and on the test's nothing.
const patience = 10 * time.Minute

func hurry() *hurried { return &hurried{Clock: lease.SystemClock()} }

func (h *hurried) Now() lease.Reading {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.Clock.Now()
	return lease.Reading{Mono: r.Mono + h.ahead, Boot: r.Boot + h.ahead, Wall: r.Wall + h.ahead}
}

// Timer knows by their lengths what the timers are for: a claim is bounded by what is left of lease.KeepWithin, and the
// next timer after its answer is the wait for rivals.
func (h *hurried) Timer(d time.Duration) (<-chan time.Time, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	settling := h.claiming && d == lease.Settle
	polling := d == lease.PollEvery
	h.claiming = d > lease.SlowRead && d <= lease.KeepWithin
	if h.settled || !settling && !polling {
		return h.Clock.Timer(d)
	}
	h.settled = settling
	h.ahead += d
	fired := make(chan time.Time, 1)
	fired <- time.Now()
	return fired, func() {}
}
