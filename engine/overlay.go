package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/plan"
)

// overlay is what became of a deployment's own tree. Nothing of it stops the core.
type overlay struct {
	release string
	// fault keeps all of it out, refused are the objects that are kept out by name.
	fault   error
	refused []plan.OverlayRefusal
}

// leftOut tells what of the overlay is not in the schema, nil where all of it is.
func (o *overlay) leftOut() *plan.Overlay {
	if o.fault == nil && len(o.refused) == 0 {
		return nil
	}
	left := &plan.Overlay{Refused: o.refused}
	if o.fault != nil {
		left.Fault = o.fault.Error()
	}
	return left
}

func (o *overlay) tell(r *Report) {
	r.OverlayRelease = o.release
	if left := o.leftOut(); left != nil {
		r.OverlayFault, r.OverlayRefused = left.Fault, left.Refused
	}
}

// addOverlay adds what a deployment's own tree declares besides the core. An object of it that would touch what is the
// core's is refused by name; any other fault keeps all of it out.
func (s *schema) addOverlay(core *tree.Tree, dir string) overlay {
	loaded, diags := tree.LoadDir(dir, tree.Options{Base: core})
	o := overlay{}
	refused := map[*hcl.Diagnostic]bool{}
	for _, r := range loaded.Refused {
		refused[r.Fault] = true
		o.refuse(string(r.Kind), r.Name.String(), *r.Fault.Subject, r.Fault.Summary+"; "+r.Fault.Detail)
	}
	diags = slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return refused[d] })
	if diags.HasErrors() {
		o.fault = &TreeError{"the overlay", loaded.Files(), diags}
		return o
	}
	if o.fault = s.extendRules(dir, &o); o.fault != nil {
		return o
	}
	var own []*tree.Declared
	for _, d := range loaded.Objects {
		if isBookkeeping(d) {
			o.refuse(string(d.Kind), d.Name.String(), d.Entry, "the engine keeps its books under this name; leave it out")
			continue
		}
		own = append(own, d)
	}
	if len(own) == 0 {
		o.fault = errors.New("nothing is left of the overlay: every object is refused")
		return o
	}
	o.release = loaded.Release
	for _, d := range own {
		s.add(&declared{d, ledger.ScopeOverlay, loaded.Release})
	}
	return o
}

func (o *overlay) refuse(kind, object string, at hcl.Range, reason string) {
	o.refused = append(o.refused, plan.OverlayRefusal{Kind: kind, Object: object, Reason: reason, Place: fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)})
}

// isBookkeeping reports an object, of whatever kind, under a name that the engine keeps its books under. The core may
// declare it; where that does not, it is the engine's.
func isBookkeeping(d *tree.Declared) bool {
	for _, id := range bookkeeping() {
		if d.Name == id.name && !d.Kind.IsAccess() {
			return true
		}
	}
	return false
}

// extendRules adds the overlay's rule tables, where it has any, to the core's: those of kinds of its own alone. One for a
// kind the core decides about is refused by name.
func (s *schema) extendRules(dir string, o *overlay) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	own, err := ruleTables(root.FS())
	if own == nil {
		return err
	}
	book, refused, diags := s.book.Extend(own)
	for _, r := range refused {
		at := *r.Fault.Subject
		at.Filename = path.Join("rules", at.Filename)
		o.refuse("rules", string(r.Kind), at, r.Fault.Summary+"; "+r.Fault.Detail)
	}
	if diags.HasErrors() {
		return &TreeError{"the overlay's rule tables", book.Files(), diags}
	}
	s.book = book
	return nil
}

// ruleTables is the directory of a tree with its rule tables; nil where it has none.
func ruleTables(fsys fs.FS) (fs.FS, error) {
	info, err := fs.Stat(fsys, "rules")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("its rule tables cannot be read: %w", err)
	case !info.IsDir():
		return nil, nil
	}
	return fs.Sub(fsys, "rules")
}
