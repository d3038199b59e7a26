package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/service"
)

func document(t testing.TB, s http.Handler) *service.Document {
	t.Helper()
	var d service.Document
	decoder := json.NewDecoder(get(t, s, http.MethodGet, "/api/v1/system/schema").Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return &d
}

func ready(t testing.TB, s http.Handler) (int, service.Readiness) {
	t.Helper()
	answer := get(t, s, http.MethodGet, "/readyz")
	var r service.Readiness
	if err := json.NewDecoder(answer.Body).Decode(&r); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, r
}

func TestAPassThatDoesNotConvergeRunsAgainWithBackOffFromHalfAMinuteToTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{ends: []engine.Report{unreachable(), failed(), ended(engine.Observed, "the lease is held by another", nil), failed(), failed(), failed(), failed(), failed(), withRefusals()}}
		service.New(service.Options{Engine: f}).Run(t.Context())
		began := f.began()
		if len(began) != 9 {
			t.Fatalf("%d passes were made", len(began))
		}
		for i, least := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 8 * time.Minute, 8 * time.Minute, 8 * time.Minute} {
			wait := began[i+1] - began[i]
			if wait < least || wait > least*5/4 || wait > 10*time.Minute {
				t.Errorf("wait %d is %s, and has to be from %s to a quarter more", i+1, wait, least)
			}
		}
	})
}

func TestReplicasDoNotComeBackTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := map[time.Duration]bool{}
		for range 8 {
			f := &fake{ends: []engine.Report{failed(), withRefusals()}}
			service.New(service.Options{Engine: f}).Run(t.Context())
			waits[f.began()[1]] = true
		}
		if len(waits) < 2 {
			t.Error("eight replicas waited equally long")
		}
	})
}

func TestReadinessFollowsTheNewestFinishedPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{ends: []engine.Report{failed(), withRefusals()}, within: func(context.Context, int) { time.Sleep(5 * time.Second) }}
		s := service.New(service.Options{Engine: f})
		step := func(sleep time.Duration, code int, state, check engine.State) {
			t.Helper()
			time.Sleep(sleep)
			synctest.Wait()
			got, r := ready(t, s)
			d := document(t, s)
			if got != code || r.Ready != (code == http.StatusOK) || r.Checks.Schema.State != check || d.State != state || d.Ready != r.Ready {
				t.Errorf("after %s: status %d, %+v; the document says %s, ready %t", sleep, got, r, d.State, d.Ready)
			}
			if live := get(t, s, http.MethodGet, "/livez"); live.StatusCode != http.StatusOK {
				t.Errorf("/livez answers %d", live.StatusCode)
			}
		}
		step(0, 503, engine.Running, engine.Running)
		go s.Run(t.Context())
		step(time.Second, 503, engine.Running, engine.Running)
		step(5*time.Second, 503, engine.Failed, engine.Failed)
		if d := document(t, s); d.Next == nil || d.Next.Before(time.Now()) {
			t.Errorf("the next pass is due at %v", d.Next)
		}
		step(20*time.Second, 503, engine.Failed, engine.Failed)
		for len(f.began()) < 2 {
			time.Sleep(time.Second)
		}
		step(time.Second, 503, engine.Running, engine.Failed)
		if d := document(t, s); d.Last == nil || d.Last.State != engine.Failed || d.Next != nil {
			t.Errorf("during the second pass the first reads %+v", d.Last)
		}
		step(5*time.Second, 200, engine.Converged, engine.Converged)

		f.mu.Lock()
		f.down = errors.New("the connection is refused")
		f.mu.Unlock()
		time.Sleep(2 * time.Second)
		if code, r := ready(t, s); code != 503 || !r.Checks.Schema.OK || r.Checks.ClickHouse.Error != "the connection is refused" {
			t.Errorf("without ClickHouse: status %d, %+v", code, r)
		}
	})
}

func TestASwitchedOffPhaseGatesNothing(t *testing.T) {
	f := &fake{}
	s := service.New(service.Options{Engine: f, Off: true})
	s.Run(t.Context())
	code, r := ready(t, s)
	d := document(t, s)
	if code != http.StatusOK || r.Checks.Schema.State != engine.Unknown || d.State != engine.Unknown || len(f.passes) != 0 || len(d.Objects) != 30 {
		t.Errorf("status %d, %+v, state %s, %d passes, %d objects", code, r, d.State, len(f.passes), len(d.Objects))
	}
}

func TestStoppedInAPassOrBetweenTwoTheServiceEndsAtOnce(t *testing.T) {
	for _, after := range []time.Duration{time.Second, 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{ends: []engine.Report{failed()}, within: func(ctx context.Context, _ int) {
				select {
				case <-ctx.Done():
				case <-time.After(5 * time.Second):
				}
			}}
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			service.New(service.Options{Engine: f}).Run(ctx)
			if took := time.Since(start); took != after || len(f.began()) != 1 {
				t.Errorf("told to stop after %s it ended after %s and %d passes", after, took, len(f.began()))
			}
		})
	}
}

func TestTheDocumentIsCompleteDuringAPass(t *testing.T) {
	looked := looks(t)["running"]
	d := document(t, looked)
	outcomes := map[ledger.Outcome]int{}
	for _, o := range d.Objects {
		outcomes[o.Outcome]++
	}
	if diff := cmp.Diff(map[ledger.Outcome]int{ledger.Unchanged: 14, engine.Pending: 16}, outcomes); diff != "" {
		t.Error(diff)
	}
	if d.State != engine.Running || d.Step != "applying" || d.Platform != "self_hosted" || d.Started == nil || d.Finished != nil || d.Duration < 2 {
		t.Errorf("the pass reads %s, %s, %s, %v, %v, %g", d.State, d.Step, d.Platform, d.Started, d.Finished, d.Duration)
	}
}

func TestAPassThatReachedNothingStillListsWhatIsDeclared(t *testing.T) {
	d := document(t, passed(t, unreachable()))
	if len(d.Objects) != 30 || d.Objects[7].Outcome != engine.Pending || d.SchemaRelease != "2026.11.0" {
		t.Errorf("%d objects, the eighth %+v, release %q", len(d.Objects), d.Objects[7], d.SchemaRelease)
	}
}

func TestTheDocumentTellsEachFindingOnce(t *testing.T) {
	d := document(t, passed(t, withRefusals()))
	var found []string
	for _, f := range append(d.Refused, d.Reported...) {
		found = append(found, f.Action+" "+f.Object+" "+f.Path)
	}
	want := []string{"refused shop.page_views order_by", "refused reports.count_visitors query", "report otel.otel_logs column.debug_note", "report shop.orders_backup "}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

func TestStatementsThatWereSentAreInNoAnswer(t *testing.T) {
	s := passed(t, withRefusals())
	for _, path := range []string{"/", "/api/v1/system/schema", "/metrics", "/readyz"} {
		if text := body(t, get(t, s, http.MethodGet, path)); strings.Contains(text, "TABLE sent") {
			t.Errorf("%s shows a statement that was sent", path)
		}
	}
}

func TestEachEventIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lines
		f := &fake{ends: []engine.Report{failed(), failed(), withRefusals()}}
		service.New(service.Options{Engine: f, Log: l.logger()}).Run(t.Context())
		want := map[string]int{
			"pass begins": 3, "pass failed": 2, "pass converged": 1, "the pass runs again": 2,
			"object failed": 1, "object blocked": 2, "object applied": 1, "change refused": 2,
		}
		if diff := cmp.Diff(want, l.messages(t)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestProbesOfManyObserversCostOnePing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		s := service.New(service.Options{Engine: f, Off: true})
		for range 20 {
			go s.Readiness(t.Context())
		}
		synctest.Wait()
		if f.pinged != 1 {
			t.Errorf("%d pings were sent", f.pinged)
		}
		time.Sleep(2 * time.Second)
		ready(t, s)
		if f.pinged != 2 {
			t.Errorf("a stale answer was used: %d pings", f.pinged)
		}
	})
}

func TestAPassThatGoesWellReadsTheTreeOnce(t *testing.T) {
	f := &fake{ends: []engine.Report{withRefusals()}}
	s := service.New(service.Options{Engine: f})
	s.Run(t.Context())
	document(t, s)
	get(t, s, http.MethodGet, "/metrics")
	if f.declared != 0 {
		t.Errorf("what the tree declares was asked for %d times beside the pass", f.declared)
	}
}

func TestWhatTheTreeDeclaresIsReadOnceAPassThatDidNotComeToIt(t *testing.T) {
	f := &fake{ends: []engine.Report{unreachable()}}
	s := service.New(service.Options{Engine: f})
	for range 2 {
		s.Pass(t.Context())
		document(t, s)
		document(t, s)
	}
	if f.declared != 2 {
		t.Errorf("it was read %d times for two passes", f.declared)
	}
}

func TestAnObjectIsLoggedWhenThePassIsThroughWithItAndNotAtTheEnd(t *testing.T) {
	var l lines
	f := &fake{}
	service.New(service.Options{Engine: f, Log: l.logger()})
	f.watch(t.Context(), "20261129T090000Z-5c19068d", find(failed().Objects, "shop.order_lines"))
	f.watch(t.Context(), "20261129T090000Z-5c19068d", find(withRefusals().Objects, "shop.orders"))
	f.watch(t.Context(), "20261129T090000Z-5c19068d", find(withRefusals().Objects, "shop.page_views"))
	want := map[string]int{"object failed": 1, "object applied": 1, "change refused": 1}
	if diff := cmp.Diff(want, l.messages(t)); diff != "" {
		t.Error(diff)
	}
}

func TestANoticeIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lines
		r := failed()
		r.Objects, r.Notices = nil, []engine.Notice{{Code: "member_lacks_database", Text: "ch2 lacks the database shop"}, {Code: "member_lacks_database", Text: "ch3 lacks the database shop"}}
		next := withRefusals()
		next.Objects, next.Notices = nil, r.Notices
		service.New(service.Options{Engine: &fake{ends: []engine.Report{r, next}}, Log: l.logger()}).Run(t.Context())
		if n := l.messages(t)["notice"]; n != 2 {
			t.Errorf("two notices of two passes are logged %d times", n)
		}
	})
}
