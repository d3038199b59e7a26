package plan

// Version is the version of the document's JSON form.
const Version = 1

// Document is a plan.
type Document struct {
	Version    int          `json:"version"`
	Platform   string       `json:"platform"`
	Objects    []*Object    `json:"objects"`
	Statements []*Statement `json:"statements"`
	Summary    Summary      `json:"summary"`
	// Bus is the deployment's Kafka as the topics among the objects were decided on it; nil where no topic is declared.
	Bus *Bus `json:"bus,omitempty"`
	// Overlay tells what of a deployment's own tree is left out; absent where all of it is in the plan.
	Overlay *Overlay `json:"overlay,omitempty"`
	// Regressed is there where the ledger has a newer release: an apply sends none of the statements.
	Regressed *Regressed `json:"regressed,omitempty"`
	// Rehearsal is there where the plan was played on an engine.
	Rehearsal *Rehearsed `json:"rehearsal,omitempty"`
	// Digest is SHA-256 over the document without it, in the form [WriteJSON] gives it. It is set by the writer and checked
	// by the reader: what is applied is what was reviewed, to the letter.
	Digest string `json:"digest,omitempty"`
}

// Regressed are the release that is planned and the newer one that the ledger has.
type Regressed struct {
	Release string `json:"release"`
	Ledger  string `json:"ledger"`
}

// Bus is the deployment's Kafka as a plan found it.
type Bus struct {
	// Brokers are live; 0 where they were not asked.
	Brokers int `json:"brokers"`
	// Skipped is why the bus was not asked, Error why it could not be read, and Code that as one word for programs: the
	// topics are then not among the objects.
	Skipped string `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"`
	Code    string `json:"code,omitempty"`
}

// What is done about an object as a whole: the gravest of what is done about its changes. Summary counts each object
// once, under its action.
const (
	ObjectNone       = "none"
	ObjectCreate     = "create"
	ObjectAlter      = "alter"
	ObjectReplace    = "replace"
	ObjectRefused    = "refused"
	ObjectReport     = "report"
	ObjectCannotTell = "cannot_tell"
	ObjectUnreadable = "unreadable"
)

// Object is what is decided about one object.
type Object struct {
	Kind    string    `json:"kind"`
	Name    string    `json:"name"`
	Action  string    `json:"action"`
	Changes []*Change `json:"changes"`
	// Adopted says that the live object is not in the ledger: someone made it, or a pass that ended before it recorded it.
	Adopted    bool        `json:"adopted,omitempty"`
	Unreadable *Unreadable `json:"unreadable,omitempty"`
	// Checksum is that of the declared object, the same on every platform.
	Checksum string `json:"checksum,omitempty"`
	// File and Line say where the object is declared.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Change is one difference and what is decided about it.
type Change struct {
	Path   string `json:"path"`
	Op     string `json:"op"` // "add", "remove" or "change"
	Action string `json:"action"`
	// Report says that the change is carried out and is reported too.
	Report bool   `json:"report,omitempty"`
	Rule   string `json:"rule"`
	Reason string `json:"reason,omitempty"`
	Advice string `json:"advice,omitempty"`
	// Live and Desired are the two values as text; absent where that side has none.
	Live    string `json:"live,omitempty"`
	Desired string `json:"desired,omitempty"`
	// SetBy is what the live value of a topic's configuration comes from: the topic, or a default of the broker.
	SetBy string `json:"set_by,omitempty"`
	// Statement is what carries the change out, or, where it is refused or only reported, what an operator could run:
	// several statements are separated by ";\n". Empty where ClickHouse has none.
	Statement string `json:"statement,omitempty"`
	// Counts is a query for the number of rows that carrying out the change costs: those whose value does not fit another
	// type, or that are past a new TTL. Rows is its answer at the time of the plan; absent where it was not asked.
	Counts string  `json:"counts,omitempty"`
	Rows   *uint64 `json:"rows,omitempty"`
	// CannotTell says that the two sides cannot be compared here; Reason says why.
	CannotTell bool `json:"cannot_tell,omitempty"`
	// Rehearsal is what the engine answers to a statement that is no part of the plan: it was asked once the plan had
	// been played.
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
}

// Unreadable is why one side of an object cannot be compared.
type Unreadable struct {
	Side    string `json:"side"` // "live" or "desired"
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
}

// Statement is one statement to send, and what must still hold when it is sent.
type Statement struct {
	Kind   string `json:"kind"`
	Object string `json:"object"`
	Action string `json:"action"` // that of the first change it carries
	SQL    string `json:"sql"`
	// Paths are the changes it carries out; the empty path is the object itself.
	Paths []string `json:"paths"`
	// Conditional says that the server itself does nothing where the statement is already true (IF NOT EXISTS).
	Conditional bool `json:"conditional,omitempty"`
	// Expect is what was seen of the object when this was decided.
	Expect Expect `json:"expect"`
	// Reassert says that the statement changes nothing that is known to differ: it is sent every pass, and counted apart.
	Reassert bool `json:"reassert,omitempty"`
	// Unchecked says that what the statement comes to cannot be read back (GRANT CURRENT GRANTS): it is sent every pass and not
	// drift-checked.
	Unchecked bool `json:"not_drift_checked,omitempty"`
	// Secrets are the values that take the place of their references in SQL when the statement is sent, and never before.
	Secrets []Secret `json:"secrets,omitempty"`
	// Proof is asked on every member immediately before the statement is sent; it must find no row.
	Proof *Proof `json:"proof,omitempty"`
	// Rehearsal is what the engine answered, where the plan was rehearsed.
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
}

// Secret is where a value comes from that no document holds.
type Secret struct {
	// Reference is the text in the statement that the value, as a literal, takes the place of.
	Reference string `json:"reference"`
	// Source is "env" or "file", and Name the variable or the path; or it is [FromDefinition], and Name the key of a named
	// collection whose value stands in the definition.
	Source string `json:"source"`
	Name   string `json:"name"`
}

// FromDefinition is the source of a value that the definition itself holds. A server hides the values of a named
// collection from those who may see it, and so does a plan.
const FromDefinition = "definition"

// Expect is the state a statement was decided on.
type Expect struct {
	Exists bool `json:"exists"`
	// Kind, Engine and UUID of the live object, and the checksum of its canonical form.
	Kind     string `json:"kind,omitempty"`
	Engine   string `json:"engine,omitempty"`
	UUID     string `json:"uuid,omitempty"`
	Checksum string `json:"checksum,omitempty"`
}

// Proof is a query that counts what a type change would lose: the rows that would lose their value.
type Proof struct {
	Path  string `json:"path"`
	Query string `json:"query"`
	// Show is a query that lists such values. Nothing but a person runs it: what rows hold is theirs to see who may read
	// the table, and stands in no document, ledger or log.
	Show string `json:"show"`
	// Note says what the proof does not cover.
	Note string `json:"note"`
	// Accepted says that the operator accepts the loss of values. The query then counts only the rows that the statement's own
	// cast fails on, which would leave the column unreadable.
	Accepted bool `json:"accepted,omitempty"`
}

// Summary counts objects by their action.
type Summary struct {
	None       int `json:"none"`
	Create     int `json:"create"`
	Alter      int `json:"alter"`
	Replace    int `json:"replace"`
	Refused    int `json:"refused"`
	Report     int `json:"report"`
	CannotTell int `json:"cannot_tell"`
	Unreadable int `json:"unreadable"`
	// Reasserted counts the statements that are sent every pass. They are no difference.
	Reasserted int `json:"reasserted,omitempty"`
	// Unchecked counts the statements whose effect cannot be read back.
	Unchecked int `json:"not_drift_checked,omitempty"`
}

// Count counts the objects anew.
func (d *Document) Count() {
	d.Summary = Summary{}
	for _, o := range d.Objects {
		*d.Summary.of(o.Action)++
	}
	for _, s := range d.Statements {
		if s.Reassert {
			d.Summary.Reasserted++
		}
		if s.Unchecked {
			d.Summary.Unchecked++
		}
	}
}

func (s *Summary) of(action string) *int {
	switch action {
	case ObjectCreate:
		return &s.Create
	case ObjectAlter:
		return &s.Alter
	case ObjectReplace:
		return &s.Replace
	case ObjectRefused:
		return &s.Refused
	case ObjectReport:
		return &s.Report
	case ObjectCannotTell:
		return &s.CannotTell
	case ObjectUnreadable:
		return &s.Unreadable
	default:
		return &s.None
	}
}

// Differs reports whether any object differs or cannot be compared.
func (d *Document) Differs() bool {
	return d.Summary.None != len(d.Objects) || d.Bus != nil && d.Bus.Error != ""
}

// Refusals counts the objects with at least one refused change.
func (d *Document) Refusals() int {
	n := 0
	for _, o := range d.Objects {
		for _, c := range o.Changes {
			if c.Action == ObjectRefused {
				n++
				break
			}
		}
	}
	return n
}

// Settle gives the object the action of its gravest change.
func (o *Object) Settle() {
	o.Action = ObjectNone
	if o.Changes == nil {
		o.Changes = []*Change{} // a list in the JSON form, never null
	}
	if o.Unreadable != nil {
		o.Action = ObjectUnreadable
		return
	}
	for _, c := range o.Changes {
		if a := c.objectAction(); gravity[a] > gravity[o.Action] {
			o.Action = a
		}
	}
}

// listed reports whether the renderers list the object without being asked for all: it differs, or it is adopted.
func (o *Object) listed() bool { return o.Action != ObjectNone || o.Adopted }

// gravity orders the actions of an object. A refusal outweighs what is carried out beside it, because a person has to
// act on it.
var gravity = map[string]int{ObjectNone: 0, ObjectReport: 1, ObjectAlter: 2, ObjectReplace: 3, ObjectCreate: 4, ObjectCannotTell: 5, ObjectRefused: 6}

func (c *Change) objectAction() string {
	switch {
	case c.CannotTell:
		return ObjectCannotTell
	case c.Action == "none", c.Action == "report", c.Action == "refused", c.Action == "create":
		return c.Action
	case c.Action == "create-topic":
		return ObjectCreate
	case len(c.Action) > 8 && c.Action[:8] == "replace-":
		return ObjectReplace
	default:
		return ObjectAlter
	}
}

// Loss is what a proof found.
type Loss struct {
	Rows uint64
	// Err is why the proof could not be had, without what the server quotes of the data.
	Err string
}

// Refuse turns the changes a statement carries into refusals, because its proof found a loss, and takes the statement
// out of the plan. Other changes of the same object stay as they are.
func (d *Document) Refuse(s *Statement, loss Loss) {
	for i, other := range d.Statements {
		if other == s {
			d.Statements = append(d.Statements[:i:i], d.Statements[i+1:]...)
			break
		}
	}
	for _, o := range d.Objects {
		if o.Kind != s.Kind || o.Name != s.Object {
			continue
		}
		for _, c := range o.Changes {
			if s.Proof != nil && c.Path == s.Proof.Path {
				c.Action, c.Reason = ObjectRefused, loss.sentence(c, s.Proof)
				c.Advice = "correct those rows, which this lists: " + s.Proof.Show
				if !s.Proof.Accepted {
					c.Advice += "; or accept the loss with --accept-loss " + o.Name + "." + columnOf(c.Path)
				}
			}
		}
		o.Settle()
	}
	d.Count()
}
