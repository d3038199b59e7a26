package lint

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
)

// Code names a check ("DFE201"). It is stable: a waiver or a report that names it keeps its meaning, and the code of a
// check that is gone is never given to another.
type Code string

// Severity says how sure it is that a finding hurts. Its values are SARIF's levels.
type Severity string

// The severities.
const (
	// Error is what a pass or a ClickHouse server with its default settings refuses.
	Error Severity = "error"
	// Warning is what works and hurts: wrong answers, lost rows, needless work on every insert, merge or query.
	Warning Severity = "warning"
	// Note is a better way that costs little now and much later.
	Note Severity = "note"
)

// Finding is one thing an author should know.
type Finding struct {
	Code     Code
	Severity Severity
	// Kind and Name are the object; zero where the finding is about no object, such as a fault in the manifest.
	Kind ast.Kind
	Name ast.Name
	// Path is the part of the object.
	Path ast.Path
	// At is the place in the tree. Its Filename is empty for a fault that has none.
	At hcl.Range
	// Summary is one line without a full stop; Reason and Remedy are whole sentences.
	Summary, Reason, Remedy string
	// Waived is the reason its author gave for leaving it; empty for a finding that stands.
	Waived string
}

// String is the finding on one line.
func (f Finding) String() string {
	if f.At.Filename == "" {
		return fmt.Sprintf("%s %s: %s", f.Severity, f.Code, f.Summary)
	}
	return fmt.Sprintf("%s:%d:%d: %s %s: %s", f.At.Filename, f.At.Start.Line, f.At.Start.Column, f.Severity, f.Code, f.Summary)
}
