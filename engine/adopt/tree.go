package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/ident"
	"github.com/dfe-engine/dfe/lang/tree"
)

// Tree is a schema tree that is not written to a directory yet.
type Tree struct {
	// Files are the manifest and the definitions behind it, in the manifest's order. Names are paths from the root.
	Files []txtar.File
	// Objects is how many objects it declares.
	Objects int
	// LeftOut are the objects it does not declare.
	LeftOut []LeftOut
}

// LeftOut is an object that the tree does not declare.
type LeftOut struct {
	Kind   ast.Kind `json:"kind"`
	Name   string   `json:"object"`
	Reason string   `json:"reason"`
}

// New makes the tree of a release that declares what a server has. It loads what it made: an object whose definition has a
// fault there, or rests on something that is not among the objects, is left out. The error is of a fault that belongs to no
// object.
func New(release string, live []*catalog.Object) (*Tree, error) {
	t := &Tree{LeftOut: []LeftOut{}}
	objects, unread := choose(live)
	t.LeftOut = append(t.LeftOut, unread...)
	var entries []*entry
	taken := map[string]bool{}
	for _, o := range tree.Sort(objects) {
		e, err := newEntry(o, taken)
		if err != nil {
			t.leaveOut(o, err.Error())
			continue
		}
		entries = append(entries, e)
	}
	for {
		t.Files, t.Objects = list(release, entries), len(entries)
		faulty, err := faults(t.Files, entries)
		if err != nil {
			return nil, err
		}
		if len(faulty) == 0 {
			return t, nil
		}
		entries = slices.DeleteFunc(entries, func(e *entry) bool {
			reason, bad := faulty[e]
			if bad {
				t.leaveOut(e.object, reason)
			}
			return bad
		})
	}
}

func (t *Tree) leaveOut(o ast.Object, reason string) {
	t.LeftOut = append(t.LeftOut, LeftOut{o.Kind(), o.ID().String(), reason})
}

// entry is an object with its place in the manifest.
type entry struct {
	object ast.Object
	// file has the definition; its name is empty where the manifest itself has it.
	file txtar.File
	// block is the text of the manifest, which begins in line.
	block string
	line  int
}

func newEntry(o ast.Object, taken map[string]bool) (*entry, error) {
	text, ending, err := definition(o)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("%s %s", o.Kind(), quoted(label(o)))
	if o.Kind() == ast.KindDatabase {
		block := head + " {}\n"
		if len(text) > 0 {
			block = head + " {\n" + string(text) + "}\n"
		}
		return &entry{object: o, block: block}, nil
	}
	e := &entry{object: o, file: txtar.File{Name: fileName(o, ending, taken), Data: text}}
	e.block = fmt.Sprintf("%s {\n  from = %s\n}\n", head, quoted(e.file.Name))
	return e, nil
}

// label is the name of an object as a manifest writes it: that of a row policy says its table by itself.
func label(o ast.Object) string {
	if p, ok := o.(*ast.RowPolicy); ok {
		return p.ID().Name
	}
	return tree.FormatName(o.ID())
}

// plainName is a name that is a file's name as it stands, on every system.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}$`)

// fileName gives an object a file of its own, also where case does not count: tables/shop/orders.hcl.
func fileName(o ast.Object, ending string, taken map[string]bool) string {
	dir, name := string(o.Kind())+"s", o.ID()
	switch o := o.(type) {
	case *ast.Dictionary:
		dir = "dictionaries"
	case *ast.RowPolicy:
		dir, name = "row_policies", ast.Name{Database: o.Table.Database, Name: strings.Trim(o.Table.Name+"_"+o.Short, "_")}
	}
	part := func(s string) string {
		if s == "" || plainName.MatchString(s) {
			return s
		}
		return ident.Of(s)
	}
	stem := path.Join(dir, part(name.Database), part(name.Name))
	file := stem + ending
	for n := 2; taken[strings.ToLower(file)]; n++ {
		file = fmt.Sprintf("%s-%d%s", stem, n, ending)
	}
	taken[strings.ToLower(file)] = true
	return file
}

// list writes the manifest, and returns it with the definitions.
func list(release string, entries []*entry) []txtar.File {
	var b bytes.Buffer
	fmt.Fprintf(&b, "release = %s\n", quoted(release))
	files := []txtar.File{{Name: tree.ManifestName}}
	for _, e := range entries {
		b.WriteByte('\n')
		e.line = bytes.Count(b.Bytes(), []byte("\n")) + 1
		b.WriteString(e.block)
		if e.file.Name != "" {
			files = append(files, e.file)
		}
	}
	files[0].Data = hclwrite.Format(b.Bytes())
	return files
}

// faults loads the files and returns the first fault of each entry that has one.
func faults(files []txtar.File, entries []*entry) (map[*entry]string, error) {
	fsys, err := txtar.FS(&txtar.Archive{Files: files})
	if err != nil {
		return nil, err
	}
	_, diags := tree.Load(fsys, tree.Options{})
	byFile := make(map[string]*entry, len(entries))
	for _, e := range entries {
		byFile[e.file.Name] = e
	}
	found := map[*entry]string{}
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		e := (*entry)(nil)
		if d.Subject != nil {
			if e = byFile[d.Subject.Filename]; d.Subject.Filename == tree.ManifestName {
				e = at(entries, d.Subject.Start.Line)
			}
		}
		if e == nil {
			return nil, errors.New(d.Error())
		}
		if found[e] == "" {
			found[e] = d.Summary + ": " + d.Detail
		}
	}
	return found, nil
}

// at is the entry that a line of the manifest belongs to.
func at(entries []*entry, line int) *entry {
	i, exact := slices.BinarySearchFunc(entries, line, func(e *entry, line int) int { return e.line - line })
	if !exact {
		i--
	}
	if i < 0 {
		return nil
	}
	return entries[i]
}
