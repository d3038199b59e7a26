package topics

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Report is what became of the declared topics. Its JSON form is a contract: version is 1 and only gains fields.
type Report struct {
	Version int      `json:"version"`
	Cluster Cluster  `json:"bus"`
	Topics  []*Topic `json:"topics"`
	// Former are topics that the ledger records and nothing declares any more; none where the ledger was not read.
	// LedgerError is why it could not be.
	Former      []*Former `json:"former,omitempty"`
	LedgerError string    `json:"ledger_error,omitempty"`
	// Beside is what was found under the names that the run was asked about besides; nil where the bus was not read.
	Beside map[string]Read `json:"-"`
}

// Cluster is the bus as it was found.
type Cluster struct {
	// Brokers are live; 0 where they were not asked.
	Brokers int `json:"brokers"`
	// Skipped is why the bus was not asked at all: none is configured, the phase is switched off, nothing is declared.
	Skipped string `json:"skipped,omitempty"`
	// Error is why it could not be used; Code is that as one word for programs.
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`
}

// Outcomes of a topic besides the ledger's: what is not known because the bus was not asked, and what a plan or a status
// finds absent.
const (
	Unread ledger.Outcome = "unread"
	Absent ledger.Outcome = "absent"
)

// Topic is what became of one declared topic.
type Topic struct {
	Scope string `json:"scope"`
	Name  string `json:"name"`
	// Action is the plan's word for it: none, create, report, unreadable.
	Action string `json:"action"`
	// Outcome is applied for one that was created, unchanged, refused, failed, blocked, unread or absent.
	Outcome    ledger.Outcome `json:"outcome"`
	Landing    bool           `json:"landing,omitempty"`
	DeadLetter bool           `json:"dead_letter,omitempty"`
	// Declared is what is asked for on this bus, Live what is there; of the broker's defaults it has those that the
	// definition has a word on.
	Declared *State `json:"declared"`
	Live     *State `json:"live,omitempty"`
	// Replication says how the declared replication factor was decided, whether anything differs or not. Ceiling is the
	// most the definition allows; 0 where it states a number to be taken as it stands.
	Replication string `json:"replication,omitempty"`
	Ceiling     int    `json:"replication_ceiling,omitempty"`
	// Changes are the differences, with rule, reason and advice; in a report of a pass that created it, the creation too.
	Changes []*plan.Change `json:"changes,omitempty"`
	Adopted bool           `json:"adopted,omitempty"`
	// Checksum is the declared topic's, the same on every bus; LiveChecksum that of the topic as last read.
	Checksum     string `json:"checksum,omitempty"`
	LiveChecksum string `json:"live_checksum,omitempty"`
	// Error is why it was not created or read, in the broker's own words where it gave any; ErrorCode is Kafka's name for
	// that.
	Error     string `json:"error,omitempty"`
	ErrorCode string `json:"error_code,omitempty"`
	ElapsedMS int64  `json:"elapsed_ms,omitempty"`

	Release string `json:"-"` // of the tree that declares it
}

// State is a topic's size and configuration.
type State struct {
	Partitions int `json:"partitions"`
	// ReplicationFactor is the number of replicas; AtMost says that it is a ceiling, because no broker was asked.
	ReplicationFactor int      `json:"replication_factor"`
	AtMost            bool     `json:"at_most,omitempty"`
	Configs           []Config `json:"configs"`
}

// Config is one configuration.
type Config struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// SetBy is what a live value comes from: the topic, or a default of the broker.
	SetBy string `json:"set_by,omitempty"`
}

func stateOf(t *ast.Topic) *State {
	if t == nil {
		return nil
	}
	s := &State{Partitions: t.Partitions, ReplicationFactor: t.Replicas, AtMost: t.AtMost, Configs: []Config{}}
	for _, c := range t.Configs {
		s.Configs = append(s.Configs, Config{c.Name, c.Value, c.SetBy})
	}
	return s
}

// Reported counts the topic's differences and notices.
func (t *Topic) Reported() int {
	n := 0
	for _, c := range t.Changes {
		if c.Action == plan.ObjectReport || c.Report || c.CannotTell {
			n++
		}
	}
	return n
}

// FewReplicas reports a topic that is there with fewer replicas than its definition allows.
func (t *Topic) FewReplicas() bool { return t.Live != nil && t.Live.ReplicationFactor < t.Ceiling }

// Differs reports a topic that is not there as it is declared.
func (t *Topic) Differs() bool { return t.Outcome != ledger.Unchanged || t.Reported() > 0 }

// Refused counts the topics whose creation was refused.
func (r *Report) Refused() int { return r.count(ledger.Refused) }

func (r *Report) count(outcome ledger.Outcome) int {
	n := 0
	for _, t := range r.Topics {
		if t.Outcome == outcome {
			n++
		}
	}
	return n
}
