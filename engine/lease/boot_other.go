//go:build !linux && !darwin

package lease

import "time"

// bootTime is absent: the wall clock tells of a suspend.
func bootTime() (time.Duration, bool) { return 0, false }
