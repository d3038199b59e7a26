package service

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules"
)

// journal writes what a pass does to its objects, when it does it, and each finding once: a pass that runs again and finds
// the same says nothing new.
type journal struct {
	log *slog.Logger

	mu sync.Mutex
	// told holds the newest line about each object and path.
	told map[string]string
}

// begin tells of a pass that begins.
func (j *journal) begin(ctx context.Context, n int) {
	j.log.InfoContext(ctx, "pass begins", "passes", n)
}

// object tells of an object that the pass is through with.
func (j *journal) object(ctx context.Context, pass string, o *engine.ObjectReport) {
	j.mu.Lock()
	defer j.mu.Unlock()
	about := []any{"kind", string(o.Kind), "object", o.Name, "pass", pass}
	key := string(o.Kind) + " " + o.Name
	switch o.Outcome {
	case ledger.Applied:
		j.log.InfoContext(ctx, "object applied", append(about, "action", o.Action, "statements", len(o.Statements), "elapsed_ms", o.ElapsedMS)...)
		delete(j.told, key)
	case ledger.Failed, ledger.Blocked, ledger.Unresolved:
		j.once(ctx, slog.LevelError, key, "object "+string(o.Outcome), o.Error, append(about, "error", o.Error)...)
	default:
		delete(j.told, key)
	}
	for _, c := range o.Changes {
		if c.Action != string(rules.Refused) {
			continue
		}
		j.once(ctx, slog.LevelWarn, key+" "+c.Path, "change refused", fmt.Sprint(c.Rule, c.Live, c.Desired),
			append(about, "path", c.Path, "rule", c.Rule, "reason", c.Reason, "advice", c.Advice)...)
	}
}

// write tells what a pass that has ended came to as a whole.
func (j *journal) write(ctx context.Context, r *engine.Report) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r.OverlayFault != "" {
		j.once(ctx, slog.LevelError, "overlay", "overlay left out", r.OverlayFault, "error", r.OverlayFault)
	}
	for _, refused := range r.OverlayRefused {
		j.once(ctx, slog.LevelError, "overlay "+refused.Object, "refused of the overlay", refused.Text(), "kind", refused.Kind, "object", refused.Object, "reason", refused.Text())
	}
	for _, n := range r.Notices {
		j.once(ctx, slog.LevelWarn, "notice "+n.Text, "notice", n.Text, "code", n.Code, "text", n.Text, "pass", r.Pass)
	}
	j.topics(ctx, r)
	j.end(ctx, r)
}

// topics tells what became of them: what a pass finds again is told once.
func (j *journal) topics(ctx context.Context, r *engine.Report) {
	for _, t := range r.Topics {
		about := []any{"topic", t.Name, "pass", r.Pass}
		key := "topic " + t.Name
		switch t.Outcome {
		case ledger.Applied:
			j.log.InfoContext(ctx, "topic created", append(about, "partitions", t.Declared.Partitions, "replicas", t.Declared.ReplicationFactor, "elapsed_ms", t.ElapsedMS)...)
		case ledger.Refused, ledger.Failed:
			j.once(ctx, slog.LevelError, key, "topic "+string(t.Outcome), t.Error, append(about, "error", t.Error, "code", t.ErrorCode)...)
		default:
			delete(j.told, key)
		}
		for _, c := range t.Changes {
			message := "topic differs"
			switch {
			case c.Action == string(rules.Report):
			case c.Report && t.Outcome == ledger.Applied:
				message = "topic reported"
			default:
				continue
			}
			j.once(ctx, slog.LevelWarn, key+" "+c.Path, message, fmt.Sprint(c.Rule, c.Live, c.Desired, c.Reason),
				append(about, "path", c.Path, "live", c.Live, "declared", c.Desired, "reason", c.Reason, "advice", c.Advice)...)
		}
		if t.FewReplicas() && t.Outcome != ledger.Applied { // its creation has been told with the reason
			j.once(ctx, slog.LevelWarn, key+" replicas", "topic has fewer replicas than it may have", t.Replication,
				append(about, "replicas", t.Live.ReplicationFactor, "at_most", t.Ceiling, "reason", t.Replication)...)
		}
	}
}

func (j *journal) end(ctx context.Context, r *engine.Report) {
	level, ended, fault := slog.LevelInfo, string(r.State), []any{}
	switch {
	case ctx.Err() != nil && r.State != engine.Converged:
		ended = "stopped" // by whoever told the service to stop, who is not to be alarmed
	case r.State == engine.Failed:
		level = slog.LevelError
	case r.State == engine.Observed:
		level = slog.LevelWarn
	}
	if r.Error != "" {
		fault = append(fault, "error", r.Error)
	}
	if r.Code != "" {
		fault = append(fault, "code", r.Code)
	}
	j.log.Log(ctx, level, "pass "+ended, append(fault, "pass", r.Pass, "schemas", r.SchemaRelease, "platform", r.Platform,
		"statements", r.Summary.Statements, "refused", r.Summary.Refused, "reported", r.Summary.Reported, "took", r.Finished.Sub(r.Started).Round(time.Millisecond).String())...)
}

func (j *journal) once(ctx context.Context, level slog.Level, key, message, what string, attributes ...any) {
	if line := message + what; j.told[key] != line {
		j.told[key] = line
		j.log.Log(ctx, level, message, attributes...)
	}
}
