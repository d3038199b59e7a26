package topics_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/ledger"
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

func tree(prefix, deadLetter string) fstest.MapFS {
	return fstest.MapFS{
		"manifest.hcl": {Data: []byte(`release = "1.0.0"
database "shop" {}
topic "` + prefix + `_orders" { from = "orders.hcl" }
topic "` + prefix + `_dead" { from = "dead.hcl" }
`)},
		"orders.hcl": {Data: []byte("partitions = 2\nretention = \"1d\"\n")},
		"dead.hcl":   {Data: []byte("partitions = 1\ndead_letter = true\n" + deadLetter)},
	}
}

func pass(t *testing.T, o engine.Options) (engine.Report, error) {
	t.Helper()
	o.Platform = rules.Embedded
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e.Pass(t.Context())
}

func came(r engine.Report) map[string]ledger.Outcome {
	all := map[string]ledger.Outcome{}
	for _, topic := range r.Topics {
		all[topic.Name] = topic.Outcome
	}
	return all
}

// TestAPassCreatesTheTopicsAfterTheObjectsAndRecordsThem goes through a deployment's first boots.
func TestAPassCreatesTheTopicsAfterTheObjectsAndRecordsThem(t *testing.T) {
	b, target := kafkatest.Start(t), clickhouse(t)
	admin := inKafka(t, b, "pass_orders", "pass_dead")
	bus := topics.Bus{Brokers: []string{b.Plain}}

	// A bus that is broken undoes nothing of what ClickHouse came to, and the engine is not ready.
	broken := topics.Bus{Brokers: []string{b.TLS}}
	r, err := pass(t, engine.Options{Target: target, TreeFS: tree("pass", ""), Bus: broken})
	if err == nil || r.State != engine.Failed || r.Code != "kafka_broken" || r.Summary.Applied == 0 || r.Summary.Failed != 0 {
		t.Errorf("on a broken bus the pass is %s (%s), applied %d: %v", r.State, r.Code, r.Summary.Applied, err)
	}

	// A dead-letter topic that the broker refuses holds the engine not ready; the rest is created.
	r, err = pass(t, engine.Options{Target: target, TreeFS: tree("pass", "config = { \"max.message.bytes\" = 16777216 }\n"), Bus: bus})
	var lost *topics.DeadLetterError
	if !errors.As(err, &lost) || r.State != engine.Failed || r.Code != "dead_letter_refused" {
		t.Errorf("with a refused dead-letter set the pass is %s (%s): %v", r.State, r.Code, err)
	}
	if diff := cmp.Diff(map[string]ledger.Outcome{"pass_orders": ledger.Applied, "pass_dead": ledger.Refused}, came(r)); diff != "" {
		t.Error(diff)
	}

	// Corrected, it converges, and the next pass has nothing to do.
	for _, want := range []map[string]ledger.Outcome{
		{"pass_orders": ledger.Unchanged, "pass_dead": ledger.Applied},
		{"pass_orders": ledger.Unchanged, "pass_dead": ledger.Unchanged},
	} {
		if r, err = pass(t, engine.Options{Target: target, TreeFS: tree("pass", ""), Bus: bus}); err != nil || r.State != engine.Converged {
			t.Fatalf("the pass is %s: %v", r.State, err)
		}
		if diff := cmp.Diff(want, came(r)); diff != "" {
			t.Error(diff)
		}
	}

	// Status and plan tell of topics like of any object, and the ledger knows them.
	e, err := engine.New(engine.Options{Target: target, TreeFS: tree("pass", ""), Bus: bus, Platform: rules.Embedded})
	if err != nil {
		t.Fatal(err)
	}
	status, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(status.Objects, func(o *engine.ObjectStatus) bool { return o.Name == "pass_dead" })
	if i < 0 || status.Objects[i].Live != engine.Matches || status.Objects[i].Action != "create-topic" || !status.AllMatch() {
		t.Errorf("the status of the topic is %+v", status.Objects[max(i, 0)])
	}

	// One that somebody deletes is created again, and that is told.
	if _, err := admin.DeleteTopics(t.Context(), "pass_dead"); err != nil {
		t.Fatal(err)
	}
	doc, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if doc.Summary.Create != 1 || doc.Bus.Brokers != 1 || !doc.Differs() {
		t.Errorf("the plan is %+v on %+v", doc.Summary, doc.Bus)
	}
	r, err = e.PassPlan(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	gone := r.Topics[1]
	if gone.Outcome != ledger.Applied || !strings.Contains(gone.Changes[0].Reason, "was here") {
		t.Errorf("the topic that was deleted is %s: %+v", gone.Outcome, gone.Changes)
	}
}

func TestWhatWasReviewedIsAllThatIsCreated(t *testing.T) {
	b, target := kafkatest.Start(t), clickhouse(t)
	inKafka(t, b, "seen_orders", "seen_dead")
	e, err := engine.New(engine.Options{Target: target, TreeFS: tree("seen", ""), Platform: rules.Embedded})
	if err != nil {
		t.Fatal(err)
	}
	reviewed, err := e.Plan(t.Context()) // without a bus: no topic is in it
	if err != nil {
		t.Fatal(err)
	}
	if reviewed.Bus.Skipped != topics.NoBus {
		t.Errorf("%+v", reviewed.Bus)
	}
	e, err = engine.New(engine.Options{Target: target, TreeFS: tree("seen", ""), Platform: rules.Embedded, Bus: topics.Bus{Brokers: []string{b.Plain}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.PassPlan(t.Context(), reviewed)
	if err == nil {
		t.Error("a dead-letter topic that was not reviewed, and so is not there, passes")
	}
	if diff := cmp.Diff(map[string]ledger.Outcome{"seen_orders": ledger.Refused, "seen_dead": ledger.Refused}, came(r)); diff != "" {
		t.Error(diff)
	}
}

func TestTheTwoBootstrapsAreIndependent(t *testing.T) {
	b := kafkatest.Start(t)
	inKafka(t, b, "dial_orders", "dial_dead")
	bus := topics.Bus{Brokers: []string{b.Plain}}
	// Topics alone: no ClickHouse is named, none is asked.
	r, err := pass(t, engine.Options{TreeFS: tree("dial", ""), Bus: bus, SkipTables: true})
	if err != nil || r.State != engine.Unknown || !r.State.Settled() || len(r.Objects) != 0 {
		t.Errorf("topics alone: %s, %d objects: %v", r.State, len(r.Objects), err)
	}
	if diff := cmp.Diff(map[string]ledger.Outcome{"dial_orders": ledger.Applied, "dial_dead": ledger.Applied}, came(r)); diff != "" {
		t.Error(diff)
	}
	// Objects alone: the bus is not asked, not even one that is broken.
	target := clickhouse(t)
	r, err = pass(t, engine.Options{Target: target, TreeFS: tree("dial", ""), Bus: topics.Bus{Brokers: []string{b.TLS}}, SkipTopics: true})
	if err != nil || r.State != engine.Converged || r.Bus.Skipped == "" {
		t.Errorf("objects alone: %s, %q: %v", r.State, r.Bus.Skipped, err)
	}
	// No bus at all: skipped, and ready.
	r, err = pass(t, engine.Options{Target: target, TreeFS: tree("dial", "")})
	if err != nil || r.State != engine.Converged || r.Bus.Skipped != topics.NoBus {
		t.Errorf("without a bus: %s, %q: %v", r.State, r.Bus.Skipped, err)
	}
}
