package lease

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newTestCarrier(store *fakeStore) *Carrier {
	clock, observer := newBubbleClock(), &Observer{}
	return NewCarrier(func(ctx context.Context) (*Held, error) {
		return tryAcquire(ctx, Options{Store: store, Clock: clock, Observer: observer, Wait: time.Minute})
	})
}

func TestOneLeaseIsCarriedAcrossQueuedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		c := newTestCarrier(store)
		claims := make(chan string, 3)
		finished := make(chan error)
		for range 3 {
			go func() {
				finished <- c.Do(t.Context(), func(_ context.Context, h *Held) error {
					claims <- h.ClaimID()
					time.Sleep(time.Second)
					return h.Check(t.Context())
				})
			}()
		}
		for range 3 {
			if err := <-finished; err != nil {
				t.Error(err)
			}
		}
		if a, b, c := <-claims, <-claims, <-claims; a != b || b != c {
			t.Errorf("the work was done under the claims %s, %s, %s", a, b, c)
		}
		if diff := cmp.Diff([]string{"a claim", "a release"}, store.actions()); diff != "" {
			t.Error(diff)
		}
		if err := c.Do(t.Context(), func(context.Context, *Held) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestALostLeaseIsTakenAnewForTheNextWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		c := newTestCarrier(store)
		first := make(chan error)
		go func() {
			first <- c.Do(t.Context(), func(_ context.Context, h *Held) error {
				store.set(func(s *fakeStore) { s.hang = true })
				<-h.Done()
				store.set(func(s *fakeStore) { s.hang = false })
				return h.Check(t.Context())
			})
		}()
		time.Sleep(10 * time.Second)
		second := make(chan error)
		go func() {
			second <- c.Do(t.Context(), func(_ context.Context, h *Held) error { return h.Check(t.Context()) })
		}()
		var lost *LostError
		if err := <-first; !errors.As(err, &lost) {
			t.Errorf("the first work says %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the second work says %v", err)
		}
	})
}

func TestWhoLeavesTheQueueLeavesNoLeaseBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		c := newTestCarrier(store)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		err := c.Do(t.Context(), func(context.Context, *Held) error {
			go func() { left <- c.Do(ctx, func(context.Context, *Held) error { return nil }) }()
			synctest.Wait()
			cancel()
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left was told %v", err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"a claim", "a release"}, store.actions()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOneLeaseIsCarriedForSoLongAndThenTakenAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		c := newTestCarrier(store)
		released := 0
		c.Most, c.Released = 5*time.Second, func(context.Context) { released++ }
		epochs, finished := make(chan uint64, 4), make(chan error)
		for range 4 {
			go func() {
				finished <- c.Do(t.Context(), func(_ context.Context, h *Held) error {
					epochs <- h.Epoch()
					time.Sleep(3 * time.Second)
					return h.Check(t.Context())
				})
			}()
		}
		for range 4 {
			if err := <-finished; err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		first, second, third, fourth := <-epochs, <-epochs, <-epochs, <-epochs
		if first != second || second >= third || third != fourth || released != 2 {
			t.Errorf("the work was done under the epochs %d, %d, %d, %d, and %d leases were released", first, second, third, fourth, released)
		}
	})
}

func TestWhoWaitsTooLongForItsTurnIsToldAndHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{latency: 10 * time.Millisecond}
		c := newTestCarrier(store)
		c.Wait = 4 * time.Second
		busy, late, last := make(chan error), make(chan error), make(chan error)
		do := func(into chan error) { into <- c.Do(t.Context(), func(context.Context, *Held) error { return nil }) }
		go func() {
			busy <- c.Do(t.Context(), func(context.Context, *Held) error { time.Sleep(3 * time.Second); return nil })
		}()
		synctest.Wait()
		go do(late)
		time.Sleep(4 * time.Second)
		go do(last)
		if err := <-late; !errors.Is(err, ErrTurn) {
			t.Errorf("who waited too long was told %v", err)
		}
		if err := errors.Join(<-busy, <-last); err != nil {
			t.Error(err)
		}
	})
}
