package topics_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/engine/topics/kafkatest"
	"github.com/dfe-engine/dfe/rules"
)

// fake is a cluster in this process.
func fake(t *testing.T, options ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func runner(t *testing.T, c *kfake.Cluster) *topics.Runner {
	return &topics.Runner{Bus: topics.Bus{Brokers: c.ListenAddrs()}, Book: book(t)}
}

func refuse(name string, err *kerr.Error) kfake.Fault {
	return kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Topic: name, Err: err, Count: -1}
}

func TestWithoutBrokersTopicsAreSkipped(t *testing.T) {
	run := topics.Runner{Book: book(t)}
	report, err := run.Apply(t.Context(), declared(topic("a")))
	if err != nil {
		t.Fatal(err)
	}
	if report.Cluster.Skipped != topics.NoBus || report.Topics[0].Outcome != topics.Unread {
		t.Errorf("%+v, %v", report.Cluster, outcomes(report))
	}
}

func TestReplicasFollowTheLiveBrokersUpToTheCeiling(t *testing.T) {
	for brokers, want := range map[int]int{1: 1, 2: 2, 3: 3, 5: 3} {
		c := fake(t, kfake.NumBrokers(brokers))
		report, err := runner(t, c).Apply(t.Context(), declared(topic("a")))
		if err != nil {
			t.Fatal(err)
		}
		got := report.Topics[0]
		if got.Live.ReplicationFactor != want || got.Declared.ReplicationFactor != want || report.Cluster.Brokers != brokers {
			t.Errorf("%d brokers: declared %d, live %d, want %d", report.Cluster.Brokers, got.Declared.ReplicationFactor, got.Live.ReplicationFactor, want)
		}
		// The choice is told where it is less than the definition allows.
		if told := got.Reported() > 0; told != (brokers < 3) {
			t.Errorf("%d brokers: told %v: %+v", brokers, told, got.Changes)
		}
	}
}

func TestATopicMadeWithFewBrokersIsReportedByEveryPassOnceThereAreMore(t *testing.T) {
	c := fake(t, kfake.NumBrokers(1))
	run := runner(t, c)
	if _, err := run.Apply(t.Context(), declared(topic("a"))); err != nil {
		t.Fatal(err)
	}
	quiet, err := run.Apply(t.Context(), declared(topic("a")))
	if err != nil {
		t.Fatal(err)
	}
	if n := quiet.Topics[0].Reported(); n != 0 {
		t.Errorf("%d differences while there is one broker", n)
	}
	for range 2 {
		if _, _, err := c.AddNode(-1, 0); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		report, err := run.Apply(t.Context(), declared(topic("a")))
		if err != nil {
			t.Fatal(err)
		}
		got := report.Topics[0]
		if got.Reported() != 1 || got.Changes[0].Path != "replication_factor" || got.Live.ReplicationFactor != 1 {
			t.Errorf("%+v", got.Changes)
		}
	}
}

func TestARefusedTopicLeavesTheRestToBeCreated(t *testing.T) {
	c := fake(t)
	c.Fault(refuse("b", kerr.PolicyViolation))
	report, err := runner(t, c).Apply(t.Context(), declared(topic("a"), topic("b"), topic("c")))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "applied", "b": "refused POLICY_VIOLATION: " + kerr.PolicyViolation.Description, "c": "applied"}
	if diff := cmp.Diff(want, outcomes(report)); diff != "" {
		t.Error(diff)
	}
}

func TestARefusedDeadLetterSetHoldsTheEngineNotReadyAndTheRestIsCreated(t *testing.T) {
	c := fake(t)
	dead := topic("dead")
	dead.DeadLetter = true
	c.Fault(refuse("dead", kerr.InvalidConfig))
	report, err := runner(t, c).Apply(t.Context(), declared(dead, topic("a")))
	var lost *topics.DeadLetterError
	if !errors.As(err, &lost) || lost.ErrorCode() != "dead_letter_refused" || !strings.Contains(err.Error(), "dead") {
		t.Errorf("it gives %v", err)
	}
	if got := outcomes(report); got["a"] != "applied" {
		t.Errorf("%v", got)
	}
}

// TestAnAnswerThatIsLostIsResolvedByReading has the topic created and the answer lost: nobody else asked for it.
func TestAnAnswerThatIsLostIsResolvedByReading(t *testing.T) {
	c := fake(t)
	c.ControlKey(int16(kmsg.CreateTopics), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		answer := r.ResponseKind().(*kmsg.CreateTopicsResponse)
		for _, wanted := range r.(*kmsg.CreateTopicsRequest).Topics {
			if c.TopicInfo(wanted.Topic) == nil {
				if err := c.CreateTopic(wanted.Topic, wanted.NumPartitions, nil); err != nil {
					t.Error(err)
				}
			}
			late := kmsg.NewCreateTopicsResponseTopic()
			late.Topic, late.ErrorCode = wanted.Topic, kerr.RequestTimedOut.Code
			answer.Topics = append(answer.Topics, late)
		}
		return answer, nil, true
	})
	report, err := runner(t, c).Apply(t.Context(), declared(topic("a")))
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Topics[0]; got.Live == nil || got.Outcome != ledger.Applied || got.Adopted {
		t.Errorf("%v, %+v", outcomes(report), got.Live)
	}
}

// TestAnAddressThatOnlyTheBrokersKnowIsNamed has brokers that say they are where nothing listens.
func TestAnAddressThatOnlyTheBrokersKnowIsNamed(t *testing.T) {
	c := fake(t, kfake.NumBrokers(1))
	elsewhere := closedPort(t)
	_, port, _ := strings.Cut(elsewhere, ":")
	controller := int32(0)
	c.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		answer := r.ResponseKind().(*kmsg.MetadataResponse)
		broker := kmsg.NewMetadataResponseBroker()
		broker.NodeID, broker.Host, broker.Port = 0, "127.0.0.1", int32(number(t, port))
		answer.Brokers, answer.ControllerID = append(answer.Brokers, broker), controller
		return answer, nil, true
	})
	for _, want := range []string{"broker 0 is at " + elsewhere + ", and there the connection is refused", "no controller yet"} {
		report, err := runner(t, c).Apply(t.Context(), declared(topic("a")))
		if !topics.IsNotUp(err) || !strings.Contains(err.Error(), want) || report.Topics[0].Outcome != ledger.Blocked {
			t.Errorf("it gives %v, want %q; %v", err, want, outcomes(report))
		}
		controller = -1
	}
}

func TestABusThatGoesAwayInTheMiddleLeavesTheRestUntried(t *testing.T) {
	c := fake(t, kfake.NumBrokers(1))
	c.ControlKey(int16(kmsg.CreateTopics), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		lost := r.(*kmsg.CreateTopicsRequest).Topics[0].Topic != "a"
		return nil, errors.New("gone"), lost // the connection is closed
	})
	run := runner(t, c)
	now := time.Unix(0, 0)
	run.Now = func() time.Time { return now }
	run.Pause = func(context.Context, time.Duration) error { now = now.Add(time.Second); return nil }
	report, err := run.Apply(t.Context(), declared(topic("a"), topic("b"), topic("c")))
	if err == nil {
		t.Error("it is no error")
	}
	got := outcomes(report)
	if got["a"] != "applied" || !strings.HasPrefix(got["b"], "failed") || got["c"] != "blocked : not tried, because the bus went away at topic b" {
		t.Errorf("%v", got)
	}
}

func TestATopicThatNeverAppearsFailsThePass(t *testing.T) {
	c := fake(t)
	c.Fault(refuse("a", kerr.ThrottlingQuotaExceeded))
	run := runner(t, c)
	// A clock of its own: the wait for a topic to be seen passes at once.
	now := time.Unix(0, 0)
	run.Now = func() time.Time { return now }
	run.Pause = func(_ context.Context, d time.Duration) error { now = now.Add(time.Second); return nil }
	report, err := run.Apply(t.Context(), declared(topic("a"), topic("b")))
	if err == nil || !strings.Contains(err.Error(), "topic a") {
		t.Errorf("it gives %v", err)
	}
	if got := outcomes(report); !strings.HasPrefix(got["a"], "failed") || got["b"] != "applied" {
		t.Errorf("%v", got)
	}
}

func TestATopicThatMayNotBeReadIsToldAndTheRestIsDone(t *testing.T) {
	c := fake(t, kfake.SeedTopics(2, "secret"))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Resource: "secret", Err: kerr.TopicAuthorizationFailed, Count: -1})
	report, err := runner(t, c).Apply(t.Context(), declared(topic("secret"), topic("a")))
	if err == nil || !strings.Contains(err.Error(), "secret") {
		t.Errorf("it gives %v", err)
	}
	if got := outcomes(report); !strings.HasPrefix(got["secret"], "failed : it cannot be read") || got["a"] != "applied" {
		t.Errorf("%v", got)
	}
}

func TestABusThatIsNotUpYetIsWaitedForAndThenGivenUp(t *testing.T) {
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{closedPort(t)}}, Book: book(t), Wait: time.Minute}
	now := time.Unix(0, 0)
	var waits []time.Duration
	run.Now = func() time.Time { return now }
	run.Pause = func(_ context.Context, d time.Duration) error { waits = append(waits, d); now = now.Add(d); return nil }
	report, err := run.Apply(t.Context(), declared(topic("a")))
	if !topics.IsNotUp(err) || report.Cluster.Code != "kafka_unreachable" || report.Topics[0].Outcome != ledger.Blocked {
		t.Errorf("it gives %v, %v", err, outcomes(report))
	}
	var sum time.Duration
	for _, d := range waits {
		sum += d
	}
	if sum != time.Minute || waits[0] != 500*time.Millisecond {
		t.Errorf("the waits are %v", waits)
	}
}

func TestABusThatComesUpIsUsed(t *testing.T) {
	address := closedPort(t)
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{address}}, Book: book(t), Wait: time.Minute}
	pauses := 0
	run.Pause = func(context.Context, time.Duration) error {
		if pauses++; pauses == 1 {
			_, port, _ := strings.Cut(address, ":")
			fake(t, kfake.NumBrokers(1), kfake.Ports(number(t, port)))
		}
		return nil
	}
	report, err := run.Apply(t.Context(), declared(topic("a")))
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(report); got["a"] != "applied" {
		t.Errorf("%v", got)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestABrokenBusIsNotWaitedFor(t *testing.T) {
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{kafkatest.Start(t).SASL}}, Book: book(t), Wait: time.Hour}
	run.Bus.SASL = topics.SASL{Mechanism: topics.Plain, User: kafkatest.User, Password: "wrong"}
	run.Pause = func(context.Context, time.Duration) error { t.Error("it waits"); return errors.New("stop") }
	report, err := run.Apply(t.Context(), declared(topic("a")))
	if err == nil || topics.IsNotUp(err) || report.Cluster.Code != "kafka_broken" {
		t.Errorf("it gives %v", err)
	}
}

func TestTieredStorageOffLeavesTheKeyUnset(t *testing.T) {
	landing := topic("landing")
	landing.Landing = true
	for _, on := range []bool{false, true} {
		got := map[string]bool{}
		for _, declared := range []*ast.Topic{landing, topic("load")} {
			rendered := rules.RenderTopic(declared, rules.Bus{Brokers: 3, TieredStorage: on})
			c := rendered.Config("remote.storage.enable")
			got[declared.Name] = c != nil
			if c != nil && c.Value != "true" {
				t.Errorf("the key is %q", c.Value)
			}
		}
		if diff := cmp.Diff(map[string]bool{"landing": on, "load": false}, got); diff != "" {
			t.Errorf("tiered storage %v: %s", on, diff)
		}
	}
	if len(landing.Configs) != 0 {
		t.Error("the definition was changed")
	}
}

// TestWhatADeploymentDemandsIsInEveryRequest has the topics of the release and those of a source, and reads what is sent.
func TestWhatADeploymentDemandsIsInEveryRequest(t *testing.T) {
	c := fake(t)
	sent := map[string]map[string]string{}
	c.ControlKey(int16(kmsg.CreateTopics), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		for _, wanted := range r.(*kmsg.CreateTopicsRequest).Topics {
			sent[wanted.Topic] = map[string]string{}
			for _, config := range wanted.Configs {
				sent[wanted.Topic][config.Name] = *config.Value
			}
		}
		return nil, nil, false
	})
	landing, sourceLanding := topic("dfe_landing"), topic("web_land")
	landing.Landing, sourceLanding.Landing = true, true
	run := runner(t, c)
	run.Bus.TieredStorage, run.Bus.MaxMessageBytes = true, 2<<20
	list := declared(landing, topic("dfe_load"), sourceLanding, topic("web_load"))
	list[2].Scope, list[3].Scope = "source", "source"
	report, err := run.Apply(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	both, size := map[string]string{"max.message.bytes": "2097152", "remote.storage.enable": "true"}, map[string]string{"max.message.bytes": "2097152"}
	if diff := cmp.Diff(map[string]map[string]string{"dfe_landing": both, "dfe_load": size, "web_land": both, "web_load": size}, sent); diff != "" {
		t.Error(diff)
	}
	if report.Topics[2].Scope != "source" {
		t.Errorf("the source's topic is of scope %s", report.Topics[2].Scope)
	}
}

func TestADeploymentsSizeOfMessagesIsThatOfEveryTopic(t *testing.T) {
	for _, declared := range []*ast.Topic{topic("orders_land"), topic("orders_load", ast.TopicConfig{Name: "max.message.bytes", Value: "1"})} {
		if c := rules.RenderTopic(declared, rules.Bus{MaxMessageBytes: 4096}).Config("max.message.bytes"); c == nil || c.Value != "4096" {
			t.Errorf("%s: %v", declared.Name, c)
		}
	}
}

func TestABusThatCannotBeUsedAsItIsDescribedIsRefusedBeforeItIsAsked(t *testing.T) {
	user := topics.SASL{Mechanism: topics.ScramSHA256, User: "u", Password: "hidden"}
	for name, c := range map[string]struct {
		bus  topics.Bus
		want string
	}{
		"no port":            {topics.Bus{Brokers: []string{"kafka"}}, "host:port"},
		"port 0":             {topics.Bus{Brokers: []string{"kafka:0"}}, "1 to 65535"},
		"a URL":              {topics.Bus{Brokers: []string{"kafka://broker:9092"}}, "host:port"},
		"a user in it":       {topics.Bus{Brokers: []string{"u:hidden@broker:9092"}}, "stands apart"},
		"no host":            {topics.Bus{Brokers: []string{":9092"}}, "host:port"},
		"unknown mechanism":  {topics.Bus{SASL: topics.SASL{Mechanism: "SCRAM"}}, "SCRAM-SHA-512"},
		"no user":            {topics.Bus{SASL: topics.SASL{Mechanism: topics.Plain, Password: "hidden"}}, "needs a user"},
		"no password":        {topics.Bus{SASL: topics.SASL{Mechanism: topics.Plain, User: "u"}}, "needs a password"},
		"two passwords":      {topics.Bus{SASL: topics.SASL{Mechanism: topics.Plain, User: "u", Password: "hidden", PasswordFile: "f"}}, "give one"},
		"no mechanism":       {topics.Bus{SASL: topics.SASL{User: "u", Password: "hidden"}}, "no SASL mechanism"},
		"half a certificate": {topics.Bus{TLS: topics.TLS{CertFile: "c"}}, "go together"},
		"no password file":   {topics.Bus{Brokers: []string{"127.0.0.1:1"}, SASL: topics.SASL{Mechanism: topics.Plain, User: "u", PasswordFile: "/none"}}, "cannot be read"},
		"an empty file":      {topics.Bus{Brokers: []string{"127.0.0.1:1"}, SASL: topics.SASL{Mechanism: topics.Plain, User: "u", PasswordFile: write(t, "\n")}}, "is empty"},
		"no authority":       {topics.Bus{Brokers: []string{"127.0.0.1:1"}, TLS: topics.TLS{CAFile: write(t, "x")}, SASL: user}, "no PEM certificate"},
		"no client key":      {topics.Bus{Brokers: []string{"127.0.0.1:1"}, TLS: topics.TLS{CertFile: write(t, "x"), KeyFile: write(t, "x")}}, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := topics.Open(t.Context(), c.bus)
			var fault *topics.BusError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("it gives %v, want %q", err, c.want)
			}
		})
	}
}
