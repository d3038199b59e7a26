package service

import (
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules"
)

// topicOutcomes are all that can become of a topic in a pass.
var topicOutcomes = [...]ledger.Outcome{ledger.Applied, ledger.Unchanged, ledger.Refused, ledger.Failed, ledger.Blocked, topics.Unread, engine.Pending}

// differences counts what a topic that is there has otherwise than it is declared.
func differences(t *topics.Topic) int {
	n := 0
	for _, c := range t.Changes {
		if c.Action == string(rules.Report) {
			n++
		}
	}
	return n
}

func topicClass(t *topics.Topic) string {
	switch t.Outcome {
	case ledger.Applied:
		return "good"
	case ledger.Refused:
		return "warn"
	case ledger.Failed, ledger.Blocked:
		return "bad"
	case engine.Pending, topics.Unread:
		return "wait"
	}
	if t.Reported() > 0 || t.FewReplicas() {
		return "note"
	}
	return "calm"
}

// topicTold says in a few words what became of a topic.
func topicTold(t *topics.Topic) string {
	switch n := differences(t); {
	case t.Outcome == ledger.Applied:
		return "created"
	case t.Outcome == ledger.Unchanged && n > 0:
		return plural(n, "difference")
	}
	return string(t.Outcome)
}

// topicSize is what the topic has, or of one that is not there, what is declared.
func topicSize(t *topics.Topic) string {
	s := t.Live
	if s == nil {
		s = t.Declared
	}
	if s == nil {
		return ""
	}
	most := ""
	switch {
	case s.AtMost:
		most = "at most "
	case s.ReplicationFactor < t.Ceiling:
		return fmt.Sprintf("%s, %d of at most %s", plural(s.Partitions, "partition"), s.ReplicationFactor, plural(t.Ceiling, "replica"))
	}
	return plural(s.Partitions, "partition") + ", " + most + plural(s.ReplicationFactor, "replica")
}

// onlyTopics reports a pass that failed by its topics alone.
func onlyTopics(d *Document) bool {
	lacking := func(t *topics.Topic) bool { return topicClass(t) == "bad" || topicClass(t) == "warn" }
	whole := func(o *Object) bool { return classOf(o) != "bad" && o.Outcome != engine.Pending }
	return slices.ContainsFunc(d.Topics, lacking) && len(d.Objects) > 0 && !slices.ContainsFunc(d.Objects, func(o *Object) bool { return !whole(o) })
}

// busTold says how the bus was found.
func busTold(d *Document) string {
	switch {
	case d.Bus.Error != "":
		return "The bus could not be used: " + d.Bus.Error
	case d.Bus.Skipped != "":
		return "Skipped: " + d.Bus.Skipped + "."
	case d.Bus.Brokers > 0:
		return "A pass creates what is missing and alters nothing. " + plural(d.Bus.Brokers, "broker") + " live."
	}
	return "A pass creates what is missing and alters nothing."
}
