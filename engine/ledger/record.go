package ledger

import (
	"time"

	"github.com/dfe-engine/dfe/ast"
)

// Table is where the ledger is.
func Table() ast.Name { return ast.Name{Database: "dfe", Name: "schema_migrations"} }

// Scope is which part of a deployment declares an object.
type Scope string

// The scopes of a pass: what the core manifest declares and what the overlay does.
const (
	ScopeSchema  Scope = "schema"
	ScopeOverlay Scope = "overlay"
)

// The scopes of the parts of a deployment that come besides: a data source's objects, and the tenants'.
const (
	ScopeSource Scope = "source"
	ScopeTenant Scope = "tenant"
)

// Outcome is what came of an object in a pass.
type Outcome string

// The outcomes.
const (
	Applied    Outcome = "applied"
	Unchanged  Outcome = "unchanged"
	Refused    Outcome = "refused"
	Failed     Outcome = "failed"
	Blocked    Outcome = "blocked"
	Unresolved Outcome = "unresolved"
	// Unreadable is a live object whose definition cannot be read: nothing was decided about it.
	Unreadable Outcome = "unreadable"
)

// Key names an object of the ledger.
type Key struct {
	Scope Scope
	Kind  ast.Kind
	Name  string // as [ast.Name.String] gives it
}

// Record is one row: one object in one pass.
type Record struct {
	Key
	// RecordedAt is the server's clock when the row was written; zero until then.
	RecordedAt                             time.Time
	Pass                                   string
	Sequence                               uint32 // within the pass
	Epoch                                  uint64 // of the lease; 0 without one
	SchemaRelease, EngineRelease, Platform string
	// Action is the decision that weighs most: what was carried out, else refused, report or none.
	Action  string
	Outcome Outcome
	// Checksum is the declared object's, LiveChecksum that of the object as read back; empty where there is none.
	Checksum, LiveChecksum string
	// Statement holds the statements sent, joined by semicolons and newlines; secrets stand as their references.
	Statement       string
	QueryIDs, Rules []string
	Decisions       Decisions
	// Refused and Reported count changes.
	Refused, Reported uint32
	// ValueHashes holds a keyed HMAC of each hidden value by its path.
	ValueHashes map[string]string
	// Member, UUID, Modified and ReadAt say which object was read back, where and when, by that member's clock.
	Member, UUID     string
	Modified, ReadAt time.Time
	Elapsed          time.Duration // of the statements
	ErrorCode        int32
	Error            string
}

// Decisions is the document in a row that keeps why.
type Decisions struct {
	Version int        `json:"version"`
	Changes []Decision `json:"changes,omitempty"`
	// Columns are those of the definition applied, to notice one that someone dropped.
	Columns []string `json:"columns,omitempty"`
	// To are the users and roles of a grant, by whom the server finds it.
	To []string `json:"to,omitempty"`
}

// Decision is what was decided about one change.
type Decision struct {
	Path   string `json:"path"`
	Op     string `json:"op"`
	Action string `json:"action"`
	Rule   string `json:"rule"`
	Reason string `json:"reason,omitempty"`
}

// Existed reports whether the object was there when the row was written. One whose creation failed or was blocked was not.
func (r *Record) Existed() bool { return r.LiveChecksum != "" || r.UUID != "" }
