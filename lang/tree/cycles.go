package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
)

// uses are the objects of this tree that an object cannot be without, each once: what its definition reads and writes, the
// roles it is granted, the profiles it inherits. Grants beside the roles count as theirs.
type uses map[*Declared][]*Declared

func (u uses) add(from, to *Declared) {
	if from != nil && to != nil && from != to && !slices.Contains(u[from], to) {
		u[from] = append(u[from], to)
	}
}

func (t *Tree) uses() uses {
	u := uses{}
	named := func(kind ast.Kind, name string) *Declared { return t.Find(kind, ast.Name{Name: name}) }
	for _, d := range t.Objects {
		switch o := d.Object.(type) {
		case nil:
		case *ast.Role:
			for i := range o.Rights {
				if r := &o.Rights[i]; r.Role != "" && !r.Revoke {
					u.granted(d, named(ast.KindRole, r.Role))
				}
			}
		case *ast.Grant:
			for i := range o.Rights {
				r := &o.Rights[i]
				for _, to := range o.To {
					if r.Role != "" && !r.Revoke && (r.To == "" || r.To == to) {
						u.granted(named(ast.KindRole, to), named(ast.KindRole, r.Role))
					}
				}
			}
		case *ast.SettingsProfile:
			for i := range o.Settings {
				if p := o.Settings[i].Profile; p != "" {
					u.granted(d, named(ast.KindSettingsProfile, p))
				}
			}
		default:
			for _, ref := range d.Refs() {
				u.add(d, t.Find(kindOf(ref.Kind), ref.Name))
			}
		}
	}
	return u
}

// granted is add for roles and profiles, which may name themselves.
func (u uses) granted(from, to *Declared) {
	if from != nil && from == to {
		u[from] = append(u[from], to)
		return
	}
	u.add(from, to)
}

// kindOf is a kind of the space of names that a reference is looked up in.
func kindOf(ref deps.Kind) ast.Kind {
	switch ref {
	case deps.Dictionary:
		return ast.KindDictionary
	case deps.Function:
		return ast.KindFunction
	case deps.Collection:
		return ast.KindNamedCollection
	}
	return ast.KindTable
}

// cycles finds objects that rest on themselves through others, of whatever kinds, and reports each circle once with its
// path.
func (l *loader) cycles() {
	l.inCycle = map[*Declared]bool{}
	edges := l.tree.uses()
	state := map[*Declared]int{} // 1: on the path, 2: done
	var path []*Declared
	var visit func(*Declared)
	visit = func(d *Declared) {
		state[d] = 1
		path = append(path, d)
		for _, to := range edges[d] {
			switch state[to] {
			case 0:
				visit(to)
			case 1:
				l.cycle(path[slices.Index(path, to):])
			}
		}
		path = path[:len(path)-1]
		state[d] = 2
	}
	for _, d := range l.tree.Objects {
		if state[d] == 0 {
			visit(d)
		}
	}
}

func (l *loader) cycle(members []*Declared) {
	kind := members[0].Kind
	one := !slices.ContainsFunc(members, func(d *Declared) bool { return d.Kind != kind })
	names := make([]string, 0, len(members)+1)
	for _, m := range append(slices.Clone(members), members[0]) {
		l.inCycle[m] = true
		m.Broken = true
		if name := m.Name.String(); one {
			names = append(names, name)
		} else {
			names = append(names, string(m.Kind)+" "+name)
		}
	}
	first := members[0]
	what, advice := strings.ReplaceAll(string(kind), "_", " ")+" %s rests on itself", "None of them can be made before the others. Take one of these uses out of its definition."
	switch kind {
	case ast.KindRole:
		what, advice = "role %s is granted to itself", "A role has what its roles have; a circle of them gives nothing more. Take one of these grants away."
	case ast.KindSettingsProfile:
		what, advice = "settings profile %s inherits itself", "Take one of these inheritances away."
	case ast.KindFunction:
		what = "function %s calls itself"
	}
	l.fault(CodeCycle, first.Entry, capital(fmt.Sprintf(what, first.Name)), strings.Join(names, " -> ")+". "+advice)
}
