package engine_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine"
)

// BenchmarkQueuedSources deploys 200 new sources that are queued at once, under one lease that is carried from one to the
// next. It reports what the first and the last ten cost each, without what they waited for turn and lease, and the
// quotient.
func BenchmarkQueuedSources(b *testing.B) {
	for _, organisations := range []int{1, 200} {
		b.Run(fmt.Sprintf("organisations=%d", organisations), func(b *testing.B) {
			for b.Loop() {
				costs := queued(b, 200, organisations)
				first, last := mean(costs[:10]), mean(costs[len(costs)-10:])
				b.ReportMetric(first, "ms/first")
				b.ReportMetric(last, "ms/last")
				b.ReportMetric(last/first, "last/first")
			}
		})
	}
}

// queued deploys sources all at once and returns what each cost in ms, in the order of their turns.
func queued(b *testing.B, n, organisations int) []float64 {
	y := newYard(b)
	e := y.process()
	type deployed struct {
		turn time.Time
		cost float64
	}
	all := make([]deployed, n)
	epochs := map[uint64]bool{}
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	for i := range n {
		text := fmt.Sprintf("id = \"source %d\"\norganisation = \"org %d\"\nprofile = \"timeseries\"\nkeys = [\"host\"]\ncolumn \"host\" { type = \"String\" }\n", i, i%organisations)
		p := part(b, text)
		wg.Go(func() {
			r, _, err := e.PassPart(b.Context(), p)
			if err != nil || r.State != engine.Converged {
				b.Errorf("%d: %s, %v", i, r.State, err)
			}
			mu.Lock()
			defer mu.Unlock()
			waited := time.Duration(r.WaitedMS) * time.Millisecond
			all[i] = deployed{r.Started.Add(waited), float64((r.Finished.Sub(r.Started) - waited).Microseconds()) / 1000}
			epochs[r.Epoch] = true
		})
	}
	wg.Wait()
	b.ReportMetric(float64(len(epochs)), "leases")
	slices.SortFunc(all, func(a, c deployed) int { return a.turn.Compare(c.turn) })
	costs := make([]float64, n)
	for i, d := range all {
		costs[i] = d.cost
	}
	return costs
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}
