// Package topics creates the topics that a schema declares, and says what differs of those that are there.
//
//	run := topics.Runner{Bus: bus, Book: book, Wait: 3 * time.Minute}
//	report, err := run.Apply(ctx, declared)
//
// It is create-only: a topic that is there is read, compared field by field under the rule table of kind topic, and
// never altered or deleted. A create that a broker refuses is told in the broker's own words, and the rest is created.
// Nothing here talks to ClickHouse, and no failure here undoes what was done there.
//
// The topics of a source go through the same run as those of the release: a [Declared] with the source's scope, its _land
// topic with Landing set, so that [Runner.Apply] gives it what the deployment demands of every topic
// (DFE_ENGINE_KAFKA_TIERED_STORAGE, DFE_ENGINE_KAFKA_TOPIC_MAX_MESSAGE_BYTES) and as many replicas as there are brokers:
//
//	declared := []topics.Declared{
//		{Scope: "source", Release: release, Topic: &ast.Topic{Name: id + "_land", Partitions: 12, Replicas: 3, AtMost: true, Landing: true}},
//		{Scope: "source", Release: release, Topic: &ast.Topic{Name: id + "_load", Partitions: 12, Replicas: 3, AtMost: true}},
//	}
//
// [Runner.Done] is where each becomes a row of the ledger.
package topics
