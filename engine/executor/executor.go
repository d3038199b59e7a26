package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/internal/pause"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/rules"
)

// Options of an [Executor]. Pass and Scope are required; the zero values of the rest are the defaults named.
type Options struct {
	// Scope and Pass go into every log comment and query id.
	Scope, Pass string
	// Lease is what the statements are sent under: each under its own context, which ends with the lease. Nil: none,
	// for the bookkeeping that is there before any lease.
	Lease *lease.Held
	// Members are read back after each statement, besides the connected server.
	Members catalog.Members
	// Knows reports whether the server has a setting; nil: it has all.
	Knows func(setting string) bool
	// Ceiling on the max_query_size sent, in bytes. Zero: 16 MiB.
	Ceiling int
	// Attempts bounds how often one statement is sent. Zero: 8.
	Attempts int
	// Grace is how long the answer to a statement is waited for once the context has ended, and then how long one without
	// an answer is followed up. Zero: 10 s.
	Grace time.Duration
	// Pause waits between two attempts, or returns the context's error. Nil: the real clock.
	Pause func(context.Context, time.Duration) error
	Log   *slog.Logger
}

// Executor sends the statements of one pass over one connection. It is used by one goroutine.
type Executor struct {
	conn *catalog.Conn
	Options
	sent int // statements, repetitions left out
}

const (
	defaultCeiling  = 16 << 20
	defaultAttempts = 8
	defaultGrace    = 10 * time.Second

	// functionAttempts is how often members are asked for a SQL function, 4 s in all: from Keeper they have it in less than
	// one, and from a disk of another's never.
	functionAttempts = 5

	// outputMode is a setting of statements that several servers carry out.
	outputMode = "distributed_ddl_output_mode"

	firstPause = 250 * time.Millisecond
	lastPause  = 10 * time.Second
)

// New returns an executor for one pass.
func New(conn *catalog.Conn, o Options) *Executor {
	if o.Ceiling == 0 {
		o.Ceiling = defaultCeiling
	}
	if o.Attempts == 0 {
		o.Attempts = defaultAttempts
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Pause == nil {
		o.Pause = pause.For
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Executor{conn: conn, Options: o}
}

// Sent counts the statements sent so far, repetitions left out.
func (x *Executor) Sent() int { return x.sent }

// notNow reports a code of ClickHouse's ErrorCodes.cpp by which the server says that the same statement may succeed
// later.
func notNow(code int32) bool {
	switch code {
	case 202, // TOO_MANY_SIMULTANEOUS_QUERIES
		225, // NO_ZOOKEEPER
		242, // TABLE_IS_READ_ONLY
		439, // CANNOT_SCHEDULE_TASK
		517, // CANNOT_ASSIGN_ALTER
		745, // SERVER_OVERLOADED
		999: // KEEPER_EXCEPTION: a session expired, among others
		return true
	}
	return false
}

// notKnown reports a code that leaves open whether the statement took effect, or still will.
func notKnown(code int32) bool {
	switch code {
	case 159, // TIMEOUT_EXCEEDED: the wait for a distributed statement ran out; the statement goes on
		209, // SOCKET_TIMEOUT
		210, // NETWORK_ERROR
		216, // QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: our own first attempt
		236, // ABORTED
		341, // UNFINISHED
		394: // QUERY_WAS_CANCELLED
		return true
	}
	return false
}

// Apply sends one statement and returns once its effect was seen. The object is read before and after. An answer
// "not now" is asked again with back-off, and no answer is resolved by reading; both only while nothing of the
// effect is there and the object is still what the decision saw.
func (x *Executor) Apply(ctx context.Context, s Statement) (Result, error) {
	id := fmt.Sprintf("dfe-%s-%s-%d", x.Scope, x.Pass, x.sent+1)
	result := Result{QueryID: id}
	live, err := x.read(ctx, s)
	if err != nil {
		return result, err
	}
	if reason := moved(s.Before, live); reason != "" {
		return result, &MovedError{s.Object(), reason}
	}
	comment := Comment{By: by, Scope: x.Scope, Pass: x.Pass, Object: s.Object(), Statement: id}.String()
	settings, err := x.settings(ctx, s, live, comment)
	if err != nil {
		return result, err
	}
	x.sent++
	blind := s.Unseen && s.Missing(live) == ""
	var answer error
	answering, done := x.outliving(ctx)
	defer done()
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		if err := context.Cause(ctx); err != nil {
			return result, notSent(s, result, answer, err)
		}
		sending := answering
		var held *lease.Statement
		if x.Lease != nil {
			if held, err = x.Lease.Begin(answering); err != nil {
				return result, notSent(s, result, answer, err)
			}
			sending = held.Context()
		}
		result.Attempts++
		answer = s.conceal(x.conn.Exec(sending, s.reveal(), id, settings))
		after, err := x.settle(ctx, s, sent{id, comment}, answer)
		if err == nil && held != nil {
			held.Resolved() // until that is known the lease is not released
		}
		x.Log.DebugContext(ctx, "statement sent", "object", s.Object(), "query_id", id, "attempt", result.Attempts, "error", s.told(answer, id))
		if err != nil {
			return result, err
		}
		result.After = after
		missing := s.Missing(after)
		switch {
		case missing == "" && (answer == nil || !blind):
			reading, done := x.outliving(ctx)
			defer done()
			return result, x.everywhere(reading, s, after)
		case answer == nil:
			return result, &NotSeenError{s.Object(), missing}
		case !again(answer):
			return result, rejected(s, id, answer, after)
		}
		if reason := moved(s.Before, after); reason != "" {
			return result, &MovedError{s.Object(), reason}
		}
		if result.Attempts >= x.Attempts {
			return result, rejected(s, id, answer, after)
		}
		if err := x.Pause(ctx, wait); err != nil {
			return result, errors.Join(rejected(s, id, answer, after), err)
		}
	}
}

// notSent is the error of a statement that is not sent, or not again, because the lease or the pass has ended.
func notSent(s Statement, so Result, answer, lost error) error {
	if so.Attempts == 0 {
		return &NotHeldError{s.Object(), lost}
	}
	return errors.Join(rejected(s, so.QueryID, answer, so.After), lost)
}

// sent is how a statement on its way is recognised: by the id in the server's query log, and by the comment among its
// processes.
type sent struct{ id, comment string }

// settle reads the object once the statement is no longer running.
func (x *Executor) settle(ctx context.Context, s Statement, out sent, answer error) (*catalog.Object, error) {
	reading, done := x.outliving(ctx)
	defer done()
	if open(answer) {
		if err := x.ended(reading, out.comment); err != nil {
			return nil, &UnresolvedError{s.Object(), out.id, err}
		}
	}
	after, err := x.read(reading, s)
	if err != nil {
		return nil, &UnresolvedError{s.Object(), out.id, err}
	}
	return after, nil
}

// outliving is a context that ends Grace after another: what was sent is answered and accounted for, also by who is
// told to stop.
func (x *Executor) outliving(ctx context.Context) (context.Context, func()) {
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(x.Grace, cancel) })
	return reading, func() {
		stop()
		cancel()
	}
}

func (x *Executor) read(ctx context.Context, s Statement) (*catalog.Object, error) {
	if s.Read != nil {
		return s.Read(ctx)
	}
	return catalog.ReadObject(ctx, x.conn, s.Kind, s.Name)
}

// ended waits until no reachable member runs a statement with this comment or has it in its queue. A queue that does
// not move is a [StuckQueueError].
func (x *Executor) ended(ctx context.Context, comment string) error {
	unreachable := 0
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		under, err := x.underWay(ctx, comment)
		switch {
		case err == nil && !under:
			return nil
		case IsStuck(err):
			return err
		case err != nil:
			if unreachable++; unreachable >= x.Attempts || ctx.Err() != nil {
				return err
			}
		}
		if err := x.Pause(ctx, wait); err != nil {
			return err
		}
	}
}

func (x *Executor) settings(ctx context.Context, s Statement, live *catalog.Object, comment string) (map[string]any, error) {
	settings := map[string]any{"log_comment": comment}
	if x.Knows == nil || x.Knows(outputMode) {
		// A member that is down does not fail the statement: it replays the log when it is back. An active one that
		// fails does.
		settings[outputMode] = "throw_only_active"
	}
	size, err := x.querySize(ctx, s, live)
	if err != nil {
		return nil, err
	}
	if size > 0 {
		settings["max_query_size"] = size
	}
	if elements := astElements(s.SQL); elements > serverElements {
		settings["max_ast_elements"] = elements
		if elements > serverExpandedElements {
			settings["max_expanded_ast_elements"] = elements
		}
	}
	return settings, nil
}

// everywhere waits until every reachable member has the object as the connected one does.
func (x *Executor) everywhere(ctx context.Context, s Statement, after *catalog.Object) error {
	// Access objects and named collections of several servers are in Keeper, once for all of them.
	if !x.Members.Several() || after == nil || s.Kind.IsAccess() || s.Kind == ast.KindNamedCollection {
		return nil
	}
	var behind []string
	wait, attempts := firstPause, x.Attempts
	if s.Kind == ast.KindFunction {
		attempts = min(attempts, functionAttempts)
	}
	for range attempts {
		texts, err := x.Members.Texts(ctx, x.conn, s.Kind, s.Name)
		if err != nil {
			return &NotSeenError{s.Object(), "the other members could not be read: " + err.Error()}
		}
		behind = nil
		for host, text := range texts {
			if !sameWords(text, after) {
				behind = append(behind, host)
			}
		}
		if len(behind) == 0 {
			return nil
		}
		if err := x.Pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, lastPause)
	}
	slices.Sort(behind)
	if s.Kind == ast.KindFunction {
		return &NotSharedError{s.Object(), behind}
	}
	return &NotSeenError{s.Object(), "on " + series.And(behind) + " its definition is still another one: look at the replication queue there"}
}

// Shared waits until every reachable member has a live SQL function as the connected one does. Where a server keeps them
// is nowhere to be read: whether all have the same is all that can be known. The error is a [NotSharedError].
func (x *Executor) Shared(ctx context.Context, function *catalog.Object) error {
	return x.everywhere(ctx, Statement{Kind: function.Kind, Name: function.Name}, function)
}

// sameWords reports that a member's definition is the object: members of two versions, and one that wrote a definition
// down as it was sent beside one that read it from a log, print the same object in different words.
func sameWords(text string, o *catalog.Object) bool {
	if text == o.Text {
		return true
	}
	if text == "" || o.Tree == nil {
		return false
	}
	other, err := ddl.ParseStatement(text)
	if err != nil || other.Kind() != o.Tree.Kind() {
		return false
	}
	return len(rules.Diff(other, o.Tree, canon.Env{Database: o.Name.Database})) == 0
}

// moved says how the live object differs from the one the decision saw; "" where it does not.
func moved(before, live *catalog.Object) string {
	switch {
	case before == nil && live == nil:
		return ""
	case before == nil:
		return fmt.Sprintf("a %s of that name exists now", live.Kind)
	case live == nil:
		return "it is gone"
	case before.Kind != live.Kind || before.Engine != live.Engine:
		return fmt.Sprintf("it was a %s of engine %s and is a %s of engine %s", before.Kind, before.Engine, live.Kind, live.Engine)
	case before.UUID != live.UUID:
		return "another object holds its name: the UUID differs"
	case before.Text != live.Text:
		return "its definition is another"
	}
	return ""
}

func again(answer error) bool {
	e, answered := catalog.Exception(answer)
	return !answered || notNow(e.Code) || notKnown(e.Code)
}

func open(answer error) bool {
	if answer == nil {
		return false
	}
	e, answered := catalog.Exception(answer)
	return !answered || notKnown(e.Code)
}

func rejected(s Statement, id string, answer error, after *catalog.Object) error {
	r := &RejectedError{Object: s.Object(), Message: "no answer to any attempt", Partial: moved(s.Before, after) != "", err: s.told(answer, id)}
	if e, ok := catalog.Exception(answer); ok {
		r.Code, r.Message = e.Code, catalog.ServerMessage(e)
		if s.ReadsRows {
			r.Message = r.err.Error()
		}
	}
	return r
}

// told is what may be said of an answer.
func (s Statement) told(answer error, id string) error {
	if e, ok := catalog.Exception(answer); ok && s.ReadsRows {
		return fmt.Errorf("code %d; its text may quote rows and is left to the server's log, under query id %s", e.Code, id)
	}
	return answer
}
