package cli

import "runtime/debug"

// Percentages of garbage that the heap may grow by before it is collected.
const (
	// working is for a command at work: it reads, decides and ends, and what it allocates in all is not twice of what is
	// alive in the end. Collected at every doubling of the heap, as Go does by default, it would spend two fifths of its
	// processor time on finding next to nothing.
	working = 400
	// waiting is Go's own default, for a service that has done its work.
	waiting = 100
)

// work prepares the process for a command. Who sets GOGC knows better.
func (a *app) work() {
	if a.Getenv("GOGC") == "" {
		debug.SetGCPercent(working)
	}
}

// rest gives back what the work needed: a pass needs many times what waiting does.
func (a *app) rest() {
	if a.Getenv("GOGC") == "" {
		debug.SetGCPercent(waiting)
	}
	debug.FreeOSMemory()
	unmap()
}
