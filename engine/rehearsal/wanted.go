package rehearsal

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/deps"
)

// wanted picks the live objects that have to be there for statements about the roots to be answered as the server would:
// the roots, what they refer to, what refers to them, and what that refers to in turn. The server refuses to change what
// others rest on, so those others matter as well.
func (s *stage) wanted(roots []*catalog.Object, definitions []ast.Object) map[*catalog.Object]bool {
	rests := map[*catalog.Object][]*catalog.Object{}
	everything := []*catalog.Object{}
	for _, o := range s.live.Functions {
		everything = append(everything, o)
	}
	for _, o := range s.live.Relations {
		everything = append(everything, o)
	}
	for _, o := range everything {
		for _, needed := range s.needs(o.Tree) {
			rests[needed] = append(rests[needed], o)
		}
	}
	picked := map[*catalog.Object]bool{}
	waiting := slices.Clone(roots)
	for _, d := range definitions {
		waiting = append(waiting, s.needs(d)...)
		if byPattern(d) {
			waiting = append(waiting, everything...)
		}
	}
	below := func(o *catalog.Object) []*catalog.Object {
		if byPattern(o.Tree) {
			return everything
		}
		return s.needs(o.Tree)
	}
	for len(waiting) > 0 {
		o := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if o == nil || picked[o] {
			continue
		}
		picked[o] = true
		waiting = append(append(waiting, below(o)...), rests[o]...)
	}
	return picked
}

// needs lists the live objects that a definition refers to.
func (s *stage) needs(o ast.Object) []*catalog.Object {
	if o == nil {
		return nil
	}
	var list []*catalog.Object
	for _, ref := range deps.Of(o) {
		found := s.live.Relations[ref.Name]
		switch ref.Kind {
		case deps.Function:
			found = s.live.Functions[ref.Name.Name]
		case deps.Collection:
			found = nil
		}
		if found != nil {
			list = append(list, found)
		}
	}
	return list
}

// byPattern reports a definition that reads tables by a pattern of their names: which ones, the server alone tells.
func byPattern(o ast.Object) bool {
	if o == nil {
		return false
	}
	if t, ok := o.(*ast.Table); ok && t.Engine != nil && t.Engine.Name == "Merge" {
		return true
	}
	found := false
	for _, part := range o.Parts() {
		for _, attr := range part.Attrs {
			attr.Value.Walk(func(n *ast.Node) bool {
				found = found || n.Kind == ast.Func && strings.EqualFold(n.Text, "merge")
				return !found
			})
		}
	}
	return found
}
