package sides

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
	"github.com/dfe-engine/dfe/lang/tree"
)

// Side is one description of a schema.
type Side struct {
	objects []object
	// facts are those of the server, nil for what comes from files.
	facts *catalog.Facts
	// topics says that topics are among what the side may have: a tree declares them, and neither a server nor a script does.
	topics bool
	// access is what a server has of roles and their like; nil for what comes from files.
	access *catalog.Access
	// functions by name, for the functions a server inlines.
	functions map[string]*ast.Function
}

// object is one object of a side, or the reason why there is none.
type object struct {
	kind         ast.Kind
	name         ast.Name
	tree         ast.Object
	engine, uuid string
	fault        string
	line         int
}

// Script is the side that a text of many statements describes. A statement that defines no object is an object that
// cannot be read, called after its place; a text in which none begins as one that does is no script.
func Script(file, text string) (*Side, error) {
	statements, err := ddl.ParseScript(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Side{}
	var rights []*access.Statement
	for _, st := range statements {
		line, _ := lex.Place(text, st.Pos)
		if access.IsAccess(st.Text) {
			parsed, err := access.Parse(st.Text)
			if err == nil {
				rights = append(rights, parsed)
			} else {
				s.objects = append(s.objects, object{kind: "statement", name: ast.Name{Name: fmt.Sprintf("%s:%d", file, line)}, fault: err.Error(), line: line})
			}
			continue
		}
		switch {
		case st.Object != nil:
			s.objects = append(s.objects, object{kind: st.Object.Kind(), name: st.Object.ID(), tree: st.Object, line: line})
		default:
			fault := "it is no definition"
			if st.Err != nil {
				fault = st.Err.Error()
			}
			s.objects = append(s.objects, object{kind: "statement", name: ast.Name{Name: fmt.Sprintf("%s:%d", file, line)}, fault: fault, line: line})
		}
	}
	if len(statements) > 0 && !slices.ContainsFunc(statements, defines) {
		return nil, fmt.Errorf("%s is no script: no statement in it defines anything; a schema tree is named by its directory", file)
	}
	for _, o := range access.Collect(rights) {
		s.objects = append(s.objects, object{kind: o.Kind(), name: o.ID(), tree: o})
	}
	s.index()
	return s, nil
}

// defines reports a statement that is to define something, whether it can be read or not.
func defines(st ddl.Statement) bool {
	l := lex.New(st.Text)
	first := l.Next().Word
	return st.Object != nil || access.IsAccess(st.Text) || first == lex.KwCreate || first == lex.KwAttach
}

// TreeError is a schema tree with faults.
type TreeError struct {
	Files map[string]*hcl.File
	Diags hcl.Diagnostics
}

func (e *TreeError) Error() string { return e.Diags.Error() }

// Tree is the side that a schema tree declares.
func Tree(dir string, variables map[string]string) (*Side, error) {
	t, diags := tree.LoadDir(dir, tree.Options{Variables: variables})
	if diags.HasErrors() {
		return nil, &TreeError{t.Files(), diags}
	}
	s := &Side{topics: true}
	for _, d := range t.Objects {
		s.objects = append(s.objects, object{kind: d.Kind, name: d.Name, tree: d.Object})
	}
	s.index()
	return s, nil
}

// Server is the side that a live server has.
func Server(ctx context.Context, target catalog.Target) (*Side, error) {
	conn, err := catalog.Open(ctx, target)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	live, err := catalog.Read(ctx, conn, catalog.Scope{Access: true, Collections: true})
	if err != nil {
		return nil, err
	}
	s := &Side{facts: live.Facts, access: live.Access}
	for o := range live.All() {
		s.add(o)
	}
	slices.SortFunc(s.objects, func(a, b object) int {
		if a.kind != b.kind && (a.kind == ast.KindDatabase || b.kind == ast.KindDatabase) {
			if a.kind == ast.KindDatabase {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.name.String(), b.name.String()), strings.Compare(string(a.kind), string(b.kind)))
	})
	s.index()
	return s, nil
}

func (s *Side) add(o *catalog.Object) {
	read := object{kind: o.Kind, name: o.Name, tree: o.Tree, engine: o.Engine, uuid: o.UUID}
	if o.Unreadable != nil {
		read.fault = o.Unreadable.Error()
	}
	s.objects = append(s.objects, read)
}

func (s *Side) index() {
	s.functions = map[string]*ast.Function{}
	for _, o := range s.objects {
		if f, ok := o.tree.(*ast.Function); ok {
			s.functions[f.Name] = f
		}
	}
}
