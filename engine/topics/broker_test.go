package topics_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/engine/topics/kafkatest"
	"github.com/dfe-engine/dfe/lang/kafka"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEveryListenerIsReachedWithItsOwnCredentials(t *testing.T) {
	b := kafkatest.Start(t)
	authority, certificate, key := filepath.Join(b.Dir, "ca.pem"), filepath.Join(b.Dir, "client.pem"), filepath.Join(b.Dir, "client.key")
	for name, bus := range map[string]topics.Bus{
		"plain":                   {Brokers: []string{b.Plain}},
		"PLAIN":                   {Brokers: []string{b.SASL}, SASL: topics.SASL{Mechanism: topics.Plain, User: kafkatest.User, Password: kafkatest.Password}},
		"SCRAM-SHA-256":           {Brokers: []string{b.SASL}, SASL: topics.SASL{Mechanism: topics.ScramSHA256, User: kafkatest.User, Password: kafkatest.Password}},
		"SCRAM-SHA-512, file":     {Brokers: []string{b.SASL}, SASL: topics.SASL{Mechanism: topics.ScramSHA512, User: kafkatest.User, PasswordFile: write(t, kafkatest.Password+"\n")}},
		"TLS, client certificate": {Brokers: []string{b.TLS}, TLS: topics.TLS{CAFile: authority, CertFile: certificate, KeyFile: key}},
		"TLS and SCRAM":           {Brokers: []string{b.SASLTLS}, TLS: topics.TLS{CAFile: authority}, SASL: topics.SASL{Mechanism: topics.ScramSHA512, User: kafkatest.User, Password: kafkatest.Password}},
		"the second of two":       {Brokers: []string{closedPort(t), b.Plain}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := topics.Open(t.Context(), bus)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if n, err := c.Brokers(t.Context()); n != 1 || err != nil {
				t.Errorf("%d brokers, %v", n, err)
			}
		})
	}
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestABrokenConnectionIsToldFromOneThatIsNotUpYet(t *testing.T) {
	b := kafkatest.Start(t)
	user := topics.SASL{Mechanism: topics.ScramSHA256, User: kafkatest.User, Password: kafkatest.Password}
	wrong := user
	wrong.Password = "wrong-secret"
	authority := filepath.Join(b.Dir, "ca.pem")
	for name, c := range map[string]struct {
		bus    topics.Bus
		fault  catalog.Fault
		reason string
	}{
		"nobody listens":          {topics.Bus{Brokers: []string{closedPort(t)}}, catalog.NotUp, "refused"},
		"unknown host":            {topics.Bus{Brokers: []string{"no-such-host.invalid:9092"}}, catalog.NotUp, "does not resolve"},
		"wrong password":          {topics.Bus{Brokers: []string{b.SASL}, SASL: wrong}, catalog.Broken, "refuse the user or the password"},
		"wrong plain password":    {topics.Bus{Brokers: []string{b.SASL}, SASL: topics.SASL{Mechanism: topics.Plain, User: kafkatest.User, Password: "wrong-secret"}}, catalog.Broken, "refuse the user or the password"},
		"nobody to SASL":          {topics.Bus{Brokers: []string{b.SASL}}, catalog.Broken, "wants to know who is there"},
		"SASL to nobody's":        {topics.Bus{Brokers: []string{b.Plain}, SASL: user}, catalog.Broken, "SASL"},
		"plain text to TLS":       {topics.Bus{Brokers: []string{b.TLS}}, catalog.Broken, "speaks TLS"},
		"SASL without its TLS":    {topics.Bus{Brokers: []string{b.SASLTLS}, SASL: user}, catalog.Broken, "speaks TLS"},
		"TLS to plain text":       {topics.Bus{Brokers: []string{b.Plain}, TLS: topics.TLS{CAFile: authority}}, catalog.Broken, "does not speak TLS"},
		"an authority it has not": {topics.Bus{Brokers: []string{b.SASLTLS}, TLS: topics.TLS{CAFile: filepath.Join(b.Dir, "stranger.pem")}, SASL: user}, catalog.Broken, "not trusted"},
		"no client certificate":   {topics.Bus{Brokers: []string{b.TLS}, TLS: topics.TLS{CAFile: authority}}, catalog.Broken, "ends the TLS handshake"},
		"nobody to SASL and TLS":  {topics.Bus{Brokers: []string{b.SASLTLS}, TLS: topics.TLS{CAFile: authority}}, catalog.Broken, "wants to know who is there"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := topics.Open(t.Context(), c.bus)
			if err == nil {
				client.Close()
				t.Fatal("it is connected")
			}
			var fault *topics.ConnectError
			if !errors.As(err, &fault) || fault.Fault != c.fault || !strings.Contains(fault.Reason, c.reason) {
				t.Errorf("%v: want %s, with %q", err, c.fault, c.reason)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), kafkatest.Password) {
				t.Errorf("%q shows a secret", err)
			}
		})
	}
}

func book(t *testing.T) *rules.Book {
	t.Helper()
	sub, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(sub)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return book
}

// inKafka removes what a test made when it ends.
func inKafka(t *testing.T, b *kafkatest.Broker, names ...string) *kadm.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Plain), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	admin := kadm.NewClient(client)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) // the test's own context has ended
		defer cancel()
		if _, err := admin.DeleteTopics(ctx, names...); err != nil {
			t.Error(err)
		}
		client.Close()
	})
	return admin
}

func declared(list ...*ast.Topic) []topics.Declared {
	all := make([]topics.Declared, len(list))
	for i, topic := range list {
		all[i] = topics.Declared{Scope: "schema", Release: "1.0.0", Topic: topic}
	}
	return all
}

func topic(name string, more ...ast.TopicConfig) *ast.Topic {
	return &ast.Topic{Name: name, Partitions: 2, Replicas: 3, AtMost: true, Configs: more}
}

// outcomes is what became of each topic, in one line.
func outcomes(r *topics.Report) map[string]string {
	all := map[string]string{}
	for _, topic := range r.Topics {
		all[topic.Name] = strings.TrimSuffix(string(topic.Outcome)+" "+topic.ErrorCode+": "+topic.Error, " : ")
	}
	return all
}

// TestWhatIsDeclaredIsWhatTheBrokerHas creates topics and reads them back by another client.
func TestWhatIsDeclaredIsWhatTheBrokerHas(t *testing.T) {
	b := kafkatest.Start(t)
	admin := inKafka(t, b, "has_landing", "has_load")
	landing := topic("has_landing", ast.TopicConfig{Name: "cleanup.policy", Value: "compact,delete"},
		ast.TopicConfig{Name: "min.cleanable.dirty.ratio", Value: "0.1"}, ast.TopicConfig{Name: "retention.ms", Value: "86400000"})
	landing.Landing = true
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}, MaxMessageBytes: 2 << 20}, Book: book(t)}
	report, err := run.Apply(t.Context(), declared(landing, topic("has_load")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"has_landing": "applied", "has_load": "applied"}, outcomes(report)); diff != "" {
		t.Fatal(diff)
	}
	configs, err := admin.DescribeTopicConfigs(t.Context(), "has_landing")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range configs[0].Configs {
		if c.Source.String() == "DYNAMIC_TOPIC_CONFIG" {
			got[c.Key] = *c.Value
		}
	}
	// Tiered storage is off: its key is absent, not false.
	want := map[string]string{"cleanup.policy": "compact,delete", "max.message.bytes": "2097152", "min.cleanable.dirty.ratio": "0.1", "retention.ms": "86400000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := run.Apply(t.Context(), declared(landing, topic("has_load")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"has_landing": "unchanged", "has_load": "unchanged"}, outcomes(again)); diff != "" {
		t.Error(diff)
	}
	for _, topic := range again.Topics {
		if topic.Reported() > 0 {
			t.Errorf("%s differs from what was just created: %s", topic.Name, topic.Changes[0].Reason)
		}
	}
}

// TestEachRefusalIsTheBrokersOwnWords provokes what a broker refuses, one by one, with a topic between them that it takes.
func TestEachRefusalIsTheBrokersOwnWords(t *testing.T) {
	b := kafkatest.Start(t)
	inKafka(t, b, "ref_fine", "ref.merged")
	exact := topic("ref_replicas")
	exact.Replicas, exact.AtMost = 3, false
	tiered := topic("ref_tiered")
	tiered.Landing = true
	big := topic("ref_partitions")
	big.Partitions = 20_000
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}, TieredStorage: true}, Book: book(t)}
	report, err := run.Apply(t.Context(), declared(
		topic("ref_cap", ast.TopicConfig{Name: "max.message.bytes", Value: "16777216"}), exact, tiered, big,
		topic("ref_unknown", ast.TopicConfig{Name: "no.such.key", Value: "1"}),
		topic("ref_illegal", ast.TopicConfig{Name: "segment.bytes", Value: "14"}),
		topic("ref.merged"), topic("ref_merged"), topic("ref_fine")))
	if err != nil {
		t.Fatalf("a refused topic fails the pass: %v", err)
	}
	want := map[string]string{
		"ref_cap":        "refused POLICY_VIOLATION: max.message.bytes 16777216 of topic ref_cap exceeds the 8388608 this cluster allows",
		"ref_replicas":   "refused INVALID_REPLICATION_FACTOR: Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered.",
		"ref_tiered":     "refused INVALID_CONFIG: Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log storage.",
		"ref_partitions": "refused POLICY_VIOLATION: Excessively large number of partitions per request.",
		"ref_unknown":    "refused INVALID_CONFIG: Unknown topic config name: no.such.key",
		"ref_illegal":    "refused INVALID_CONFIG: Invalid value 14 for configuration segment.bytes: Value must be at least 1048576",
		"ref.merged":     "applied",
		"ref_merged":     "refused INVALID_TOPIC_EXCEPTION: Topic 'ref_merged' collides with existing topic: ref.merged",
		"ref_fine":       "applied",
	}
	if diff := cmp.Diff(want, outcomes(report)); diff != "" {
		t.Error(diff)
	}
	if report.Refused() != 7 {
		t.Errorf("%d are counted as refused", report.Refused())
	}
}

func TestADeploymentsOwnSizeOfMessagesMayBeMoreThanTheClusterAllows(t *testing.T) {
	b := kafkatest.Start(t)
	dead := topic("size_dead")
	dead.DeadLetter = true
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}, MaxMessageBytes: 10 << 20}, Book: book(t)}
	report, err := run.Apply(t.Context(), declared(topic("size_load"), dead))
	var lost *topics.DeadLetterError
	if !errors.As(err, &lost) || len(lost.Topics) != 1 || !strings.Contains(err.Error(), "exceeds the 8388608 this cluster allows") {
		t.Errorf("a refused dead-letter topic gives %v", err)
	}
	if report.Refused() != 2 {
		t.Errorf("%v", outcomes(report))
	}
}

// TestAUserThatMayNotIsToldSoTopicByTopic has one that may look at two topics and create one of them.
func TestAUserThatMayNotIsToldSoTopicByTopic(t *testing.T) {
	b := kafkatest.Start(t)
	admin := inKafka(t, b, "guest_may")
	for name, may := range map[string][]kadm.ACLOperation{
		"guest_may": {kadm.OpDescribe, kadm.OpDescribeConfigs, kadm.OpCreate}, "guest_looks": {kadm.OpDescribe, kadm.OpDescribeConfigs},
	} {
		granted, err := admin.CreateACLs(t.Context(), kadm.NewACLs().Allow("User:"+kafkatest.Guest).AllowHosts().Topics(name).ResourcePatternType(kadm.ACLPatternLiteral).Operations(may...))
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range granted {
			if g.Err != nil {
				t.Fatal(g.Err)
			}
		}
	}
	bus := topics.Bus{Brokers: []string{b.SASL}, SASL: topics.SASL{Mechanism: topics.Plain, User: kafkatest.Guest, Password: kafkatest.Password}}
	run := topics.Runner{Bus: bus, Book: book(t)}
	report, err := run.Apply(t.Context(), declared(topic("guest_may"), topic("guest_looks"), topic("guest_is_blind")))
	if err == nil || !strings.Contains(err.Error(), "guest_is_blind") {
		t.Errorf("it gives %v", err)
	}
	if diff := cmp.Diff(map[string]string{
		"guest_may":      "applied",
		"guest_looks":    "refused TOPIC_AUTHORIZATION_FAILED: Authorization failed.",
		"guest_is_blind": "failed : it cannot be read: Not authorized to access topics: [Topic authorization failed.]",
	}, outcomes(report)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatDiffersIsToldFieldByFieldAndNeverAltered changes a topic by hand and looks twice.
func TestWhatDiffersIsToldFieldByFieldAndNeverAltered(t *testing.T) {
	b := kafkatest.Start(t)
	admin := inKafka(t, b, "diff_orders")
	value := func(s string) *string { return &s }
	made := map[string]*string{"retention.ms": value("1000"), "preallocate": value("true")}
	if _, err := admin.CreateTopic(t.Context(), 1, 1, made, "diff_orders"); err != nil {
		t.Fatal(err)
	}
	want := topic("diff_orders", ast.TopicConfig{Name: "retention.ms", Value: "86400000"}, ast.TopicConfig{Name: "segment.bytes", Value: "2097152"})
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}}, Book: book(t)}
	for range 2 {
		report, err := run.Apply(t.Context(), declared(want))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range report.Topics[0].Changes {
			got = append(got, c.Path+" "+c.Action+" "+c.Live+" -> "+c.Desired+" "+c.SetBy)
		}
		if diff := cmp.Diff([]string{
			"partitions report 1 -> 2 ",
			"config.`retention.ms` report 1000 -> 86400000 the topic",
			"config.`segment.bytes` report 1073741824 -> 2097152 a broker default (Kafka's own)",
			"config.preallocate report true ->  the topic",
		}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestACleanupPolicyInAnotherOrderIsNoDifference: a broker gives the words back in the order in which somebody set them.
func TestACleanupPolicyInAnotherOrderIsNoDifference(t *testing.T) {
	b := kafkatest.Start(t)
	admin := inKafka(t, b, "diff_policy")
	policy := "delete,compact"
	if _, err := admin.CreateTopic(t.Context(), 2, 1, map[string]*string{"cleanup.policy": &policy}, "diff_policy"); err != nil {
		t.Fatal(err)
	}
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}}, Book: book(t)}
	report, err := run.Status(t.Context(), declared(topic("diff_policy", ast.TopicConfig{Name: "cleanup.policy", Value: "compact,delete"})))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Topics[0].Changes {
		t.Errorf("%s: %s", c.Path, c.Reason)
	}
}

// TestATopicWithFewerReplicasThanHaveToBeInSyncTakesRecords is why a definition with a ceiling may state
// min.insync.replicas: on a cluster with fewer brokers it does not lock producers out.
func TestATopicWithFewerReplicasThanHaveToBeInSyncTakesRecords(t *testing.T) {
	b := kafkatest.Start(t)
	inKafka(t, b, "insync")
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}}, Book: book(t)}
	report, err := run.Apply(t.Context(), declared(topic("insync", ast.TopicConfig{Name: "min.insync.replicas", Value: "2"})))
	if err != nil || report.Topics[0].Live.ReplicationFactor != 1 {
		t.Fatalf("%v, %v", outcomes(report), err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Plain), kgo.DisableClientMetrics(), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordDeliveryTimeout(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "insync", Value: []byte("1")}).FirstErr(); err != nil {
		t.Error(err)
	}
}

// TestTheKnownConfigurationsAreThoseOfTheBroker keeps package lang/kafka true.
func TestTheKnownConfigurationsAreThoseOfTheBroker(t *testing.T) {
	b := kafkatest.Start(t)
	admin := inKafka(t, b, "known_configs")
	run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}}, Book: book(t)}
	if _, err := run.Apply(t.Context(), declared(topic("known_configs"))); err != nil {
		t.Fatal(err)
	}
	configs, err := admin.DescribeTopicConfigs(t.Context(), "known_configs")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range configs[0].Configs {
		names = append(names, c.Key)
		known, found := kafka.LookupConfig(c.Key)
		if !found {
			continue
		}
		if same, ok := known.Canonical(*c.Value); !ok || same != *c.Value {
			t.Errorf("the broker's %s = %q is %q here", c.Key, *c.Value, same)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, kafka.ConfigNames()); diff != "" {
		t.Error(diff)
	}
}

// TestTwoEnginesAtOnceConverge runs two, each of which finds the topics absent.
func TestTwoEnginesAtOnceConverge(t *testing.T) {
	b := kafkatest.Start(t)
	list := declared(topic("two_a"), topic("two_b"), topic("two_c"), topic("two_d"))
	inKafka(t, b, "two_a", "two_b", "two_c", "two_d")
	type end struct {
		report *topics.Report
		err    error
	}
	ends := make(chan end, 2)
	rules := book(t)
	for range 2 {
		go func() {
			run := topics.Runner{Bus: topics.Bus{Brokers: []string{b.Plain}}, Book: rules}
			report, err := run.Apply(t.Context(), list)
			ends <- end{report, err}
		}()
	}
	created := 0
	for range 2 {
		e := <-ends
		if e.err != nil {
			t.Fatal(e.err)
		}
		for _, topic := range e.report.Topics {
			switch topic.Outcome {
			case ledger.Applied:
				created++
			case ledger.Unchanged:
			default:
				t.Errorf("%s is %s: %s", topic.Name, topic.Outcome, topic.Error)
			}
		}
	}
	if created != len(list) {
		t.Errorf("%d topics were created, %d times", len(list), created)
	}
}
