package lease

import (
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	seedFlag    = flag.Uint64("lease.seed", 0, "replay this one seed and print its trace")
	variantFlag = flag.String("lease.variant", "", "replay it with this broken variant of the protocol")
	countFlag   = flag.Uint64("lease.seeds", 0, "how many interleavings to play instead of the usual number")
)

// coverage counts what happened in the interleavings: a simulation in which nothing
// happens proves nothing.
type coverage struct {
	// By the machines; see tally.
	Won, Lost, Unkept, Renewed, RenewFailed, Void, Swept, Raised, Lagging, FailedReads, SlowReads, Takeovers, YieldFailed int64

	Released, LeasesLost, Observed, Unreleased                       int64 // how machines ended
	CrashedHolders, FrozenHolders, Terminated, LeftToLapse           int64
	Timeouts, LostAnswers, LateAnswers                               int64 // operations on the store
	Deduplicated, LateEffect, NoQuorum, Behind, Stale                int64
	Statements, StatementsOutlived, StatementsRefused, StatementsCut int64
	StatementsLeaked, StaleReplacements, WaitedForQuiet, Unresolved  int64
	Interleavings, Squeezed, Operations, LoneMilliseconds, LoneAfter int64
}

func (c *coverage) add(t *tally) {
	from, to := reflect.ValueOf(t).Elem(), reflect.ValueOf(c).Elem()
	for i := range from.NumField() {
		f := to.Field(i)
		f.SetInt(f.Int() + from.Field(i).Int())
	}
}

func (c *coverage) merge(o *coverage) {
	from, to := reflect.ValueOf(o).Elem(), reflect.ValueOf(c).Elem()
	slowest := max(c.LoneAfter, o.LoneAfter)
	for i := range from.NumField() {
		to.Field(i).SetInt(to.Field(i).Int() + from.Field(i).Int())
	}
	c.LoneAfter = slowest
}

// each calls f with every counter.
func (c *coverage) each(f func(name string, n int64)) {
	v := reflect.ValueOf(*c)
	for i := range v.NumField() {
		f(v.Type().Field(i).Name, v.Field(i).Int())
	}
}

func (c *coverage) String() string {
	var b strings.Builder
	c.each(func(name string, n int64) { fmt.Fprintf(&b, " %s=%d", name, n) })
	return strings.TrimSpace(b.String())
}

// play runs one interleaving to its end.
func play(seed uint64, r laws, d discipline, trace bool) *world {
	w := newWorld(seed, r, d, trace)
	w.run()
	for _, c := range w.clients {
		if c.m != nil {
			w.seen.add(&c.m.count)
		}
	}
	w.seen.Interleavings = 1
	w.seen.Operations = int64(len(w.ops))
	w.seen.LoneMilliseconds = w.loneAfter.Milliseconds()
	w.seen.LoneAfter = w.loneAfter.Milliseconds()
	return w
}

// outcome is what a range of seeds showed.
type outcome struct {
	seen  coverage
	bad   map[string]int    // violations by kind
	first map[string]uint64 // the lowest seed of each kind
	text  map[string]string // and what it was
}

// playAll plays the seeds 1 to n on all processors, or stops soon after the first
// violation of the kind until, if that is not empty.
func playAll(n uint64, r laws, d discipline, until string) outcome {
	var next atomic.Uint64
	var found atomic.Bool
	parts := make([]outcome, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			out := outcome{bad: map[string]int{}, first: map[string]uint64{}, text: map[string]string{}}
			for {
				seed := next.Add(1)
				if seed > n || found.Load() {
					break
				}
				w := play(seed, r, d, false)
				out.seen.merge(&w.seen)
				if w.bad != nil {
					if w.bad.kind == until {
						found.Store(true)
					}
					out.bad[w.bad.kind]++
					if first, ok := out.first[w.bad.kind]; !ok || seed < first {
						out.first[w.bad.kind], out.text[w.bad.kind] = seed, w.bad.text
					}
				}
			}
			parts[i] = out
		})
	}
	wg.Wait()
	all := parts[0]
	for _, p := range parts[1:] {
		all.seen.merge(&p.seen)
		for kind, n := range p.bad {
			all.bad[kind] += n
			if first, ok := all.first[kind]; !ok || p.first[kind] < first {
				all.first[kind], all.text[kind] = p.first[kind], p.text[kind]
			}
		}
	}
	return all
}

// seeds returns how many interleavings to play where usual is the full number. The
// race detector has nothing to find in them, since each runs on one goroutine, and
// gets a sample.
func seeds(usual uint64) uint64 {
	switch {
	case *countFlag > 0:
		return *countFlag
	case raceEnabled:
		return usual / 100
	}
	return usual
}

func TestNoInterleavingBreaksAPromise(t *testing.T) {
	n := seeds(100_000)
	began := time.Now()
	out := playAll(n, theLaws(), discipline{}, "")
	for kind, count := range out.bad {
		t.Errorf("%s: %d of %d interleavings; the first is seed %d: %s\nreplay: go test ./engine/lease -run TestReplay -v -args -lease.seed=%d",
			kind, count, n, out.first[kind], out.text[kind], out.first[kind])
	}
	// Lagging has to be absent: a member that lags beyond FollowerLag is outside of
	// what is promised. Of few interleavings not every kind is asked for.
	out.seen.each(func(name string, count int64) {
		if (count == 0) != (name == "Lagging") && n >= 50_000 {
			t.Errorf("%s: %d in %d interleavings: the simulation does not show what it claims to", name, count, n)
		}
	})
	t.Logf("%d interleavings in %s on %d processors: %s", n, time.Since(began).Round(time.Millisecond), runtime.GOMAXPROCS(0), &out.seen)
}

// variant is a protocol or a discipline with one law left out.
type variant struct {
	name     string
	kind     string // the promise that must be seen to break
	measured int    // of 3,000, by the simulation that the design cites; 0: it has no figure
	change   func(*laws, *discipline)
}

func variants() []variant {
	return []variant{
		{"no read-back", twoBelieve, 426, func(r *laws, _ *discipline) { r.noReadBack = true }},
		{"no wait", twoBelieve, 76, func(r *laws, _ *discipline) { r.settle = 0 }},
		{"no 2-second rule", twoBelieve, 236, func(r *laws, _ *discipline) { r.keepLateClaims = true }},
		{"expiry across hosts", twoBelieve, 463, func(r *laws, _ *discipline) { r.acrossHosts = true }},
		{"late renewal revives", twoBelieve, 480, func(r *laws, _ *discipline) { r.reviveLate = true }},
		{"deduplicated renewals", twoBelieve, 136, func(r *laws, _ *discipline) { r.sameSequence = true }},
		{"suspended clock", twoBelieve, 1736, func(r *laws, _ *discipline) { r.monotonicOnly = true }},

		{"a wait for one lagging read", twoBelieve, 0, func(r *laws, _ *discipline) { r.settle = KeepWithin + FollowerLag }},
		{"no grace for a lagging read", twoBelieve, 0, func(r *laws, _ *discipline) { r.lag = 0 }},
		{"count from the acknowledgement", twoBelieve, 0, func(r *laws, _ *discipline) { r.countFromAck = true }},
		{"count from the question", twoBelieve, 0, func(r *laws, _ *discipline) { r.seenWhenAsked = true }},
		{"judge as of the answer", twoBelieve, 0, func(r *laws, _ *discipline) { r.judgeWhenTold = true }},
		{"a failed read is free", twoBelieve, 0, func(r *laws, _ *discipline) { r.failedIsFree = true }},
		{"renewals unseen", twoBelieve, 0, func(r *laws, _ *discipline) { r.firstSightOnly = true }},

		{"blind statements", harmDone, 0, func(_ *laws, d *discipline) { d.blind = true }},
		{"no network deadline", harmDone, 0, func(_ *laws, d *discipline) { d.noDeadline = true }},
		{"no wait for statements in flight", harmDone, 0, func(_ *laws, d *discipline) { d.noQuiet = true }},
		{"release with a statement unresolved", harmDone, 0, func(_ *laws, d *discipline) { d.releaseRegards = true }},
	}
}

func TestEachBrokenVariantIsCaught(t *testing.T) {
	for _, v := range variants() {
		if *variantFlag != "" && v.name != *variantFlag {
			continue
		}
		r, d := theLaws(), discipline{}
		v.change(&r, &d)
		// Those of the design are counted over as many interleavings as it counted
		// them; the finer ones are played until they are caught.
		n, until, note := seeds(3_000), "", fmt.Sprintf(", the design's simulation %d of 3,000", v.measured)
		if v.measured == 0 {
			n, until, note = seeds(200_000), v.kind, ""
		}
		began := time.Now()
		out := playAll(n, r, d, until)
		if out.bad[v.kind] == 0 && !raceEnabled {
			t.Errorf("%s: not caught in %d interleavings; want %q", v.name, n, v.kind)
		}
		t.Logf("%-36s %4d of %d%s; first seed %d; %s", v.name,
			out.bad[v.kind], out.seen.Interleavings, note, out.first[v.kind], time.Since(began).Round(time.Millisecond))
	}
}

func TestASeedIsOneInterleaving(t *testing.T) {
	for seed := range uint64(50) {
		a, b := play(seed, theLaws(), discipline{}, true), play(seed, theLaws(), discipline{}, true)
		if a.trace.String() != b.trace.String() {
			t.Fatalf("seed %d played twice gives two traces", seed)
		}
	}
}

// TestReplay prints one seed's trace: -run TestReplay -v -args -lease.seed=N [-lease.variant=NAME].
func TestReplay(t *testing.T) {
	seed := *seedFlag
	r, d := theLaws(), discipline{}
	if *variantFlag != "" {
		all := variants()
		i := slices.IndexFunc(all, func(v variant) bool { return v.name == *variantFlag })
		if i < 0 {
			t.Fatalf("there is no variant %q", *variantFlag)
		}
		all[i].change(&r, &d)
	}
	w := play(seed, r, d, true)
	if seed != 0 {
		t.Log("\n" + w.trace.String())
	}
	if w.bad != nil {
		t.Errorf("seed %d: %s: %s", seed, w.bad.kind, w.bad.text)
	}
}

func BenchmarkInterleaving(b *testing.B) {
	for seed := uint64(1); b.Loop(); seed++ {
		play(seed, theLaws(), discipline{}, false)
	}
}
