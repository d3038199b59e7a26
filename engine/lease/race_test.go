//go:build race

package lease

// raceEnabled says that the race detector slows this binary down tenfold.
const raceEnabled = true
