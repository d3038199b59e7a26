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
// # What a lease cannot do
//
// No two clients ever believe that they hold. A statement can still outlive the
// lease it was sent under: a process may stand still between Held.Check and the
// socket, and ClickHouse fences no DDL. Begin's context closes the connection when
// the lease ends, Release sends nothing while a statement is unresolved, and a new
// holder waits until the servers run no statement of another pass; these three
// leave only that instant. A statement that the server itself makes conditional (IF
// NOT EXISTS, an ALTER's metadata version) does no harm there. One that was checked
// by reading just before (CREATE OR REPLACE VIEW) may put an older text back, which
// loses no data and which the next pass puts right.
//
// # The code
//
// machine.go is the protocol: events in, actions out, no clock, no goroutine.
// Acquire drives it with real time and a real store; the simulation in the tests
// drives the very same machine with a virtual clock over seeded interleavings.
//
// The usual test run plays 100,000 interleavings, and each broken variant until it
// is caught or as often as the design counted it. -lease.seeds=N plays another
// number; a seed that fails is printed with the command that replays it:
//
//	go test ./engine/lease -run TestReplay -v -args -lease.seed=N [-lease.variant='no wait']
package lease
