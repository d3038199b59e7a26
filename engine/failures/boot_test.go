package failures_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// bookkeeping reports an object that engines make outside the lease, each that finds it absent.
func bookkeeping(name string) bool {
	return name == "dfe" || name == "dfe.schema_lock" || name == "dfe.schema_migrations"
}

func TestOfEnginesThatBootAtOnceOneAppliesAndTheOthersFindNothingToDo(t *testing.T) {
	t.Parallel()
	p := at(t, 3)
	tree := p.core()
	for engines := 2; engines <= 3; engines++ {
		var (
			booted []*process
			wires  []*wire
		)
		for i := range engines {
			w := p.wire(i % len(p.urls))
			wires, booted = append(wires, w), append(booted, p.boot(order{URL: w.URL, Tree: tree, Wait: 3 * time.Minute}))
		}
		applied, epochs := 0, map[uint64]bool{}
		for i, x := range booted {
			r := x.report()
			if r.State != engine.Converged || r.LeaseUnreleased {
				t.Fatalf("engine %d of %d: state %s, %s", i+1, engines, r.State, r.Error)
			}
			made := 0
			for _, o := range r.Objects {
				if !bookkeeping(o.Name) && o.Outcome == ledger.Applied {
					made++
				}
			}
			if made > 0 {
				applied++
			}
			epochs[r.Epoch] = true
		}
		if applied != 1 || len(epochs) != engines {
			t.Errorf("%d of %d engines applied something, under the epochs %v", applied, engines, epochs)
		}
		sent := map[string]int{}
		for _, w := range wires {
			for _, r := range w.all(definition) {
				// Access objects are asserted anew by every pass.
				if head, _, _ := strings.Cut(r.text, "\n"); strings.HasPrefix(head, "CREATE") && !strings.HasPrefix(head, "CREATE ROLE") {
					sent[head]++
				}
			}
		}
		for head, n := range sent {
			if n > 1 && !strings.Contains(head, "schema_") && !strings.Contains(head, "DATABASE IF NOT EXISTS dfe ") {
				t.Errorf("sent %d times: %s", n, head)
			}
		}
		p.settled(engine.Options{Tree: tree})
		p.alike()
		if left := p.number(0, "SELECT count() FROM (SELECT claim_id FROM dfe.schema_lock GROUP BY claim_id HAVING max(action = 'release') = 0)"); left != 0 {
			t.Errorf("%d claims were not released", left)
		}
		p.clean()
	}
}

// An older pod that restarts in the middle of a rolling deploy takes nothing back, and neither does one that boots at
// the same time as the newer one, whichever of the two is the first.
func TestViewsDoNotFlipWhileTwoReleasesBoot(t *testing.T) {
	t.Parallel()
	p := at(t, 2)
	old, next := p.tree(bookshop), p.tree(bookshopNext)
	p.pass(engine.Options{Tree: old})
	// Both replace the view at most once: the newer one.
	replaced := 0
	boot := func(tree string, member int) (*process, func()) {
		w := p.wire(member)
		x := p.boot(order{URL: w.URL, Tree: tree, Wait: 3 * time.Minute})
		return x, func() {
			for _, r := range w.all(definition) {
				if strings.Contains(r.text, "VIEW") {
					replaced++
				}
				if tree == old {
					t.Errorf("the older release sends %s", r.text)
				}
			}
		}
	}
	var count []func()
	var booted []*process
	for i, tree := range []string{old, next, old} {
		x, sent := boot(tree, i%2)
		booted, count = append(booted, x), append(count, sent)
	}
	regressed := 0
	for _, x := range booted {
		r := x.report()
		if r.State != engine.Converged {
			t.Errorf("state %s, %s", r.State, r.Error)
		}
		if r.Code == "release_regressed" {
			regressed++
		}
	}
	// One that boots once more, later.
	x, sent := boot(old, 1)
	if r := x.report(); r.State != engine.Converged || r.Code != "release_regressed" || r.Summary.Statements != 0 {
		t.Errorf("the older release once more: state %s, code %q, %+v", r.State, r.Code, r.Summary)
	}
	for _, sent := range append(count, sent) {
		sent()
	}
	if replaced != 1 {
		t.Errorf("the view was replaced %d times", replaced)
	}
	if view := p.exec(1, "SELECT create_table_query FROM system.tables WHERE database = 'library' AND name = 'latest'"); !strings.Contains(view, "min(at)") {
		t.Errorf("the view is %s", view)
	}
	p.settled(engine.Options{Tree: next})
	t.Log(fmt.Sprintf("%d of 2 older engines found the newer release in the ledger, the others came first", regressed))
}
