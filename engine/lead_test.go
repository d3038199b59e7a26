package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// claims lists the claims and releases of the lease table, as "owner action", in the order they were written.
func (s *stage) claims() []string {
	s.Helper()
	var rows []string
	err := s.conn.Select(s.Context(), "SELECT owner || ' ' || toString(action) FROM dfe.schema_lock WHERE action != 'renew' ORDER BY recorded_at, sequence", nil, func(scan func(...any) error) error {
		var row string
		err := scan(&row)
		rows = append(rows, row)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return rows
}

func TestAPassHoldsTheLeaseAndGivesItBack(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	e := s.engine(engine.Options{})
	e.SetOwner("one")
	r, err := e.Pass(t.Context())
	if err != nil || r.Epoch == 0 || r.LeaseUnreleased {
		t.Fatalf("error %v, epoch %d, unreleased %t", err, r.Epoch, r.LeaseUnreleased)
	}
	if diff := cmp.Diff([]string{"one claim", "one release"}, s.claims()); diff != "" {
		t.Error(diff)
	}
	if got := s.records()["books"].Epoch; got != r.Epoch {
		t.Errorf("recorded under epoch %d, held %d", got, r.Epoch)
	}
	if again := s.pass(engine.Options{}); again.Epoch <= r.Epoch {
		t.Errorf("epoch %d came after %d", again.Epoch, r.Epoch)
	}
}

// hold claims the lease as another process would, and never renews it.
func (s *stage) hold(owner string) {
	s.exec(fmt.Sprintf("INSERT INTO dfe.schema_lock (scope, epoch, claim_id, sequence, action, owner, ttl_ms, owner_time) VALUES ('schema', 7, '%s', 0, 'claim', '%s', 30000, now64(3))", owner, owner))
}

func TestALeaseHeldElsewhereIsObservedAndNothingIsApplied(t *testing.T) {
	s := newStage(t)
	s.tree("-- manifest.hcl --\nrelease = \"1.0.0\"\ndatabase \"DB\" {}\n")
	s.pass(engine.Options{})
	s.hold("another")
	s.tree(library)
	w := s.wire()
	e := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}, Wait: 20 * time.Second})
	before := s.value("SELECT count() FROM dfe.schema_migrations")
	r, err := e.Pass(t.Context())
	var observed *lease.ObservedError
	if !errors.As(err, &observed) || r.State != engine.Observed || r.Code != "schema_locked" || w.sent() != 0 {
		t.Fatalf("state %s, code %q, error %v after %d statements", r.State, r.Code, err, w.sent())
	}
	if r.Holder == nil || r.Holder.Owner != "another" || !strings.Contains(r.Error, "held by another") {
		t.Errorf("the holder is %+v, the error %q", r.Holder, r.Error)
	}
	if after := s.value("SELECT count() FROM dfe.schema_migrations"); after != before {
		t.Errorf("the ledger had %s rows and has %s", before, after)
	}
	// What was seen of the holder is not forgotten: its time runs out in the second pass, not after a whole time more.
	if r, err = e.Pass(t.Context()); err != nil || r.Summary.Applied == 0 {
		t.Errorf("the pass after it: %v, %+v", err, r.Summary)
	}
}

func TestALeaseThatIsLostStopsThePassAndTheLedgerTellsTheTruth(t *testing.T) {
	for _, c := range []struct {
		name string
		jump func(*hurry)
	}{
		{"time went by without a renewal", func(h *hurry) { h.pass(31 * time.Second) }},
		{"the wall clock jumped", func(h *hurry) { h.jump(31 * time.Second) }},
	} {
		s := newStage(t)
		s.tree(library)
		h := newHurry()
		e := s.engine(engine.Options{Progress: func(p engine.Progress) {
			if p.Object == s.db+".loans" {
				c.jump(h)
			}
		}})
		h.on(e)
		r, err := e.Pass(t.Context())
		var lost *lease.LostError
		if !errors.As(err, &lost) || r.State != engine.Failed || r.Code != "lease_lost" {
			t.Fatalf("%s: state %s, code %q, error %v", c.name, r.State, r.Code, err)
		}
		want := []string{"database : applied, create", "table books: applied, create", "table loans: failed, create"}
		if diff := cmp.Diff(want, s.outcomes(&r)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		records := s.records()
		if len(records) != 2 || records["books"].Outcome != ledger.Applied || s.value("SELECT count() FROM system.tables WHERE database = 'DB'") != "1" {
			t.Errorf("%s: recorded %v", c.name, records)
		}
		if r = *s.pass(engine.Options{Wait: time.Minute}); r.Summary.Applied != 2 {
			t.Errorf("%s: the next pass: %+v", c.name, r.Summary)
		}
	}
}

func TestALeaseIsNotGivenBackWhileAStatementIsUnresolved(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("DROP TABLE DB.loans SYNC")
	w := s.wire()
	w.statement = func(int) bool { return false }
	e := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}})
	e.SetOwner("cut off")
	r, err := e.Pass(t.Context())
	var unresolved *executor.UnresolvedError
	if !errors.As(err, &unresolved) && r.Summary.Unresolved != 1 || !r.LeaseUnreleased || e.LeaseStats().ReleaseFailures.Load() != 1 {
		t.Errorf("error %v, summary %+v, unreleased %t, %d failures counted", err, r.Summary, r.LeaseUnreleased, e.LeaseStats().ReleaseFailures.Load())
	}
	if last := s.claims(); last[len(last)-1] != "cut off claim" {
		t.Errorf("the lease table ends in %v", last)
	}
}

// occupied runs a statement of another pass, and returns when the server runs it. It lasts until what is returned ends it,
// however long the machine takes for the rest.
func (s *stage) occupied() (end func()) {
	s.Helper()
	comment := executor.Comment{By: "dfe", Scope: "schema", Pass: "other", Object: "table DB.loans", Statement: "dfe-schema-other-1"}.String()
	conn, err := catalog.Open(s.Context(), catalog.Target{URL: s.url})
	if err != nil {
		s.Fatal(err)
	}
	const its = "Settings['log_comment'] LIKE '%dfe-schema-other-1%' AND query LIKE 'SELECT sleep%'"
	done := make(chan error, 1)
	background := context.WithoutCancel(s.Context())
	go func() {
		done <- conn.Exec(background, "SELECT sleepEachRow(0.1) FROM numbers(100000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0", "",
			map[string]any{"log_comment": comment})
	}()
	end = sync.OnceFunc(func() {
		killer, err := catalog.Open(background, catalog.Target{URL: s.url})
		if err == nil {
			err = errors.Join(killer.Exec(background, "KILL QUERY WHERE "+its+" SYNC", "", nil), killer.Close())
		}
		if err != nil {
			s.Error(err)
		}
		if killed, told := catalog.Exception(<-done); !told || killed.Code != 394 { // QUERY_WAS_CANCELLED
			s.Errorf("the statement of another pass ended with %v", killed)
		}
		if err := conn.Close(); err != nil {
			s.Error(err)
		}
	})
	s.Cleanup(end)
	for deadline := time.Now().Add(time.Minute); s.value("SELECT count() FROM system.processes WHERE "+its) == "0"; {
		if time.Now().After(deadline) {
			s.Fatal("the server does not run it")
		}
	}
	return end
}

func TestNothingIsSentWhileAStatementOfAnotherPassRuns(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("DROP TABLE DB.loans SYNC")
	end := s.occupied()
	w := s.wire()
	e := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}, Wait: time.Hour})
	looks := 0
	e.SetPause(func(ctx context.Context, _ time.Duration) error {
		if w.sent() != 0 {
			t.Error("a statement was sent meanwhile")
		}
		if looks++; looks == 3 {
			end()
		}
		return ctx.Err()
	})
	r, err := e.Pass(t.Context())
	if err != nil || r.Summary.Applied != 1 || looks < 3 {
		t.Errorf("error %v, %+v after %d looks", err, r.Summary, looks)
	}
}

func TestAStatementOfAnotherPassThatDoesNotEndIsNamed(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.exec("DROP TABLE DB.loans SYNC")
	s.occupied()
	w := s.wire()
	r, err := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}}).Pass(t.Context())
	var busy *executor.BusyError
	if !errors.As(err, &busy) || r.Code != "statements_under_way" || w.sent() != 0 {
		t.Fatalf("code %q, error %v after %d statements", r.Code, err, w.sent())
	}
	for _, words := range []string{"table DB.loans of pass other", "KILL QUERY"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
}

func TestConnectingAndWaitingForTheLeaseEachHaveTheFullWait(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	s.pass(engine.Options{})
	s.hold("another")
	const wait = 40 * time.Second // more than the half-minute the other's claim stands, less than twice that
	w := s.wire()
	w.cut = true
	e := s.engine(engine.Options{Target: catalog.Target{URL: w.URL}, Wait: wait})
	h := newHurry()
	h.on(e)
	var connecting time.Duration
	start := time.Now()
	e.SetNow(func() time.Time { return start.Add(connecting) })
	e.SetPause(func(_ context.Context, d time.Duration) error {
		if connecting += d; connecting > wait-15*time.Second {
			w.mu.Lock()
			w.cut = false
			w.mu.Unlock()
		}
		h.pass(d)
		return nil
	})
	if r, err := e.Pass(t.Context()); err != nil {
		t.Errorf("%s after %s without a server: %v", r.State, connecting, err)
	}
	if connecting <= wait-15*time.Second {
		t.Errorf("the server was waited for for %s alone", connecting)
	}
}
