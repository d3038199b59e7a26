package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/series"
)

// Fault is something that happens to statements of a member's clients.
type Fault struct {
	// What happens: see the constants.
	What What `json:"what"`
	// Match chooses the statements.
	Match Match `json:"match,omitzero"`
	// Times is how many matching statements it happens to; 0: once. Negative: all.
	Times int `json:"times,omitempty"`
	// DelayMS is how long [Delay] and [DelayAnswer] last, in milliseconds.
	DelayMS int64 `json:"delay_ms,omitempty"`
	// Code and Text of [Fail].
	Code int    `json:"code,omitempty"`
	Text string `json:"text,omitempty"`
}

// What is what a fault does.
type What string

// What faults there are. A statement that waits is shown by system.processes.
const (
	Delay       What = "delay"        // the statement is held before it begins
	DelayAnswer What = "delay_answer" // it takes effect, and its answer is held
	LoseAnswer  What = "lose_answer"  // it takes effect, and the connection ends without an answer
	Drop        What = "drop"         // the connection ends and the statement never begins
	Fail        What = "fail"         // it is answered with an exception and never begins
	KillBefore  What = "kill_before"  // the member ends as kill -9 does, and the statement never begins
	KillAfter   What = "kill_after"   // it takes effect, and the member ends as kill -9 does, without an answer
)

// Match chooses statements. A statement matches when all that is given fits.
type Match struct {
	// Log chooses among the statements that the member carries out from a log (of a Replicated database, of a table, of
	// access objects) or from the queue of ON CLUSTER, not among those of its clients: [Delay], [Fail], [KillBefore] and
	// [KillAfter] can happen to them. One that fails on a member and worked elsewhere is tried again.
	Log bool `json:"log,omitempty"`
	// Kind is the statement's first word: CREATE, INSERT, SELECT.
	Kind string `json:"kind,omitempty"`
	// Comment is part of its log_comment, Text of its text.
	Comment string `json:"comment,omitempty"`
	Text    string `json:"text,omitempty"`
	// Nth lets the fault begin with the statement of that number among those that match, counted from 1; 0: the first.
	Nth int `json:"nth,omitempty"`
	// Chance lets it happen to that part of them, by the cluster's seed; 0: to all.
	Chance float64 `json:"chance,omitempty"`
}

// Fired is a fault that has happened.
type Fired struct {
	What      What   `json:"what"`
	Statement string `json:"statement"`
	Comment   string `json:"comment,omitempty"`
}

// faults are those of one member.
type faults struct {
	mu     sync.Mutex
	random *rand.Rand
	armed  []*armed
	fired  []Fired
	lift   chan struct{} // closed and replaced when the faults are cleared: ends the delays
}

type armed struct {
	Fault
	seen, done int
}

func newFaults(seed int64) *faults {
	return &faults{random: rand.New(rand.NewSource(seed)), lift: make(chan struct{})}
}

func (f *faults) arm(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = append(f.armed, &armed{Fault: fault})
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = nil
	close(f.lift)
	f.lift = make(chan struct{})
}

// strike finds the fault that happens to a statement, if any.
func (f *faults) strike(log bool, kind, comment, text string) (*Fault, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.armed {
		m := a.Match
		if m.Log != log || m.Kind != "" && !strings.EqualFold(m.Kind, kind) || !strings.Contains(comment, m.Comment) || !strings.Contains(text, m.Text) {
			continue
		}
		a.seen++
		if a.seen < m.Nth || a.Times >= 0 && a.done >= max(1, a.Times) || m.Chance > 0 && f.random.Float64() >= m.Chance {
			continue
		}
		a.done++
		f.fired = append(f.fired, Fired{a.What, text, comment})
		return &a.Fault, f.lift
	}
	return nil, nil
}

// around runs a statement with the fault that happens to it.
func (f *faults) around(ctx context.Context, c *client, answer func() error) error {
	fault, lift := f.strike(false, c.text.word(0), c.here.comment, c.here.text)
	if fault == nil {
		return answer()
	}
	held := func() { fault.hold(ctx, lift) }
	switch fault.What {
	case Delay:
		held()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return answer()
	case Fail:
		return c.member.exception(ctx, fault.Code, fault.Text)
	case Drop:
		return embedded.ErrHangUp
	case KillBefore:
		end()
	case DelayAnswer, LoseAnswer, KillAfter:
		c.Hold()
		err := answer()
		if fault.What == KillAfter {
			end()
		}
		if fault.What == DelayAnswer {
			held()
			return errors.Join(err, c.LetGo())
		}
		return embedded.ErrHangUp
	}
	return fmt.Errorf("the fault %q is unknown", fault.What)
}

// hold waits as long as a delay lasts.
func (f *Fault) hold(ctx context.Context, lift <-chan struct{}) {
	timer := time.NewTimer(time.Duration(f.DelayMS) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-lift:
	case <-ctx.Done():
	}
}

// logged runs a statement of a log with the fault that happens to it.
func (m *member) logged(ctx context.Context, t *text, o embedded.Order, run func() error) error {
	fault, lift := m.faults.strike(true, t.word(0), o.Settings["log_comment"], t.src)
	if fault == nil {
		return run()
	}
	switch fault.What {
	case Delay:
		leave := m.present.enter(&presence{id: "ddl-" + randomID(), text: t.src, comment: o.Settings["log_comment"], database: o.Database, settings: o.Settings})
		fault.hold(ctx, lift)
		leave()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	case Fail:
		return m.exception(ctx, fault.Code, fault.Text)
	case KillBefore:
		end()
	case KillAfter:
		_ = run() // nobody hears of it
		end()
	}
	return run()
}

// end is kill -9 by one's own hand.
func end() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until it has arrived
}

// whats are all that can happen.
func whats() []What {
	return []What{Delay, DelayAnswer, LoseAnswer, Drop, Fail, KillBefore, KillAfter}
}

// check refuses a fault nobody can mean.
func (f Fault) check() error {
	switch {
	case !slices.Contains(whats(), f.What):
		return fmt.Errorf("a fault %q is unknown: it is %s", f.What, series.Or(whats()))
	case (f.What == Delay || f.What == DelayAnswer) && f.DelayMS <= 0:
		return fmt.Errorf("the fault %s needs delay_ms, the milliseconds that it lasts", f.What)
	case f.What == Fail && f.Code == 0:
		return errors.New("the fault fail needs code, the exception's number")
	case f.Match.Log && (f.What == DelayAnswer || f.What == LoseAnswer || f.What == Drop):
		return fmt.Errorf("the fault %s is for statements of clients, and match.log chooses others", f.What)
	case f.Match.Chance < 0 || f.Match.Chance > 1:
		return fmt.Errorf("a chance of %g: from 0 to 1 is possible", f.Match.Chance)
	}
	return nil
}

func (m *member) serveFault(_ http.ResponseWriter, r *http.Request) error {
	f, err := readFault(r.Body)
	if err != nil {
		return err
	}
	m.faults.arm(f)
	return nil
}

func (m *member) serveFired(w http.ResponseWriter, _ *http.Request) error {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	return json.NewEncoder(w).Encode(m.faults.fired)
}

// Inject arms a fault on a member. Faults of a member that ends are gone.
func (m *Member) Inject(ctx context.Context, f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = m.ask(ctx, http.MethodPost, "/fault", body)
	return err
}

// Lift takes all faults from a member and lets go what they hold.
func (m *Member) Lift(ctx context.Context) error {
	_, err := m.ask(ctx, http.MethodDelete, "/fault", nil)
	return err
}

// Fired are the faults that have happened since the member started.
func (m *Member) Fired(ctx context.Context) ([]Fired, error) {
	text, err := m.ask(ctx, http.MethodGet, "/fault", nil)
	if err != nil {
		return nil, err
	}
	var list []Fired
	return list, json.Unmarshal(text, &list)
}

// Refuse ends the connections of a member's clients and takes no more. The other members still reach it.
func (m *Member) Refuse(ctx context.Context) error { return m.setDoor(ctx, "shut") }

// Accept lets clients in again.
func (m *Member) Accept(ctx context.Context) error { return m.setDoor(ctx, "open") }

func (m *Member) setDoor(ctx context.Context, state string) error {
	_, err := m.ask(ctx, http.MethodPost, "/door/"+state, nil)
	return err
}

// ask tells the member's process something. One that cannot hear is named.
func (m *Member) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	switch {
	case !m.Running():
		return nil, fmt.Errorf("%s does not run: start it first", m.Name())
	case m.now().process.paused.Load():
		return nil, fmt.Errorf("%s is paused: resume it first", m.Name())
	}
	data, err := call(ctx, http.DefaultClient, method, m.node.control(m.node.self(), path), body)
	var refused *refusal
	if err != nil && ctx.Err() == nil && !errors.As(err, &refused) {
		return nil, fmt.Errorf("%s has ended, or closes: start it first", m.Name())
	}
	return data, err
}
