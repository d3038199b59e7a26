package failures_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/rules"
)

// history is what clients believed of one lease.
type history struct {
	scope string

	mu        sync.Mutex
	believers []*lease.Held
	epoch     uint64
	acquired  int
	faults    []string
	refused   error
}

// believe notes that a client has the lease from now on. A belief begins here and nowhere else.
func (h *history) believe(held *lease.Held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.believers {
		if other.Valid() && held.Valid() {
			h.faults = append(h.faults, fmt.Sprintf("%s: %s and %s believe at once", h.scope, other.ClaimID(), held.ClaimID()))
		}
	}
	if held.Epoch() <= h.epoch {
		h.faults = append(h.faults, fmt.Sprintf("%s: the epoch %d comes after %d", h.scope, held.Epoch(), h.epoch))
	}
	h.believers, h.epoch = append(h.believers, held), max(h.epoch, held.Epoch())
	h.acquired++
}

// forget notes that a client has given the lease back, or knows that it is lost. A belief that has ended never comes back.
func (h *history) forget(held *lease.Held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held.Valid() {
		h.faults = append(h.faults, fmt.Sprintf("%s: %s is believed in after its end", h.scope, held.ClaimID()))
	}
	h.believers = slices.DeleteFunc(h.believers, func(other *lease.Held) bool { return other == held })
}

// why keeps what the newest client that could not have the lease was told.
func (h *history) why(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = err
}

func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.acquired
}

// tally counts what happened.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what]++
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(c.n)) {
		parts = append(parts, fmt.Sprintf("%s %d", what, c.n[what]))
	}
	return strings.Join(parts, ", ")
}

// diary keeps what clients last did, for whoever reads of a failure.
type diary struct {
	began time.Time
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%8.3f ", time.Since(d.began).Seconds())+fmt.Sprintf(format, args...))
	if over := len(d.lines) - 400; over > 0 {
		d.lines = slices.Delete(d.lines, 0, over)
	}
}

// kept is a store whose operations go into a diary.
type kept struct {
	lease.Store
	client string
	diary  *diary
}

func (s *kept) Insert(ctx context.Context, row lease.Row) error {
	began := time.Now()
	err := s.Store.Insert(ctx, row)
	s.diary.note("%s %s of %.6s, %d ms: %v", s.client, row.Action, row.ClaimID, time.Since(began).Milliseconds(), err)
	return err
}

func (s *kept) Read(ctx context.Context, scope string) ([]lease.Row, error) {
	began := time.Now()
	rows, err := s.Store.Read(ctx, scope)
	if took := time.Since(began); err != nil || took > lease.SlowRead {
		s.diary.note("%s read, %d ms: %v", s.client, took.Milliseconds(), err)
	}
	return rows, err
}

// contend takes a lease, keeps it for a while and gives it back, or leaves it, until the context ends.
func (p *place) contend(ctx context.Context, h *history, member int, chance *rand.Rand, counted *tally, d *diary) {
	var (
		store    *lease.ClickHouse
		observer lease.Observer
	)
	conn := &catalog.Conn{}
	for {
		var err error
		if conn, err = catalog.Open(ctx, catalog.Target{URL: p.urls[member], DialTimeout: time.Second}); err == nil {
			var table *catalog.Object
			if table, err = catalog.ReadObject(ctx, conn, ast.KindTable, lease.Table()); err == nil {
				store, err = lease.OpenClickHouse(conn, rules.SelfHosted, table)
			}
		}
		if err == nil {
			break
		}
		if !rest(ctx, time.Second) {
			return
		}
	}
	defer func() { _ = conn.Close() }() // the test is over
	for ctx.Err() == nil {
		held, err := lease.Acquire(ctx, lease.Options{Store: &kept{store, fmt.Sprintf("%s by member %d", h.scope, member+1), d}, Scope: h.scope, Owner: "client", Wait: 20 * time.Second, Observer: &observer})
		if err != nil {
			counted.add("not had")
			h.why(err)
			continue
		}
		h.believe(held)
		counted.add("acquired")
		keep := time.Duration(chance.Int64N(int64(4 * time.Second)))
		leave := chance.IntN(6) == 0
		select {
		case <-time.After(keep):
		case <-held.Done():
			counted.add("lost")
		case <-ctx.Done():
		}
		if leave && ctx.Err() == nil {
			// As one does whose statement is unresolved: it says nothing, and its claim lapses.
			if _, err := held.Begin(ctx); err == nil {
				counted.add("left to lapse")
			}
		}
		_ = held.Release(context.WithoutCancel(ctx)) // by a member that may be down: then it lapses
		h.forget(held)
	}
}

// rest waits, and reports false where the context ended.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// trouble makes members fail, one fault after the other, some of them at once, until the context ends.
func (p *place) trouble(ctx context.Context, chance *rand.Rand, counted *tally) {
	inserts := cluster.Match{Kind: "INSERT", Text: "schema_lock"}
	lasting := func() time.Duration { return time.Duration(500+chance.IntN(4000)) * time.Millisecond }
	try := func(what string, do func() error) {
		if err := do(); err != nil && ctx.Err() == nil {
			p.Errorf("%s: %v", what, err)
		}
		counted.add(what)
	}
	for rest(ctx, time.Duration(200+chance.IntN(1500))*time.Millisecond) {
		m := p.cluster.Member(chance.IntN(len(p.urls)))
		if !m.Running() {
			// The engine in it ends the process now and then when its session with ZooKeeper does.
			try("member ended by itself", func() error { return m.Start(context.WithoutCancel(ctx)) })
		}
		inject := func(f cluster.Fault) func() error {
			f.Match = inserts
			return func() error { return m.Inject(ctx, f) }
		}
		switch chance.IntN(9) {
		case 0:
			try("member killed", m.Kill)
			rest(ctx, lasting())
			try("member started", func() error { return m.Start(context.WithoutCancel(ctx)) })
		case 1:
			try("member paused", m.Pause)
			rest(ctx, lasting())
			try("member resumed", m.Resume)
		case 2:
			try("member cut from ZooKeeper", m.CutKeeper)
			rest(ctx, lasting())
			try("member joined to ZooKeeper", m.JoinKeeper)
		case 3:
			try("ZooKeeper stopped", p.cluster.StopKeeper)
			rest(ctx, lasting())
			try("ZooKeeper started", func() error { return p.cluster.StartKeeper(context.WithoutCancel(ctx)) })
		case 4:
			try("insert delayed", inject(cluster.Fault{What: cluster.Delay, DelayMS: 500 + chance.Int64N(6000), Times: 1 + chance.IntN(4)}))
		case 5:
			try("answer delayed", inject(cluster.Fault{What: cluster.DelayAnswer, DelayMS: 500 + chance.Int64N(6000), Times: 1 + chance.IntN(4)}))
		case 6:
			try("answer lost", inject(cluster.Fault{What: cluster.LoseAnswer, Times: 1 + chance.IntN(6)}))
		case 7:
			try("insert dropped", inject(cluster.Fault{What: cluster.Drop, Times: 1 + chance.IntN(6)}))
		case 8:
			try("client refused", func() error { return m.Refuse(ctx) })
			rest(ctx, lasting())
			try("client accepted", func() error { return m.Accept(context.WithoutCancel(ctx)) })
		}
	}
}

// The protocol is proved by the simulation in package lease; here it runs on members that fail under it.
func TestNoTwoClientsEverBelieveThatTheyHoldALease(t *testing.T) {
	t.Parallel()
	p := failing(t, 3)
	p.pass(engine.Options{Tree: p.tree(bookshop)})
	const (
		leases  = 4
		clients = 3 // of each lease
		trouble = 60 * time.Second
	)
	from := uint64(seed(t))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var (
		counted   tally
		work      sync.WaitGroup
		histories []*history
		written   = diary{began: time.Now()}
	)
	for i := range leases {
		h := &history{scope: fmt.Sprintf("suite-%d", i+1)}
		histories = append(histories, h)
		for j := range clients {
			work.Go(func() { p.contend(ctx, h, j, rand.New(rand.NewPCG(from, uint64(100+clients*i+j))), &counted, &written) })
		}
	}
	bounded, end := context.WithTimeout(ctx, trouble)
	p.trouble(bounded, rand.New(rand.NewPCG(from, 99)), &counted)
	end()
	p.heal()
	// What was left standing lapses, and then every lease can be had again.
	before := map[*history]int{}
	for _, h := range histories {
		before[h] = h.count()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the clients did at last:\n%s", strings.Join(written.lines, "\n"))
		}
		for _, h := range histories {
			if t.Failed() {
				t.Logf("%s was had %d times, %d of them in trouble; the newest that could not have it: %v", h.scope, h.count(), before[h], h.refused)
			}
		}
	})
	p.until("every lease is had again", func() bool {
		return !slices.ContainsFunc(histories, func(h *history) bool { return h.count() == before[h] })
	})
	stop()
	work.Wait()
	for _, h := range histories {
		for _, fault := range h.faults {
			t.Error(fault)
		}
	}
	t.Log(&counted)
}
