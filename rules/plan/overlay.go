package plan

import "github.com/dfe-engine/dfe/lang/visible"

// Overlay is what is left out of a deployment's own tree. The core is not affected by it.
type Overlay struct {
	// Fault is why the overlay is left out as a whole; empty where parts of it are.
	Fault string `json:"fault,omitempty"`
	// Refused are the objects that are left out by name.
	Refused []OverlayRefusal `json:"refused,omitempty"`
}

// OverlayRefusal is an object of an overlay that is left out.
type OverlayRefusal struct {
	Kind   string `json:"kind,omitempty"`
	Object string `json:"object"`
	Reason string `json:"reason"`
	// Place is where the overlay declares it: "manifest.hcl:7".
	Place string `json:"place,omitempty"`
}

// Text is the refusal in a sentence.
func (r OverlayRefusal) Text() string {
	text := r.Reason
	if r.Place != "" {
		text = r.Place + ": " + text
	}
	return text
}

// overlay tells what of the overlay is left out.
func (t *textWriter) overlay(o *Overlay) {
	if o == nil {
		return
	}
	if o.Fault != "" {
		t.line("%s: %s", t.paint(red, "the overlay is left out"), o.Fault)
	}
	for _, r := range o.Refused {
		t.line("%s %s %s: %s", t.paint(red, "refused of the overlay:"), r.Kind, visible.Line(r.Object), r.Text())
	}
	t.line("")
}
