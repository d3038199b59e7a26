package engine

import (
	"fmt"

	"github.com/dfe-engine/dfe/ast"
)

// ObjectError is an object at which a pass failed. The report tells the reason at the object, too.
type ObjectError struct {
	Kind         ast.Kind
	Name, Reason string
	// Err is what went wrong.
	Err error
}

func (e *ObjectError) Error() string { return fmt.Sprintf("%s %s: %s", e.Kind, e.Name, e.Reason) }

// Unwrap returns Err.
func (e *ObjectError) Unwrap() error { return e.Err }

// stoppedAfter is a pass that did not come to its last object.
func stoppedAfter(done, of int, why error) error {
	return fmt.Errorf("stopped after %d of %d objects: %w", done, of, why)
}
