package rules

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

// orderPaths names the change of order of those kinds of part whose order is part of the object.
var orderPaths = map[string]string{"column": "column_order", "attribute": "attribute_order"}

// compare lists the changes from a canonical live object to a canonical desired one, in the order of the desired
// definition, then what only the live one has. A nil object is absent; two of different kinds are one change of the
// whole object. The cost is linear in the number of parts.
func compare(live, desired ast.Object) []ast.Change {
	switch {
	case live == nil && desired == nil:
		return nil
	case live == nil:
		return []ast.Change{{Op: ast.Add}}
	case desired == nil:
		return []ast.Change{{Op: ast.Remove}}
	case live.Kind() != desired.Kind():
		return []ast.Change{otherKind(live.Kind(), desired.Kind())}
	}
	return compareParts(live.Parts(), desired.Parts())
}

// otherKind is the change of the whole object that holds a name for an object of another kind.
func otherKind(live, desired ast.Kind) ast.Change {
	return ast.Change{Op: ast.Modify, Live: ast.N(ast.Keyword, string(live)), Desired: ast.N(ast.Keyword, string(desired))}
}

type partKey struct{ kind, name string }

func keyOf(p *ast.Part) partKey { return partKey{p.Kind, p.Name} }

func compareParts(live, desired []ast.Part) []ast.Change {
	var changes []ast.Change
	// Nearly always both sides list the same parts: walk them in step, and pay for an index only from the first place
	// where they do not.
	same := 0
	for same < len(live) && same < len(desired) && keyOf(&live[same]) == keyOf(&desired[same]) {
		changes = compareAttrs(changes, &live[same], &desired[same])
		same++
	}
	liveRest, desiredRest := live[same:], desired[same:]
	if len(liveRest) == 0 && len(desiredRest) == 0 {
		return changes
	}
	at := make(map[partKey]int, len(liveRest))
	for i := range liveRest {
		at[keyOf(&liveRest[i])] = i
	}
	met := make([]bool, len(liveRest))
	for i := range desiredRest {
		d := &desiredRest[i]
		j, found := at[keyOf(d)]
		if !found {
			changes = append(changes, ast.Change{Path: ast.Path{Part: d.Kind, Name: d.Name}, Op: ast.Add, DesiredPart: d, CannotTell: partReason(d)})
			continue
		}
		met[j] = true
		changes = compareAttrs(changes, &liveRest[j], d)
	}
	for j := range liveRest {
		if l := &liveRest[j]; !met[j] {
			changes = append(changes, ast.Change{Path: ast.Path{Part: l.Kind, Name: l.Name}, Op: ast.Remove, LivePart: l, CannotTell: partReason(l)})
		}
	}
	for _, kind := range []string{"column", "attribute"} {
		changes = compareOrder(changes, kind, live, desired)
	}
	return changes
}

// partReason is the reason why a part that only one side has may be on the other too: its own value is unknown.
func partReason(p *ast.Part) string {
	if len(p.Attrs) == 1 && p.Attrs[0].Name == "" {
		return p.Attrs[0].Value.Reason()
	}
	return ""
}

// compareAttrs adds the changes between two parts of the same kind and name.
func compareAttrs(changes []ast.Change, live, desired *ast.Part) []ast.Change {
	before := len(changes)
	changes = compareEachAttr(changes, live, desired)
	return foldKind(changes, before, live, desired)
}

// foldKind makes one change of a column that is another kind with another expression: neither is decided without the
// other.
func foldKind(changes []ast.Change, from int, live, desired *ast.Part) []ast.Change {
	kind, expr := -1, -1
	for i := from; i < len(changes); i++ {
		if c := &changes[i]; c.Path.Part == "column" && c.CannotTell == "" {
			switch c.Path.Attr {
			case "kind":
				kind = i
			case "default":
				expr = i
			}
		}
	}
	if kind < 0 || expr < 0 {
		return changes
	}
	c := &changes[kind]
	c.Live, c.Desired = kindValue(c.Live, live), kindValue(c.Desired, desired)
	return slices.Delete(changes, expr, expr+1)
}

func kindValue(kind *ast.Node, part *ast.Part) *ast.Node {
	if expr := attrOf(part.Attrs, "default"); kind != nil && expr != nil {
		return ast.N(ast.Clause, kind.Text, expr)
	}
	return kind
}

func compareEachAttr(changes []ast.Change, live, desired *ast.Part) []ast.Change {
	same := 0
	for same < len(live.Attrs) && same < len(desired.Attrs) && live.Attrs[same].Name == desired.Attrs[same].Name {
		changes = compareValue(changes, desired, desired.Attrs[same].Name, live.Attrs[same].Value, desired.Attrs[same].Value)
		same++
	}
	for _, d := range desired.Attrs[same:] {
		changes = compareValue(changes, desired, d.Name, attrOf(live.Attrs[same:], d.Name), d.Value)
	}
	for _, l := range live.Attrs[same:] {
		if attrOf(desired.Attrs[same:], l.Name) == nil {
			changes = compareValue(changes, desired, l.Name, l.Value, nil)
		}
	}
	return changes
}

func attrOf(attrs []ast.Attr, name string) *ast.Node {
	for _, a := range attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return nil
}

func compareValue(changes []ast.Change, part *ast.Part, attr string, live, desired *ast.Node) []ast.Change {
	verdict := ast.Compare(live, desired)
	if verdict == ast.Same {
		return changes
	}
	c := ast.Change{Path: ast.Path{Part: part.Kind, Name: part.Name, Attr: attr}, Op: ast.Modify, Live: live, Desired: desired}
	switch {
	case live == nil:
		c.Op = ast.Add
	case desired == nil:
		c.Op = ast.Remove
	}
	if verdict == ast.CannotTell {
		c.CannotTell = firstReason(live, desired)
	}
	return append(changes, c)
}

func firstReason(a, b *ast.Node) string {
	if reason := a.Reason(); reason != "" {
		return reason
	}
	return b.Reason()
}

// compareOrder adds one change when the parts of a kind that both sides have stand in another order.
func compareOrder(changes []ast.Change, kind string, live, desired []ast.Part) []ast.Change {
	liveOrder, desiredOrder := commonNames(kind, live, desired), commonNames(kind, desired, live)
	if slices.Equal(liveOrder, desiredOrder) {
		return changes
	}
	return append(changes, ast.Change{Path: ast.Path{Part: orderPaths[kind]}, Op: ast.Modify, Live: identList(liveOrder), Desired: identList(desiredOrder)})
}

// commonNames lists, in the order of parts, the names that other has too.
func commonNames(kind string, parts, other []ast.Part) []string {
	in := map[string]bool{}
	for i := range other {
		if other[i].Kind == kind {
			in[other[i].Name] = true
		}
	}
	var names []string
	for i := range parts {
		if parts[i].Kind == kind && in[parts[i].Name] {
			names = append(names, parts[i].Name)
		}
	}
	return names
}

func identList(names []string) *ast.Node {
	list := ast.N(ast.List, "")
	for _, name := range names {
		list.Kids = append(list.Kids, ast.N(ast.Ident, name))
	}
	return list
}
