// Package topics creates the topics that a schema declares, and says what differs of those that are there.
//
//	run := topics.Runner{Bus: bus, Book: book, Wait: 3 * time.Minute}
//	report, err := run.Apply(ctx, declared)
//
// It is create-only: a topic that is there is read, compared field by field under the rule table of kind topic, and
// never altered or deleted. A create that a broker refuses is told in the broker's own words, and the rest is created.
// Nothing here talks to ClickHouse, and no failure here undoes what was done there.
package topics
