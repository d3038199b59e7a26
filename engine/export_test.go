package engine

import (
	"context"
	"time"

	"github.com/dfe-engine/dfe/ast"
)

// SetPause replaces the waiting of an engine under test.
func (e *Engine) SetPause(pause func(context.Context, time.Duration) error) { e.pause = pause }

// SecretsOf gives tests the literals of a definition that are hidden.
func SecretsOf(o ast.Object) []string { return secretsOf(o) }
