package failures_test

import (
	"testing"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
)

func TestALostAnswerAfterEachStatementLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	want := p.pass(engine.Options{Tree: tree}).Summary
	p.clean()
	w := p.wire(0)
	w.decide = func(r request) way {
		if r.kind == definition {
			return unheard
		}
		return through
	}
	r, err := p.engine(engine.Options{Tree: tree, Target: catalog.Target{URL: w.URL}, Clock: hurry(), Wait: patience}).Pass(t.Context())
	if err != nil || r.Summary != want {
		t.Errorf("error %v, %+v; want %+v", err, r.Summary, want)
	}
	if n := w.count(definition); n != want.Statements {
		t.Errorf("%d statements were sent; want %d, each once", n, want.Statements)
	}
	p.settled(engine.Options{Tree: tree})
	p.alike()
}

// A row that nobody answered for may be there or not. The pass applies nothing that it cannot record, and stops.
func TestALostAnswerAfterEachRowOfTheLedgerLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	for passes := 1; ; passes++ {
		w := p.wire(0)
		w.decide = func(r request) way {
			if r.kind == ledgerRow && r.n == 1 {
				return unheard
			}
			return through
		}
		r, err := p.engine(engine.Options{Tree: tree, Target: catalog.Target{URL: w.URL}, Clock: hurry(), Wait: patience}).Pass(t.Context())
		sent := w.count(ledgerRow)
		w.Close()
		if sent == 0 {
			if err != nil || r.Summary.Statements != 0 {
				t.Errorf("error %v, %+v", err, r.Summary)
			}
			t.Logf("%d rows were not answered for", passes-1)
			break
		}
		if err == nil || sent != 1 {
			t.Fatalf("pass %d: error %v after %d rows of the ledger: it goes on after one that nobody answered for", passes, err, sent)
		}
		p.truthful(engine.Options{Tree: tree})
	}
	p.settled(engine.Options{Tree: tree})
	p.alike()
}

func TestALostAnswerToAClaimCostsItsTimeAndNothingElse(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	tree := p.core()
	w := p.wire(0)
	w.decide = func(r request) way {
		if r.kind == leaseRow && r.n == 1 {
			return unheard
		}
		return through
	}
	p.pass(engine.Options{Tree: tree, Target: catalog.Target{URL: w.URL}})
	p.settled(engine.Options{Tree: tree})
}
