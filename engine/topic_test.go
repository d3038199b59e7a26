package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
)

// posted is a schema of one table, a topic and one for dead letters.
const posted = `
-- manifest.hcl --
release = "1.2.0"
database "DB" {}
table "DB.orders" { from = "orders.sql" }
topic "orders" { from = "topics/orders.hcl" }
topic "dead" { from = "topics/dead.hcl" }
-- orders.sql --
CREATE TABLE DB.orders (id UInt64) ENGINE = MergeTree ORDER BY id
-- topics/orders.hcl --
partitions = 2
retention  = "1d"
-- topics/dead.hcl --
partitions  = 1
dead_letter = true
`

// postedNext is the release after posted, with one topic more.
var postedNext = strings.NewReplacer(`release = "1.2.0"`, `release = "1.10.0"`, `topic "dead"`, "topic \"late\" { from = \"topics/orders.hcl\" }\ntopic \"dead\"").Replace(posted)

// kafka is a cluster in this process.
func kafka(t *testing.T, options ...kfake.Opt) (*kfake.Cluster, topics.Bus) {
	t.Helper()
	c, err := kfake.NewCluster(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, topics.Bus{Brokers: c.ListenAddrs()}
}

// nobody is the address of a broker that is not there.
func nobody(t *testing.T) (bus topics.Bus, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return topics.Bus{Brokers: []string{l.Addr().String()}}, l.Addr().(*net.TCPAddr).Port
}

// topicOutcomes is what became of each topic.
func topicOutcomes(r *engine.Report) map[string]ledger.Outcome {
	all := map[string]ledger.Outcome{}
	for _, topic := range r.Topics {
		all[topic.Name] = topic.Outcome
	}
	return all
}

func (s *stage) came(r *engine.Report, want map[string]ledger.Outcome) {
	s.Helper()
	if diff := cmp.Diff(want, topicOutcomes(r)); diff != "" {
		s.Error(diff)
	}
}

func TestTopicsAreCreatedAfterTheObjectsAndRecordedLikeThem(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	c, bus := kafka(t, kfake.NumBrokers(3))
	o := engine.Options{Bus: bus}
	first := s.pass(o)
	s.came(first, map[string]ledger.Outcome{"orders": ledger.Applied, "dead": ledger.Applied})
	s.came(s.pass(o), map[string]ledger.Outcome{"orders": ledger.Unchanged, "dead": ledger.Unchanged})
	if first.Bus.Brokers != 3 || s.value("SELECT groupArray((name, action, outcome)) FROM (SELECT * FROM dfe.schema_migrations WHERE kind = 'topic' ORDER BY name)") !=
		"[('dead','create-topic','applied'),('orders','create-topic','applied')]" {
		t.Errorf("the ledger has %s of %d brokers' topics", s.value("SELECT groupArray((name, action, outcome)) FROM dfe.schema_migrations WHERE kind = 'topic'"), first.Bus.Brokers)
	}
	e := s.engine(o)
	status, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(status.Objects, func(o *engine.ObjectStatus) bool { return o.Name == "dead" })
	if i < 0 || status.Objects[i].Live != engine.Matches || status.Objects[i].Action != "create-topic" || !status.AllMatch() || len(status.Topics) != 2 {
		t.Errorf("the status of the topic is %+v", status.Objects[max(i, 0)])
	}

	// One that somebody deletes is planned, created again, and that is told.
	if err := c.DeleteTopic("dead"); err != nil {
		t.Fatal(err)
	}
	doc, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if doc.Summary.Create != 1 || doc.Bus.Brokers != 3 || !doc.Differs() {
		t.Errorf("the plan is %+v on %+v", doc.Summary, doc.Bus)
	}
	r, err := e.PassPlan(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	if gone := r.Topics[1]; gone.Outcome != ledger.Applied || !strings.Contains(gone.Changes[0].Reason, "was here") {
		t.Errorf("the topic that was deleted is %s: %+v", gone.Outcome, gone.Changes)
	}
}

func TestATopicThatNothingDeclaresAnyMoreIsToldAndLeftAlone(t *testing.T) {
	s := newStage(t)
	c, bus := kafka(t)
	o := engine.Options{Bus: bus}
	s.tree(postedNext)
	s.pass(o)
	told := func() []*topics.Former {
		t.Helper()
		report, err := s.engine(o).TopicStatus(t.Context())
		if err != nil || report.LedgerError != "" {
			t.Fatalf("%v, %s", err, report.LedgerError)
		}
		return report.Former
	}
	if former := told(); former != nil {
		t.Errorf("all are declared, and it tells of %+v", former[0])
	}
	without := strings.Replace(postedNext, "topic \"late\" { from = \"topics/orders.hcl\" }\n", "", 1)
	want := &topics.Former{Scope: "schema", Name: "late", Release: "1.10.0", Presence: topics.Live}
	for release, newer := range map[string]bool{"1.10.0": false, "1.11.0": false, "1.2.0": true} {
		s.tree(strings.Replace(without, "1.10.0", release, 1))
		want.Newer = newer
		former := told()
		if len(former) != 1 || former[0].Size == nil || former[0].Size.Partitions != 2 {
			t.Fatalf("release %s: %+v", release, former)
		}
		former[0].Size = nil
		if diff := cmp.Diff(want, former[0]); diff != "" {
			t.Errorf("release %s:\n%s", release, diff)
		}
	}
	s.tree(strings.Replace(without, "1.10.0", "1.11.0", 1))
	s.came(s.pass(o), map[string]ledger.Outcome{"orders": ledger.Unchanged, "dead": ledger.Unchanged})
	if former := told(); len(former) != 1 || former[0].Presence != topics.Live {
		t.Errorf("a pass left of it %+v", former)
	}
	if err := c.DeleteTopic("late"); err != nil {
		t.Fatal(err)
	}
	if former := told(); len(former) != 1 || former[0].Presence != topics.Gone || former[0].Size != nil {
		t.Errorf("once it is deleted: %+v", former)
	}
	status, err := s.engine(o).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(status.Objects, func(o *engine.ObjectStatus) bool { return o.Name == "late" })
	if i < 0 || status.Objects[i].Live != engine.Gone || status.Objects[i].Declared {
		t.Errorf("the status of the schema has it at %d", i)
	}
}

func TestARefusedDeadLetterSetFailsThePassAndNothingElse(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	c, bus := kafka(t)
	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Topic: "dead", Err: kerr.PolicyViolation, Count: -1})
	r, err := s.engine(engine.Options{Bus: bus}).Pass(t.Context())
	var lost *topics.DeadLetterError
	if !errors.As(err, &lost) || r.State != engine.Failed || r.Code != "dead_letter_refused" || r.Summary.Failed != 0 || r.Summary.Applied == 0 {
		t.Errorf("the pass is %s (%s), %+v: %v", r.State, r.Code, r.Summary, err)
	}
	s.came(&r, map[string]ledger.Outcome{"orders": ledger.Applied, "dead": ledger.Refused})
	status, err := s.engine(engine.Options{Bus: bus}).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(status.Objects, func(o *engine.ObjectStatus) bool { return o.Name == "dead" })
	if i < 0 || status.Objects[i].Error != kerr.PolicyViolation.Description || status.AllMatch() {
		t.Errorf("the status does not have the broker's words: %+v", status.Objects[max(i, 0)])
	}
	fault.Remove()
	s.came(s.pass(engine.Options{Bus: bus}), map[string]ledger.Outcome{"orders": ledger.Unchanged, "dead": ledger.Applied})
}

// TestABusThatCannotBeUsedUndoesNothing goes through the two: one that is not there, and one that refuses the password.
func TestABusThatCannotBeUsedUndoesNothing(t *testing.T) {
	const secret = "hunter2hunter2"
	absent, _ := nobody(t)
	_, refusing := kafka(t, kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "dfe", "another"))
	refusing.SASL = topics.SASL{Mechanism: topics.ScramSHA256, User: "dfe", Password: secret}
	for code, bus := range map[string]topics.Bus{"kafka_unreachable": absent, "kafka_broken": refusing} {
		t.Run(code, func(t *testing.T) {
			s := newStage(t)
			s.tree(posted)
			var log bytes.Buffer
			r, err := s.engine(engine.Options{Bus: bus, Log: debugLog(&log)}).Pass(t.Context())
			if err == nil || r.State != engine.Failed || r.Code != code || r.Bus.Code != code || r.Summary.Failed != 0 || r.Summary.Applied == 0 {
				t.Errorf("the pass is %s (%s), %+v: %v", r.State, r.Code, r.Summary, err)
			}
			s.came(&r, map[string]ledger.Outcome{"orders": ledger.Blocked, "dead": ledger.Blocked})
			if s.value("SELECT count() FROM system.tables WHERE database = 'DB'") != "1" {
				t.Error("the table is gone")
			}
			if strings.Contains(log.String()+err.Error(), secret) {
				t.Errorf("a secret is shown: %s%v", log.String(), err)
			}
		})
	}
}

// TestTheLeaseIsNotHeldWhileTheBusIsWaitedFor lets another engine pass in the middle of the wait, and the bus come up.
func TestTheLeaseIsNotHeldWhileTheBusIsWaitedFor(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	bus, port := nobody(t)
	e := s.engine(engine.Options{Bus: bus, Wait: time.Minute, BusWait: time.Minute})
	waits := 0
	e.SetPause(func(ctx context.Context, _ time.Duration) error {
		if waits++; waits == 1 {
			other := s.engine(engine.Options{SkipTopics: true})
			if r, err := other.Pass(ctx); err != nil || r.State != engine.Converged {
				t.Errorf("the other engine is %s: %v", r.State, err)
			}
			kafka(t, kfake.NumBrokers(1), kfake.Ports(port))
		}
		return ctx.Err()
	})
	r, err := e.Pass(t.Context())
	if err != nil || waits == 0 {
		t.Fatalf("after %d waits: %v", waits, err)
	}
	s.came(&r, map[string]ledger.Outcome{"orders": ledger.Applied, "dead": ledger.Applied})
	if s.value("SELECT count() FROM dfe.schema_migrations WHERE kind = 'topic'") != "2" {
		t.Error("what was done without the lease is not recorded")
	}
}

func TestWithoutBrokersTopicsAreSkippedWithOneNotice(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	var log bytes.Buffer
	r := s.pass(engine.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if r.State != engine.Converged || r.Bus.Skipped != topics.NoBus {
		t.Errorf("the pass is %s, on %+v", r.State, r.Bus)
	}
	s.came(r, map[string]ledger.Outcome{"orders": topics.Unread, "dead": topics.Unread})
	if n := strings.Count(log.String(), "topics are skipped"); n != 1 || !strings.Contains(log.String(), "no brokers are configured") {
		t.Errorf("%d notices: %s", n, log.String())
	}
}

func TestTheTwoPhasesAreSwitchedApart(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	// Objects alone: the bus is not asked, though nothing is there.
	absent, _ := nobody(t)
	r := s.pass(engine.Options{Bus: absent, SkipTopics: true})
	if r.State != engine.Converged || !strings.Contains(r.Bus.Skipped, "DFE_ENGINE_KAFKA_BOOTSTRAP_TOPICS") {
		t.Errorf("objects alone: %s, %+v", r.State, r.Bus)
	}
	// Topics alone: ClickHouse is not asked, though nothing is there.
	_, bus := kafka(t)
	o := engine.Options{Bus: bus, SkipTables: true}
	o.Target.URL = "http://" + absent.Brokers[0]
	topicsOnly := s.pass(o)
	if topicsOnly.State != engine.Unknown || !topicsOnly.State.Settled() || len(topicsOnly.Objects) != 0 {
		t.Errorf("topics alone: %s, %d objects", topicsOnly.State, len(topicsOnly.Objects))
	}
	s.came(topicsOnly, map[string]ledger.Outcome{"orders": ledger.Applied, "dead": ledger.Applied})
}

func TestOnlyTheTopicsOfAReviewedPlanAreCreated(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	reviewed, err := s.engine(engine.Options{}).Plan(t.Context()) // without a bus: no topic is in it
	if err != nil {
		t.Fatal(err)
	}
	if reviewed.Bus.Skipped != topics.NoBus {
		t.Errorf("%+v", reviewed.Bus)
	}
	_, bus := kafka(t)
	r, err := s.engine(engine.Options{Bus: bus}).PassPlan(t.Context(), reviewed)
	if err == nil {
		t.Error("a dead-letter topic that was not reviewed, and so is not there, passes")
	}
	s.came(&r, map[string]ledger.Outcome{"orders": ledger.Refused, "dead": ledger.Refused})
}

func TestATopicIsCreatedWithTheReplicasThatWereReviewed(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	c, bus := kafka(t, kfake.NumBrokers(1))
	e := s.engine(engine.Options{Bus: bus})
	reviewed, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := c.AddNode(-1, 0); err != nil {
			t.Fatal(err)
		}
	}
	r, err := e.PassPlan(t.Context(), reviewed)
	if err == nil || !strings.Contains(r.Topics[0].Error, "creates it with 2 partitions, 1 replica, retention.ms = 86400000, and now it would be 2 partitions, 3 replicas") {
		t.Errorf("%s: %v", r.Topics[0].Error, err)
	}
	s.came(&r, map[string]ledger.Outcome{"orders": ledger.Refused, "dead": ledger.Refused})
}

func TestAnOlderReleaseCreatesNoTopics(t *testing.T) {
	s := newStage(t)
	s.tree(postedNext)
	c, bus := kafka(t)
	s.pass(engine.Options{Bus: bus})
	rows := s.value("SELECT count() FROM dfe.schema_migrations")
	if err := c.DeleteTopic("orders"); err != nil {
		t.Fatal(err)
	}
	s.tree(posted)
	r := s.pass(engine.Options{Bus: bus})
	s.came(r, map[string]ledger.Outcome{"orders": ledger.Refused, "dead": ledger.Unchanged})
	if r.Code != "release_regressed" || c.TopicInfo("orders") != nil || s.value("SELECT count() FROM dfe.schema_migrations") != rows {
		t.Errorf("code %s, topic %v", r.Code, c.TopicInfo("orders"))
	}
	// With an operator's word it does, and stands for them from then on.
	s.came(s.pass(engine.Options{Bus: bus, AllowDowngrade: true}), map[string]ledger.Outcome{"orders": ledger.Applied, "dead": ledger.Unchanged})
	if r := s.pass(engine.Options{Bus: bus}); r.Code != "" {
		t.Errorf("the pass after the downgrade says %s", r.Code)
	}
}

// TestASecondEngineFindsTheTopicsThere lets another engine create them between this one's look and its request.
func TestASecondEngineFindsTheTopicsThere(t *testing.T) {
	s := newStage(t)
	s.tree(posted)
	c, bus := kafka(t)
	c.ControlKey(int16(kmsg.CreateTopics), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		for _, topic := range r.(*kmsg.CreateTopicsRequest).Topics {
			if c.TopicInfo(topic.Topic) == nil {
				if err := c.CreateTopic(topic.Topic, topic.NumPartitions, map[string]string{"retention.ms": strconv.Itoa(24 * 3600 * 1000)}); err != nil {
					t.Error(err)
				}
			}
		}
		return nil, nil, false
	})
	r := s.pass(engine.Options{Bus: bus})
	s.came(r, map[string]ledger.Outcome{"orders": ledger.Unchanged, "dead": ledger.Unchanged})
	for _, topic := range r.Topics {
		if topic.Adopted {
			t.Errorf("%s is told to be adopted", topic.Name)
		}
	}
}
