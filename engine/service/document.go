package service

import (
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Document is what /api/v1/system/schema answers: the pass at hand, else the last one, object by object. Its JSON form
// is a contract: version is 1 and only gains fields.
type Document struct {
	Version int          `json:"version"`
	State   engine.State `json:"state"`
	// Ready is the schema's part of readiness: it follows the newest finished pass.
	Ready bool `json:"ready"`
	// Target is the server's URL without credentials.
	Target string `json:"target"`

	SchemaRelease  string `json:"schemas"`
	OverlayRelease string `json:"overlay,omitempty"`
	EngineRelease  string `json:"engine"`
	Server         string `json:"server,omitempty"`
	Platform       string `json:"platform,omitempty"`

	// Passes counts the passes begun since the process started; Pass is the id of this one.
	Passes int    `json:"passes"`
	Pass   string `json:"pass,omitempty"`
	// Step is what a running pass is at.
	Step     string     `json:"step,omitempty"`
	Started  *time.Time `json:"started,omitempty"`
	Finished *time.Time `json:"finished,omitempty"`
	// Duration is in seconds; of a running pass, so far.
	Duration float64 `json:"duration_seconds"`
	// Next is when the pass runs again; absent where none is due.
	Next *time.Time `json:"next_pass,omitempty"`
	// Last is the newest finished pass, while another one runs.
	Last *Ended `json:"last,omitempty"`

	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`

	Summary engine.Summary `json:"summary"`
	// Objects are the declared ones in manifest order, then what is live and nothing declares.
	Objects []*Object `json:"objects"`
	// Refused and Reported are the changes that a person should know of, in the order of their objects.
	Refused  []*Finding `json:"refused"`
	Reported []*Finding `json:"reported"`
	// OverlayRefusals is why the overlay, or a part of it, was left out.
	OverlayRefusals []OverlayRefusal `json:"overlay_refusals"`
	// Bus is the deployment's Kafka as it was found, Topics what became of the declared topics.
	Bus    topics.Cluster  `json:"bus"`
	Topics []*topics.Topic `json:"topics"`
}

// Ended is a finished pass in short.
type Ended struct {
	Pass     string       `json:"pass"`
	State    engine.State `json:"state"`
	Finished time.Time    `json:"finished"`
	Error    string       `json:"error,omitempty"`
	Code     string       `json:"code,omitempty"`
}

// Object is what a pass did about one object.
type Object struct {
	Scope string `json:"scope,omitempty"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	// Action is the plan's word for the object; empty while it is pending.
	Action  string         `json:"action"`
	Outcome ledger.Outcome `json:"outcome"`
	// Checksum is the declared object's, LiveChecksum that of the object as last read.
	Checksum     string `json:"checksum,omitempty"`
	LiveChecksum string `json:"live_checksum,omitempty"`
	Adopted      bool   `json:"adopted,omitempty"`
	// Changes are all that differed; what is refused or reported is told in full under those lists.
	Changes    []Change `json:"changes,omitempty"`
	Statements int      `json:"statements,omitempty"` // sent
	Reads      []string `json:"reads,omitempty"`
	Writes     []string `json:"writes,omitempty"`
	BlockedBy  string   `json:"blocked_by,omitempty"`
	Error      string   `json:"error,omitempty"`
	ErrorCode  int32    `json:"error_code,omitempty"` // ClickHouse's own
	ElapsedMS  int64    `json:"elapsed_ms,omitempty"`
}

// Change is one difference of an object.
type Change struct {
	Path   string `json:"path"`
	Op     string `json:"op"`
	Action string `json:"action"`
	Rule   string `json:"rule"`
}

// Finding is a change that was refused or is reported.
type Finding struct {
	Kind   string `json:"kind"`
	Object string `json:"object"`
	Path   string `json:"path"`
	Op     string `json:"op"`
	Action string `json:"action"`
	Rule   string `json:"rule"`
	Reason string `json:"reason,omitempty"`
	Advice string `json:"advice,omitempty"`
	// Live and Desired are the two values as text; absent where that side has none.
	Live    string `json:"live,omitempty"`
	Desired string `json:"desired,omitempty"`
	// Statement is what an operator could run; it was not sent.
	Statement string `json:"statement,omitempty"`
}

// OverlayRefusal is why the overlay, or a part of it, was left out.
type OverlayRefusal struct {
	Object string `json:"object,omitempty"`
	Reason string `json:"reason"`
}

// Document returns the state of things. It is complete during a pass too: what the pass has not come to is pending.
func (s *Service) Document() *Document {
	s.mu.Lock()
	d := &Document{
		Version: 1, State: engine.Unknown, Ready: s.o.Off || s.last != nil && s.last.State.Settled(), Target: s.o.Engine.Target(),
		EngineRelease: s.o.Release,
		Passes:        s.begun, Objects: []*Object{}, Refused: []*Finding{}, Reported: []*Finding{}, OverlayRefusals: []OverlayRefusal{}, Topics: []*topics.Topic{},
	}
	last, running, started, next := s.last, s.running, s.started, s.next
	s.mu.Unlock()

	r := &engine.Report{State: engine.Unknown}
	switch {
	case running:
		r.State, r.Step, r.Started = engine.Running, "starting", started
		if now, ok := s.o.Engine.Running(); ok {
			r = &now
		}
		if last != nil {
			d.Last = &Ended{Pass: last.Pass, State: last.State, Finished: last.Finished, Error: last.Error, Code: last.Code}
		}
	case last != nil:
		r = last
	case !s.o.Off:
		r.State, r.Step = engine.Running, "starting"
	}
	var declared engine.Report
	if partial := r.SchemaRelease == "" || r.State != engine.Running && r.State != engine.Converged; partial {
		declared = s.declared(d.Passes)
		d.SchemaRelease, d.OverlayRelease = declared.SchemaRelease, declared.OverlayRelease
	}
	d.fill(r, declared.Objects)
	if len(d.OverlayRefusals) == 0 {
		d.overlay(&declared)
	}
	if d.Bus, d.Topics = r.Bus, r.Topics; len(d.Topics) == 0 {
		d.Topics = declared.Topics // the pass did not come to them
	}
	if d.Topics == nil {
		d.Topics = []*topics.Topic{}
	}
	if !next.IsZero() {
		d.Next = &next
	}
	return d
}

// overlay tells what of the overlay was left out.
func (d *Document) overlay(r *engine.Report) {
	if r.OverlayFault != "" {
		d.OverlayRefusals = append(d.OverlayRefusals, OverlayRefusal{Reason: r.OverlayFault})
	}
	for _, refused := range r.OverlayRefused {
		d.OverlayRefusals = append(d.OverlayRefusals, OverlayRefusal{Object: refused.Object, Reason: refused.Text()})
	}
}

// fill tells a report. Declared objects that it does not hold are pending: the pass did not come to them.
func (d *Document) fill(r *engine.Report, declared []*engine.ObjectReport) {
	d.State, d.Pass, d.Step, d.Error, d.Code, d.Summary = r.State, r.Pass, r.Step, r.Error, r.Code, r.Summary
	d.Server, d.Platform = r.Server, r.Platform
	if r.SchemaRelease != "" {
		d.SchemaRelease, d.OverlayRelease = r.SchemaRelease, r.OverlayRelease
	}
	if !r.Started.IsZero() {
		d.Started = &r.Started
		d.Duration = time.Since(r.Started).Seconds()
	}
	if !r.Finished.IsZero() {
		d.Finished = &r.Finished
		d.Duration = r.Finished.Sub(r.Started).Seconds()
	}
	d.overlay(r)
	reported := map[string]bool{}
	for _, o := range r.Objects {
		reported[string(o.Kind)+" "+o.Name] = true
		d.object(o)
	}
	for _, o := range declared {
		if !reported[string(o.Kind)+" "+o.Name] {
			d.object(o)
		}
	}
}

func (d *Document) object(o *engine.ObjectReport) {
	object := &Object{
		Scope: o.Scope, Kind: string(o.Kind), Name: o.Name, Action: o.Action, Outcome: o.Outcome, Checksum: o.Checksum,
		LiveChecksum: o.LiveChecksum, Adopted: o.Adopted, Statements: len(o.Statements), Reads: o.Reads, Writes: o.Writes,
		BlockedBy: o.BlockedBy, Error: o.Error, ErrorCode: o.ErrorCode, ElapsedMS: o.ElapsedMS,
	}
	for _, c := range o.Changes {
		object.Changes = append(object.Changes, Change{Path: c.Path, Op: c.Op, Action: c.Action, Rule: c.Rule})
	}
	refused, reported := findings(string(o.Kind), o.Name, o.Changes)
	d.Refused, d.Reported = append(d.Refused, refused...), append(d.Reported, reported...)
	d.Objects = append(d.Objects, object)
}

// findings are the changes of an object that a person should know of.
func findings(kind, name string, changes []*plan.Change) (refused, reported []*Finding) {
	for _, c := range changes {
		found := &Finding{
			Kind: kind, Object: name, Path: c.Path, Op: c.Op, Action: c.Action, Rule: c.Rule,
			Reason: c.Reason, Advice: c.Advice, Live: c.Live, Desired: c.Desired, Statement: c.Statement,
		}
		switch {
		case c.Action == string(rules.Refused):
			refused = append(refused, found)
		case c.Report, c.Action == string(rules.Report), c.CannotTell:
			reported = append(reported, found)
		}
	}
	return refused, reported
}

// Releases is what /api/v1/system/version answers.
type Releases struct {
	Version int `json:"version"`
	// Engine is this program's release, Schemas that of the schema tree, Overlay that of the deployment's own tree.
	Engine  string `json:"engine"`
	Schemas string `json:"schemas"`
	Overlay string `json:"overlay,omitempty"`
}

// Releases returns the releases at work.
func (s *Service) Releases() Releases {
	d := s.Document()
	return Releases{Version: 1, Engine: d.EngineRelease, Schemas: d.SchemaRelease, Overlay: d.OverlayRelease}
}
