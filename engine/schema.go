package engine

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

// TreeError is a schema tree or a rule table with faults. Nothing was sent.
type TreeError struct {
	What  string // "the schema tree", "the overlay", "the rule tables"
	Files map[string]*hcl.File
	Diags hcl.Diagnostics
}

// Error counts the faults and gives the first; [tree.WriteDiagnostics] prints them all with their source.
func (e *TreeError) Error() string {
	faults := 0
	first := ""
	for _, d := range e.Diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		if faults++; faults == 1 {
			first = fmt.Sprintf("%s; %s", d.Summary, d.Detail)
			if d.Subject != nil && d.Subject.Filename != "" {
				first = fmt.Sprintf("%s:%d: %s", d.Subject.Filename, d.Subject.Start.Line, first)
			}
		}
	}
	if faults == 1 {
		return fmt.Sprintf("%s has a fault: %s", e.What, first)
	}
	return fmt.Sprintf("%s has %d faults, the first: %s", e.What, faults, first)
}

// declared is an object of the tree or the overlay in the order of the pass.
type declared struct {
	*tree.Declared
	scope   ledger.Scope
	release string
}

func (d *declared) key() ledger.Key {
	return ledger.Key{Scope: d.scope, Kind: d.Kind, Name: d.Name.String()}
}

// schema is what a pass makes true: the core tree, the bookkeeping it needs and the overlay.
type schema struct {
	// scope is that of the objects: [ledger.ScopeSchema], the overlay's besides, or that of a part.
	scope              ledger.Scope
	release, minServer string
	overlay            overlay
	objects            []*declared
	topics             []*declared
	relations          map[ast.Name]*declared // tables, views and dictionaries: one space of names
	book               *rules.Book
	core               *tree.Tree
	// rendered and part are set where the objects are those of a part of the deployment, and not the schema.
	rendered *tree.Tree
	part     *Part
}

// resolve loads the tree, the overlay and the rule tables.
func (e *Engine) resolve() (*schema, error) {
	s, err := e.load()
	if err != nil {
		return nil, err
	}
	return s, e.checkLoss(s)
}

// load is resolve for those who do not act on the schema itself.
func (e *Engine) load() (*schema, error) {
	core, err := e.loadTree()
	if err != nil {
		return nil, err
	}
	book, err := e.loadRules()
	if err != nil {
		return nil, err
	}
	s := &schema{core: core, scope: ledger.ScopeSchema, release: core.Release, minServer: core.MinServer, book: book, relations: map[ast.Name]*declared{}}
	if err := s.addBookkeeping(core, e.options.Tree == "" && e.options.TreeFS == nil); err != nil {
		return nil, err
	}
	for _, d := range core.Objects {
		s.add(&declared{d, ledger.ScopeSchema, core.Release})
	}
	if e.options.Overlay != "" {
		s.overlay = s.addOverlay(core, e.options.Overlay)
	}
	return s, nil
}

// checkLoss demands that the columns whose values may be lost are columns of the schema.
func (e *Engine) checkLoss(s *schema) error {
	for _, column := range e.options.AcceptLoss {
		if err := s.holdsColumn(column); err != nil {
			return err
		}
	}
	return nil
}

// ColumnError is a name in [Options.AcceptLoss] that is no column of the schema. A word by which values may be lost has to
// be the right one. Nothing was sent.
type ColumnError struct{ Column, Reason string }

func (e *ColumnError) Error() string {
	return fmt.Sprintf("accept-loss names %q: %s", e.Column, e.Reason)
}

func (s *schema) holdsColumn(column string) error {
	for name, d := range s.relations {
		t, isTable := d.Object.(*ast.Table)
		if !isTable {
			continue
		}
		if rest, ok := strings.CutPrefix(column, name.String()+"."); ok && t.Column(rest) != nil {
			return nil
		}
	}
	return &ColumnError{column, "the schema declares no such column"}
}

func (s *schema) add(d *declared) {
	if !d.Kind.InClickHouse() {
		s.topics = append(s.topics, d)
		return
	}
	s.objects = append(s.objects, d)
	if d.Kind.IsRelation() {
		s.relations[d.Name] = d
	}
}

// find returns the declared object of that kind and name, or nil.
func (s *schema) find(id identity) *declared {
	for _, d := range s.objects {
		if d.Kind == id.kind && d.Name == id.name {
			return d
		}
	}
	return nil
}

func (s *schema) addBookkeeping(core *tree.Tree, release bool) error {
	if release {
		return nil // it is where the bookkeeping is declared
	}
	if err := ownsNoBooks("the schema tree", core); err != nil {
		return err
	}
	var missing []identity
	for _, id := range bookkeeping() {
		if core.Find(id.kind, id.name) == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	own, err := coreRelease()
	if err != nil {
		return err
	}
	for _, id := range missing {
		s.add(&declared{own.Find(id.kind, id.name), ledger.ScopeSchema, own.Release})
	}
	return nil
}

func ownsNoBooks(what string, t *tree.Tree) error {
	diags, err := CheckBookkeeping(t)
	if err == nil && diags.HasErrors() {
		err = &TreeError{what, t.Files(), diags}
	}
	return err
}

func (e *Engine) loadTree() (*tree.Tree, error) {
	options := tree.Options{Variables: e.options.Variables}
	var (
		t     *tree.Tree
		diags hcl.Diagnostics
	)
	switch {
	case e.options.TreeFS != nil:
		t, diags = tree.Load(e.options.TreeFS, options)
	case e.options.Tree != "":
		t, diags = tree.LoadDir(e.options.Tree, options)
	default:
		t, diags = tree.Load(stdlib.FS, options)
	}
	if diags.HasErrors() {
		return nil, &TreeError{"the schema tree", t.Files(), diags}
	}
	return t, nil
}

// loadRules reads the tree's own rule tables where it has a directory rules, the release's otherwise.
func (e *Engine) loadRules() (*rules.Book, error) {
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		return nil, err
	}
	own := e.options.TreeFS
	if e.options.Tree != "" {
		root, err := os.OpenRoot(e.options.Tree)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		own = root.FS()
	}
	if own != nil {
		if found, err := ruleTables(own); err != nil {
			return nil, err
		} else if found != nil {
			tables = found
		}
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		return nil, &TreeError{"the rule tables", book.Files(), diags}
	}
	return book, nil
}
