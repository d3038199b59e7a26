package topics_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/engine/topics/kafkatest"
	"github.com/dfe-engine/dfe/rules"
)

// clickhouse is a server of the test's own: a pass writes to the database of the bookkeeping.
func clickhouse(t *testing.T) catalog.Target {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Options{Path: t.TempDir(), MaxMemory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil { // the test's own context has ended
			t.Error(err)
		}
	})
	return catalog.Target{URL: s.URL()}
}

// TestAPassOnARealBusCreatesWhatItTakesAndIsNotReadyWithoutDeadLetters is the whole of it, on both servers' own terms.
func TestAPassOnARealBusCreatesWhatItTakesAndIsNotReadyWithoutDeadLetters(t *testing.T) {
	b := kafkatest.Start(t)
	inKafka(t, b, "pass_orders", "pass_dead")
	e, err := engine.New(engine.Options{
		Target: clickhouse(t), Platform: rules.Embedded, Bus: topics.Bus{Brokers: []string{b.Plain}},
		TreeFS: fstest.MapFS{
			"manifest.hcl": {Data: []byte(`release = "1.0.0"
database "shop" {}
topic "pass_orders" { from = "orders.hcl" }
topic "pass_dead" { from = "dead.hcl" }
`)},
			"orders.hcl": {Data: []byte("partitions = 2\nretention = \"1d\"\n")},
			"dead.hcl":   {Data: []byte("partitions = 1\ndead_letter = true\nconfig = { \"max.message.bytes\" = 16777216 }\n")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Pass(t.Context())
	var lost *topics.DeadLetterError
	if !errors.As(err, &lost) || r.State != engine.Failed || r.Code != "dead_letter_refused" || r.Summary.Applied == 0 || r.Summary.Failed != 0 {
		t.Errorf("with a refused dead-letter set the pass is %s (%s), %+v: %v", r.State, r.Code, r.Summary, err)
	}
	want := map[string]string{
		"pass_orders": "applied",
		"pass_dead":   "refused POLICY_VIOLATION: max.message.bytes 16777216 of topic pass_dead exceeds the 8388608 this cluster allows",
	}
	if diff := cmp.Diff(want, outcomes(&topics.Report{Topics: r.Topics})); diff != "" {
		t.Error(diff)
	}
}

// TestADeployOfASourceCreatesItsTopicsOnARealBusOnceAndTheStatusKnowsThem has the bus take them, with the partitions the
// config says.
func TestADeployOfASourceCreatesItsTopicsOnARealBusOnceAndTheStatusKnowsThem(t *testing.T) {
	b := kafkatest.Start(t)
	names := []string{"acme__webx2daccess_land", "acme__webx2daccess_load"}
	admin := inKafka(t, b, names...)
	e, err := engine.New(engine.Options{Target: clickhouse(t), Platform: rules.Embedded, Bus: topics.Bus{Brokers: []string{b.Plain}},
		TreeFS: fstest.MapFS{"manifest.hcl": {Data: []byte("release = \"1.0.0\"\ndatabase \"shop\" {}\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	deploy := func(text string) engine.Report {
		t.Helper()
		config, err := sources.Parse("web.hcl", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := e.PassPart(t.Context(), config.Part())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const web = "id = \"web-access\"\norganisation = \"acme\"\nprofile = \"minimal\"\npartitions = 2\n"
	first := deploy(web)
	if diff := cmp.Diff(map[string]string{names[0]: "applied", names[1]: "applied"}, outcomes(&topics.Report{Topics: first.Topics})); diff != "" {
		t.Error(diff)
	}
	again := deploy(web)
	if diff := cmp.Diff(map[string]string{names[0]: "unchanged", names[1]: "unchanged"}, outcomes(&topics.Report{Topics: again.Topics})); diff != "" || again.Summary.Statements != 0 {
		t.Errorf("again: %+v, %s", again.Summary, diff)
	}
	status, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]engine.Match{}
	for _, o := range status.Objects {
		if o.Kind == "topic" {
			told[o.Scope+" "+o.Name+" "+o.Action] = o.Live
		}
	}
	if diff := cmp.Diff(map[string]engine.Match{"source " + names[0] + " create-topic": engine.Matches, "source " + names[1] + " create-topic": engine.Matches}, told); diff != "" {
		t.Errorf("the status: %s", diff)
	}
	// Kafka has partitions added, and an operator decides when: the deploy tells of it.
	more := deploy(strings.Replace(web, "partitions = 2", "partitions = 5", 1))
	for _, topic := range more.Topics {
		if topic.Reported() == 0 || topic.Outcome != ledger.Unchanged {
			t.Errorf("%s with other partitions: %s, %+v", topic.Name, topic.Outcome, topic.Changes)
		}
	}
	made, err := admin.ListTopics(t.Context(), names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got := len(made[name].Partitions); got != 2 {
			t.Errorf("%s has %d partitions", name, got)
		}
	}
}
