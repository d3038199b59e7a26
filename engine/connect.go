package engine

import (
	"context"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/platform"
	"github.com/dfe-engine/dfe/rules"
)

const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 10 * time.Second
)

// connect opens the server. One that is not up yet is tried again until the wait is over; a broken one is not.
func (e *Engine) connect(ctx context.Context) (*catalog.Conn, error) {
	e.options.Progress(Progress{Step: "connecting"})
	deadline := e.now().Add(e.options.Wait)
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		conn, err := catalog.Open(ctx, e.options.Target)
		if err == nil {
			return conn, nil
		}
		left := deadline.Sub(e.now())
		if !catalog.IsNotUp(err) || left <= 0 {
			return nil, err
		}
		e.log.InfoContext(ctx, "the server is not up yet", "error", err.Error(), "wait_left", left.Round(time.Second).String())
		if err := e.pause(ctx, min(wait, left)); err != nil {
			return nil, err
		}
	}
}

// platform is the one to render for.
func (e *Engine) platform(facts *catalog.Facts) rules.Platform {
	return platform.Of(e.options.Platform, facts, e.options.Target)
}

// checkServer refuses a server that cannot have the schema, before anything is sent.
func (e *Engine) checkServer(facts *catalog.Facts, s *schema) error {
	return platform.Check(e.platform(facts), facts, platform.Need{MinServer: s.minServer, Kinds: s.kinds()}, e.options.Target)
}

// disconnect gives the connection back and notes what it cost.
func (e *Engine) disconnect(ctx context.Context, conn *catalog.Conn, what string) {
	effort := conn.Effort()
	if err := conn.Close(); err != nil {
		e.log.WarnContext(ctx, "closing the connection", "error", err.Error())
	}
	e.log.DebugContext(ctx, what, "queries", effort.Queries, "waited", effort.Waited)
}

// Ping asks once whether the server answers and takes this engine's credentials.
func (e *Engine) Ping(ctx context.Context) error {
	conn, err := catalog.Open(ctx, e.options.Target)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Target is the server's URL without credentials.
func (e *Engine) Target() string { return e.options.Target.String() }
