package engine

import (
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

// State is what a pass has come to.
type State string

// The states of DESIGN.md section 6.
const (
	// Unknown is a pass that has not begun, or will not: the phase is switched off.
	Unknown   State = "unknown"
	Running   State = "running"
	Converged State = "converged"
	Failed    State = "failed"
	// Observed is a pass that could not have the lease: it applied nothing.
	Observed State = "observed"
)

// Settled reports a state that is no reason to run again or to be not ready: the pass converged, or the phase is switched
// off and gates nothing.
func (s State) Settled() bool { return s == Converged || s == Unknown }

// Report is what a pass did, object by object. Its JSON form is a contract: version is 1 and only gains fields.
type Report struct {
	Version int    `json:"version"`
	State   State  `json:"state"`
	Pass    string `json:"pass"`
	Scope   string `json:"scope"`
	// Step is what a running pass is at; empty once it has ended.
	Step string `json:"step,omitempty"`
	// SchemaRelease is the tree's, OverlayRelease the overlay's, EngineRelease this program's.
	SchemaRelease  string `json:"schemas"`
	OverlayRelease string `json:"overlay,omitempty"`
	EngineRelease  string `json:"engine"`
	Server         string `json:"server,omitempty"` // its version
	Platform       string `json:"platform,omitempty"`

	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Objects are the declared ones in manifest order, then what is live in their databases and nothing declares.
	Objects []*ObjectReport `json:"objects"`
	// Bus is the deployment's Kafka as it was found, Topics what became of the declared topics.
	Bus    topics.Cluster  `json:"bus"`
	Topics []*topics.Topic `json:"topics"`
	// OverlayFault is why the overlay was left out as a whole, OverlayRefused are the objects of it that were left out by
	// name; the core is not affected by either.
	OverlayFault   string                `json:"overlay_fault,omitempty"`
	OverlayRefused []plan.OverlayRefusal `json:"overlay_refused,omitempty"`
	Summary        Summary               `json:"summary"`
	// Error is why the pass failed, in one sentence; Code is that reason as one word for programs, where it has one.
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`
	// Notices tell of the deployment as a whole; they are no failures.
	Notices []Notice `json:"notices,omitempty"`
	// Epoch is that of the lease the pass held; 0 where it held none.
	Epoch uint64 `json:"epoch,omitempty"`
	// Holder is who had the lease that an observed pass could not have; ClaimMS is how long its own newest claim took
	// that was not kept, in milliseconds.
	Holder  *Holder `json:"holder,omitempty"`
	ClaimMS int64   `json:"claim_ms,omitempty"`
	// WaitedMS is how long a part waited for its turn and for the lease, in milliseconds.
	WaitedMS int64 `json:"waited_ms,omitempty"`
	// LeaseUnreleased says that the lease was left to lapse instead of being released.
	LeaseUnreleased bool `json:"lease_unreleased,omitempty"`
}

// Undeclared is the outcome of a live object that nothing declares. The ledger holds it of what the config of a source, or
// that of the tenants, declared and does so no more.
const Undeclared ledger.Outcome = "undeclared"

// Withheld is the outcome of an object for which a pass would have sent something and did not, because it sent nothing at
// all: its release is older than the ledger's, or one object of the part is refused. The action says what was not done.
// The ledger never holds it.
const Withheld ledger.Outcome = "withheld"

// Summary counts what a pass did.
type Summary struct {
	// Statements counts the schema statements sent to change something; Reasserted those that are sent every pass and
	// changed nothing that was known to differ.
	Statements int `json:"statements"`
	Reasserted int `json:"reasserted"`
	// Objects by outcome.
	Applied    int `json:"applied"`
	Unchanged  int `json:"unchanged"`
	Refused    int `json:"refused"`
	Failed     int `json:"failed"`
	Blocked    int `json:"blocked"`
	Unresolved int `json:"unresolved"`
	Unreadable int `json:"unreadable"`
	// Withheld counts objects that the pass would have changed, had it sent anything.
	Withheld int `json:"withheld"`
	// Reported counts objects with something to report, undeclared ones included.
	Reported int `json:"reported"`
}

// ObjectReport is what a pass did about one object.
type ObjectReport struct {
	Scope string   `json:"scope,omitempty"`
	Kind  ast.Kind `json:"kind"`
	Name  string   `json:"name"`
	// Action is the plan's word for the object: none, create, alter, replace, refused, report, ...
	Action  string         `json:"action"`
	Outcome ledger.Outcome `json:"outcome"`
	// Changes are those of the plan, with rule, reason and advice; refusals and reports are among them.
	Changes []*plan.Change `json:"changes,omitempty"`
	// Statements are those sent for the object; Reasserted are sent every pass and were no difference.
	Statements []string `json:"statements,omitempty"`
	Reasserted []string `json:"reasserted,omitempty"`
	// Checksum is the declared object's, LiveChecksum that of the object as last read.
	Checksum     string `json:"checksum,omitempty"`
	LiveChecksum string `json:"live_checksum,omitempty"`
	Adopted      bool   `json:"adopted,omitempty"`
	// Unread says that the live definition was not read: by its identity and the time of its last modification it is the
	// one that the ledger recorded as being what is declared.
	Unread bool `json:"unread,omitempty"`
	// Reads and Writes name the declared tables, views and dictionaries whose rows the object reads and writes.
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	// BlockedBy is the object whose failure kept this one from being tried.
	BlockedBy string `json:"blocked_by,omitempty"`
	Error     string `json:"error,omitempty"`
	ErrorCode int32  `json:"error_code,omitempty"`
	ElapsedMS int64  `json:"elapsed_ms,omitempty"`
}

// Refused counts the object's refused changes.
func (o *ObjectReport) Refused() int { return o.count("refused") }

// Reported counts the object's changes that are only reported, or reported as well.
func (o *ObjectReport) Reported() int { return o.count("report") }

func (o *ObjectReport) count(action string) int {
	n := 0
	for _, c := range o.Changes {
		if c.Action == action || action == "report" && c.Report {
			n++
		}
	}
	return n
}

// summarize counts the objects anew.
func (r *Report) summarize() {
	s := Summary{}
	for _, o := range r.Objects {
		s.Statements += len(o.Statements)
		s.Reasserted += len(o.Reasserted)
		if o.Reported() > 0 {
			s.Reported++
		}
		if o.Refused() > 0 {
			s.Refused++
		}
		switch o.Outcome {
		case ledger.Applied:
			s.Applied++
		case ledger.Unchanged:
			s.Unchanged++
		case ledger.Failed:
			s.Failed++
		case ledger.Blocked:
			s.Blocked++
		case ledger.Unresolved:
			s.Unresolved++
		case ledger.Unreadable:
			s.Unreadable++
		case Withheld:
			s.Withheld++
		}
	}
	r.Summary = s
}
