package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// Holder is who has the lease that a pass could not have.
type Holder struct {
	Owner string `json:"owner"`
	Claim string `json:"claim"`
	// SeenMS is how long ago its newest sign of life was first seen here, in milliseconds.
	SeenMS int64 `json:"seen_ms"`
}

const (
	// releaseWait bounds how long a release is waited for: its own time-out and the end of what is under way.
	releaseWait = lease.WriteTimeout + time.Second

	// quietLeast is how long statements of another pass are waited for at least: a holder that was cut off has them
	// ended by the server when it notices the closed connection.
	quietLeast = lease.TTL
)

// leading is the lease as the pass at hand has it.
type leading struct {
	held *lease.Held
	// conn is the lease's own connection: a renewal waits behind no statement.
	conn *catalog.Conn
}

// LeaseStats counts what became of the engine's leases.
func (e *Engine) LeaseStats() *lease.Stats { return &e.stats }

// owner names this process for people who look for the holder.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s pid %d", host, os.Getpid())
}

// lead takes the lease, for which it waits as long as the options say.
func (p *pass) lead(ctx context.Context) error {
	p.step("waiting for the lease")
	table, err := catalog.ReadObject(ctx, p.conn, ast.KindTable, lease.Table())
	if err != nil {
		return err
	}
	conn, err := catalog.Open(ctx, p.e.options.Target)
	if err != nil {
		return err
	}
	p.lease.conn = conn
	store, err := lease.OpenClickHouse(conn, p.platform, table)
	if err != nil {
		return err
	}
	held, err := lease.Acquire(ctx, lease.Options{
		Store: p.e.store(store), Scope: string(ledger.ScopeSchema), Owner: p.e.owner, Pass: p.report.Pass,
		SchemaRelease: p.report.SchemaRelease, EngineRelease: p.report.EngineRelease,
		Wait: p.e.options.Wait, Observer: &p.e.observer, Clock: p.e.clock, Stats: &p.e.stats, Log: p.e.log,
	})
	if err != nil {
		return err
	}
	p.lease.held, p.report.Epoch = held, held.Epoch()
	p.x.Lease = held
	p.step("looking for statements of another pass")
	return p.x.Quiet(ctx, p.schema.databases(), max(p.e.options.Wait, quietLeast))
}

// release gives the lease back, also when the pass is told to stop; a second call does nothing. One that cannot be
// released lapses by itself, which costs the next pass its time to live and is no failure of this one.
func (p *pass) release(ctx context.Context) {
	if held := p.lease.held; held != nil {
		p.step("releasing the lease")
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWait)
		defer cancel()
		var failed *lease.ReleaseError
		p.report.LeaseUnreleased = errors.As(held.Release(ctx), &failed) // logged and counted there
	}
	if p.lease.conn != nil {
		p.e.disconnect(ctx, p.lease.conn, "lease ended")
	}
	p.lease = leading{}
}

// observed says of a lease that could not be had who has it.
func (r *Report) observed(o *lease.ObservedError) {
	r.State = Observed
	r.ClaimMS = o.ClaimTook.Milliseconds()
	if o.Holder != "" {
		r.Holder = &Holder{Owner: o.Holder, Claim: o.HolderClaim, SeenMS: o.HolderSeen.Milliseconds()}
	}
}
