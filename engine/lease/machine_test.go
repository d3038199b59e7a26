package lease

import (
	"errors"
	"testing"
	"time"
)

// hand drives a machine by hand: each event comes at a time of the test's choosing.
type hand struct {
	t   *testing.T
	m   *machine
	now time.Duration
	act action
}

func newHand(t *testing.T) *hand {
	l := theLaws()
	n := 0
	h := &hand{t: t, m: &machine{
		laws: &l, seen: newMemory(), wait: time.Hour,
		own:   Row{Scope: "schema", Owner: "a", TTL: TTL},
		newID: func() string { n++; return string(rune('m' + n - 1)) },
	}}
	h.act = h.m.start(h.clock())
	return h
}

func (h *hand) clock() Reading {
	return Reading{Mono: h.now, Boot: h.now, Wall: h.now + 1_000_000*time.Second}
}

// answer gives the operation under way its answer after d.
func (h *hand) answer(d time.Duration, err error, rows ...Row) {
	h.t.Helper()
	if h.act.op == opNone {
		h.t.Fatal("no operation is under way")
	}
	h.now += d
	h.act = h.m.done(h.clock(), rows, err)
}

// wake lets the timer fire.
func (h *hand) wake() {
	h.t.Helper()
	if h.act.wake == 0 {
		h.t.Fatal("no timer is set")
	}
	h.now += h.act.wake
	h.act = h.m.woke(h.clock())
}

func (h *hand) in(want phase) {
	h.t.Helper()
	if h.m.phase != want {
		h.t.Fatalf("the machine is in phase %d; want %d", h.m.phase, want)
	}
}

func claimOf(id string, sequence uint64) Row {
	row := Row{Scope: "schema", Epoch: 1, ClaimID: id, Sequence: sequence, Action: Claim, Owner: id, TTL: TTL}
	if sequence > 0 {
		row.Action = Renew
	}
	return row
}

const ms = time.Millisecond

func TestAClaimAnsweredAfterTwoSecondsIsNeitherKeptNorReleased(t *testing.T) {
	h := newHand(t)
	h.answer(999*ms, nil)
	h.in(claiming)
	if h.act.timeout != 1001*ms {
		t.Errorf("the claim is waited for %s", h.act.timeout)
	}
	h.answer(1001*ms, nil)
	h.in(resting)
	h.wake()
	h.answer(ms, nil)
	if h.act.op != opInsert || h.act.row.Action != Claim || h.act.row.ClaimID != "n" {
		t.Errorf("the next try sends %s", h.act.row)
	}
}

func TestAReadThatTookASecondIsRepeatedInsteadOfClaiming(t *testing.T) {
	h := newHand(t)
	h.answer(time.Second, nil)
	h.in(reading)
	h.answer(time.Second-1, nil)
	h.in(claiming)
}

func TestAReadBackWithoutTheOwnClaimDecidesNothing(t *testing.T) {
	h := newHand(t)
	h.answer(ms, nil)
	h.answer(ms, nil)
	h.in(settling)
	h.wake()
	h.in(deciding)
	h.answer(ms, nil) // a member that does not show it yet
	h.in(settling)
	h.wake()
	h.answer(ms, errors.New("289"))
	h.in(settling)
	h.wake()
	h.answer(ms, nil, claimOf("m", 0), claimOf("z", 0))
	h.in(holding)
}

func TestTheSmallestStandingClaimWinsTheReadBack(t *testing.T) {
	h := newHand(t)
	h.answer(ms, nil)
	h.answer(ms, nil)
	h.wake()
	h.answer(ms, nil, claimOf("m", 0), claimOf("a", 0))
	h.in(yielding)
	if h.act.row.Action != Release || h.act.row.ClaimID != "m" {
		t.Errorf("the loser sends %s", h.act.row)
	}
}

func TestAReadThatShowsLessThanWasKnownHasFailed(t *testing.T) {
	h := newHand(t)
	h.answer(ms, nil, claimOf("b", 2))
	h.in(resting)
	h.wake()
	h.answer(ms, nil, claimOf("b", 1))
	h.in(resting)
	if !errors.Is(h.m.report.cause, ErrLagging) {
		t.Errorf("the cause is %v", h.m.report.cause)
	}
	h.wake()
	released := claimOf("b", 3)
	released.Action = Release
	h.answer(ms, nil, released)
	h.in(claiming)
}

func TestAClaimOfALongerTimeToLiveStandsForIt(t *testing.T) {
	h := newHand(t)
	longer := claimOf("b", 0)
	longer.TTL = 2 * TTL
	for h.m.phase != claiming {
		h.answer(0, nil, longer)
		if h.m.phase == resting {
			h.wake()
		}
	}
	if h.now < 2*TTL+FollowerLag {
		t.Errorf("it claims after %s", h.now)
	}
}

func TestARenewalAcknowledgedTooLateIsVoid(t *testing.T) {
	h := newHand(t)
	h.answer(ms, nil)
	h.answer(ms, nil)
	h.wake()
	h.answer(ms, nil, claimOf("m", 0))
	h.in(holding)
	for h.act.op == opNone {
		h.wake()
	}
	h.now = ms + TTL // counted from before the claim was sent
	h.answer(0, nil)
	h.in(ended)
	var lost *LostError
	if !errors.As(h.m.err, &lost) || h.m.count.void != 1 {
		t.Errorf("it ended for %v", h.m.err)
	}
}

func TestAWinnersEpochIsLargerThanThatOfEveryClaimItSees(t *testing.T) {
	h := newHand(t)
	h.answer(ms, nil)
	h.answer(ms, nil)
	h.wake()
	other := claimOf("", 0)
	other.Action, other.Epoch = Release, 2_000_000
	h.answer(ms, nil, claimOf("m", 0), other)
	h.in(announcing)
	if h.act.row.Action != Renew || h.act.row.Epoch != 2_000_001 || h.m.valid(h.clock()) {
		t.Errorf("it sends %s, valid: %t", h.act.row, h.m.valid(h.clock()))
	}
	h.answer(ms, errors.New("286"))
	h.in(announcing)
	h.answer(ms, nil)
	h.in(holding)
}

func TestExpiredClaimsAreReleasedByTheNextHolder(t *testing.T) {
	h := newHand(t)
	dead := claimOf("b", 1)
	for h.m.phase != claiming {
		h.answer(ms, nil, dead)
		if h.m.phase == resting {
			h.wake()
		}
	}
	if h.now < TTL+FollowerLag {
		t.Errorf("it claims after %s", h.now)
	}
	h.answer(ms, nil)
	h.wake()
	mine := claimOf(h.m.claim.ClaimID, 0)
	mine.Epoch = h.m.claim.Epoch
	h.answer(ms, nil, dead, mine)
	h.in(holding)
	if r := h.act.row; r.Action != Release || r.ClaimID != "b" || r.Sequence != 2 || r.Owner != "a" {
		t.Errorf("it sends %s", r)
	}
}
