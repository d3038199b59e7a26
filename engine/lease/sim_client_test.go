package lease

import (
	"fmt"
	"time"
)

// simClient is one engine process on a host of its own. It drives the machine as
// Acquire does: one operation, one timer, an operation counts as unanswered after
// its timeout.
type simClient struct {
	id   int8
	name string
	up   bool
	gone bool   // it never comes back
	life uint16 // of the process

	// The host's clocks: true time, at a rate of its own, from an origin of its own.
	ppm        int64
	bootOffset time.Duration
	wallOffset time.Duration
	slept      time.Duration // of the monotonic clock
	sleepFrom  time.Duration

	frozenUntil time.Duration // paused or suspended: no event is handled before
	suspended   bool
	cutUntil    time.Duration // cut off from the cluster
	cutBothWays bool
	squeezed    bool // its renewals arrive just before its count runs out

	m      *machine
	memory *memory
	won    string // the claim it last held by
	op     int32  // the operation it waits for; -1: none
	timer  int32  // generation of its timer

	timerAt, opUntil time.Duration // monotonic: timers stand still while suspended

	work work
}

func newClient(w *world, i int) *simClient {
	c := &simClient{
		id:         int8(i),
		name:       fmt.Sprintf("c%d", i),
		ppm:        int64(w.between(-100, 101)), // a quartz clock; 6 ms in a TTL between two hosts
		bootOffset: w.between(0, time.Hour),
		wallOffset: 490_000*time.Hour + w.between(-time.Minute, time.Minute),
		op:         -1,
	}
	if w.chance(300) {
		c.wallOffset += w.between(-5*time.Hour, 5*time.Hour)
	}
	c.restart(w)
	return c
}

// now reads the host's clocks.
func (c *simClient) now(w *world) Reading {
	t := w.now + w.now/1_000_000*time.Duration(c.ppm)
	slept := c.slept
	if c.suspended {
		slept += w.now - c.sleepFrom
	}
	return Reading{Mono: t - slept, Boot: t + c.bootOffset, Wall: t + c.wallOffset}
}

func (c *simClient) believes(w *world) bool {
	return c.up && !c.suspended && c.m != nil && c.m.valid(c.now(w))
}

// restart is a new process: it remembers nothing.
func (c *simClient) restart(w *world) {
	if c.gone || c.up {
		return
	}
	c.up = true
	c.memory = newMemory()
	c.m, c.op = nil, -1
	delay := w.between(0, 3*time.Second)
	if w.now == 0 && w.chance(600) {
		delay = w.between(0, 600*time.Millisecond) // replicas of one deployment boot together
	}
	w.after(delay, event{kind: evBegin, who: c.id, life: c.life})
}

// crash ends the process. What it has sent stays sent.
func (c *simClient) crash(w *world) {
	if c.up && c.m != nil {
		w.seen.add(&c.m.count)
		if c.m.phase == holding {
			w.seen.CrashedHolders++
		}
	}
	c.thawClocks(w)
	c.up, c.m, c.op = false, nil, -1
	c.life++
	c.work = work{}
}

// freeze stops the process for a time; suspended, the host's monotonic clock too.
func (c *simClient) freeze(w *world, d time.Duration, suspended bool) {
	if !c.up || c.frozenUntil > w.now {
		return
	}
	w.log("%s: frozen for %s, suspended: %t", c.name, d, suspended)
	c.frozenUntil = w.now + d
	if suspended {
		c.suspended, c.sleepFrom = true, w.now
	}
	if c.m != nil && c.m.phase == holding {
		w.seen.FrozenHolders++
	}
	w.at(c.frozenUntil, event{kind: evThaw, who: c.id, life: c.life})
}

func (c *simClient) thawClocks(w *world) {
	if c.suspended {
		c.slept += w.now - c.sleepFrom
	}
	c.suspended, c.frozenUntil = false, 0
}

func (c *simClient) thaw(w *world) {
	w.log("%s: thawed", c.name)
	c.thawClocks(w)
}

func (c *simClient) happen(w *world, ev event) {
	switch ev.kind {
	case evBegin:
		c.begin(w)
	case evRestart:
		c.restart(w)
	case evThaw:
		if c.frozenUntil != 0 {
			c.thaw(w)
		}
	case evHolderFault:
		c.holderFault(w)
	case evTimer:
		if ev.n == c.timer && c.m != nil && !c.early(w, c.timerAt, ev) {
			c.do(w, c.m.woke(c.now(w)))
		}
	case evSend:
		c.send(w, ev.n)
	case evTimeout:
		if ev.n == c.op && !c.early(w, c.opUntil, ev) {
			w.seen.Timeouts++
			c.done(w, nil, errNoAnswer)
		}
	case evAnswer:
		if ev.n != c.op {
			w.seen.LateAnswers++
			return
		}
		o := &w.ops[ev.n]
		var rows []Row
		if o.op == opRead && o.err == nil {
			rows = w.cluster.view(o.prefix)
		}
		c.done(w, rows, o.err)
	default:
		c.work.happen(w, c, ev)
	}
}

// early puts a timer off that fired before its time by the monotonic clock.
func (c *simClient) early(w *world, due time.Duration, ev event) bool {
	left := due - c.now(w).Mono
	if left > time.Millisecond {
		w.after(left, ev)
	}
	return left > time.Millisecond
}

func (c *simClient) begin(w *world) {
	if c.m != nil {
		return
	}
	c.m = &machine{
		laws:  &w.laws,
		seen:  c.memory,
		newID: func() string { return fmt.Sprintf("%08x", w.rng.Uint32()) },
		own:   Row{Scope: "schema", Owner: c.name, TTL: w.laws.ttl},
		wait:  w.between(20*time.Second, 180*time.Second),
	}
	w.log("%s: begins", c.name)
	c.do(w, c.m.start(c.now(w)))
}

func (c *simClient) done(w *world, rows []Row, err error) {
	c.op = -1
	before := c.m.phase
	if w.trace != nil {
		w.log("%s: answered: %v, error %v", c.name, rows, err)
	}
	c.do(w, c.m.done(c.now(w), rows, err))
	if c.m != nil && c.m.phase == holding && before != holding {
		w.log("%s: HOLDS by %s", c.name, c.m.claim)
		if w.chance(w.weather.holderFault) {
			within := time.Duration(w.pick(300, 3_000, 12_000)) * time.Millisecond
			w.after(w.between(0, within), event{kind: evHolderFault, who: c.id, life: c.life})
		}
		c.squeezed = w.chance(w.weather.squeeze)
		c.work.begin(w, c)
	}
}

// do carries out what the machine asks for, as Acquire's loop does.
func (c *simClient) do(w *world, act action) {
	c.timer++
	if c.m.phase == ended {
		c.over(w)
		return
	}
	mono := c.now(w).Mono
	if act.wake > 0 {
		c.timerAt = mono + act.wake
		w.after(act.wake, event{kind: evTimer, who: c.id, life: c.life, n: c.timer})
	}
	if act.op == opNone {
		return
	}
	w.ops = append(w.ops, simOp{who: c.id, life: c.life, op: act.op, row: act.row})
	c.op = int32(len(w.ops) - 1)
	c.opUntil = mono + act.timeout
	local := w.between(0, 300*time.Microsecond)
	w.after(local, event{kind: evSend, who: c.id, life: c.life, n: c.op})
	w.after(act.timeout, event{kind: evTimeout, who: c.id, life: c.life, n: c.op})
}

// send puts an operation on the wire. It is past recalling from here.
func (c *simClient) send(w *world, n int32) {
	o := &w.ops[n]
	if w.trace != nil {
		w.log("%s: sends %s", c.name, describe(o))
	}
	if w.now < c.cutUntil && c.cutBothWays || w.chance(w.weather.lost/2) {
		if w.chance(500) {
			o.err = errCut
			w.after(w.between(0, 50*time.Millisecond), event{kind: evAnswer, who: c.id, life: c.life, n: n})
		}
		return
	}
	o.member = w.rng.IntN(len(w.cluster.members))
	d := c.onTheWay(w, o)
	if d == never {
		o.err = errCut
		w.after(w.between(0, time.Second), event{kind: evAnswer, who: c.id, life: c.life, n: n})
		return
	}
	w.after(d, event{kind: evArrive, n: n})
}

// never is how long a request takes whose connection breaks.
const never = time.Duration(-1)

// onTheWay draws how long a request takes to its member. Requests that decide
// something are sometimes given the time at which they decide it.
func (c *simClient) onTheWay(w *world, o *simOp) time.Duration {
	now := c.now(w)
	switch {
	case o.op == opInsert && o.row.Action == Renew && c.squeezed && c.m != nil:
		edge := time.Duration(w.pick(150, 600)) * time.Millisecond
		left := c.m.remaining(now) - w.between(15*time.Millisecond, edge)
		if left > c.opUntil-now.Mono {
			return never // too early for the last moment
		}
		w.seen.Squeezed++
		c.squeezed, o.prompt = w.chance(500), true
		return max(left, 0)
	case o.op == opInsert && o.row.Action == Claim && w.chance(w.weather.slowClaim):
		return w.between(0, time.Duration(w.pick(3, 12))*time.Second)
	case o.op == opInsert && o.row.Action == Claim && c.m != nil && w.chance(w.weather.edgeClaim):
		age := elapsed(c.m.asked, now)
		return max(w.laws.keepWithin-age-w.between(5*time.Millisecond, 200*time.Millisecond), 0)
	}
	d := w.message()
	if o.op == opRead && w.chance(w.weather.slowAnswer/3) {
		d = w.between(0, 2500*time.Millisecond)
	}
	if w.now+d < c.cutUntil {
		d = c.cutUntil - w.now + w.between(0, 20*time.Millisecond)
	}
	return d
}

// cut separates the client from the cluster. What is sent meanwhile arrives
// afterwards, or never if the cut is both ways.
func (c *simClient) cut(w *world, d time.Duration, bothWays bool) {
	c.cutUntil, c.cutBothWays = w.now+d, bothWays
	w.log("%s is cut off until %s, both ways: %t", c.name, c.cutUntil, bothWays)
}

func describe(o *simOp) string {
	if o.op == opRead {
		return "a read"
	}
	return o.row.String()
}

// over is the end of a machine: the wait ran out, the lease is lost or released.
// The process runs again in the background and keeps what it has observed.
func (c *simClient) over(w *world) {
	w.log("%s: over: %v", c.name, c.m.err)
	w.seen.add(&c.m.count)
	lost := false
	switch c.m.err.(type) {
	case nil:
		w.seen.Released++
	case *LostError:
		lost = true
		w.seen.LeasesLost++
	case *ObservedError:
		w.seen.Observed++
	case *ReleaseError:
		w.seen.Unreleased++
	}
	c.m, c.op = nil, -1
	c.work.over(w, lost)
	w.after(w.between(200*time.Millisecond, 3*time.Second), event{kind: evBegin, who: c.id, life: c.life})
}
