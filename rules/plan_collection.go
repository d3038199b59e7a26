package rules

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/rules/plan"
)

// hiddenValues are the changes of a named collection that no server shows: of the values, by what the ledger remembers of
// them.
func hiddenValues(pair *Pair, live, desired ast.Object) []ast.Change {
	has, ok1 := live.(*ast.NamedCollection)
	wants, ok2 := desired.(*ast.NamedCollection)
	if !ok1 || !ok2 {
		return nil
	}
	var changes []ast.Change
	for i := range wants.Keys {
		k := &wants.Keys[i]
		v := pair.Values[k.Name]
		if has.Key(k.Name) == nil || k.Hidden() || !v.Changed && v.Untold == "" {
			continue
		}
		changes = append(changes, ast.Change{Path: ast.Path{Part: "key", Name: k.Name, Attr: "value"}, Op: ast.Modify,
			Live: ast.N(ast.String, hiddenValue), Desired: ast.N(ast.Keyword, k.Reference()), CannotTell: v.Untold})
	}
	return changes
}

// carryCollection plans the one statement that gives a live named collection the keys that were decided about.
func (p *objectPlan) carryCollection() {
	desired, ok := p.pair.Desired.(*ast.NamedCollection)
	if !ok {
		return
	}
	var set, remove []string
	var carried []int
	for i := range p.decisions {
		d := &p.decisions[i]
		name := d.Change.Path.Name
		gone := d.Change.Op == ast.Remove && d.Change.Path.Attr == ""
		switch {
		case d.Action == ReplaceCollection && gone:
			remove, carried = append(remove, name), append(carried, i)
		case d.Action == ReplaceCollection:
			set, carried = append(set, name), append(carried, i)
		case gone && !d.Bare:
			p.changes[i].Statement = ast.AlterNamedCollection(&ast.NamedCollection{Name: desired.Name}, []string{name})
		}
	}
	if len(carried) == 0 {
		return
	}
	some := *desired
	some.Keys = slices.DeleteFunc(slices.Clone(desired.Keys), func(k ast.CollectionKey) bool { return !slices.Contains(set, k.Name) })
	p.send(ast.AlterNamedCollection(&some, remove), false, nil, carried...)
}

// secretsIn lists the values that take the place of their references in a statement when it is sent.
func secretsIn(sql string, o ast.Object) []plan.Secret {
	var list []plan.Secret
	add := func(reference, source, name string) {
		if strings.Contains(sql, reference) && !slices.ContainsFunc(list, func(s plan.Secret) bool { return s.Reference == reference }) {
			list = append(list, plan.Secret{Reference: reference, Source: source, Name: name})
		}
	}
	for _, s := range ast.Secrets(o) {
		add(s.Reference(), s.Source, s.Name)
	}
	if c, ok := o.(*ast.NamedCollection); ok {
		for i := range c.Keys {
			if k := &c.Keys[i]; k.Value != nil {
				add(k.Reference(), plan.FromDefinition, k.Name)
			}
		}
	}
	return list
}
