package lease

import (
	"errors"
	"slices"
	"time"
)

// cluster is the server side: members that each know a prefix of one log, which
// Keeper orders. An insert is in the log from its commit on; who asked for it may
// learn of that late or never. A read answers from a prefix: from the past by up to
// the follower's lag, or not at all where the member knows that it is behind.
type cluster struct {
	members    []member
	log        []entry
	views      [][]Row // of each prefix, as the store's query folds it; nil until asked for
	blocks     map[block]struct{}
	busyUntil  time.Duration // a quorum insert is under way: others wait or fail (286)
	stallUntil time.Duration // nothing is answered before
	orphans    []int32       // inserts whose quorum failed and that may yet succeed
}

type member struct {
	downUntil   time.Duration
	behindUntil time.Duration // it knows that it lacks a part: 289, or the read waits
	view        int           // the prefix it last answered from; it never goes back
	lag         time.Duration // of its Keeper follower, for a while
	lagUntil    time.Duration
}

type entry struct {
	at  time.Duration
	row Row
}

// block is what makes two inserted blocks equal to ClickHouse's deduplication.
type block struct {
	claim    string
	sequence uint64
	action   Action
}

// simOp is an operation of a client on the store.
type simOp struct {
	who    int8
	life   uint16
	op     op
	row    Row
	member int
	prompt bool // it is answered at once
	prefix int  // of the log, for a read's answer
	err    error
}

// maxLag is how old a read's answer can be. It stays below FollowerLag by what the
// clocks of two hosts may drift apart within a TTL; see newClient.
const maxLag = FollowerLag - 8*time.Millisecond

var (
	errRefused    = errors.New("connection refused")
	errCut        = errors.New("connection reset")
	errNoQuorum   = errors.New("285: too few live replicas, or 319: unknown status of insert")
	errQuorumBusy = errors.New("286: quorum for previous write has not been satisfied yet")
	errBehind     = errors.New("289: replica is not in quorum")
)

func (c *cluster) start(w *world) {
	c.members = make([]member, w.weather.members)
	c.blocks = map[block]struct{}{}
	c.views = [][]Row{{}}
}

func (c *cluster) alive(w *world) (n int) {
	for i := range c.members {
		if c.members[i].downUntil <= w.now {
			n++
		}
	}
	return n
}

func (c *cluster) majority(w *world) bool { return c.alive(w) >= len(c.members)/2+1 }

// down takes n members away for a while; each is behind for a while when it is back.
func (c *cluster) down(w *world, n int) {
	for range n {
		i := w.rng.IntN(len(c.members))
		until := w.now + w.between(500*time.Millisecond, 40*time.Second)
		c.members[i].downUntil = max(c.members[i].downUntil, until)
		c.members[i].behindUntil = c.members[i].downUntil + w.between(0, 15*time.Second)
		w.log("member %d is down until %s", i, c.members[i].downUntil)
		w.at(c.members[i].downUntil, event{kind: evMemberUp, n: int32(i)})
	}
}

// up lets inserts that missed their quorum take effect after all.
func (c *cluster) up(w *world, i int) {
	w.log("member %d is up", i)
	if !c.majority(w) {
		return
	}
	for _, n := range c.orphans {
		w.after(w.between(0, time.Second), event{kind: evCommit, n: n})
	}
	c.orphans = c.orphans[:0]
}

func (c *cluster) stall(w *world) {
	c.stallUntil = w.now + w.between(200*time.Millisecond, 6*time.Second)
	w.log("the cluster stalls until %s", c.stallUntil)
}

func (c *cluster) calm(w *world) {
	c.stallUntil, c.busyUntil = 0, 0
	for i := range c.members {
		c.members[i].downUntil, c.members[i].behindUntil, c.members[i].lagUntil = 0, 0, 0
	}
	c.up(w, 0)
}

// arrive is an operation reaching its member.
func (c *cluster) arrive(w *world, n int32) {
	o := &w.ops[n]
	m := &c.members[o.member]
	switch {
	case w.now < m.downUntil:
		w.answer(n, errRefused)
	case w.now < c.stallUntil:
		w.at(c.stallUntil+w.between(0, 20*time.Millisecond), event{kind: evArrive, n: n})
	case o.op == opInsert:
		c.insert(w, n)
	case !c.majority(w):
		w.answer(n, errNoQuorum)
	case w.now < m.behindUntil:
		w.seen.Behind++
		if w.chance(600) {
			w.answer(n, errBehind)
		} else {
			w.at(m.behindUntil, event{kind: evServe, n: n})
		}
	default:
		c.serve(w, n)
	}
}

func (c *cluster) insert(w *world, n int32) {
	if !c.majority(w) {
		w.seen.NoQuorum++
		if w.chance(500) {
			c.orphans = append(c.orphans, n)
		}
		w.ops[n].err = errNoQuorum
		w.answerAfter(n, w.between(0, KeepWithin))
		return
	}
	begin := w.now
	if begin < c.busyUntil {
		if w.chance(500) {
			w.answer(n, errQuorumBusy)
			return
		}
		begin = c.busyUntil
	}
	took := w.between(2*time.Millisecond, 50*time.Millisecond)
	if w.chance(w.weather.slowQuorum) {
		took = w.between(50*time.Millisecond, 3*time.Second)
	}
	c.busyUntil = begin + min(took, KeepWithin)
	w.at(begin+took, event{kind: evCommit, n: n})
	if took > KeepWithin { // the quorum's timeout: an error now, and the row later
		w.seen.LateEffect++
		w.ops[n].err = errNoQuorum
		w.answerAfter(n, begin+KeepWithin-w.now)
	}
}

// commit stores an insert's row, unless an equal block was stored before.
func (c *cluster) commit(w *world, n int32) {
	o := &w.ops[n]
	b := block{o.row.ClaimID, o.row.Sequence, o.row.Action}
	if _, again := c.blocks[b]; again {
		w.seen.Deduplicated++
		w.log("deduplicated: %s", o.row)
	} else {
		c.blocks[b] = struct{}{}
		c.log = append(c.log, entry{w.now, o.row})
		c.views = append(c.views, nil)
		w.log("stored: %s", o.row)
	}
	if o.err == nil {
		w.answer(n, nil)
	}
}

// serve answers a read from a prefix of the log that is recent enough.
func (c *cluster) serve(w *world, n int32) {
	o := &w.ops[n]
	m := &c.members[o.member]
	if w.now >= m.lagUntil {
		m.lag, m.lagUntil = 0, w.now+w.between(0, 8*time.Second)
		if w.chance(w.weather.lag) {
			m.lag = maxLag
			if w.chance(400) {
				m.lag = w.between(0, maxLag)
			}
		}
	}
	horizon := w.now - m.lag
	prefix := len(c.log)
	for prefix > 0 && c.log[prefix-1].at > horizon {
		prefix--
	}
	m.view = max(m.view, prefix)
	o.prefix = m.view
	if m.view < len(c.log) {
		w.seen.Stale++
	}
	w.answer(n, nil)
}

// view folds a prefix of the log as the store's query does.
func (c *cluster) view(prefix int) []Row {
	if rows := c.views[prefix]; rows != nil {
		return rows
	}
	rows := []Row{}
	released := Row{Action: Release}
	for _, e := range c.log[:prefix] {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.ClaimID == e.row.ClaimID })
		switch {
		case i < 0:
			rows = append(rows, e.row)
		case rows[i].Action == Release:
		case e.row.Action == Release, e.row.Sequence > rows[i].Sequence:
			rows[i] = e.row
		}
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool {
		if r.Action == Release {
			released.Epoch = max(released.Epoch, r.Epoch)
		}
		return r.Action == Release
	})
	if released.Epoch > 0 {
		rows = append(rows, released)
	}
	c.views[prefix] = rows
	return rows
}

func (w *world) answer(n int32, err error) {
	w.ops[n].err = err
	w.answerAfter(n, 0)
}

// answerAfter sends an operation's answer on its way to the client.
func (w *world) answerAfter(n int32, d time.Duration) {
	o := &w.ops[n]
	c := w.clients[o.who]
	if w.chance(w.weather.lost) {
		w.seen.LostAnswers++
		return
	}
	at := w.now + d + w.message()
	if o.prompt {
		at = w.now + w.between(100*time.Microsecond, 5*time.Millisecond)
	} else if w.chance(w.weather.slowAnswer) {
		at = w.now + d + w.between(400*time.Millisecond, 2*time.Second)
		if o.op == opRead {
			at = w.now + d + w.between(200*time.Millisecond, time.Duration(w.pick(1, 1, 3))*time.Second)
		}
	}
	if at < c.cutUntil {
		if c.cutBothWays {
			w.seen.LostAnswers++
			return
		}
		at = c.cutUntil + w.between(0, 50*time.Millisecond)
	}
	w.at(at, event{kind: evAnswer, who: o.who, life: o.life, n: n})
}
