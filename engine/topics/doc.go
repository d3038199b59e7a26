// Package topics creates the topics that a schema declares, and says what differs of those that are there.
//
//	run := topics.Runner{Bus: bus, Book: book, Wait: 3 * time.Minute}
//	report, err := run.Apply(ctx, declared)
//
// It is create-only: a topic that is there is read, compared field by field under the rule table of kind topic, and
// never altered or deleted. A create that a broker refuses is told in the broker's own words, and the rest is created.
// Nothing here talks to ClickHouse, and no failure here undoes what was done there.
//
// The topics of a source are declared by stdlib/sources and go through the same run as those of the release: each is a
// [Declared] with the source's scope, and [Runner.Apply] gives every topic what the deployment demands of it
// (DFE_ENGINE_KAFKA_TIERED_STORAGE of a landing topic, DFE_ENGINE_KAFKA_TOPIC_MAX_MESSAGE_BYTES of any) and as many
// replicas as there are brokers, where it states a ceiling. [Runner.Done] is where each becomes a row of the ledger.
package topics
