package lease

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime reads CLOCK_MONOTONIC, which on Darwin runs on while the machine
// sleeps (clock_gettime(3)). Go's own monotonic clock is mach_absolute_time, which
// does not.
func bootTime() (time.Duration, bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
