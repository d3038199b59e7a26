package engine

import (
	"context"
	"time"
)

// SetPause replaces the waiting of an engine under test.
func (e *Engine) SetPause(pause func(context.Context, time.Duration) error) { e.pause = pause }
