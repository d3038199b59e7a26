package failures_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dfe-engine/dfe/engine"
)

// crash boots an engine in a process that is killed at a request: before it arrives, or once it took effect. It returns
// false where the pass came to its end without such a request.
func (p *place) crash(tree string, k kind, n int, what way) bool {
	p.Helper()
	w := p.wire(0)
	defer w.Close()
	holder := make(chan *process, 1)
	killed := false
	w.decide = func(r request) way {
		if r.kind != k || r.n != n {
			return through
		}
		if what == lost {
			(<-holder).kill()
		}
		killed = true
		return what
	}
	w.arrived = func(r request) {
		if r.kind == k && r.n == n {
			(<-holder).kill()
		}
	}
	x := p.boot(order{URL: w.URL, Tree: tree, Wait: patience, Hurry: true})
	holder <- x
	<-x.ended
	w.Close() // and with it the last request has ended
	if !killed {
		if r := x.report(); r.State != engine.Converged {
			p.Fatalf("the pass that nobody killed: state %s, %s", r.State, r.Error)
		}
	}
	return killed
}

// A pass is a row of statements, each followed by the row of the ledger that tells of it. To die before a statement is
// to die after the row of the one before.
func TestTheHolderIsKilledBeforeEveryStatementAndTheNextBootConverges(t *testing.T) {
	killedAtEach(t, lost)
}

func TestTheHolderIsKilledAfterEveryStatementAndTheNextBootConverges(t *testing.T) {
	killedAtEach(t, unheard)
}

// killedAtEach makes a pass over the whole core release for each of its statements, which is killed there. A plain run
// takes every third of them, from one on that is left to chance.
func killedAtEach(t *testing.T, what way) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	n, step := 1, 1
	if !all() {
		n, step = 1+rand.New(rand.NewPCG(uint64(seed(t)), uint64(what))).IntN(3), 3
	}
	passes := 0
	for ; p.crash(tree, definition, n, what); n += step {
		passes++
		p.truthful(engine.Options{Tree: tree})
		p.pass(engine.Options{Tree: tree})
		p.settled(engine.Options{Tree: tree})
		p.alike()
		if t.Failed() {
			t.Fatalf("killed at statement %d", n)
		}
		p.clean()
		if passes%8 == 0 {
			p.restart() // what a member's engine keeps of each access object that came and went is 5 MB
		}
	}
	t.Logf("%d passes were killed, each at another statement", passes)
	if n <= 20 {
		t.Errorf("a pass over the core release sent fewer than %d statements: it is not the whole of it", n)
	}
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
		if !p.crash(tree, leaseRow, c.n, c.what) {
			t.Fatalf("%s: it wrote no such row", c.name)
		}
		if r := p.pass(engine.Options{Tree: tree}); r.Summary.Statements != 0 {
			t.Errorf("killed %s: the next one has %+v to do", c.name, r.Summary)
		}
		p.settled(engine.Options{Tree: tree})
	}
}
