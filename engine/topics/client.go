package topics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/canon"
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
}

// Open connects, asks who the brokers are, and sees whether the one that creates topics can be reached where they say it
// is: one try. The error is a [*BusError], or a [*ConnectError] of which [IsNotUp]
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
		return nil, &BusError{err.Error()}
	}
	if encryption != nil {
		options = append(options, kgo.DialTLSConfig(encryption))
	}
	if bus.SASL.Mechanism != "" {
		mechanism, err := bus.SASL.mechanism()
		if err != nil {
			return nil, &BusError{err.Error()}
		}
		options = append(options, kgo.SASL(mechanism))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, busFault("%v", err)
	}
	c := &Client{bus: bus, client: client}
	answer, err := c.metadata(ctx, nil)
	if err != nil {
		client.Close()
		return nil, explain(ctx, bus, err)
	}
	if err := c.reach(ctx, answer); err != nil {
		client.Close()
		return nil, err
	}
	return c, nil
}

// reach asks the controller for what everybody may know. Its address is the one that the brokers give to all their
// clients, and need not be one by which this engine reaches it.
func (c *Client) reach(ctx context.Context, answer *kmsg.MetadataResponse) error {
	i := slices.IndexFunc(answer.Brokers, func(b kmsg.MetadataResponseBroker) bool { return b.NodeID == answer.ControllerID })
	if i < 0 {
		return &ConnectError{Bus: c.bus.String(), Fault: catalog.NotUp, Reason: "the brokers have no controller yet, and without one no topic is created", Remedy: remedyStart}
	}
	controller := answer.Brokers[i]
	asked, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := c.client.Broker(int(controller.NodeID)).Request(asked, kmsg.NewPtrApiVersionsRequest())
	err = classify(ctx, c.bus, err)
	var fault *ConnectError
	if errors.As(err, &fault) {
		fault.Reason = fmt.Sprintf("the brokers say that broker %d is at %s, and there %s", controller.NodeID, net.JoinHostPort(controller.Host, strconv.Itoa(int(controller.Port))), fault.Reason)
		fault.Remedy = "correct advertised.listeners of the brokers, or wait for that one"
	}
	return err
}

// Close ends the connections.
func (c *Client) Close() { c.client.Close() }

// Brokers counts the live brokers.
func (c *Client) Brokers(ctx context.Context) (int, error) {
	answer, err := c.metadata(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(answer.Brokers), nil
}

// metadata asks about topics by name; about none where there is none. It asks a broker each time: package kadm answers
// from its cache, and gives up on all topics where one may not be read.
func (c *Client) metadata(ctx context.Context, names []string) (*kmsg.MetadataResponse, error) {
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = []kmsg.MetadataRequestTopic{}
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, t)
	}
	asked, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := request.RequestWith(asked, c.client)
	return answer, classify(ctx, c.bus, err)
}

// Read is what was found under a name.
type Read struct {
	// Topic is nil where there is none.
	Topic *ast.Topic
	// Unreadable is why it cannot be read, in the broker's words.
	Unreadable string
}

// Checksum is that of the topic, by what it has itself; "" where there is none.
func (r Read) Checksum() string {
	if r.Topic == nil {
		return ""
	}
	return canon.Checksum(own(r.Topic))
}

// Read reads the named topics. A topic that its user may not read is in the answer too.
func (c *Client) Read(ctx context.Context, names []string) (map[string]Read, error) {
	found := make(map[string]Read, len(names))
	if len(names) == 0 {
		return found, nil
	}
	answer, err := c.metadata(ctx, names)
	if err != nil {
		return nil, err
	}
	var there []string
	for _, d := range answer.Topics {
		name := *d.Topic // it is what was asked for
		switch err := kerr.ErrorForCode(d.ErrorCode); {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
		case err != nil && !errors.Is(err, kerr.LeaderNotAvailable):
			found[name] = Read{Unreadable: words(err, "")}
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
	return found, c.readConfigs(ctx, there, found)
}

// readConfigs completes the topics with their configurations.
func (c *Client) readConfigs(ctx context.Context, names []string, found map[string]Read) error {
	request := kmsg.NewPtrDescribeConfigsRequest()
	for _, name := range names {
		resource := kmsg.NewDescribeConfigsRequestResource()
		resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, name
		request.Resources = append(request.Resources, resource)
	}
	asked, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := request.RequestWith(asked, c.client)
	if err != nil {
		return classify(ctx, c.bus, err)
	}
	for _, resource := range answer.Resources {
		name := resource.ResourceName
		switch err := kerr.ErrorForCode(resource.ErrorCode); {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			delete(found, name) // a broker that has not heard of it yet, or it was deleted meanwhile
		case err != nil:
			found[name] = Read{Unreadable: "its configuration: " + words(err, value(resource.ErrorMessage))}
		default:
			t := found[name].Topic
			for _, config := range resource.Configs {
				t.Configs = append(t.Configs, ast.TopicConfig{Name: config.Name, Value: value(config.Value), SetBy: setBy(config.Source)})
			}
			slices.SortFunc(t.Configs, func(a, b ast.TopicConfig) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
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
	wanted := kmsg.NewCreateTopicsRequestTopic()
	wanted.Topic, wanted.NumPartitions, wanted.ReplicationFactor = t.Name, int32(t.Partitions), int16(t.Replicas)
	for i := range t.Configs {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = t.Configs[i].Name, &t.Configs[i].Value
		wanted.Configs = append(wanted.Configs, config)
	}
	request := kmsg.NewPtrCreateTopicsRequest()
	request.TimeoutMillis = int32(createTimeout / time.Millisecond)
	request.Topics = append(request.Topics, wanted)
	asked, cancel := context.WithTimeout(ctx, createTimeout+answerTimeout)
	defer cancel()
	answer, err := request.RequestWith(asked, c.client)
	if err != nil {
		return classify(ctx, c.bus, err)
	}
	if len(answer.Topics) != 1 {
		return fmt.Errorf("the controller answers about %d topics and was asked for %s", len(answer.Topics), t.Name)
	}
	message := value(answer.Topics[0].ErrorMessage)
	var code *kerr.Error
	switch err := kerr.ErrorForCode(answer.Topics[0].ErrorCode); {
	case err == nil:
		return nil
	case errors.Is(err, kerr.TopicAlreadyExists):
		return ErrExists
	case errors.As(err, &code) && !code.Retriable && code != kerr.UnknownServerError:
		return &RefusedError{Topic: t.Name, Code: code.Message, Words: words(err, message)}
	default:
		return fmt.Errorf("creating topic %s: %s", t.Name, words(err, message))
	}
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
