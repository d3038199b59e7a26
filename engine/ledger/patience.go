package ledger

import (
	"context"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/internal/pause"
)

const (
	// attempts is how often one row is sent, or the ledger read, while the servers say "not now": about 26 s in all, by
	// when a member that restarts is back or the lease is lost.
	attempts   = 8
	firstPause = 250 * time.Millisecond
	lastPause  = 10 * time.Second

	// unknownStatus is UNKNOWN_STATUS_OF_INSERT: the row is stored on one member, and perhaps on a majority.
	unknownStatus = 319
)

// notNow reports an answer by which the server did nothing and may do the same in a moment. A server checks the quorum
// before it stores anything. (ClickHouse, src/Storages/MergeTree/ReplicatedMergeTreeSink.cpp, checkQuorumPrecondition)
func notNow(err error) bool {
	e, answered := catalog.Exception(err)
	if !answered {
		return false
	}
	switch e.Code {
	case 164, // READONLY: the replica is not active right now
		202, // TOO_MANY_SIMULTANEOUS_QUERIES
		225, // NO_ZOOKEEPER
		242, // TABLE_IS_READ_ONLY
		285, // TOO_FEW_LIVE_REPLICAS
		286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: another's row, of a holder that was cut off, is on its way
		289, // REPLICA_IS_NOT_IN_QUORUM: this member has not fetched the newest row yet
		439, // CANNOT_SCHEDULE_TASK
		745: // SERVER_OVERLOADED
		return true
	}
	return false
}

// notRead is notNow of a question, which may be asked again whatever became of it: a member that lost its session with Keeper
// while it looked up the quorum has a new one in a moment.
func notRead(err error) bool {
	const keeperException = 999
	e, answered := catalog.Exception(err)
	return notNow(err) || answered && e.Code == keeperException
}

// patiently does something until it is no answer that says to try again.
func (l *Ledger) patiently(ctx context.Context, again func(error) bool, do func() error) error {
	wait := l.Pause
	if wait == nil {
		wait = pause.For
	}
	between := firstPause
	for range attempts - 1 {
		err := do()
		if !again(err) || wait(ctx, between) != nil {
			return err
		}
		between = min(2*between, lastPause)
	}
	return do()
}
