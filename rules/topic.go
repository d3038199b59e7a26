package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/kafka"
)

// Bus is what topics depend on besides their definitions: how many brokers are there, and what the deployment demands
// of every topic. The zero value changes no definition.
type Bus struct {
	// Brokers is how many are live; 0 where they were not asked.
	Brokers int
	// TieredStorage sets remote.storage.enable on the landing topic. Off leaves the key unset: a broker without tiered
	// storage does not take "false" for an answer either way.
	TieredStorage bool
	// MaxMessageBytes is max.message.bytes of every topic; 0: the definition's.
	MaxMessageBytes int
}

const (
	remoteStorage   = "remote.storage.enable"
	maxMessageBytes = "max.message.bytes"
)

// RenderTopic gives a topic the form of a deployment: as many replicas as its brokers allow where the definition states
// a ceiling, and what the deployment demands of every topic. It returns a copy that shares what it did not change. The
// landing and load topics of sources are rendered by it too.
func RenderTopic(t *ast.Topic, bus Bus) *ast.Topic {
	rendered := *t
	if t.AtMost && bus.Brokers > 0 {
		rendered.AtMost, rendered.Replicas = false, min(t.Replicas, bus.Brokers)
	}
	if bus.TieredStorage && t.Landing {
		rendered.Configs = withConfig(rendered.Configs, remoteStorage, "true")
	}
	if bus.MaxMessageBytes > 0 {
		rendered.Configs = withConfig(rendered.Configs, maxMessageBytes, strconv.Itoa(bus.MaxMessageBytes))
	}
	return &rendered
}

// topicText is what a topic is created with, on one line: a topic has no statement to show.
func topicText(t *ast.Topic) string {
	count := func(n int, noun string) string {
		if n != 1 {
			noun += "s"
		}
		return strconv.Itoa(n) + " " + noun
	}
	text := count(t.Partitions, "partition") + ", "
	if t.AtMost {
		text += "at most "
	}
	text += count(t.Replicas, "replica")
	for _, c := range t.Configs {
		text += ", " + c.Name + " = " + c.Value
	}
	return text
}

func withConfig(configs []ast.TopicConfig, name, value string) []ast.TopicConfig {
	i, found := slices.BinarySearchFunc(configs, name, func(c ast.TopicConfig, name string) int { return cmp.Compare(c.Name, name) })
	if found {
		configs = slices.Clone(configs)
		configs[i].Value = value
		return configs
	}
	return slices.Insert(slices.Clone(configs), i, ast.TopicConfig{Name: name, Value: value})
}

// TopicBrokers is how many brokers a topic is compared on where that many are live. One with more replicas was made when
// there were more, and some of them are down: that is no difference.
func TopicBrokers(live *ast.Topic, brokers int) int {
	if brokers > 0 && live != nil {
		return max(brokers, live.Replicas)
	}
	return brokers
}

func busOf(live *ast.Topic, bus Bus) Bus {
	bus.Brokers = TopicBrokers(live, bus.Brokers)
	return bus
}

// levelTopic takes out of a topic read from a cluster what the definition leaves to the broker, gives it what no cluster
// keeps, and puts the values of its configurations into the words of a definition.
func levelTopic(live, desired *ast.Topic) *ast.Topic {
	if !live.Read {
		return live
	}
	levelled := *live
	levelled.Landing, levelled.DeadLetter = desired.Landing, desired.DeadLetter
	levelled.Configs = slices.DeleteFunc(slices.Clone(live.Configs), func(c ast.TopicConfig) bool {
		return c.SetBy != ast.SetByTopic && desired.Config(c.Name) == nil
	})
	for i := range levelled.Configs {
		c := &levelled.Configs[i]
		if known, found := kafka.LookupConfig(c.Name); found {
			if value, good := known.Canonical(c.Value); good {
				c.Value = value
			}
		}
	}
	return &levelled
}

// setBy is what the live value of a topic's configuration comes from.
func (s *situation) setBy() string {
	if t, ok := s.live.(*ast.Topic); ok {
		if c := t.Config(s.change.Path.Name); c != nil && c.SetBy != "" {
			return c.SetBy
		}
	}
	return ast.SetByTopic
}

// ceiling returns the declared ceiling of a topic's replicas, 0 where the definition states none.
func (s *situation) ceiling() int {
	if t, ok := s.pair.Desired.(*ast.Topic); ok && t.AtMost {
		return t.Replicas
	}
	return 0
}

// fewBrokers reports whether the live brokers are fewer than the replicas a topic may have.
func (s *situation) fewBrokers() bool {
	return s.options.Bus.Brokers > 0 && s.options.Bus.Brokers < s.ceiling()
}

// replicas says how the replication factor was decided.
func (s *situation) replicas() string {
	t, ok := s.pair.Desired.(*ast.Topic)
	if !ok {
		return ""
	}
	live, _ := s.live.(*ast.Topic)
	return Replication(t, live, s.options.Bus.Brokers)
}

// Replication says in words how the replication factor of a declared topic is decided on a bus with that many live
// brokers (0: they were not asked), of which live is what is there; nil for nothing.
func Replication(t, live *ast.Topic, brokers int) string {
	count := fmt.Sprintf("%d brokers are live", brokers)
	if brokers == 1 {
		count = "1 broker is live"
	}
	switch {
	case brokers == 0 && t.AtMost:
		return fmt.Sprintf("the definition states at most %d", t.Replicas)
	case brokers == 0:
		return fmt.Sprintf("the definition states %d", t.Replicas)
	case !t.AtMost:
		return fmt.Sprintf("the definition states %d, and %s", t.Replicas, count)
	case live != nil && live.Read && live.Replicas > brokers:
		return fmt.Sprintf("the definition states at most %d, and %s: fewer than when the topic was made", t.Replicas, count)
	}
	return fmt.Sprintf("the definition states at most %d, and %s: %d", t.Replicas, count, min(t.Replicas, brokers))
}
