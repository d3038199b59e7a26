package lease

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// acquire takes the lease of the scope "schema" and fails the test if it cannot.
func acquire(t *testing.T, o Options) *Held {
	t.Helper()
	h, err := tryAcquire(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func tryAcquire(ctx context.Context, o Options) (*Held, error) {
	if o.Clock == nil {
		o.Clock = newBubbleClock()
	}
	if o.Owner == "" {
		o.Owner = "a"
	}
	if o.Wait == 0 {
		o.Wait = 3 * time.Minute
	}
	o.Scope = "schema"
	return Acquire(ctx, o)
}

func TestAnUncontendedLeaseCostsTheSettlingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		began := time.Now()
		h := acquire(t, Options{Store: store})
		if got, want := time.Since(began), Settle+3*store.latency; got != want {
			t.Errorf("took %s; want %s", got, want)
		}
		if err := h.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"a claim", "a release"}, store.actions()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestALeaseIsRenewedEveryEightSecondsFromItsClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		h := acquire(t, Options{Store: store})
		time.Sleep(RenewEvery * 5)
		synctest.Wait()
		first := store.rows[0].Sent
		for i, row := range store.rows {
			if got := row.Sent.Sub(first); got != time.Duration(i)*RenewEvery || row.Sequence != uint64(i) {
				t.Errorf("row %d has sequence %d and was sent after %s", i, row.Sequence, got)
			}
		}
		if len(store.actions()) != 6 || !h.Valid() {
			t.Errorf("%d rows, valid: %t; want a claim and five renewals", len(store.rows), h.Valid())
		}
		if left := time.Until(h.Deadline()); left <= TTL-RenewEvery || left > TTL {
			t.Errorf("the deadline is in %s", left)
		}
		if err := h.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestNobodyActsFromTheFirstInstantOfARelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 500 * time.Millisecond}
		h := acquire(t, Options{Store: store})
		valid := make(chan bool, 1)
		store.set(func(s *fakeStore) {
			s.insert = func(Row) error { valid <- h.Valid(); return nil }
		})
		if err := h.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if <-valid {
			t.Error("the lease was valid while its release was stored")
		}
		if err := h.Check(t.Context()); !errors.Is(err, errReleased) {
			t.Errorf("Check says %v", err)
		}
		if _, err := h.Begin(t.Context()); !errors.Is(err, errReleased) {
			t.Errorf("Begin says %v", err)
		}
		<-h.Done()
	})
}

func TestAStatementWithoutAnOutcomeLeavesTheLeaseToLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, stats := &fakeStore{latency: 10 * time.Millisecond}, &Stats{}
		h := acquire(t, Options{Store: store, Stats: stats})
		known, err := h.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		known.Resolved()
		open, err := h.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Release(t.Context()); !errors.Is(err, ErrUnresolved) {
			t.Errorf("Release says %v", err)
		}
		if err := context.Cause(open.Context()); !errors.Is(err, errReleased) {
			t.Errorf("the statement's context ended for %v", err)
		}
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]string{"a claim"}, store.actions()); diff != "" {
			t.Error(diff)
		}
		if n := stats.ReleaseFailures.Load(); n != 1 {
			t.Errorf("%d release failures are counted", n)
		}
		again := h.Release(t.Context())
		if !errors.Is(again, ErrUnresolved) || stats.ReleaseFailures.Load() != 1 {
			t.Errorf("a second Release says %v, %d failures are counted", again, stats.ReleaseFailures.Load())
		}
	})
}

func TestAReleaseThatIsNotAcknowledgedIsCounted(t *testing.T) {
	refused := errors.New("refused")
	for name, breakIt := range map[string]func(*fakeStore){
		"refused":    func(s *fakeStore) { s.insert = func(Row) error { return refused } },
		"unanswered": func(s *fakeStore) { s.hang = true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, stats := &fakeStore{latency: 10 * time.Millisecond}, &Stats{}
				h := acquire(t, Options{Store: store, Stats: stats})
				store.set(breakIt)
				var failed *ReleaseError
				if err := h.Release(t.Context()); !errors.As(err, &failed) {
					t.Errorf("Release says %v", err)
				}
				if n := stats.ReleaseFailures.Load(); n != 1 {
					t.Errorf("%d release failures are counted", n)
				}
			})
		})
	}
}

func TestAReleaseWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		h := acquire(t, Options{Store: store})
		store.set(func(s *fakeStore) { s.hang = true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := h.Release(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Release says %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestALeaseWhoseRenewalsFailIsLostAfterItsTimeToLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, stats := &fakeStore{latency: 10 * time.Millisecond}, &Stats{}
		h := acquire(t, Options{Store: store, Stats: stats})
		s, err := h.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sent := store.rows[0].Sent
		store.set(func(s *fakeStore) { s.hang = true })
		<-s.Context().Done()
		if got := time.Now().UTC().Sub(sent); got != TTL {
			t.Errorf("the statement's context ended %s after the claim was sent", got)
		}
		var lost *LostError
		if err := context.Cause(s.Context()); !errors.As(err, &lost) || !errors.Is(err, errNoAnswer) {
			t.Errorf("it ended for %v", err)
		}
		<-h.Done()
		if err := h.Release(t.Context()); !errors.As(err, &lost) {
			t.Errorf("Release says %v", err)
		}
		if stats.Lost.Load() != 1 || stats.ReleaseFailures.Load() != 0 {
			t.Errorf("%d losses and %d release failures are counted", stats.Lost.Load(), stats.ReleaseFailures.Load())
		}
	})
}

func TestAnyOfTheThreeClocksEndsALease(t *testing.T) {
	for name, move := range map[string]func(*bubbleClock){
		"boot-time and wall": func(c *bubbleClock) { c.slept(TTL) },
		"wall":               func(c *bubbleClock) { c.jump(TTL) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := newBubbleClock()
				h := acquire(t, Options{Store: &fakeStore{latency: 10 * time.Millisecond}, Clock: clock})
				clock.jump(-time.Hour) // a clock that goes back takes nothing and gives nothing
				if !h.Valid() {
					t.Error("a wall clock that went back ended the lease")
				}
				clock.jump(time.Hour)
				move(clock)
				var lost *LostError
				if err := h.Check(t.Context()); !errors.As(err, &lost) || lost.Clock != name {
					t.Errorf("Check says %v", err)
				}
				began := time.Now()
				<-h.Done()
				if took := time.Since(began); took > tick {
					t.Errorf("Done was closed %s later", took)
				}
			})
		})
	}
}

func TestTheSmallestClaimOfSeveralWinsAndTheOthersGetTheLeaseAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 20 * time.Millisecond}
		holding := make(chan int, 1)
		finished := make(chan string)
		for _, owner := range []string{"a", "b", "c", "d"} {
			go func() {
				h, err := tryAcquire(t.Context(), Options{Store: store, Owner: owner})
				if err != nil {
					t.Error(err)
					finished <- owner
					return
				}
				select {
				case holding <- 1:
				default:
					t.Errorf("%s holds while another does", owner)
				}
				time.Sleep(20 * time.Second)
				<-holding
				if err := h.Release(t.Context()); err != nil {
					t.Error(err)
				}
				finished <- owner
			}()
		}
		for range 4 {
			<-finished
		}
		smallest := store.rows[0]
		for _, r := range store.rows[:4] {
			if r.ClaimID < smallest.ClaimID {
				smallest = r
			}
		}
		for _, r := range store.rows {
			if r.Action == Renew && r.ClaimID == smallest.ClaimID {
				return
			}
			if r.Action == Renew {
				t.Fatalf("%s was renewed before the smallest claim %s was", r, smallest)
			}
		}
	})
}

func TestACrashedHolderCostsOneTimeToLiveOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		store.rows = []Row{{Scope: "schema", Epoch: 7, ClaimID: "0000", Action: Claim, Owner: "crashed", TTL: TTL}}
		took := func(owner string) time.Duration {
			began := time.Now()
			h := acquire(t, Options{Store: store, Owner: owner}) // with an observer of its own: a new process
			d := time.Since(began)
			if h.Epoch() <= 7 {
				t.Errorf("epoch %d does not come after 7", h.Epoch())
			}
			time.Sleep(time.Second)
			if err := h.Release(t.Context()); err != nil {
				t.Error(err)
			}
			return d
		}
		if d := took("a"); d < TTL+FollowerLag+Settle || d > TTL+FollowerLag+Settle+2*PollEvery {
			t.Errorf("the first takes over after %s", d)
		}
		if d := took("b"); d > Settle+time.Second {
			t.Errorf("the second waits for %s", d)
		}
		if diff := cmp.Diff([]string{"crashed claim", "a claim", "a release", "a release", "b claim", "b release"}, store.actions()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWhatAnObserverHasSeenSurvivesItsBackgroundRuns(t *testing.T) {
	for name, clock := range map[string]func() Clock{"a clock": func() Clock { return newBubbleClock() }, "no clock": func() Clock { return nil }} {
		survives(t, name, clock)
	}
}

func survives(t *testing.T, name string, clock func() Clock) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		store.rows = []Row{{Scope: "schema", ClaimID: "0000", Action: Claim, Owner: "crashed", TTL: TTL}}
		o := Options{Store: store, Scope: "schema", Owner: "a", Observer: &Observer{}, Clock: clock(), Wait: 20 * time.Second}
		began := time.Now()
		_, err := Acquire(t.Context(), o)
		var observed *ObservedError
		if !errors.As(err, &observed) || observed.Holder != "crashed" {
			t.Fatalf("%s: Acquire says %v", name, err)
		}
		h, err := Acquire(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer h.Release(context.Background()) //nolint:errcheck // the end of the test
		if d := time.Since(began); d > TTL+FollowerLag+Settle+2*PollEvery {
			t.Errorf("%s: two runs took %s: the second began to count anew", name, d)
		}
	})
}

func TestAWaitThatRanOutNamesWhatItKnows(t *testing.T) {
	down := errors.New("289: replica is not in quorum")
	for name, c := range map[string]struct {
		store *fakeStore
		want  string
	}{
		"the holder": {
			&fakeStore{rows: []Row{{Scope: "schema", ClaimID: "0000", Action: Claim, Owner: "web-3", TTL: time.Hour}}},
			"held by web-3 (claim 0000, last seen to act",
		},
		"the time of its own claim": {
			&fakeStore{latency: 900 * time.Millisecond, insert: func(Row) error { return errors.New("285: too few live replicas") }},
			"a claim, which took 1.8s, was not acknowledged; a majority of the members has to answer",
		},
		"a read that fails": {&fakeStore{read: func() error { return down }}, "(last answer: 289"},
		"no answer":         {&fakeStore{hang: true}, "(last answer: no answer in time)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := tryAcquire(t.Context(), Options{Store: c.store, Wait: 10 * time.Second})
				var observed *ObservedError
				if !errors.As(err, &observed) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("it says %v; want %q", err, c.want)
				}
			})
		})
	}
}

func TestACallerWhoGoesAwayLeavesNoClaimThatWasAcknowledged(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		want  []string
	}{
		"while reading":  {5 * time.Millisecond, nil},
		"while claiming": {15 * time.Millisecond, nil},
		"while settling": {time.Second, []string{"a claim", "a release"}},
		"while deciding": {Settle + 25*time.Millisecond, []string{"a claim", "a release"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &fakeStore{latency: 10 * time.Millisecond}
				ctx, cancel := context.WithTimeout(t.Context(), c.after)
				defer cancel()
				if _, err := tryAcquire(ctx, Options{Store: store}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Acquire says %v", err)
				}
				if diff := cmp.Diff(c.want, store.actions()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestAScopeIsALeaseOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, observer := &fakeStore{latency: 10 * time.Millisecond}, &Observer{}
		for _, scope := range []string{"schema", "publication"} {
			h, err := Acquire(t.Context(), Options{Store: store, Scope: scope, Owner: "a", Observer: observer, Clock: newBubbleClock(), Wait: time.Second})
			if err != nil {
				t.Fatalf("%s: %v", scope, err)
			}
			defer h.Release(context.Background()) //nolint:errcheck // the end of the test
		}
	})
}

func TestAnAcquireWithoutItsPartsIsRefused(t *testing.T) {
	if _, err := Acquire(t.Context(), Options{}); err == nil {
		t.Error("it is not")
	}
}
