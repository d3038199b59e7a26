package rules

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// tableLimit bounds one rule file, in bytes.
const tableLimit = 16 << 20

// Book is the rule tables of a release: one for each kind it decides about. It does not change once loaded and serves
// any number of goroutines.
type Book struct {
	tables map[ast.Kind]*rulelang.Table
	facts  []fact
	files  map[string][]byte
}

// Load reads the `.rules` files in the root of fsys. A file with a kind is that kind's table and is called after it;
// one without is there to be included. Every fault of every file is reported; with one, the book is there for its Files
// alone and decides nothing.
func Load(fsys fs.FS) (*Book, hcl.Diagnostics) {
	book := &Book{tables: map[ast.Kind]*rulelang.Table{}, facts: factTable(), files: map[string][]byte{}}
	tables, diags := book.read(fsys)
	if diags.HasErrors() {
		return book, diags
	}
	for _, t := range tables {
		book.tables[ast.Kind(t.Kind)] = t
	}
	return book, diags
}

// RefusedTable is a rule table of an overlay that is left out, because the book decides about its kind.
type RefusedTable struct {
	Kind ast.Kind
	// Fault says why, at the table's place.
	Fault *hcl.Diagnostic
}

// Extend returns a book with the tables of an overlay as well. An overlay has rules for kinds of its own alone: one for
// a kind the book decides about already would loosen what the release decides, and is left out.
func (b *Book) Extend(fsys fs.FS) (*Book, []RefusedTable, hcl.Diagnostics) {
	more := &Book{tables: maps.Clone(b.tables), facts: b.facts, files: map[string][]byte{}}
	tables, diags := more.read(fsys)
	var refused []RefusedTable
	for _, t := range tables {
		if core := b.tables[ast.Kind(t.Kind)]; core != nil {
			refused = append(refused, RefusedTable{ast.Kind(t.Kind), loadFault(t.Range, "Rules for a core kind",
				fmt.Sprintf("The release decides about kind %q, in %s. An overlay has rules for kinds of its own alone: remove this table.", t.Kind, core.Range))})
			continue
		}
		more.tables[ast.Kind(t.Kind)] = t
	}
	return more, refused, diags
}

// Files returns the files the book was read from, for printing diagnostics with their source.
func (b *Book) Files() map[string]*hcl.File {
	files := make(map[string]*hcl.File, len(b.files))
	for name, source := range b.files {
		files[name] = &hcl.File{Bytes: source}
	}
	return files
}

// Kinds lists the kinds the book decides about, sorted.
func (b *Book) Kinds() []ast.Kind {
	kinds := make([]ast.Kind, 0, len(b.tables))
	for kind := range b.tables {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// Laws lists the rules of a kind in the order in which they are tried.
func (b *Book) Laws(kind ast.Kind) []*rulelang.Law {
	if t := b.tables[kind]; t != nil {
		return t.Laws
	}
	return nil
}

func (b *Book) read(fsys fs.FS) ([]*rulelang.Table, hcl.Diagnostics) {
	names, err := fs.Glob(fsys, "*.rules")
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("there is no .rules file")
	}
	if err != nil {
		return nil, hcl.Diagnostics{loadFault(hcl.Range{}, "No rule tables", "Rule tables are read from *.rules files: "+err.Error()+".")}
	}
	var diags hcl.Diagnostics
	parsed := map[string]*rulelang.File{}
	var files []*rulelang.File
	for _, name := range names {
		source, err := regular.ReadFS(fsys, name, tableLimit)
		if err != nil {
			diags = append(diags, loadFault(hcl.Range{Filename: name}, "Rule file cannot be read", err.Error()+"."))
			continue
		}
		b.files[name] = source
		file, faults := rulelang.Parse(name, source)
		diags = append(diags, faults...)
		parsed[name] = file
		if hasKind(file) {
			files = append(files, file)
		}
	}
	tables, faults := rulelang.Check(files, Vocabulary(), func(from, name string) (*rulelang.File, error) {
		if file := parsed[path.Join(path.Dir(from), name)]; file != nil {
			return file, nil
		}
		return nil, fmt.Errorf("there is no file %q beside %s", name, from)
	})
	diags = append(diags, faults...)
	for _, t := range tables {
		if want := t.Kind + ".rules"; path.Base(t.Range.Filename) != want {
			diags = append(diags, loadFault(t.Range, "Rule file misnamed", fmt.Sprintf("The rules of kind %q stand in %s.", t.Kind, want)))
		}
	}
	return tables, diags
}

func hasKind(f *rulelang.File) bool {
	return slices.ContainsFunc(f.Statements, func(st *rulelang.Statement) bool { return st.Kind != nil })
}

func loadFault(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}
