package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
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
}

// ObjectStatus is one object: the newest row of the ledger, and whether the server still has what was recorded.
type ObjectStatus struct {
	Scope string   `json:"scope"`
	Kind  ast.Kind `json:"kind"`
	Name  string   `json:"name"`
	// SchemaRelease and EngineRelease are those of the newest row.
	SchemaRelease string         `json:"schemas,omitempty"`
	EngineRelease string         `json:"engine,omitempty"`
	Action        string         `json:"action,omitempty"`
	Outcome       ledger.Outcome `json:"outcome,omitempty"`
	Time          *time.Time     `json:"time,omitempty"`
	Pass          string         `json:"pass,omitempty"`
	Live          Match          `json:"live"`
	Declared      bool           `json:"declared"`
	Checksum      string         `json:"checksum,omitempty"`      // recorded
	LiveChecksum  string         `json:"live_checksum,omitempty"` // now
	Refused       uint32         `json:"refused,omitempty"`
	Error         string         `json:"error,omitempty"`
}

// Status reads the ledger and the server and changes nothing.
func (e *Engine) Status(ctx context.Context) (*Status, error) {
	c, err := e.compare(ctx)
	if err != nil {
		return nil, err
	}
	s := &Status{
		Version: 1, SchemaRelease: c.schema.release, EngineRelease: e.options.Release,
		Server: c.live.Facts.Version, Platform: string(c.platform), Objects: []*ObjectStatus{},
	}
	declared := map[ledger.Key]bool{}
	for _, d := range c.schema.objects {
		declared[d.key()] = true
		s.Objects = append(s.Objects, statusOf(d.key(), true, c.records[d.key()], c.live.Find(d.Kind, d.Name)))
	}
	var others []*ObjectStatus
	for key, r := range c.records {
		if !declared[key] {
			others = append(others, statusOf(key, false, r, c.findRecorded(key)))
		}
	}
	slices.SortFunc(others, func(a, b *ObjectStatus) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	s.Objects = append(s.Objects, others...)
	return s, nil
}

// findRecorded finds the live object of a ledger's row that nothing declares any more.
func (c *comparison) findRecorded(key ledger.Key) *catalog.Object {
	switch key.Kind {
	case ast.KindDatabase:
		return c.live.Databases[key.Name]
	case ast.KindFunction:
		return c.live.Functions[key.Name]
	}
	for name, o := range c.live.Relations {
		if name.String() == key.Name {
			return o
		}
	}
	return nil
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
	case live.Kind == key.Kind && s.LiveChecksum == r.LiveChecksum:
		s.Live = Matches
	default:
		s.Live = Differs
	}
	return s
}
