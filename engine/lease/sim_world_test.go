package lease

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// world is one simulated deployment: a cluster, clients on hosts of their own, and
// one virtual clock. Everything happens in events taken from a queue in order of
// time, on one goroutine, and every choice comes from one seeded generator: a seed
// is an interleaving, and the same seed is the same one again.
type world struct {
	now   time.Duration // true time, which no host can see
	queue queue
	rng   *rand.Rand

	laws       laws       // of the protocol; the clients follow them
	discipline discipline // of the statements sent under a lease
	weather    weather

	cluster cluster
	clients []*simClient
	ops     []simOp
	ddl     ddl

	calmFrom  time.Duration // when the faults end and one client is left alone
	lone      bool
	loneAfter time.Duration // how long the lone client took; 0 until it holds

	lastEpoch uint64
	bad       *violation
	seen      coverage
	trace     *strings.Builder // nil: no trace
}

// weather is how bad a run is: probabilities in thousandths.
type weather struct {
	slow, slower, late int // of a message: under a second, about two, up to forty
	lost               int // of a message
	lag                int // of a read that comes from the past
	slowQuorum         int // of an insert
	faults             int // how many, at most
	clients            int
	members            int
	longWork           int // of a hold that outlives a TTL

	// Trouble aimed at the moments that matter, in thousandths of those moments.
	holderFault int // a fault hits whoever has just won
	squeeze     int // a holder's renewals arrive only just before its count runs out
	slowClaim   int // a claim is on its way for up to three seconds
	edgeClaim   int // or is stored just within KeepWithin of the read before it
	slowAnswer  int // an answer takes long, but not too long to count; so do a third as many reads
	ddlTrouble  int // something happens to a statement's sender just as it is sent
}

// violation is a broken promise.
type violation struct {
	kind string // believers, epoch, harm, starved
	text string
}

// What can be violated.
const (
	twoBelieve = "two clients believe they hold"
	epochFell  = "a later holder has no larger epoch"
	harmDone   = "a statement that outlived its lease did harm"
	starved    = "a lone healthy client does not get the lease"
)

// horizon bounds a run: the lone client has this long after the calm begins. One
// time to live and the grace for a claim that lands just after, and 12 s for what
// may be under way when the calm begins (a timeout, a rest, a try).
const horizon = TTL + FollowerLag + 12*time.Second

func newWorld(seed uint64, r laws, d discipline, trace bool) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 0x1ea5e)), laws: r, discipline: d}
	if trace {
		w.trace = &strings.Builder{}
	}
	w.weather, w.calmFrom = w.forecast()
	w.cluster.start(w)
	for i := range w.weather.clients {
		w.clients = append(w.clients, newClient(w, i))
	}
	for range w.weather.faults {
		w.at(w.between(0, w.calmFrom), event{kind: evFault})
	}
	w.at(w.calmFrom, event{kind: evCalm})
	return w
}

// forecast draws how bad a run is and how long the faults last. Half of the runs
// mix everything; the others are calm but for one kind of trouble, which then comes
// close to the edges of the protocol much more often.
func (w *world) forecast() (weather, time.Duration) {
	x := weather{clients: w.pick(2, 2, 3), members: w.pick(2, 3, 3, 5), lag: w.pick(0, 700), longWork: 200}
	switch w.rng.IntN(8) {
	case 0: // rivals: claims that cross, slow ones, and reads from the past
		x.clients = w.pick(2, 3, 3, 4)
		x.edgeClaim, x.slowClaim, x.lag = w.pick(300, 700), w.pick(100, 500), 800
		x.longWork, x.faults = 600, w.pick(0, 0, 2)
		return x, w.between(8*time.Second, 25*time.Second)
	case 1, 4: // a holder whose renewals arrive at the last moment
		x.squeeze, x.lag, x.slowAnswer = 900, w.pick(400, 900), w.pick(0, 300, 600)
		return x, w.between(40*time.Second, 60*time.Second)
	case 2: // a holder that stands still or is cut off
		x.holderFault = 800
		return x, w.between(50*time.Second, 100*time.Second)
	case 3: // statements whose sender stands still, is cut off or is told to stop
		x.ddlTrouble, x.holderFault = 500, w.pick(0, 200)
		return x, w.between(50*time.Second, 100*time.Second)
	}
	return weather{
		slow:       w.pick(0, 0, 30, 150),
		slower:     w.pick(0, 0, 0, 50, 200),
		late:       w.pick(0, 0, 0, 10, 40),
		lost:       w.pick(0, 0, 10, 60, 150),
		lag:        w.pick(0, 200, 700),
		slowQuorum: w.pick(0, 0, 50, 300),
		faults:     w.pick(0, 2, 4, 8),
		clients:    w.pick(1, 2, 2, 3, 3, 3, 4),
		members:    w.pick(2, 3, 3, 5),
		longWork:   w.pick(50, 300, 800),

		holderFault: w.pick(0, 0, 300, 800),
		squeeze:     w.pick(0, 0, 700),
		slowClaim:   w.pick(0, 0, 300),
		edgeClaim:   w.pick(0, 0, 500),
		slowAnswer:  w.pick(0, 0, 0, 300),
		ddlTrouble:  w.pick(0, 0, 500),
	}, w.between(50*time.Second, 110*time.Second)
}

// run plays the interleaving to its end, or to the first violation.
func (w *world) run() {
	for w.bad == nil {
		ev, ok := w.queue.pop()
		if !ok {
			return
		}
		w.now = ev.at
		if w.lone && w.loneAfter == 0 && w.now > w.calmFrom+horizon {
			w.violate(starved, "%s after the faults ended", w.now-w.calmFrom)
			return
		}
		if w.loneAfter > 0 {
			return
		}
		w.happen(ev)
	}
}

func (w *world) happen(ev event) {
	switch ev.kind {
	case evFault:
		w.fault()
	case evCalm:
		w.calm()
	case evMemberUp:
		w.cluster.up(w, int(ev.n))
	case evArrive:
		w.cluster.arrive(w, ev.n)
	case evServe:
		w.cluster.serve(w, ev.n)
	case evCommit:
		w.cluster.commit(w, ev.n)
	case evStatementArrives:
		w.ddl.arrive(w, ev.n)
	case evStatementEnds:
		w.ddl.finish(w, ev.n)
	default:
		c := w.clients[ev.who]
		if ev.life != c.life && ev.kind != evRestart || w.lone && (ev.kind == evHolderFault || ev.kind == evTerminate) {
			return
		}
		if w.now < c.frozenUntil && ev.kind != evRestart {
			w.at(c.frozenUntil, ev)
			return
		}
		c.happen(w, ev)
		w.checkBelief(c)
	}
}

// checkBelief looks for a second believer whenever a client has acted: beliefs
// begin only there. A suspended machine believes nothing until it wakes up.
func (w *world) checkBelief(c *simClient) {
	if !c.believes(w) {
		return
	}
	if w.lone && w.loneAfter == 0 {
		w.loneAfter = max(w.now-w.calmFrom, 1)
	}
	for _, o := range w.clients {
		if o != c && o.believes(w) {
			w.violate(twoBelieve, "%s and %s", c.m.claim, o.m.claim)
		}
	}
	if claim := c.m.claim; c.won != claim.ClaimID {
		c.won = claim.ClaimID
		if claim.Epoch <= w.lastEpoch {
			w.violate(epochFell, "%s after epoch %d", claim, w.lastEpoch)
		}
		w.lastEpoch = claim.Epoch
	}
}

func (w *world) violate(kind, format string, args ...any) {
	if w.bad == nil {
		w.bad = &violation{kind: kind, text: fmt.Sprintf(format, args...)}
		w.log("VIOLATION: %s: %s", kind, w.bad.text)
	}
}

// calm ends the faults: what is under way arrives within a second, every member is
// up, and all clients but the first are gone for good.
func (w *world) calm() {
	w.log("calm: faults end, only c0 is left")
	w.lone = true
	w.weather = weather{clients: w.weather.clients, members: w.weather.members}
	w.cluster.calm(w)
	w.queue.each(func(ev *event) {
		switch ev.kind {
		case evArrive, evServe, evCommit, evStatementArrives, evStatementEnds:
			if ev.at > w.now+time.Second {
				ev.at = w.now + w.between(0, time.Second)
			}
		}
	})
	for _, c := range w.clients[1:] {
		c.crash(w)
		c.gone = true
	}
	c := w.clients[0]
	c.cutUntil, c.squeezed = 0, false
	if c.frozenUntil > w.now {
		w.queue.each(func(ev *event) {
			if ev.kind >= evBegin && ev.who == c.id && ev.at == c.frozenUntil {
				ev.at = w.now // what waited for it to thaw
			}
		})
		c.thaw(w)
	}
	if !c.up {
		c.restart(w)
	}
	w.checkBelief(c)
}

func (w *world) at(t time.Duration, ev event) {
	ev.at = max(t, w.now)
	w.queue.push(ev)
}

func (w *world) after(d time.Duration, ev event) { w.at(w.now+d, ev) }

func (w *world) chance(thousandths int) bool { return w.rng.IntN(1000) < thousandths }

func (w *world) between(a, b time.Duration) time.Duration {
	if b <= a {
		return a
	}
	return a + time.Duration(w.rng.Int64N(int64(b-a)))
}

func (w *world) pick(of ...int) int { return of[w.rng.IntN(len(of))] }

// message draws how long a message takes, one way.
func (w *world) message() time.Duration {
	n := w.rng.IntN(1000)
	switch x := w.weather; {
	case n < x.late:
		return w.between(2*time.Second, 40*time.Second)
	case n < x.late+x.slower:
		return w.between(800*time.Millisecond, 2600*time.Millisecond)
	case n < x.late+x.slower+x.slow:
		return w.between(50*time.Millisecond, 900*time.Millisecond)
	}
	return w.between(200*time.Microsecond, 12*time.Millisecond)
}

func (w *world) log(format string, args ...any) {
	if w.trace != nil {
		fmt.Fprintf(w.trace, "%10.4fs  %s\n", w.now.Seconds(), fmt.Sprintf(format, args...))
	}
}

// fault breaks something.
func (w *world) fault() {
	switch w.rng.IntN(13) {
	case 12:
		w.log("every client is restarted")
		for _, c := range w.clients {
			c.crash(w)
			w.after(w.between(0, time.Second), event{kind: evRestart, who: c.id})
		}
	case 0:
		w.cluster.down(w, 1)
	case 1:
		w.cluster.down(w, len(w.cluster.members)/2+1)
	case 2:
		w.cluster.stall(w)
	default:
		w.clients[w.rng.IntN(len(w.clients))].fault(w)
	}
}

// fault breaks something about one client or its host.
func (c *simClient) fault(w *world) {
	if !c.up {
		return
	}
	switch w.rng.IntN(9) {
	case 0, 1:
		c.freeze(w, w.between(200*time.Millisecond, 5*time.Second), false)
	case 2:
		c.freeze(w, w.between(5*time.Second, 50*time.Second), false)
	case 3, 4:
		c.freeze(w, w.between(time.Second, 80*time.Second), true)
	case 5, 6:
		w.log("%s crashes", c.name)
		c.crash(w)
		w.after(w.between(300*time.Millisecond, 20*time.Second), event{kind: evRestart, who: c.id})
	case 7:
		jump := w.between(-10*time.Second, 10*time.Second)
		if w.chance(500) {
			jump = w.between(-2*time.Hour, 2*time.Hour)
		}
		w.log("%s: the wall clock jumps by %s", c.name, jump)
		c.wallOffset += jump
	case 8:
		c.cut(w, w.between(time.Second, 50*time.Second), w.chance(500))
	}
}

// holderFault strikes a client that has just won, for about a time to live.
func (c *simClient) holderFault(w *world) {
	d := w.between(25*time.Second, 60*time.Second)
	switch w.rng.IntN(8) {
	case 0, 1, 2:
		c.freeze(w, d, true)
	case 3:
		c.freeze(w, d, false)
	case 4, 5:
		c.cut(w, d, false)
	case 6:
		c.cut(w, d, true)
	case 7:
		c.fault(w)
	}
}

// event is something that happens at a time.
type event struct {
	at    time.Duration
	order uint64 // of events of one time
	kind  eventKind
	who   int8   // client
	life  uint16 // of the client: an event of an earlier life is dropped
	n     int32  // operation, statement, member or generation
}

type eventKind uint8

const (
	evFault eventKind = iota
	evCalm
	evMemberUp
	evArrive           // an operation reaches a member
	evServe            // a member answers a read it had to wait for
	evCommit           // an insert takes effect
	evStatementArrives // a statement reaches the server
	evStatementEnds    // and takes effect
	evBegin            // a client starts to acquire; the rest are a client's too
	evRestart
	evThaw
	evHolderFault
	evTimer
	evSend
	evTimeout
	evAnswer
	evWork
	evTerminate
	evStatementSent
	evStatementAnswer
	evStatementTimeout
)

// queue is a binary heap of events.
type queue struct {
	heap  []event
	count uint64
}

func (q *queue) less(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	return a.at < b.at || a.at == b.at && a.order < b.order
}

func (q *queue) push(ev event) {
	q.count++
	ev.order = q.count
	q.heap = append(q.heap, ev)
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.less(i, up) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *queue) pop() (event, bool) {
	if len(q.heap) == 0 {
		return event{}, false
	}
	top := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	q.sink(0)
	return top, true
}

func (q *queue) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.heap); child++ {
			if q.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// each lets f move events in time.
func (q *queue) each(f func(*event)) {
	for i := range q.heap {
		f(&q.heap[i])
	}
	for i := len(q.heap)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}
