package failures_test

import (
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/lease"
)

// A process that stands still (SIGSTOP, a suspended machine, a hung disk) does not know it. When it goes on its lease is
// another's.
func TestAHolderThatHangsPastItsLeaseIsTakenOverAndSendsNothingMore(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	old, next := p.tree(bookshop), p.tree(bookshopNext)
	p.pass(engine.Options{Tree: old})
	w := p.wire(0)
	hung := make(chan *process, 1)
	stopped := make(chan bool)
	w.arrived = func(r request) {
		// After its first statement, before the answer comes to it.
		if r.kind == definition && r.n == 1 {
			x := <-hung
			x.signal(syscall.SIGSTOP)
			close(stopped)
		}
	}
	holder := p.boot(order{URL: w.URL, Tree: next, Wait: time.Minute})
	hung <- holder
	select {
	case <-stopped:
	case <-holder.ended:
		t.Fatalf("it came to its end: %+v", holder.report())
	}
	began := time.Now()
	taker := p.boot(order{URL: p.urls[1], Tree: next, Wait: 3 * time.Minute})
	r := taker.report()
	if r.State != engine.Converged || r.Summary.Applied == 0 {
		t.Fatalf("the next holder: state %s, %s, %+v", r.State, r.Error, r.Summary)
	}
	if waited := time.Since(began); waited < lease.TTL {
		t.Errorf("it was taken over %s after it was stopped: sooner than its lease can have run out", waited)
	}
	sent, rows := w.count(definition)+w.count(leaseRow), w.count(ledgerRow)
	holder.signal(syscall.SIGCONT)
	was := holder.report()
	if was.State != engine.Failed || was.Code != "lease_lost" {
		t.Errorf("the one that hung: state %s, code %q, %s", was.State, was.Code, was.Error)
	}
	if after := w.count(definition) + w.count(leaseRow); after != sent {
		t.Errorf("it sent %d more when it went on", after-sent)
	}
	// What it had done it writes down, under its own epoch, over which the next holder's rows stand.
	if late := w.count(ledgerRow) - rows; late > 1 {
		t.Errorf("it wrote %d rows into the ledger for one statement", late)
	}
	if newest := p.number(0, "SELECT argMax(epoch, epoch) FROM dfe.schema_migrations WHERE name = 'library.books'"); newest != int(r.Epoch) {
		t.Errorf("the newest row about the table is of epoch %d; want the next holder's, %d", newest, r.Epoch)
	}
	p.settled(engine.Options{Tree: next})
	p.alike()
}

// The server carries a statement out that its client has given up. The next holder's lease is good by then, and still it
// may not send a second one beside the first.
func TestAStatementThatOutlivesItsLeaseIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := failing(t, 2)
	old, next := p.tree(bookshop), p.tree(bookshopNext)
	p.pass(engine.Options{Tree: old})
	// It hangs until the next holder waits for it, however long it takes to become that on a busy machine.
	p.inject(0, cluster.Fault{What: cluster.Delay, DelayMS: patience.Milliseconds(), Match: cluster.Match{Kind: "ALTER", Comment: ofPass}})
	w := p.wire(0)
	w.detached = true
	var began, ended atomic.Int64
	w.decide = func(r request) way {
		if r.kind == definition && r.n == 1 {
			began.Store(time.Now().UnixNano())
		}
		if r.kind == leaseRow && began.Load() != 0 {
			return lost // no renewal comes through while it hangs
		}
		return through
	}
	w.arrived = func(r request) {
		if r.kind == definition {
			ended.Store(time.Now().UnixNano())
		}
	}
	holder := p.boot(order{URL: w.URL, Tree: next, Wait: time.Minute})
	p.until("the statement hangs", func() bool {
		return p.number(0, "SELECT count() FROM system.processes WHERE Settings['log_comment'] LIKE '%"+ofPass+"%'") > 0
	})
	other := p.wire(1)
	var early atomic.Bool
	other.decide = func(r request) way {
		if r.kind == definition && ended.Load() == 0 {
			early.Store(true)
		}
		return through
	}
	taker := p.boot(order{URL: other.URL, Tree: next, Wait: 3 * time.Minute})
	p.until("the next holder says what it waits for", func() bool {
		return strings.Contains(taker.err.String(), "waiting for the statements of another pass")
	})
	if err := p.cluster.Member(0).Lift(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := taker.report()
	if r.State != engine.Converged {
		t.Errorf("the next holder: state %s, %s", r.State, r.Error)
	}
	if early.Load() {
		t.Error("it sent a statement while the other one was under way")
	}
	was := holder.report()
	if was.State != engine.Failed || w.count(definition) != 1 {
		t.Errorf("the one that lost its lease: state %s, %s; it sent %d statements", was.State, was.Error, w.count(definition))
	}
	p.settled(engine.Options{Tree: next})
	p.alike()
}

// SIGTERM in the middle of a pass: the statement at hand is brought to its end and recorded, and the lease is given back,
// so that the next one waits for nothing.
func TestAPassThatIsToldToStopGivesItsLeaseBack(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	w := p.wire(0)
	told := make(chan *process, 1)
	at := func(r request) bool { return r.kind == definition && r.n == 8 }
	w.decide = func(r request) way {
		if at(r) {
			return unheard
		}
		return through
	}
	w.arrived = func(r request) {
		if at(r) {
			(<-told).signal(syscall.SIGTERM)
		}
	}
	x := p.boot(order{URL: w.URL, Tree: tree, Wait: patience, Hurry: true})
	told <- x
	r := x.report()
	if r.State != engine.Failed || r.LeaseUnreleased || r.Summary.Applied < 8 || r.Summary.Failed+r.Summary.Unresolved > 0 {
		t.Errorf("state %s, %s, unreleased %t, %+v after %d statements", r.State, r.Error, r.LeaseUnreleased, r.Summary, w.count(definition))
	}
	p.truthful(engine.Options{Tree: tree})
	if left := p.number(0, "SELECT count() FROM (SELECT claim_id FROM dfe.schema_lock GROUP BY claim_id HAVING max(action = 'release') = 0)"); left != 0 {
		t.Errorf("%d claims were not released", left)
	}
	p.pass(engine.Options{Tree: tree})
	p.settled(engine.Options{Tree: tree})
}
