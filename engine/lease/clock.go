package lease

import "time"

// Reading is what the three clocks of one host said at one instant. A reading is
// compared only with readings of the same process.
type Reading struct {
	Mono time.Duration // stops while the machine is suspended; never jumps
	Boot time.Duration // goes on while the machine is suspended; never jumps
	Wall time.Duration // since the Unix epoch; may jump either way
}

// Clock is the time of one host.
type Clock interface {
	Now() Reading
	// Timer sends once on the channel when d has passed on the monotonic clock,
	// unless stop was called before.
	Timer(d time.Duration) (fired <-chan time.Time, stop func())
}

// elapsed returns the time from a to b by the clock that saw most of it. A right
// of one's own ends by this measure; the right of another ends by Mono alone,
// which never counts more than has passed.
func elapsed(a, b Reading) time.Duration {
	return max(b.Mono-a.Mono, b.Boot-a.Boot, b.Wall-a.Wall)
}

// SystemClock returns the clocks of this machine. Where the system has no clock
// that runs on through a suspend (see bootTime), the wall clock tells alone.
func SystemClock() Clock { return systemClock{start: time.Now()} }

type systemClock struct{ start time.Time }

func (c systemClock) Now() Reading {
	now := time.Now()
	mono := now.Sub(c.start)
	boot, ok := bootTime()
	if !ok {
		boot = mono
	}
	return Reading{Mono: mono, Boot: boot, Wall: time.Duration(now.UnixNano())}
}

func (c systemClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
