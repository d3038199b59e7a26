// Package lease lets one client at a time change a deployment's schema. Rows go
// into the table dfe.schema_lock (a Store writes and reads them); out comes a
// Held, which says at every moment whether its owner may still act, renews itself
// and is released. It never updates or deletes a row, never compares the clocks
// of two hosts, holds no DDL text and knows nothing of what is done under a lease.
//
// # The protocol
//
// A client reads the claims. If none stands it inserts one of its own under a new
// random id, waits until every rival that may keep its claim can be seen, and
// reads back: the smallest id among the standing claims has won, decided once. The
// winner renews; the loser releases. A claim that was not acknowledged within two
// seconds of the instant before the first read is neither kept nor released by
// its owner: it lapses. A claim expires for an observer by the observer's own
// clock, counted from when it first saw the claim or its latest renewal; for its
// holder by any of the holder's three clocks, counted from before it was sent.
// The holder's count is the shorter one, always.
//
// Safety rests on four inequalities, each with its broken variant in the tests:
//
//   - A rival that may still keep its claim read "free" before ours was stored, so
//     its claim is stored within KeepWithin of that read. We look Settle after our
//     own was acknowledged, which is KeepWithin and twice FollowerLag.
//   - An observer's count starts at the answer that first showed a row, and its
//     verdict is as of the instant before the read was sent. A renewal that this
//     read misses was therefore stored too late for its holder to count it.
//   - An observer grants FollowerLag beyond TTL, for a renewal that was stored in
//     time and that a lagging member did not show.
//   - A holder counts from before it sent, never from the acknowledgement.
//
// # What a read may miss
//
// select_sequential_consistency makes ClickHouse compare its parts with what its
// Keeper node knows; it sends no sync to Keeper, so a member behind a lagging
// Keeper follower answers from the past and says nothing. Both reads of a try can
// be late, each by FollowerLag. A read that shows less than this client knew to be
// stored for longer than that is a failed read (ErrLagging).
//
// # Dead claims
//
// A claim that lapsed without a release stays in the table for the seven days of
// its TTL, and each client that starts in those days has first to watch it for the
// time it stands. So the next winner writes the release of every claim it has seen
// expire: a crashed holder costs one time to live, once.
//
// # The code
//
// machine.go is the protocol: events in, actions out, no clock, no goroutine.
// Acquire drives it with real time and a real store; the simulation in the tests
// drives the very same machine with a virtual clock over seeded interleavings.
package lease
