package plan

// What a rehearsal found of one statement.
const (
	// AnswerOK: the engine took the statement, and its effect was there afterwards.
	AnswerOK = "ok"
	// AnswerError: the engine refused it, or took it and the difference was still there.
	AnswerError = "error"
	// AnswerNotRehearsed: it could not be played; the message says why. Nothing is known of it.
	AnswerNotRehearsed = "not_rehearsed"
)

// Rehearsal is what a real engine, loaded with the live definitions and no data, answers to a statement.
type Rehearsal struct {
	Answer string `json:"answer"`
	// Code is ClickHouse's own; absent where the engine raised no error.
	Code int `json:"code,omitempty"`
	// Message is the engine's, or why the statement was not played, or what was other than on the server.
	Message string `json:"message,omitempty"`
}

// Rehearsed is a rehearsal as a whole.
type Rehearsed struct {
	// Server is the version of the engine the plan was played on, and Live that of the server it was made for.
	Server string `json:"server"`
	Live   string `json:"live"`
	// Loaded counts the live objects that were there when the plan was played, those with a stand-in included.
	Loaded int `json:"loaded"`
	// OK, Errors and NotRehearsed count the statements of the plan by their answer.
	OK           int `json:"ok"`
	Errors       int `json:"errors"`
	NotRehearsed int `json:"not_rehearsed"`
	// Substitutes are the live objects that could not be there as they are.
	Substitutes []*Substitute `json:"substitutes"`
	// Left are the differences there were after the plan that the plan neither refuses nor reports.
	Left []*Left `json:"left"`
}

// Substitute is a live object that the engine of a rehearsal cannot have.
type Substitute struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Absent says that nothing stood in for it: what reads it was not rehearsed.
	Absent bool   `json:"absent,omitempty"`
	Reason string `json:"reason"`
}

// Left is a difference that a rehearsed plan leaves unexplained.
type Left struct {
	Kind    string `json:"kind"`
	Object  string `json:"object"`
	Path    string `json:"path"`
	Live    string `json:"live,omitempty"`
	Desired string `json:"desired,omitempty"`
}

// Conclude counts the answers.
func (d *Document) Conclude() {
	r := d.Rehearsal
	r.OK, r.Errors, r.NotRehearsed = 0, 0, 0
	for _, s := range d.Statements {
		switch {
		case s.Rehearsal == nil || s.Rehearsal.Answer == AnswerNotRehearsed:
			r.NotRehearsed++
		case s.Rehearsal.Answer == AnswerError:
			r.Errors++
		default:
			r.OK++
		}
	}
}

// WouldFail reports whether a rehearsal found a statement of the plan that the engine refuses.
func (d *Document) WouldFail() bool { return d.Rehearsal != nil && d.Rehearsal.Errors > 0 }
