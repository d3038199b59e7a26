package service_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

func sized(partitions, replicas int) *topics.State {
	return &topics.State{Partitions: partitions, ReplicationFactor: replicas, Configs: []topics.Config{}}
}

// onBus is a pass that brought ClickHouse to what is declared, and that a broker refused the dead-letter topic.
func onBus() engine.Report {
	r := ended(engine.Failed, "dead letters have nowhere to go, so the engine is not ready: not created: dfe_dead_letter (max.message.bytes 16777216 exceeds the 8388608 this cluster allows)", shop(ledger.Unchanged))
	r.Code = "dead_letter_refused"
	r.Bus = topics.Cluster{Brokers: 1}
	few := "the definition states at most 3, and 1 broker is live: 1"
	r.Topics = []*topics.Topic{
		{Scope: "schema", Name: "dfe_landing", Action: plan.ObjectCreate, Outcome: ledger.Applied, Landing: true, Declared: sized(12, 1), Live: sized(12, 1), Replication: few, Ceiling: 3,
			Changes: []*plan.Change{{Op: "add", Action: "create-topic", Report: true, Rule: "a topic gets as many replicas as there are brokers", Reason: few}}},
		{Scope: "schema", Name: "dfe_load", Action: plan.ObjectReport, Outcome: ledger.Unchanged, Declared: sized(12, 1), Live: sized(6, 1), Replication: few, Ceiling: 3,
			Changes: []*plan.Change{
				{Path: "partitions", Op: "change", Action: "report", Rule: "a topic keeps its partitions", Reason: "it has 6 partitions and 12 are declared", Live: "6", Desired: "12"},
				{Path: "config.`retention.ms`", Op: "change", Action: "report", Rule: "a topic keeps its configuration", Reason: "retention.ms is 1000, set by the topic, and 86400000 is declared", Live: "1000", Desired: "86400000", SetBy: "the topic"},
			}},
		{Scope: "schema", Name: "dfe_dead_letter", Action: plan.ObjectCreate, Outcome: ledger.Refused, DeadLetter: true, Declared: sized(3, 1), Ceiling: 3,
			Error: "max.message.bytes 16777216 exceeds the 8388608 this cluster allows", ErrorCode: "POLICY_VIOLATION"},
		{Scope: "overlay", Name: "shop.orders", Action: plan.ObjectNone, Outcome: ledger.Unchanged, Declared: sized(1, 1), Live: sized(1, 1)},
	}
	return r
}

func TestTopicsAreInTheDocumentAndARefusedDeadLetterSetIsNotReady(t *testing.T) {
	s := passed(t, onBus())
	d := document(t, s)
	if code, r := ready(t, s); code != http.StatusServiceUnavailable || r.Ready || !strings.Contains(r.Checks.Schema.Error, "dead letters have nowhere to go") {
		t.Errorf("readiness answers %d, %+v", code, r)
	}
	if diff := cmp.Diff(onBus().Topics, d.Topics); diff != "" || d.Bus.Brokers != 1 || d.Code != "dead_letter_refused" {
		t.Errorf("the document is of a bus %+v, code %s: %s", d.Bus, d.Code, diff)
	}
}

func TestATopicThatIsRefusedAndTakesNoDeadLettersDoesNotHoldTheEngine(t *testing.T) {
	r := onBus()
	r.State, r.Error, r.Code = engine.Converged, "", ""
	if code, answer := ready(t, passed(t, r)); code != http.StatusOK {
		t.Errorf("readiness answers %d, %+v", code, answer)
	}
}

func TestThePageTellsOfTheTopics(t *testing.T) {
	text := body(t, get(t, passed(t, onBus()), http.MethodGet, "/"))
	for _, want := range []string{
		"ClickHouse has every object that this release declares; the bus lacks topics", "1 broker live",
		"dfe_landing</code> <small class=\"tag\">landing</small>", "created", "12 partitions, 1 of at most 3 replicas", "the definition states at most 3, and 1 broker is live: 1",
		"2 differences", "6 partitions, 1 of at most 3 replicas", "partitions</b></code> it has 6 partitions and 12 are declared", "set by the topic",
		"dead letters</small>", "refused", "exceeds the 8388608 this cluster allows", "1 partition, 1 replica<", "overlay</small>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	r := onBus()
	r.Topics[2].Error = "<script>alert(1)</script>"
	if text := body(t, get(t, passed(t, r), http.MethodGet, "/")); strings.Contains(text, "<script>") {
		t.Error("a broker's words became markup")
	}
}

func TestTheMetricsCountTheTopics(t *testing.T) {
	lines := strings.Split(body(t, get(t, passed(t, onBus()), http.MethodGet, "/metrics")), "\n")
	for _, want := range []string{
		`dfe_topics{outcome="applied"} 1`, `dfe_topics{outcome="unchanged"} 2`, `dfe_topics{outcome="refused"} 1`, `dfe_topics{outcome="failed"} 0`,
		`dfe_topics{outcome="unread"} 0`, "dfe_topics_differing 1", "dfe_topics_few_replicas 2",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is not among the metrics", want)
		}
	}
}

func TestWhatBecomesOfTopicsIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lines
		after := onBus()
		after.State, after.Error, after.Code = engine.Converged, "", ""
		after.Topics[0].Outcome, after.Topics[0].Changes = ledger.Unchanged, nil
		after.Topics[2].Outcome, after.Topics[2].Error = ledger.Applied, ""
		f := &fake{ends: []engine.Report{onBus(), after}}
		service.New(service.Options{Engine: f, Log: l.logger()}).Run(t.Context())
		got := l.messages(t)
		for message, want := range map[string]int{"topic created": 2, "topic refused": 1, "topic differs": 2, "topic reported": 1, "topic has fewer replicas than it may have": 2} {
			if got[message] != want {
				t.Errorf("%q was logged %d times, want %d: %v", message, got[message], want, got)
			}
		}
	})
}
