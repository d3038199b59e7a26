package engine

import (
	"context"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/lease"
)

// SetPause replaces the waiting of an engine under test.
func (e *Engine) SetPause(pause func(context.Context, time.Duration) error) { e.pause = pause }

// SetLease replaces the clock of the leases of an engine under test, and what their store is.
func (e *Engine) SetLease(clock lease.Clock, store func(lease.Store) lease.Store) {
	e.clock, e.store = clock, store
}

// SetOwner replaces the name by which a holder is known.
func (e *Engine) SetOwner(name string) { e.owner = name }

// SecretsOf gives tests the literals of a definition that are hidden.
func SecretsOf(o ast.Object) []string { return secretsOf(o) }

// SetRelease replaces the engine's own release.
func (e *Engine) SetRelease(release string) { e.options.Release = release }

// DifferentDatabases compares what members have.
func DifferentDatabases(had map[string][]string, declared []string) []Notice {
	return differentDatabases(had, declared)
}

// SetNow replaces the clock by which an engine under test waits for its server.
func (e *Engine) SetNow(now func() time.Time) { e.now = now }
