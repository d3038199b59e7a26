package lease

import "time"

// discipline is what the engine promises about the statements it sends under a
// lease (the executor's side of it). The simulation also leaves each part out.
type discipline struct {
	blind          bool // (a) statements are neither conditional nor checked
	noDeadline     bool // (b) a statement may arrive after its sender's lease has ended
	noQuiet        bool // (c) a new holder does not wait for the statements in flight
	releaseRegards bool // (d) reversed: a release is sent whatever is unresolved
}

// ddl is the server's objects and the statements on their way to them. Half of the
// objects change by statements that the server itself makes conditional (IF NOT
// EXISTS, an ALTER's metadata version); the other half by statements that were
// checked by reading immediately before they were sent, such as CREATE OR REPLACE
// VIEW, which the server carries out whatever it finds.
type ddl struct {
	objects    [2]int32 // version of each: one of either kind
	stale      [2]bool  // the version was put there by a leaked statement
	versions   int32
	statements []statement
	running    int
}

type statement struct {
	who       int8
	life      uint16
	pass      int32
	object    int
	decidedOn int32 // the version it was decided on
	expires   time.Duration
	slow      time.Duration // at least so long on the wire
	arrived   bool
	cut       bool // its connection is closed
	leaked    bool // it arrived although its lease had ended: the process stood still, or was gone
	ended     bool
}

func (s *statement) conditional() bool { return s.object%2 == 0 }

// work is a holder's pass: wait for quiet, then change objects one by one, then
// release.
type work struct {
	pass    int32
	left    int
	object  int
	step    workStep
	read    int32
	pending int32 // statement without a known outcome; -1: none
	idle    time.Duration
}

type workStep uint8

const (
	wkNone workStep = iota
	wkQuiet
	wkRead
	wkSend
	wkWait
	wkResolve
	wkRest
)

func (k *work) begin(w *world, c *simClient) {
	w.ddl.versions++ // passes and versions share one counter
	*k = work{pass: w.ddl.versions, left: w.rng.IntN(6), step: wkQuiet, pending: -1}
	if w.chance(w.weather.longWork) {
		k.idle = w.between(5*time.Second, 50*time.Second)
	}
	if c.squeezed {
		k.idle = w.between(30*time.Second, 60*time.Second)
	}
	k.next(w, c, w.between(time.Millisecond, 30*time.Millisecond))
	if w.chance(100) {
		w.after(w.between(0, 40*time.Second), event{kind: evTerminate, who: c.id, life: c.life, n: k.pass})
	}
}

// over is the lease's end. Losing it closes the statement's connection: what has
// not arrived never will.
func (k *work) over(w *world, lost bool) {
	if lost && k.pending >= 0 && k.step != wkNone && !w.discipline.noDeadline {
		w.ddl.statements[k.pending].cut = true
		w.seen.StatementsCut++
	}
	*k = work{}
}

func (k *work) next(w *world, c *simClient, d time.Duration) {
	w.after(d, event{kind: evWork, who: c.id, life: c.life, n: k.pass})
}

func (k *work) happen(w *world, c *simClient, ev event) {
	switch ev.kind {
	case evWork:
		if ev.n == k.pass && k.step != wkNone {
			k.act(w, c)
		}
	case evStatementSent:
		k.sent(w, c, ev.n)
	case evStatementAnswer, evStatementTimeout:
		if ev.n != k.pending || k.step != wkWait {
			return
		}
		if ev.kind == evStatementAnswer {
			k.resolved(w, c)
			return
		}
		// The connection is given up: what has not arrived never will.
		w.ddl.statements[ev.n].cut = true
		w.seen.Unresolved++
		k.step = wkResolve
		k.next(w, c, w.between(time.Millisecond, time.Second))
	case evTerminate:
		if ev.n == k.pass && k.step != wkNone {
			k.terminate(w, c)
		}
	}
}

// act is the next step of the pass. Every step first asks whether the lease holds.
func (k *work) act(w *world, c *simClient) {
	if !c.believes(w) {
		k.step = wkNone
		return
	}
	switch k.step {
	case wkQuiet:
		if !w.discipline.noQuiet && w.ddl.inFlight(k.pass) {
			w.seen.WaitedForQuiet++
			k.next(w, c, 500*time.Millisecond)
			return
		}
		k.rest(w, c)
	case wkRest:
		if k.left == 0 {
			k.release(w, c)
			return
		}
		k.left--
		k.object = w.rng.IntN(len(w.ddl.objects))
		k.step = wkRead
		k.next(w, c, w.between(time.Millisecond, 40*time.Millisecond))
	case wkRead:
		k.read = w.ddl.objects[k.object]
		k.step = wkSend
		k.next(w, c, w.between(10*time.Microsecond, 2*time.Millisecond))
	case wkSend:
		w.ddl.statements = append(w.ddl.statements, statement{
			who: c.id, life: c.life, pass: k.pass, object: k.object, decidedOn: k.read,
			expires: w.now + c.m.remaining(c.now(w)),
		})
		k.pending = int32(len(w.ddl.statements) - 1)
		k.step = wkWait
		// Between this check and the socket the process may stand still.
		w.after(w.between(0, 200*time.Microsecond), event{kind: evStatementSent, who: c.id, life: c.life, n: k.pending})
		k.trouble(w, c)
		if w.discipline.noDeadline {
			return
		}
		w.after(10*time.Second, event{kind: evStatementTimeout, who: c.id, life: c.life, n: k.pending})
	case wkResolve:
		// Resolved by reading: neither running nor still able to arrive.
		s := &w.ddl.statements[k.pending]
		if s.arrived && !s.ended {
			k.next(w, c, 500*time.Millisecond)
			return
		}
		k.resolved(w, c)
	}
}

// trouble happens to a sender just as its statement leaves: between the check and
// the socket, or on the wire.
func (k *work) trouble(w *world, c *simClient) {
	if !w.chance(w.weather.ddlTrouble) {
		return
	}
	switch w.rng.IntN(4) {
	case 0:
		c.freeze(w, w.between(20*time.Second, 70*time.Second), w.chance(300))
	case 1:
		c.cut(w, w.between(5*time.Second, 60*time.Second), false)
	case 2:
		w.ddl.statements[k.pending].slow = w.between(3*time.Second, 15*time.Second)
		w.after(w.between(0, time.Second), event{kind: evTerminate, who: c.id, life: c.life, n: k.pass})
	case 3:
		w.after(w.between(0, 50*time.Millisecond), event{kind: evHolderFault, who: c.id, life: c.life})
	}
}

func (k *work) resolved(w *world, c *simClient) {
	k.pending = -1
	k.rest(w, c)
}

// rest is the time between two statements: the pass compares and records.
func (k *work) rest(w *world, c *simClient) {
	k.step = wkRest
	d := w.between(time.Millisecond, 500*time.Millisecond)
	if k.idle > 0 && k.left == 0 {
		d = k.idle
	}
	k.next(w, c, d)
}

// sent is the statement leaving the process. A conditional one may leave although
// the lease has ended meanwhile: the process stood still after its last check.
func (k *work) sent(w *world, c *simClient, n int32) {
	s := &w.ddl.statements[n]
	if !c.believes(w) && !w.discipline.noDeadline {
		if !s.conditional() || w.chance(500) {
			s.cut = true
			return
		}
		s.leaked = true
	}
	d := max(w.message(), s.slow)
	if w.chance(w.weather.lost / 2) {
		s.cut = true
		return
	}
	if w.now+d < c.cutUntil {
		d = c.cutUntil - w.now
	}
	w.after(d, event{kind: evStatementArrives, n: n})
}

func (k *work) terminate(w *world, c *simClient) {
	w.seen.Terminated++
	if k.pending >= 0 && !w.discipline.releaseRegards {
		// Left to lapse: the process goes.
		w.seen.LeftToLapse++
		w.log("%s: terminated with a statement unresolved: the lease is left to lapse", c.name)
		c.crash(w)
		w.after(w.between(300*time.Millisecond, 20*time.Second), event{kind: evRestart, who: c.id})
		return
	}
	k.release(w, c)
}

func (k *work) release(w *world, c *simClient) {
	k.step = wkNone
	c.do(w, c.m.release(c.now(w)))
}

// inFlight reports whether a statement of another pass runs on the server.
func (d *ddl) inFlight(pass int32) bool {
	if d.running == 0 {
		return false
	}
	for i := range d.statements {
		if s := &d.statements[i]; s.arrived && !s.ended && s.pass != pass {
			return true
		}
	}
	return false
}

// arrive is a statement reaching the server, if its connection still stands: its
// process closes it when the lease ends, unless the process stands still or is gone.
func (d *ddl) arrive(w *world, n int32) {
	s := &d.statements[n]
	c := w.clients[s.who]
	if s.cut {
		return
	}
	if !w.discipline.noDeadline && !s.leaked {
		switch {
		case c.life != s.life || w.now < c.frozenUntil:
			s.leaked = w.now >= s.expires
		case !c.believes(w) && w.now >= s.expires:
			s.cut = true
			w.seen.StatementsCut++
			return
		}
	}
	if s.leaked {
		w.seen.StatementsLeaked++
	}
	s.arrived = true
	d.running++
	w.log("statement %d of pass %d runs: object %d on version %d, leaked: %t", n, s.pass, s.object, s.decidedOn, s.leaked)
	took := w.between(2*time.Millisecond, 100*time.Millisecond)
	if w.chance(150) {
		took = w.between(time.Second, 60*time.Second)
	}
	w.after(took, event{kind: evStatementEnds, n: n})
}

// finish is a statement taking effect.
func (d *ddl) finish(w *world, n int32) {
	s := &d.statements[n]
	s.ended = true
	d.running--
	d.versions++
	w.seen.Statements++
	moved := d.objects[s.object] != s.decidedOn
	if c := w.clients[s.who]; c.life != s.life || !c.believes(w) || c.work.pass != s.pass {
		w.seen.StatementsOutlived++
	}
	w.log("statement %d of pass %d ends: object %d was at %d", n, s.pass, s.object, d.objects[s.object])
	switch {
	case moved && s.conditional() && !w.discipline.blind:
		w.seen.StatementsRefused++ // the server finds its condition false
	case moved && !s.conditional() && (s.leaked || d.stale[s.object]) && !w.discipline.blind:
		// A checked statement of a process that stood still after its last check. What
		// it overwrites holds no state, and the next pass puts it right.
		w.seen.StaleReplacements++
		d.objects[s.object], d.stale[s.object] = d.versions, s.leaked
	case moved:
		w.violate(harmDone, "pass %d changed object %d, decided on version %d, at version %d",
			s.pass, s.object, s.decidedOn, d.objects[s.object])
	default:
		d.objects[s.object], d.stale[s.object] = d.versions, s.leaked
	}
	if c := w.clients[s.who]; c.life == s.life && !w.chance(w.weather.lost) {
		w.after(w.message(), event{kind: evStatementAnswer, who: s.who, life: s.life, n: n})
	}
}
