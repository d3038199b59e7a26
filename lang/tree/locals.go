package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// localSet evaluates locals in the order of their references, each once.
type localSet struct {
	*loader
	attrs  map[string]*hclsyntax.Attribute
	values map[string]cty.Value
	path   []string // locals being evaluated, outermost first
}

// locals evaluates the locals blocks over the variables.
func (l *loader) locals(blocks []*hclsyntax.Block, variables cty.Value) cty.Value {
	set := &localSet{loader: l, attrs: map[string]*hclsyntax.Attribute{}, values: map[string]cty.Value{}}
	for _, block := range blocks {
		for _, b := range block.Body.Blocks {
			l.fault(CodeUnknown, b.TypeRange, fmt.Sprintf("Unknown block %q", b.Type), "A locals block takes only name = value.")
		}
		for _, name := range slices.Sorted(maps.Keys(block.Body.Attributes)) {
			attr := block.Body.Attributes[name]
			if first := set.attrs[name]; first != nil {
				l.fault(CodeDuplicate, attr.NameRange, fmt.Sprintf("Local %q is declared twice", name),
					fmt.Sprintf("It was declared at line %d. Remove one of the two.", first.NameRange.Start.Line))
				continue
			}
			set.attrs[name] = attr
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set.attrs)) {
		set.evaluate(name, variables)
	}
	return cty.ObjectVal(set.values)
}

func (s *localSet) evaluate(name string, variables cty.Value) {
	if _, done := s.values[name]; done {
		return
	}
	attr := s.attrs[name]
	if slices.Contains(s.path, name) {
		loop := append(s.path[slices.Index(s.path, name):], name)
		s.fault(CodeValue, attr.NameRange, fmt.Sprintf("Local %q depends on itself", name), "The loop is local."+strings.Join(loop, " -> local.")+".")
		s.values[name] = cty.DynamicVal
		return
	}
	if len(s.path) > s.limits.Nesting {
		s.fault(CodeLimit, attr.NameRange, "Locals depend on each other too deeply", fmt.Sprintf("A chain of locals may be %d long.", s.limits.Nesting))
		s.values[name] = cty.DynamicVal
		return
	}
	s.path = append(s.path, name)
	// An expression sees the locals it names, and no more: all of them at each would be quadratic.
	seen, complete := map[string]cty.Value{}, true
	for _, t := range attr.Expr.Variables() {
		if t.RootName() != "local" {
			continue
		}
		next, ok := localName(t)
		if !ok {
			s.fault(CodeValue, t.SourceRange(), "A local is named by itself", "Write local.name; the locals as a whole are no value here.")
			complete = false
			continue
		}
		if s.attrs[next] == nil {
			s.unknownName(t, "local", next, slices.Sorted(maps.Keys(s.attrs)))
			complete = false
			continue
		}
		s.evaluate(next, variables)
		seen[next] = s.values[next]
	}
	s.path = s.path[:len(s.path)-1]
	if _, done := s.values[name]; done {
		return // it was part of a loop, which is reported
	}
	if !complete {
		s.values[name] = cty.DynamicVal
		return
	}
	scope := &scope{faults: s.faults, source: s.manifest, limits: s.limits,
		ctx: newContext(s.functions, map[string]cty.Value{"var": variables, "local": cty.ObjectVal(seen)})}
	value, _ := scope.value(attr.Expr)
	if size := valueSize(value, s.limits.ValueBytes); size > s.limits.ValueBytes {
		s.fault(CodeLimit, attr.Expr.Range(), fmt.Sprintf("Local %q is too large", name), fmt.Sprintf("Its value is larger than the ceiling of %d bytes.", s.limits.ValueBytes))
		value = cty.DynamicVal
	}
	s.values[name] = value
}

func localName(t hcl.Traversal) (string, bool) {
	root, ok := t[0].(hcl.TraverseRoot)
	if !ok || root.Name != "local" || len(t) < 2 {
		return "", false
	}
	attr, ok := t[1].(hcl.TraverseAttr)
	return attr.Name, ok
}

// valueSize counts the bytes of all texts in a value and one for every other element, up to a little over most.
func valueSize(v cty.Value, most int64) int64 {
	v, _ = v.UnmarkDeep()
	if v.IsNull() || !v.IsKnown() {
		return 1
	}
	if v.Type() == cty.String {
		return int64(len(v.AsString()))
	}
	if !v.CanIterateElements() {
		return 1
	}
	size := int64(1)
	for it := v.ElementIterator(); size <= most && it.Next(); {
		_, element := it.Element()
		size += valueSize(element, most)
	}
	return size
}
