package lease

import (
	"context"
	"sync"
	"time"
)

// fakeStore keeps rows in memory. Its calls take latency, and fail or hang as told.
type fakeStore struct {
	mu      sync.Mutex
	rows    []Row
	latency time.Duration
	insert  func(Row) error // asked before a row is stored, if set
	read    func() error    // asked before rows are read, if set
	hang    bool            // calls return only when their context ends
}

func (s *fakeStore) wait(ctx context.Context) error {
	s.mu.Lock()
	d, hang := s.latency, s.hang
	s.mu.Unlock()
	if hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *fakeStore) Insert(ctx context.Context, row Row) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.insert != nil {
		if err := s.insert(row); err != nil {
			return err
		}
	}
	s.rows = append(s.rows, row)
	return nil
}

func (s *fakeStore) Read(ctx context.Context, scope string) ([]Row, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read != nil {
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	var c cluster
	for _, r := range s.rows {
		if r.Scope == scope {
			c.log = append(c.log, entry{row: r})
		}
	}
	c.views = make([][]Row, len(c.log)+1)
	return c.view(len(c.log)), nil
}

// set changes the store under its lock.
func (s *fakeStore) set(f func(*fakeStore)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// actions lists what was written, in order, as "owner action".
func (s *fakeStore) actions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.rows {
		out = append(out, r.Owner+" "+string(r.Action))
	}
	return out
}

// bubbleClock reads the time of a synctest bubble; suspend and jump move its boot
// and wall clocks as a host's would.
type bubbleClock struct {
	start time.Time

	mu              sync.Mutex
	suspend, jumped time.Duration
}

func newBubbleClock() *bubbleClock { return &bubbleClock{start: time.Now()} }

func (c *bubbleClock) Now() Reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	mono := time.Since(c.start)
	return Reading{Mono: mono, Boot: mono + c.suspend, Wall: time.Duration(time.Now().UnixNano()) + c.suspend + c.jumped}
}

func (c *bubbleClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// slept says that the machine was suspended for d just now.
func (c *bubbleClock) slept(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspend += d
}

func (c *bubbleClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jumped += d
}
