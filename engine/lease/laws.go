package lease

import "time"

// The times of the protocol. They belong together: the inequalities that make it
// safe are in the package's documentation and are checked by its simulation.
const (
	// TTL is how long a claim or a renewal lets its holder act, counted from the
	// instant before it was sent. It is what a crashed holder costs the next one.
	TTL = 30 * time.Second

	// RenewEvery is the distance of renewals, counted from the claim's own sending:
	// three fit into a TTL, so two may go unanswered.
	RenewEvery = 8 * time.Second

	// RenewRetry is when a renewal that failed or was not answered is followed by
	// the next one, under a new sequence number.
	RenewRetry = 2 * time.Second

	// KeepWithin is the age, counted from the instant before the first read, at
	// which an acknowledged claim is no longer kept. It is also what the server is
	// given for the quorum of an insert (insert_quorum_timeout).
	KeepWithin = 2 * time.Second

	// FollowerLag is how far behind a member's answer may be without the member
	// knowing. It includes what the clocks of two hosts drift apart in a TTL.
	FollowerLag = 500 * time.Millisecond

	// Settle is the wait between the acknowledgement of a claim and the read-back:
	// KeepWithin for the last rival that may keep its claim, and FollowerLag twice,
	// because the rival's read may have missed our claim by as much as our read-back
	// may miss the rival's.
	Settle = KeepWithin + 2*FollowerLag

	// SlowRead is the duration at which the read before a claim is repeated instead
	// of claiming: what remains of KeepWithin is too short for a quorum insert.
	SlowRead = time.Second

	// ReadTimeout is when a read counts as failed; a lagging follower may make it
	// wait without end.
	ReadTimeout = 3 * time.Second

	// WriteTimeout is when a renewal or a release counts as unanswered: the quorum's
	// two seconds and as much for the network. Two of them fit between the first
	// renewal and the end of the TTL.
	WriteTimeout = 4 * time.Second

	// PollEvery is how often a held lease is looked at while it is waited for.
	PollEvery = time.Second

	// tick is how often a holder looks at its clocks to notice one that jumped or a
	// machine that was suspended. Held.Valid looks at them whenever it is called.
	tick = time.Second

	// reread is the pause before a failed read-back is sent again.
	reread = 250 * time.Millisecond

	// forgetAfter is how long an observer remembers the release of a claim that
	// reads no longer show: far longer than any lag it could be shown with again.
	forgetAfter = time.Minute
)

// laws are the times and laws that a machine follows. Production has one value of
// it. The simulation also runs broken ones, to show that it would notice: every
// field below the times is a law that such a variant leaves out.
type laws struct {
	ttl, keepWithin, settle time.Duration
	lag                     time.Duration // an observer's grace beyond the ttl

	noReadBack     bool // believe once the claim is acknowledged and settled
	keepLateClaims bool // keep a claim whenever it is acknowledged
	acrossHosts    bool // judge expiry by the time another host wrote into the row
	reviveLate     bool // let a renewal count that was acknowledged after the end
	sameSequence   bool // give every renewal one sequence number
	monotonicOnly  bool // let a holder count by the monotonic clock alone
	countFromAck   bool // let a holder count from the acknowledgement
	seenWhenAsked  bool // let an observer count from before the read was sent
	judgeWhenTold  bool // let an observer judge expiry as of the read's answer
	failedIsFree   bool // take a failed read for an empty one
	firstSightOnly bool // let an observer count from the claim, whatever renewed it
}

// theLaws are the laws of every lease outside the simulation's broken variants.
func theLaws() laws {
	return laws{ttl: TTL, keepWithin: KeepWithin, settle: Settle, lag: FollowerLag}
}
