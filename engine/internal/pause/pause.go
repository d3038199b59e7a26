// Package pause waits a while, and no longer than the context lasts.
package pause

import (
	"context"
	"time"
)

// For waits for d. The error is the context's cause where it ends first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
