package failures_test

import (
	"sync"
	"testing"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
)

// crash boots an engine in a process that is killed at the first request that is asked for: before it arrives, or once it
// took effect. It returns false where the pass came to its end without one.
func (p *place) crash(tree string, at func(request) bool, what way) bool {
	p.Helper()
	w := p.wire(0)
	defer w.Close()
	holder := make(chan *process, 1)
	var (
		mu     sync.Mutex // the lease is renewed beside the statements
		struck *request
	)
	strikes := func(r request) bool {
		mu.Lock()
		defer mu.Unlock()
		if struck != nil || !at(r) {
			return false
		}
		struck = &r
		return true
	}
	w.decide = func(r request) way {
		if !strikes(r) {
			return through
		}
		if what == lost {
			(<-holder).kill()
		}
		return what
	}
	w.arrived = func(r request) {
		mu.Lock()
		arrived := struck != nil && *struck == r
		mu.Unlock()
		if arrived {
			(<-holder).kill()
		}
	}
	x := p.boot(order{URL: w.URL, Tree: tree, Wait: patience, Hurry: true})
	holder <- x
	<-x.ended
	w.Close() // and with it the last request has ended
	if struck == nil {
		if r := x.report(); r.State != engine.Converged {
			p.Fatalf("the pass that nobody killed: state %s, %s", r.State, r.Error)
		}
	}
	return struck != nil
}

// A pass is a row of statements, each followed by the row of the ledger that tells of it. To die before a statement is
// to die after the row of the one before.
func TestTheHolderIsKilledBeforeEveryStatementAndTheNextBootConverges(t *testing.T) {
	killedAtEach(t, lost)
}

func TestTheHolderIsKilledAfterEveryStatementAndTheNextBootConverges(t *testing.T) {
	killedAtEach(t, unheard)
}

// killedAtEach kills a pass over the whole core release at each of its statements. A plain run kills the next boot too,
// some statements on, and the one after it, until one comes to its end; asked for all, each kill is on an empty cluster and
// the next boot comes to its end.
func killedAtEach(t *testing.T, what way) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	w := p.wire(0)
	p.pass(engine.Options{Tree: tree, Target: catalog.Target{URL: w.URL}})
	left := map[string]bool{}
	for _, r := range w.all(definition) {
		left[r.text] = true
	}
	if len(left) < 20 {
		t.Errorf("a pass over the core release sends %d statements: it is not the whole of it", len(left))
	}
	kills, builds := 0, 0
	for ; len(left) > 0; builds++ {
		p.clean()
		if builds%4 == 3 {
			p.restart() // what a member's engine keeps of each access object that came and went is 7 MB
		}
		for distance := 1; ; distance = max(1, len(left)/4) { // some four kills on each empty cluster
			n, text := 0, ""
			killed := p.crash(tree, func(r request) bool {
				if r.kind == definition && left[r.text] {
					n, text = n+1, r.text
				}
				return n == distance
			}, what)
			p.truthful(engine.Options{Tree: tree})
			if t.Failed() {
				t.Fatalf("after the kill at %s", text)
			}
			if !killed {
				break
			}
			delete(left, text)
			kills++
			if all() {
				p.pass(engine.Options{Tree: tree})
				break
			}
		}
		p.settled(engine.Options{Tree: tree})
		p.alike()
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d boots were killed, each at another statement, on %d empty clusters", kills, builds)
}

func TestAHolderKilledOverItsLeaseCostsTheNextOneItsTime(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	p.pass(engine.Options{Tree: tree})
	for _, c := range []struct {
		name string
		n    int // of the lease's rows: the claim, and the release of a pass that has nothing to do
		what way
	}{
		{"before its claim", 1, lost},
		{"after its claim", 1, unheard},
		{"before its release", 2, lost},
		{"after its release", 2, unheard},
	} {
		if !p.crash(tree, func(r request) bool { return r.kind == leaseRow && r.n == c.n }, c.what) {
			t.Fatalf("%s: it wrote no such row", c.name)
		}
		if r := p.pass(engine.Options{Tree: tree}); r.Summary.Statements != 0 {
			t.Errorf("killed %s: the next one has %+v to do", c.name, r.Summary)
		}
		p.settled(engine.Options{Tree: tree})
	}
}
