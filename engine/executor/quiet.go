package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/catalog"
)

const (
	// quietPoll is the distance of two looks at what others have under way.
	quietPoll = time.Second

	// stuckAfter is the age at which an unfinished entry at the head of a reachable member's queue counts as stuck: the
	// default of distributed_ddl_task_timeout, which is how long its own client waited for it.
	stuckAfter = 180 * time.Second
)

// BusyError says that statements of another pass are still under way. Nothing was sent.
type BusyError struct {
	// Statements names them: where, which object, of which pass, for how long.
	Statements []string
	Waited     time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("statements of another pass are still under way after %s, and nothing was sent: %s; let them end, or end them with KILL QUERY",
		e.Waited, strings.Join(e.Statements, "; "))
}

// ErrorCode is the error as one word.
func (e *BusyError) ErrorCode() string { return "statements_under_way" }

// StuckQueueError says that the queue of distributed statements does not move on a member that is up (case S99).
type StuckQueueError struct {
	Host, Entry string
	Age         time.Duration
	// Of is the object and the pass where the entry is one of ours.
	Of string
	// Exception is what the newest attempt ended with, where the queue tells.
	Exception string
}

func (e *StuckQueueError) Error() string {
	text := fmt.Sprintf("the queue of distributed statements is stuck on %s: its head, %s, is unfinished after %s", e.Host, e.Entry, e.Age)
	if e.Of != "" {
		text += " (" + e.Of + ")"
	}
	if e.Exception != "" {
		text += ", with the exception " + e.Exception
	}
	return text + "; what is sent would only pile up behind it: see that member's log, and where the entry cannot succeed remove its node in Keeper"
}

// ErrorCode is the error as one word.
func (e *StuckQueueError) ErrorCode() string { return "ddl_queue_stuck" }

// IsStuck reports whether err is or holds a [StuckQueueError].
func IsStuck(err error) bool {
	var stuck *StuckQueueError
	return errors.As(err, &stuck)
}

// Quiet waits until no reachable member runs, or has in a queue, a statement of another pass, and until every active
// member has replayed the logs of these databases: whoever was the holder before may have been cut off in the middle
// of a statement, and two of them at once on one object must not be. It waits up to bound, as long as the lease is
// held, and returns a [BusyError] then, or a [StuckQueueError] at once.
func (x *Executor) Quiet(ctx context.Context, databases []string, bound time.Duration) error {
	waited := time.Duration(0)
	for {
		under, err := x.others(ctx, databases)
		switch {
		case err != nil:
			return err
		case len(under) == 0:
			return nil
		case waited >= bound:
			return &BusyError{under, waited}
		}
		if waited == 0 {
			x.Log.InfoContext(ctx, "waiting for the statements of another pass", "statements", under)
		}
		if err := x.Pause(ctx, quietPoll); err != nil {
			return err
		}
		waited += quietPoll
		if x.Lease != nil {
			if err := x.Lease.Check(ctx); err != nil {
				return err
			}
		}
	}
}

// others names what other passes have under way.
func (x *Executor) others(ctx context.Context, databases []string) ([]string, error) {
	var under []string
	running, err := x.Members.Running(ctx, x.conn, commentPrefix)
	if err != nil {
		return nil, err
	}
	for _, p := range running {
		if c, ours := parseComment(p.Comment); ours && c.Pass != x.Pass {
			under = append(under, fmt.Sprintf("%s runs one for %s of pass %s for %s (query id %s)", p.Host, c.Object, c.Pass, p.Elapsed.Round(time.Second), p.QueryID))
		}
	}
	queued, err := x.queue(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range queued {
		if c, ours := parseComment(t.Comment); ours && c.Pass != x.Pass {
			under = append(under, fmt.Sprintf("%s has one for %s of pass %s in its queue (%s)", t.Host, c.Object, c.Pass, t.Entry))
		}
	}
	lags, err := x.Members.Lags(ctx, x.conn, databases)
	if err != nil {
		return nil, err
	}
	for _, l := range lags {
		under = append(under, fmt.Sprintf("the member %s is %d entries behind the log of the database %s", l.Replica, l.Entries, l.Database))
	}
	return under, nil
}

// queue lists what reachable members have not finished of the queue of distributed statements. A member that is away
// has all of it before it and holds nobody up.
func (x *Executor) queue(ctx context.Context) ([]catalog.Task, error) {
	tasks, err := x.Members.Queue(ctx, x.conn)
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	up, err := x.Members.Reachable(ctx, x.conn)
	if err != nil {
		return nil, err
	}
	tasks = slices.DeleteFunc(tasks, func(t catalog.Task) bool { return !slices.Contains(up, t.Host) })
	if len(tasks) > 0 && tasks[0].Age >= stuckAfter {
		return nil, stuck(tasks[0])
	}
	return tasks, nil
}

func stuck(head catalog.Task) *StuckQueueError {
	e := &StuckQueueError{Host: head.Host, Entry: head.Entry, Age: head.Age}
	if c, ours := parseComment(head.Comment); ours {
		e.Of = c.Object + ", of pass " + c.Pass
	}
	if head.ExceptionCode != 0 {
		e.Exception = catalog.ServerText(int32(head.ExceptionCode), head.Exception)
	}
	return e
}

// underWay reports whether a statement of this pass runs somewhere or waits in a queue.
func (x *Executor) underWay(ctx context.Context, comment string) (bool, error) {
	running, err := x.Members.Running(ctx, x.conn, comment)
	if err != nil || len(running) > 0 {
		return len(running) > 0, err
	}
	queued, err := x.queue(ctx)
	return slices.ContainsFunc(queued, func(t catalog.Task) bool { return t.Comment == comment }), err
}
