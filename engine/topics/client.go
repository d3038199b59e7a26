package topics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/dfe-engine/dfe/ast"
)

const (
	// dialTimeout bounds one connection, answerTimeout one request with its retries.
	dialTimeout   = 5 * time.Second
	answerTimeout = 15 * time.Second
	// createTimeout is what a controller has to create a topic, by its own clock.
	createTimeout = 10 * time.Second
)

// Client is an open bus. Its methods may be called by several goroutines.
type Client struct {
	bus    Bus
	client *kgo.Client
	admin  *kadm.Client
}

// Open connects and asks who the brokers are: one try. The error is a [*BusError], or a [*ConnectError] of which [IsNotUp]
// tells whether trying again may help.
func Open(ctx context.Context, bus Bus) (*Client, error) {
	if err := bus.Check(); err != nil {
		return nil, err
	}
	if len(bus.Brokers) == 0 {
		return nil, busFault("no broker is named")
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(bus.Brokers...), kgo.ClientID("dfe"), kgo.DialTimeout(dialTimeout),
		kgo.RetryTimeout(dialTimeout), kgo.RequestRetries(len(bus.Brokers)), kgo.MetadataMinAge(50 * time.Millisecond),
		kgo.DisableClientMetrics(),
	}
	encryption, err := bus.TLS.config()
	if err != nil {
		return nil, err
	}
	if encryption != nil {
		options = append(options, kgo.DialTLSConfig(encryption))
	}
	if bus.SASL.Mechanism != "" {
		mechanism, err := bus.SASL.mechanism()
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.SASL(mechanism))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, busFault("%v", err)
	}
	c := &Client{bus: bus, client: client, admin: kadm.NewClient(client)}
	c.admin.SetTimeoutMillis(int32(createTimeout / time.Millisecond))
	if _, err := c.Brokers(ctx); err != nil {
		client.Close()
		return nil, explain(ctx, bus, err)
	}
	return c, nil
}

// Close ends the connections.
func (c *Client) Close() { c.client.Close() }

// Brokers counts the live brokers.
func (c *Client) Brokers(ctx context.Context) (int, error) {
	asked, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	meta, err := c.admin.BrokerMetadata(asked)
	if err != nil {
		return 0, classify(ctx, c.bus, err)
	}
	return len(meta.Brokers), nil
}

// Read is what was found under a name.
type Read struct {
	// Topic is nil where there is none.
	Topic *ast.Topic
	// Unreadable is why it cannot be read, in the broker's words.
	Unreadable string
}

// Read reads the named topics. A topic that its user may not read is in the answer too.
func (c *Client) Read(ctx context.Context, names []string) (map[string]Read, error) {
	found := make(map[string]Read, len(names))
	if len(names) == 0 {
		return found, nil
	}
	asked, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	details, err := c.admin.ListTopics(asked, names...)
	if err != nil {
		return nil, classify(ctx, c.bus, err)
	}
	var there []string
	for _, name := range names {
		d, listed := details[name]
		switch {
		case !listed, errors.Is(d.Err, kerr.UnknownTopicOrPartition):
		case d.Err != nil:
			found[name] = Read{Unreadable: text(d.Err)}
		default:
			t := &ast.Topic{Name: name, Partitions: len(d.Partitions), Read: true}
			for _, p := range d.Partitions {
				if n := len(p.Replicas); t.Replicas == 0 || n < t.Replicas {
					t.Replicas = n // the partition with the fewest copies is the one that is lost first
				}
			}
			found[name] = Read{Topic: t}
			there = append(there, name)
		}
	}
	if len(there) == 0 {
		return found, nil
	}
	configs, err := c.admin.DescribeTopicConfigs(asked, there...)
	if err != nil {
		return nil, classify(ctx, c.bus, err)
	}
	for _, resource := range configs {
		switch {
		case errors.Is(resource.Err, kerr.UnknownTopicOrPartition):
			delete(found, resource.Name) // a broker that has not heard of it yet, or it was deleted meanwhile
		case resource.Err != nil:
			found[resource.Name] = Read{Unreadable: "its configuration: " + words(resource.Err, resource.ErrMessage)}
		default:
			t := found[resource.Name].Topic
			for _, config := range resource.Configs {
				value := ""
				if config.Value != nil {
					value = *config.Value
				}
				t.Configs = append(t.Configs, ast.TopicConfig{Name: config.Key, Value: value, SetBy: setBy(config.Source)})
			}
			slices.SortFunc(t.Configs, func(a, b ast.TopicConfig) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return found, nil
}

// setBy names the source of a configuration (Kafka's DescribeConfigs, KIP-226).
func setBy(source kmsg.ConfigSource) string {
	switch source {
	case kmsg.ConfigSourceDynamicTopicConfig:
		return ast.SetByTopic
	case kmsg.ConfigSourceDynamicBrokerConfig:
		return "a broker default (set on one broker)"
	case kmsg.ConfigSourceDynamicDefaultBrokerConfig:
		return "a broker default (set for all brokers)"
	case kmsg.ConfigSourceStaticBrokerConfig:
		return "a broker default (its configuration file)"
	case kmsg.ConfigSourceDefaultConfig:
		return "a broker default (Kafka's own)"
	}
	return "a broker default"
}

// RefusedError is a create that a broker refuses: the same request would be refused again.
type RefusedError struct {
	Topic string
	Code  string // Kafka's name of the error, POLICY_VIOLATION
	Words string // the broker's own
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the broker refuses to create topic %s: %s: %s", e.Topic, e.Code, e.Words)
}

// ErrExists is returned by [Client.Create] for a topic that is there already.
var ErrExists = errors.New("the topic exists")

// Create creates one topic, in a request of its own: a controller may refuse a request as a whole. The error is
// [ErrExists], a [*RefusedError], or one after which only reading tells whether the topic is there.
func (c *Client) Create(ctx context.Context, t *ast.Topic) error {
	configs := make(map[string]*string, len(t.Configs))
	for i := range t.Configs {
		configs[t.Configs[i].Name] = &t.Configs[i].Value
	}
	asked, cancel := context.WithTimeout(ctx, createTimeout+answerTimeout)
	defer cancel()
	answers, err := c.admin.CreateTopics(asked, int32(t.Partitions), int16(t.Replicas), configs, t.Name)
	if err != nil {
		return classify(ctx, c.bus, err)
	}
	answer, ok := answers[t.Name]
	var code *kerr.Error
	switch {
	case !ok:
		return fmt.Errorf("the controller did not answer about topic %s", t.Name)
	case answer.Err == nil:
		return nil
	case errors.Is(answer.Err, kerr.TopicAlreadyExists):
		return ErrExists
	case errors.As(answer.Err, &code) && !code.Retriable && code != kerr.UnknownServerError:
		return &RefusedError{Topic: t.Name, Code: code.Message, Words: words(answer.Err, answer.ErrMessage)}
	}
	return fmt.Errorf("creating topic %s: %s", t.Name, words(answer.Err, answer.ErrMessage))
}

// words is what the broker says of an error; of one that it leaves without, what Kafka's protocol says.
func words(err error, message string) string {
	if message != "" {
		return text(errors.New(message))
	}
	var code *kerr.Error
	if errors.As(err, &code) {
		return code.Description
	}
	return text(err)
}
