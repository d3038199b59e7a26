package ast

import "strconv"

// Topic is a Kafka topic.
type Topic struct {
	Name       string
	Partitions int
	// Replicas is the replication factor. AtMost makes it a ceiling: a cluster with fewer brokers gets as many replicas as
	// it has brokers.
	Replicas int
	AtMost   bool
	// Configs are sorted by name.
	Configs []TopicConfig
	// Landing is the topic that what arrives is written to first, DeadLetter one that takes what could not be processed:
	// without it such records are lost.
	Landing, DeadLetter bool
	// Read says that a cluster was asked. A cluster keeps partitions, replicas and configs, and knows nothing of the rest.
	Read   bool
	Origin Origin
}

// TopicConfig is one configuration of a topic, its value in the spelling a broker gives it.
type TopicConfig struct {
	Name, Value string
	// SetBy is what the value comes from, where a cluster was asked: [SetByTopic], or a default of the broker.
	SetBy string
}

// SetByTopic is the source of a configuration that the topic itself has. Every other is a default that changes with the
// broker.
const SetByTopic = "the topic"

// Kind returns [KindTopic].
func (t *Topic) Kind() Kind { return KindTopic }

// ID returns the topic's name, in no database. Its dots are part of it.
func (t *Topic) ID() Name { return Name{Name: t.Name} }

// Config returns the configuration of that name, or nil.
func (t *Topic) Config(name string) *TopicConfig {
	for i := range t.Configs {
		if t.Configs[i].Name == name {
			return &t.Configs[i]
		}
	}
	return nil
}

// Parts lists the size, the roles and the configurations.
func (t *Topic) Parts() []Part {
	parts := make([]Part, 0, 4+len(t.Configs))
	parts = appendNode(parts, "partitions", N(Number, strconv.Itoa(t.Partitions)))
	replicas := N(Number, strconv.Itoa(t.Replicas))
	if t.AtMost {
		replicas = N(Func, "at_most", replicas)
	}
	parts = appendNode(parts, "replication_factor", replicas)
	for _, role := range []struct {
		name string
		has  bool
	}{{"landing", t.Landing}, {"dead_letter", t.DeadLetter}} {
		if role.has {
			parts = appendNode(parts, role.name, N(Keyword, "true"))
		}
	}
	for _, c := range t.Configs {
		parts = append(parts, Part{Kind: "config", Name: c.Name, Attrs: []Attr{{Value: N(Keyword, c.Value)}}})
	}
	return parts
}
