package topics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/internal/pause"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Declared is a topic of a schema tree.
type Declared struct {
	Scope, Release string
	Topic          *ast.Topic
	// Recorded is what the ledger has of it; nil for nothing.
	Recorded *rules.Recorded
}

// Runner makes the declared topics be there. Bus and Book are required; the zero value of the rest is usable.
type Runner struct {
	Bus  Bus
	Book *rules.Book
	// Wait is how long a bus that is not up yet is waited for. Zero: one try.
	Wait time.Duration
	// LedgerRead says that the ledger was asked about every declared topic: one that is there without a record is adopted.
	LedgerRead bool
	// May is asked before a topic is created; a text is why it may not be. Nil: every topic may.
	May func(*Topic) string
	// Done is told about each topic as soon as its fate is known, on the caller's goroutine.
	Done func(*Topic)
	// Waiting is told before a bus that is not up yet is waited for: what others wait for should not be held meanwhile.
	Waiting func()
	// Beside are topics that nobody declares and that are read as well; the report has what was found.
	Beside []string
	// Log gets what an operator needs to know; nil is silent.
	Log *slog.Logger
	// Pause waits, Now tells the time; nil: as they are.
	Pause func(context.Context, time.Duration) error
	Now   func() time.Time
}

const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 10 * time.Second
	// seenWait is how long a created topic may take to be seen: brokers learn of it from the controller one after another.
	seenWait  = 10 * time.Second
	seenRetry = 50 * time.Millisecond
)

func (r *Runner) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r *Runner) pause(ctx context.Context, d time.Duration) error {
	if r.Pause != nil {
		return r.Pause(ctx, d)
	}
	return pause.For(ctx, d)
}

func (r *Runner) log() *slog.Logger {
	if r.Log != nil {
		return r.Log
	}
	return slog.New(slog.DiscardHandler)
}

// connect opens the bus. One that is not up yet is tried again until the wait is over; a broken one is not.
func (r *Runner) connect(ctx context.Context) (*Client, error) {
	deadline := r.now().Add(r.Wait)
	told := false
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		c, err := Open(ctx, r.Bus)
		if err == nil {
			return c, nil
		}
		left := deadline.Sub(r.now())
		if !IsNotUp(err) || left <= 0 {
			return nil, err
		}
		if r.Waiting != nil && !told {
			told = true
			r.Waiting()
		}
		r.log().InfoContext(ctx, "the bus is not up yet", "error", err.Error(), "wait_left", left.Round(time.Second).String())
		if err := r.pause(ctx, min(wait, left)); err != nil {
			return nil, err
		}
	}
}

// work is one run over the declared topics.
type work struct {
	*Runner
	client   *Client
	declared []Declared
	found    map[string]Read
	report   *Report
	options  rules.Options
	// broke is the topic at which the bus went away in the middle.
	broke string
}

// NoBus is why topics are skipped where no brokers are configured.
const NoBus = "no brokers are configured: the deployment has no bus, and no topic is created"

// begin opens the bus and reads the topics. Without brokers, or without topics, it returns no work and the report says
// why.
func (r *Runner) begin(ctx context.Context, declared []Declared) (*work, *Report, error) {
	report := &Report{Version: 1, Topics: []*Topic{}}
	switch {
	case len(declared)+len(r.Beside) == 0:
		report.Cluster.Skipped = "the schema declares no topic"
	case len(r.Bus.Brokers) == 0:
		report.Cluster.Skipped = NoBus
	}
	if report.Cluster.Skipped != "" {
		report.Topics = r.unread(declared, Unread)
		return nil, report, nil
	}
	w := &work{Runner: r, declared: declared, report: report, options: rules.Options{LedgerRead: r.LedgerRead}}
	if err := w.open(ctx); err != nil {
		if w.client != nil {
			w.client.Close()
		}
		report.Cluster.Error, report.Cluster.Code = err.Error(), codeOf(err)
		report.Topics = r.unread(declared, Unread)
		return nil, report, err
	}
	return w, report, nil
}

func (w *work) open(ctx context.Context) (err error) {
	if w.client, err = w.connect(ctx); err != nil {
		return err
	}
	if w.report.Cluster.Brokers, err = w.client.Brokers(ctx); err != nil {
		return err
	}
	names := make([]string, len(w.declared))
	for i, d := range w.declared {
		names[i] = d.Topic.Name
	}
	w.options.Bus = w.Bus.Rules(w.report.Cluster.Brokers)
	if w.found, err = w.client.Read(ctx, append(names, w.Beside...)); err != nil {
		return err
	}
	w.report.Beside = make(map[string]Read, len(w.Beside))
	for _, name := range w.Beside {
		w.report.Beside[name] = w.found[name]
	}
	return nil
}

func codeOf(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}

// unread lists topics of which nothing is known but what is declared.
func (r *Runner) unread(declared []Declared, outcome ledger.Outcome) []*Topic {
	list := make([]*Topic, len(declared))
	for i, d := range declared {
		list[i] = r.topic(d, nil, 0)
		list[i].Outcome = outcome
	}
	return list
}

// Pending lists the declared topics before anything was asked, with the given outcome.
func Pending(bus Bus, declared []Declared, outcome ledger.Outcome) []*Topic {
	r := &Runner{Bus: bus}
	return r.unread(declared, outcome)
}

// topic is a declared topic on a bus with that many live brokers; live is what is there, nil for nothing.
func (r *Runner) topic(d Declared, live *ast.Topic, brokers int) *Topic {
	t := &Topic{
		Scope: d.Scope, Release: d.Release, Name: d.Topic.Name, Landing: d.Topic.Landing, DeadLetter: d.Topic.DeadLetter,
		Checksum: canon.Checksum(d.Topic), Replication: rules.Replication(d.Topic, live, brokers),
	}
	if d.Topic.AtMost {
		t.Ceiling = d.Topic.Replicas
	}
	t.Declared = stateOf(rules.RenderTopic(d.Topic, r.Bus.Rules(rules.TopicBrokers(live, brokers))))
	return t
}

// decide asks the rules about one topic as it was read.
func (w *work) decide(d Declared) (*Topic, *plan.Object) {
	read := w.found[d.Topic.Name]
	object := w.Book.Plan([]rules.Pair{d.pair(read)}, w.options).Objects[0]
	t := w.topic(d, read.Topic, w.report.Cluster.Brokers)
	t.Action, t.Changes, t.Adopted, t.Outcome = object.Action, object.Changes, object.Adopted, ledger.Unchanged
	switch {
	case read.Unreadable != "":
		t.Outcome, t.Error = ledger.Failed, "it cannot be read: "+read.Unreadable
	case read.Topic == nil:
		t.Outcome = Absent
	default:
		t.Live, t.LiveChecksum = stateOf(besideDeclared(read.Topic, t.Declared)), read.Checksum()
	}
	return t, object
}

// own is a topic with what it has itself: a default of the broker is no part of it.
func own(t *ast.Topic) *ast.Topic { return with(t, func(string) bool { return false }) }

// besideDeclared is a live topic as people compare it with a definition: what it has itself, and of the broker's
// defaults those that the definition has a word on.
func besideDeclared(live *ast.Topic, wanted *State) *ast.Topic {
	return with(live, func(name string) bool {
		return slices.ContainsFunc(wanted.Configs, func(c Config) bool { return c.Name == name })
	})
}

// with is a topic with the configurations it has itself, and those defaults of the broker that are wanted.
func with(t *ast.Topic, wanted func(name string) bool) *ast.Topic {
	copied := *t
	copied.Configs = nil
	for _, c := range t.Configs {
		if c.SetBy == ast.SetByTopic || wanted(c.Name) {
			copied.Configs = append(copied.Configs, c)
		}
	}
	return &copied
}

func (d Declared) pair(read Read) rules.Pair {
	p := rules.Pair{Kind: ast.KindTopic, Name: d.Topic.ID(), Desired: d.Topic, Recorded: d.Recorded}
	if read.Topic != nil {
		p.Live = read.Topic
	}
	if read.Unreadable != "" {
		p.Unreadable = &rules.Unreadable{Side: "live", Message: read.Unreadable}
	}
	return p
}

// Status says what there is, and Plan what would be decided; both change nothing. The report is complete also where the
// bus could not be used, and the error is then the reason.
func (r *Runner) Status(ctx context.Context, declared []Declared) (*Report, error) {
	report, _, err := r.look(ctx, declared)
	return report, err
}

// Plan is [Runner.Status] with the decisions as objects of a plan document.
func (r *Runner) Plan(ctx context.Context, declared []Declared) (*Report, []*plan.Object, error) {
	return r.look(ctx, declared)
}

func (r *Runner) look(ctx context.Context, declared []Declared) (*Report, []*plan.Object, error) {
	w, report, err := r.begin(ctx, declared)
	if w == nil {
		return report, nil, err
	}
	defer w.client.Close()
	var objects []*plan.Object
	for _, d := range declared {
		t, object := w.decide(d)
		report.Topics = append(report.Topics, t)
		objects = append(objects, object)
	}
	return report, objects, nil
}

// Apply creates the declared topics that are not there, and says what differs of those that are. The report is complete
// also where it failed. The error joins a [*ConnectError] or [*BusError], a [*DeadLetterError], and a [*TopicError]
// for each that failed and may succeed another time; topics that a broker refuses and topics that differ are no error.
func (r *Runner) Apply(ctx context.Context, declared []Declared) (*Report, error) {
	w, report, err := r.begin(ctx, declared)
	if report.Cluster.Skipped != "" && len(declared) > 0 {
		r.log().InfoContext(ctx, "topics are skipped", "reason", report.Cluster.Skipped, "topics", len(declared))
	}
	if w == nil {
		if err != nil {
			for _, t := range report.Topics {
				t.Outcome = ledger.Blocked
			}
		}
		return report, err
	}
	defer w.client.Close()
	var failures []error
	for _, d := range declared {
		t := w.apply(ctx, d)
		report.Topics = append(report.Topics, t)
		if t.Outcome == ledger.Failed {
			failures = append(failures, &TopicError{t.Name, t.Error})
		}
		if r.Done != nil {
			r.Done(t)
		}
		if cause := context.Cause(ctx); cause != nil {
			return report, errors.Join(append(failures, fmt.Errorf("stopped after %d of %d topics: %w", len(report.Topics), len(declared), cause))...)
		}
	}
	if lost := deadLetters(report); lost != nil {
		failures = append(failures, lost)
	}
	return report, errors.Join(failures...)
}

// apply creates one topic where it is absent.
func (w *work) apply(ctx context.Context, d Declared) *Topic {
	t, _ := w.decide(d)
	if t.Outcome != Absent {
		return t
	}
	if w.broke != "" {
		t.Outcome, t.Error = ledger.Blocked, "not tried, because the bus went away at topic "+w.broke
		return t
	}
	if w.May != nil {
		if reason := w.May(t); reason != "" {
			t.Outcome, t.Error = ledger.Refused, reason
			return t
		}
	}
	began := w.now()
	decided := t.Changes
	err := w.client.Create(ctx, rules.RenderTopic(d.Topic, w.options.Bus))
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		t.Outcome, t.Error, t.ErrorCode = ledger.Refused, refused.Words, refused.Code
		t.ElapsedMS = w.now().Sub(began).Milliseconds()
		return t
	case err != nil && !errors.Is(err, ErrExists):
		w.log().WarnContext(ctx, "creating a topic has no clear answer: the bus is asked whether it is there", "topic", t.Name, "error", err.Error())
	}
	if unseen := w.see(ctx, d.Topic.Name); unseen != nil {
		t.Outcome, t.Error = ledger.Failed, errors.Join(ignoreExists(err), unseen).Error()
		if IsNotUp(err) {
			w.broke = d.Topic.Name
		}
		return t
	}
	seen, _ := w.decide(d)
	// A topic that another engine was faster to make is a topic that was there, which nobody adopted. One that is there
	// after an answer that got lost is taken for this engine's own: it was not there before.
	seen.Adopted = false
	if !errors.Is(err, ErrExists) {
		seen.Changes = append(decided, seen.Changes...) // what was decided about its creation is told as well
		seen.Action, seen.Outcome = t.Action, ledger.Applied
	}
	seen.ElapsedMS = w.now().Sub(began).Milliseconds()
	return seen
}

func ignoreExists(err error) error {
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}

// see reads a topic until it is there: "created" means seen.
func (w *work) see(ctx context.Context, name string) error {
	deadline := w.now().Add(seenWait)
	for {
		found, err := w.client.Read(ctx, []string{name})
		read, there := found[name]
		if err == nil && there {
			w.found[name] = read
			return nil
		}
		if !w.now().Before(deadline) {
			if err == nil {
				err = fmt.Errorf("it is not there %s after it was created", seenWait)
			}
			return err
		}
		if err := w.pause(ctx, seenRetry); err != nil {
			return err
		}
	}
}

// DeadLetterError is a set of dead-letter topics that is not whole: what cannot be processed would be lost, so the engine
// is not ready.
type DeadLetterError struct{ Topics []*Topic }

func (e *DeadLetterError) Error() string {
	list := make([]string, len(e.Topics))
	for i, t := range e.Topics {
		list[i] = t.Name + " (" + t.Error + ")"
	}
	return "dead letters have nowhere to go, so the engine is not ready: not created: " + strings.Join(list, "; ")
}

// ErrorCode is the word by which programs know the error.
func (e *DeadLetterError) ErrorCode() string { return "dead_letter_refused" }

func deadLetters(r *Report) error {
	var lost []*Topic
	for _, t := range r.Topics {
		if t.DeadLetter && t.Outcome == ledger.Refused {
			lost = append(lost, t)
		}
	}
	if lost == nil {
		return nil
	}
	return &DeadLetterError{lost}
}
