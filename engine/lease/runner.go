package lease

import (
	"context"
	"sync"
	"time"
)

// runner gives a machine real time and a real store. One goroutine at a time calls
// its methods: the caller of Acquire until the lease is had, and Held's own after.
// The machine's state is also read by others, under mu.
type runner struct {
	store Store
	clock Clock

	mu sync.Mutex
	m  machine

	base   context.Context // of every operation; it outlives the caller of Acquire
	cancel context.CancelFunc
	ops    sync.WaitGroup

	answer    <-chan answer // of the operation under way
	dropOp    func()
	opTimeout <-chan time.Time
	wake      <-chan time.Time
	stopWake  func()
}

type answer struct {
	rows []Row
	err  error
}

func newRunner(ctx context.Context, store Store, clock Clock, m machine) *runner {
	r := &runner{store: store, clock: clock, m: m, dropOp: func() {}, stopWake: func() {}}
	r.base, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return r
}

// step tells the machine of an event and does what it answers. The clocks are read
// after the event has happened and before anything is sent because of it.
func (r *runner) step(event func(now Reading) action) {
	r.mu.Lock()
	act := event(r.clock.Now())
	r.mu.Unlock()

	r.stopWake()
	r.wake, r.stopWake = nil, func() {}
	if act.wake > 0 {
		r.wake, r.stopWake = r.clock.Timer(act.wake)
	}
	if act.op == opNone {
		return
	}
	r.dropOp()
	ctx, cancel := context.WithCancel(r.base)
	answered := make(chan answer, 1)
	r.ops.Go(func() {
		var a answer
		if act.op == opRead {
			a.rows, a.err = r.store.Read(ctx, r.m.own.Scope)
		} else {
			a.err = r.store.Insert(ctx, act.row)
		}
		answered <- a
	})
	timeout, stopTimeout := r.clock.Timer(act.timeout)
	r.answer, r.opTimeout = answered, timeout
	r.dropOp = func() {
		cancel()
		stopTimeout()
		r.answer, r.opTimeout, r.dropOp = nil, nil, func() {}
	}
}

// next waits for one event of the machine and takes the step. It reports false,
// having done nothing, when one of the two other channels is ready.
func (r *runner) next(a, b <-chan struct{}) bool {
	select {
	case got := <-r.answer:
		r.dropOp()
		r.step(func(now Reading) action { return r.m.done(now, got.rows, got.err) })
	case <-r.opTimeout:
		r.dropOp()
		r.step(func(now Reading) action { return r.m.done(now, nil, errNoAnswer) })
	case <-r.wake:
		r.step(r.m.woke)
	case <-a:
		return false
	case <-b:
		return false
	}
	return true
}

// stop ends what is under way and waits for it.
func (r *runner) stop() {
	r.stopWake()
	r.dropOp()
	r.cancel()
	r.ops.Wait()
}

// phase returns where the machine is. Only the goroutine that steps it asks.
func (r *runner) phase() phase { return r.m.phase }
