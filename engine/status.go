package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Match says whether a live object is still the one the ledger recorded.
type Match string

// The answers.
const (
	Matches    Match = "matches"
	Differs    Match = "differs"    // someone changed it
	Gone       Match = "gone"       // recorded, and not there
	Unrecorded Match = "unrecorded" // there, and the ledger knows nothing of it
	Absent     Match = "absent"     // declared, neither there nor recorded
	Unreadable Match = "unreadable"
)

// Status is what the ledger and the server have, object by object. Its JSON form is a contract.
type Status struct {
	Version       int             `json:"version"`
	SchemaRelease string          `json:"schemas"` // of the tree
	EngineRelease string          `json:"engine"`  // of this program
	Server        string          `json:"server"`
	Platform      string          `json:"platform"`
	Objects       []*ObjectStatus `json:"objects"`
	// Bus is the deployment's Kafka, Topics what it has of the declared topics; they are among the objects too, where the
	// bus was asked.
	Bus    topics.Cluster  `json:"bus"`
	Topics []*topics.Topic `json:"topics"`
	// Overlay tells what of the deployment's own tree is left out; absent where nothing is.
	Overlay *plan.Overlay `json:"overlay,omitempty"`
}

// ObjectStatus is one object: what was last done about it by the ledger, and whether the server still has what was
// recorded.
type ObjectStatus struct {
	Scope string   `json:"scope"`
	Kind  ast.Kind `json:"kind"`
	Name  string   `json:"name"`
	// SchemaRelease, EngineRelease, Action, Outcome, Time and Pass are those of the newest row, or where that one only says
	// that the object was found as it was recorded, of the newest one that says what was sent for it.
	SchemaRelease string         `json:"schemas,omitempty"`
	EngineRelease string         `json:"engine,omitempty"`
	Action        string         `json:"action,omitempty"`
	Outcome       ledger.Outcome `json:"outcome,omitempty"`
	Time          *time.Time     `json:"time,omitempty"`
	Pass          string         `json:"pass,omitempty"`
	Live          Match          `json:"live"`
	// Reason is why Live is unread or unreadable.
	Reason   string `json:"reason,omitempty"`
	Declared bool   `json:"declared"`
	// TakenOut says that the config of a source, or that of the tenants, declared the object and does so no more.
	TakenOut     bool   `json:"taken_out,omitempty"`
	Checksum     string `json:"checksum,omitempty"`      // recorded
	LiveChecksum string `json:"live_checksum,omitempty"` // now
	Refused      uint32 `json:"refused,omitempty"`
	Error        string `json:"error,omitempty"`
}

// Status reads the ledger and the server and changes nothing.
func (e *Engine) Status(ctx context.Context) (*Status, error) {
	s, err := e.resolve()
	if err != nil {
		return nil, err
	}
	conn, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer e.disconnect(ctx, conn, "status read")
	l, err := openLedger(ctx, conn)
	if err != nil {
		return nil, err
	}
	records, err := l.Newest(ctx)
	if err != nil {
		return nil, err
	}
	done, err := l.Done(ctx)
	if err != nil {
		return nil, err
	}
	// What is recorded may live in a database that the tree does not declare any more.
	scope := s.reads(nil)
	for key := range records {
		scope.Access = scope.Access || key.Kind.IsAccess()
		scope.Collections = scope.Collections || key.Kind == ast.KindNamedCollection
		if database, _, qualified := strings.Cut(key.Name, "."); qualified && key.Kind.IsRelation() && !slices.Contains(scope.Databases, database) {
			scope.Databases = append(scope.Databases, database)
		}
	}
	live, err := catalog.Read(ctx, conn, scope)
	if err != nil {
		return nil, err
	}
	status := e.status(s, live, records)
	status.lastDone(done)
	// The reason why the bus could not be read is in the report.
	report, _ := e.topicStatus(ctx, s, records)
	status.topics(report, records)
	status.besideTopics(report, records)
	return status, nil
}

// topics adds the topics, behind the declared objects.
func (s *Status) topics(r *topics.Report, records map[ledger.Key]*ledger.Record) {
	s.Bus, s.Topics = r.Cluster, r.Topics
	if r.Cluster.Skipped != "" {
		return
	}
	var list []*ObjectStatus
	for _, t := range r.Topics {
		list = append(list, statusOfTopic(t, records[ledger.Key{Scope: ledger.Scope(t.Scope), Kind: ast.KindTopic, Name: t.Name}]))
	}
	at := len(s.Objects)
	for at > 0 && !s.Objects[at-1].Declared {
		at--
	}
	s.Objects = slices.Insert(s.Objects, at, list...)
}

// lastDone passes over the rows that only say that nothing was to be done. A statement that failed did nothing: that the
// object is as declared was found later.
func (s *Status) lastDone(done map[ledger.Key]*ledger.Record) {
	for _, o := range s.Objects {
		r := done[ledger.Key{Scope: ledger.Scope(o.Scope), Kind: o.Kind, Name: o.Name}]
		if r != nil && r.Outcome == ledger.Applied && o.Outcome == ledger.Unchanged {
			o.SchemaRelease, o.EngineRelease, o.Action, o.Outcome, o.Time, o.Pass = r.SchemaRelease, r.EngineRelease, r.Action, r.Outcome, &r.RecordedAt, r.Pass
		}
	}
}

func openLedger(ctx context.Context, conn *catalog.Conn) (*ledger.Ledger, error) {
	o, err := catalog.ReadObject(ctx, conn, ast.KindTable, ledger.Table())
	if err != nil {
		return nil, err
	}
	return ledger.Open(conn, o)
}

func readRecords(ctx context.Context, conn *catalog.Conn) (map[ledger.Key]*ledger.Record, error) {
	l, err := openLedger(ctx, conn)
	if err != nil {
		return nil, err
	}
	return l.Newest(ctx)
}

func (e *Engine) status(s *schema, live *catalog.Catalog, records map[ledger.Key]*ledger.Record) *Status {
	status := &Status{
		Version: 1, SchemaRelease: s.release, EngineRelease: e.options.Release,
		Server: live.Facts.Version, Platform: string(e.platform(live.Facts)), Objects: []*ObjectStatus{},
		Overlay: s.overlay.leftOut(),
	}
	declared := map[ledger.Key]bool{}
	for _, d := range s.objects {
		declared[d.key()] = true
		status.Objects = append(status.Objects, statusOf(d.key(), true, records[d.key()], liveOf(live, d)))
	}
	for _, d := range s.topics { // the bus is asked about them
		declared[d.key()] = true
	}
	var others []*ObjectStatus
	for key, r := range records {
		if declared[key] {
			continue
		}
		o := recordedIn(live, key, r)
		if r.Outcome == Undeclared && !r.Existed() && o == nil {
			continue // a config named it no more, and it was dropped: that is all there is to know
		}
		other := statusOf(key, false, r, o)
		other.TakenOut = r.Outcome == Undeclared
		if key.Kind == ast.KindGrant && o == nil && r.Existed() && len(r.Decisions.To) == 0 {
			other.Live, other.Reason = Unread, "an older engine recorded it, without whom it is for"
		}
		others = append(others, other)
	}
	slices.SortFunc(others, func(a, b *ObjectStatus) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	status.Objects = append(status.Objects, others...)
	return status
}

func statusOf(key ledger.Key, declared bool, r *ledger.Record, live *catalog.Object) *ObjectStatus {
	s := &ObjectStatus{Scope: string(key.Scope), Kind: key.Kind, Name: key.Name, Declared: declared, LiveChecksum: checksum(live)}
	if r != nil {
		s.SchemaRelease, s.EngineRelease, s.Action, s.Outcome = r.SchemaRelease, r.EngineRelease, r.Action, r.Outcome
		s.Time, s.Pass, s.Checksum, s.Refused, s.Error = &r.RecordedAt, r.Pass, r.LiveChecksum, r.Refused, r.Error
	}
	switch {
	case live == nil && r == nil:
		s.Live = Absent
	case live == nil && r.LiveChecksum == "":
		s.Live = Absent
	case live == nil:
		s.Live = Gone
	case r == nil:
		s.Live = Unrecorded
	case live.Tree == nil:
		s.Live = Unreadable
		if live.Unreadable != nil {
			s.Reason = live.Unreadable.Error()
		}
	case live.Kind == key.Kind && s.LiveChecksum == r.LiveChecksum:
		s.Live = Matches
	default:
		s.Live = Differs
	}
	return s
}

// AllMatch reports whether every declared object is there as it was recorded, with nothing refused.
func (s *Status) AllMatch() bool {
	for _, o := range s.Objects {
		if o.Declared && (o.Live != Matches || o.Refused > 0) {
			return false
		}
	}
	return true
}
