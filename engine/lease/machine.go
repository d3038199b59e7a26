package lease

import (
	"errors"
	"slices"
	"time"

	"github.com/dfe-engine/dfe/lang/series"
)

// machine is the protocol of one lease from the first read to its end. It is told
// what happened, at which reading of the clocks, and answers what to do next; it
// has no clock, no store and no goroutine of its own. At most one operation is
// under way at a time, and every step's answer replaces the timer of the one before.
type machine struct {
	laws  *laws
	seen  *memory
	newID func() string
	own   Row // scope, owner, pass and releases of every row this machine writes
	wait  time.Duration

	phase phase
	err   error // why it ended; nil after a release that was acknowledged
	began Reading

	asked Reading // the instant before the latest read was sent: t0 of a try
	first Reading // the instant before this try's claim was sent
	sent  Reading // the same for the claim or its latest renewal that counts
	acked Reading // when the claim was acknowledged: t1
	claim Row     // the latest row written for this try's claim

	busy        bool    // an operation is under way
	renewing    bool    // it is a renewal
	renewSent   Reading // the instant before it was sent
	renewDue    time.Duration
	toSweep     []Row
	closed      bool // the caller acts no more: neither valid nor renewed
	wantRelease bool // the claim is to be released, or is not wanted any more

	report report
	count  tally
}

// phase is where a machine is in the protocol. The numbered steps are those of the
// package's documentation.
type phase uint8

const (
	resting    phase = iota // between two tries
	reading                 // step 1
	claiming                // step 2
	settling                // step 3, and the pause before a read-back is repeated
	deciding                // step 4
	announcing              // the winner's raised epoch is being written
	yielding                // the release of a claim that lost, or whose caller went away
	holding                 // this client is the holder, for as long as its own count runs
	releasing               // the holder's release is under way
	ended
)

// op is an operation on the store.
type op uint8

const (
	opNone op = iota
	opRead
	opInsert
)

// action is what to do after a step: at most one operation, which counts as
// unanswered after its timeout, and a timer (none if zero).
type action struct {
	op      op
	row     Row
	timeout time.Duration
	wake    time.Duration
}

// report is what a machine has to say when its wait runs out.
type report struct {
	holder    Row           // of the latest read that showed a standing claim
	seen      time.Duration // how old its latest row was by this client's count
	held      bool          // the latest read that was answered showed one
	claimTook time.Duration // of the latest claim that was not kept
	cause     error         // of the latest operation, if it failed
}

// tally counts what happened, for the simulation's proof that things do happen and
// for the operator's log.
type tally struct {
	won, lost, unkept, renewed, renewFailed, void, swept, raised, lagging, failedReads, slowReads, takeovers, yieldFailed int
}

// errNoAnswer is the error of an operation whose timeout passed.
var errNoAnswer = errors.New("no answer in time")

// start begins the first try.
func (m *machine) start(now Reading) action {
	m.began = now
	return m.ask(now, reading)
}

func (m *machine) ask(now Reading, as phase) action {
	m.phase, m.asked, m.busy = as, now, true
	return action{op: opRead, timeout: ReadTimeout}
}

// write sends one more row for this try's claim.
func (m *machine) write(now Reading, act Action, timeout time.Duration) action {
	m.claim.Sequence++
	if m.laws.sameSequence {
		m.claim.Sequence = 1
	}
	m.claim.Action = act
	m.claim.Sent = wallTime(now)
	m.busy = true
	return action{op: opInsert, row: m.claim, timeout: timeout}
}

// woke is the event of the timer.
func (m *machine) woke(now Reading) action {
	switch m.phase {
	case resting:
		return m.ask(now, reading)
	case settling:
		if left := m.laws.settle - (now.Mono - m.acked.Mono); left > 0 {
			return action{wake: left}
		}
		if m.lapsed(now) {
			return m.rest(now)
		}
		if m.laws.noReadBack {
			return m.win(now)
		}
		return m.ask(now, deciding)
	case holding:
		return m.tend(now)
	}
	return action{}
}

// done is the event of the operation's end.
func (m *machine) done(now Reading, rows []Row, err error) action {
	m.busy = false
	m.report.cause = err
	switch m.phase {
	case reading:
		return m.read(now, rows, err)
	case claiming:
		return m.claimed(now, err)
	case deciding:
		return m.decide(now, rows, err)
	case announcing:
		return m.announced(now, err)
	case yielding:
		if err != nil {
			m.count.yieldFailed++
			return m.rest(now)
		}
		m.seen.stored(now, m.claim)
		return m.rest(now)
	case holding:
		return m.wrote(now, err)
	case releasing:
		if err != nil {
			err = &ReleaseError{Scope: m.own.Scope, ClaimID: m.claim.ClaimID, Cause: err}
		} else {
			m.seen.stored(now, m.claim)
		}
		return m.end(err)
	}
	return action{}
}

// read is step 1 answered: claim if no claim stands.
func (m *machine) read(now Reading, rows []Row, err error) action {
	if err != nil && !m.laws.failedIsFree {
		m.count.failedReads++
		return m.rest(now)
	}
	v := m.seen.look(m.laws, m.asked, now, "", rows)
	if v.lagging {
		m.count.lagging++
		m.report.cause = ErrLagging
		return m.rest(now)
	}
	if elapsed(m.asked, now) >= SlowRead && !m.waitedOut(now) {
		m.count.slowReads++
		return m.ask(now, reading)
	}
	m.report.held = v.standing > 0
	if v.standing > 0 {
		m.report.holder, m.report.seen = v.holder, v.seen
		return m.rest(now)
	}
	m.first, m.sent = now, now
	m.claim = m.own
	m.claim.ClaimID = m.newID()
	m.claim.Epoch = m.seen.nextEpoch(now)
	m.claim.Action = Claim
	m.claim.Sent = wallTime(now)
	m.phase, m.busy = claiming, true
	timeout := max(m.laws.keepWithin-elapsed(m.asked, now), time.Millisecond)
	if m.laws.keepLateClaims {
		timeout = m.laws.ttl
	}
	return action{op: opInsert, row: m.claim, timeout: timeout}
}

// claimed is step 2 answered. A claim that is not kept is not released either: it
// may not be stored yet, and nobody is to see it vanish before its time.
func (m *machine) claimed(now Reading, err error) action {
	took := elapsed(m.asked, now)
	if m.wantRelease || err != nil || (took >= m.laws.keepWithin && !m.laws.keepLateClaims) {
		m.count.unkept++
		m.report.claimTook = took
		return m.rest(now)
	}
	m.seen.stored(now, m.claim)
	if m.laws.countFromAck {
		m.sent = now
	}
	m.acked = now
	m.phase = settling
	return action{wake: max(m.laws.settle, 1)}
}

// decide is step 4: the smallest id among the claims that stand in this one read.
func (m *machine) decide(now Reading, rows []Row, err error) action {
	if m.lapsed(now) {
		return m.rest(now)
	}
	if err != nil && !m.laws.failedIsFree {
		m.count.failedReads++
		m.phase = settling
		return action{wake: reread}
	}
	mine := slices.ContainsFunc(rows, func(r Row) bool {
		return r.ClaimID == m.claim.ClaimID && r.Action != Release
	})
	v := m.seen.look(m.laws, m.asked, now, m.claim.ClaimID, rows)
	if err != nil {
		return m.win(now)
	}
	if v.lagging || !mine {
		// The member does not show a claim that was acknowledged Settle ago.
		m.seen.stored(m.acked, m.claim)
		m.count.lagging++
		m.report.cause = ErrLagging
		m.phase = settling
		return action{wake: reread}
	}
	if v.winner.ClaimID != m.claim.ClaimID {
		m.count.lost++
		m.report.held, m.report.holder, m.report.seen = true, v.winner, v.seen
		return m.yield(now)
	}
	m.toSweep = v.dead
	if len(m.toSweep) > 0 {
		m.count.takeovers++
	}
	if m.claim.Epoch <= v.epoch {
		// A rival that read as we did has held since, or has claimed with the same
		// epoch. Ours is raised, and published before anyone acts by it.
		m.count.raised++
		m.claim.Epoch = v.epoch + 1
		return m.announce(now)
	}
	return m.win(now)
}

// announce writes a raised epoch, as a renewal.
func (m *machine) announce(now Reading) action {
	m.phase, m.renewSent = announcing, now
	return m.write(now, Renew, WriteTimeout)
}

// announced is its answer. Like every renewal it is void if it comes too late.
func (m *machine) announced(now Reading, err error) action {
	switch {
	case m.lapsed(now):
		return m.rest(now)
	case err != nil:
		return m.announce(now)
	}
	m.sent = m.renewSent
	return m.win(now)
}

func (m *machine) win(now Reading) action {
	m.count.won++
	m.phase = holding
	m.renewDue = RenewEvery
	return m.tend(now)
}

func (m *machine) yield(now Reading) action {
	m.phase = yielding
	return m.write(now, Release, WriteTimeout)
}

// rest ends a try. The next one starts after PollEvery, unless the wait is over; a
// try that has begun is brought to its end whatever the wait says.
func (m *machine) rest(now Reading) action {
	m.phase = resting
	if m.wantRelease {
		return m.end(errGone)
	}
	if m.waitedOut(now) {
		return m.end(m.observed(now))
	}
	return action{wake: PollEvery}
}

func (m *machine) waitedOut(now Reading) bool { return now.Mono-m.began.Mono >= m.wait }

func (m *machine) end(err error) action {
	m.phase, m.err, m.busy = ended, err, false
	return action{}
}

// lapsed reports whether the holder's own count has run out.
func (m *machine) lapsed(now Reading) bool {
	if m.laws.monotonicOnly {
		return now.Mono-m.sent.Mono >= m.laws.ttl
	}
	return elapsed(m.sent, now) >= m.laws.ttl
}

// valid reports whether this client may act at now.
func (m *machine) valid(now Reading) bool {
	return m.phase == holding && !m.closed && !m.lapsed(now)
}

// remaining returns how much of the holder's own count is left.
func (m *machine) remaining(now Reading) time.Duration {
	return max(m.laws.ttl-elapsed(m.sent, now), 0)
}

// tend is what a holder does whenever nothing is under way or its timer fires:
// release if asked, renew if due, then write the releases of dead claims.
func (m *machine) tend(now Reading) action {
	if m.lapsed(now) && (!m.laws.reviveLate || m.closed) {
		return m.end(&LostError{Scope: m.own.Scope, ClaimID: m.claim.ClaimID, Clock: m.clockThatEnded(now), Cause: m.report.cause})
	}
	since := elapsed(m.first, now)
	switch {
	case m.busy:
	case m.wantRelease:
		m.phase = releasing
		return m.write(now, Release, WriteTimeout)
	case m.closed:
		return action{wake: tick}
	case since >= m.renewDue:
		m.renewing, m.renewSent = true, now
		act := m.write(now, Renew, WriteTimeout)
		if m.laws.reviveLate {
			act.timeout = m.laws.ttl
		}
		act.wake = tick
		return act
	case len(m.toSweep) > 0:
		return m.sweep(now)
	}
	wake := min(tick, m.laws.ttl-elapsed(m.sent, now))
	if !m.busy {
		wake = min(wake, m.renewDue-since)
	}
	return action{wake: max(wake, time.Millisecond)}
}

// sweep writes the release of one claim that this client has seen expire.
func (m *machine) sweep(now Reading) action {
	dead := m.toSweep[0]
	m.toSweep = m.toSweep[1:]
	m.count.swept++
	row := m.own
	row.ClaimID, row.Epoch, row.Sequence = dead.ClaimID, dead.Epoch, dead.Sequence+1
	row.Action, row.Sent = Release, wallTime(now)
	m.busy, m.renewing = true, false
	return action{op: opInsert, row: row, timeout: WriteTimeout, wake: tick}
}

// wrote is a holder's renewal or sweep answered. A renewal that is acknowledged
// after the count ran out is void.
func (m *machine) wrote(now Reading, err error) action {
	if !m.renewing {
		return m.tend(now)
	}
	m.renewing = false
	since := elapsed(m.first, now)
	switch {
	case err != nil:
		m.count.renewFailed++
		m.renewDue = since + RenewRetry
	case m.lapsed(now) && !m.laws.reviveLate:
		m.count.void++
	default:
		m.count.renewed++
		m.sent = m.renewSent
		if m.laws.countFromAck {
			m.sent = now
		}
		m.renewDue = (since/RenewEvery + 1) * RenewEvery
	}
	return m.tend(now)
}

// release is the event of the caller giving the lease back.
func (m *machine) release(now Reading) action {
	m.closed, m.wantRelease = true, true
	if m.phase != holding {
		return action{}
	}
	return m.tend(now)
}

// abandon is the event of the caller giving up before the lease was had. A claim
// that was acknowledged is released; one that was not is left to lapse.
func (m *machine) abandon(now Reading) action {
	m.wantRelease = true
	switch m.phase {
	case settling, deciding, announcing:
		if !m.lapsed(now) {
			return m.yield(now)
		}
	case yielding, holding, releasing, ended:
		return action{}
	}
	return m.rest(now)
}

// observed is the error of a wait that ran out.
func (m *machine) observed(now Reading) error {
	e := &ObservedError{
		Scope:     m.own.Scope,
		Waited:    now.Mono - m.began.Mono,
		ClaimTook: m.report.claimTook,
		Cause:     m.report.cause,
	}
	if m.report.held {
		e.Holder, e.HolderClaim, e.HolderSeen = m.report.holder.Owner, m.report.holder.ClaimID, m.report.seen
	}
	return e
}

// clockThatEnded names the clocks by which the holder's count has run out.
func (m *machine) clockThatEnded(now Reading) string {
	var names []string
	for _, c := range []struct {
		name string
		took time.Duration
	}{
		{"monotonic", now.Mono - m.sent.Mono},
		{"boot-time", now.Boot - m.sent.Boot},
		{"wall", now.Wall - m.sent.Wall},
	} {
		if c.took >= m.laws.ttl {
			names = append(names, c.name)
		}
	}
	return series.And(names)
}

func wallTime(now Reading) time.Time { return time.Unix(0, int64(now.Wall)).UTC() }
