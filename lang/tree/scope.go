package tree

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// scope evaluates expressions of one file in one context. A value it cannot know, because its source was reported
// already, is silently absent.
type scope struct {
	*faults
	source *source
	ctx    *hcl.EvalContext
	limits Limits
}

// in returns the same scope over another file.
func (s *scope) in(src *source) *scope {
	other := *s
	other.source = src
	return &other
}

// value evaluates an expression. ok is false when it has a fault, or depends on something that has.
func (s *scope) value(expr hclsyntax.Expression) (cty.Value, bool) {
	if !s.namesKnown(expr) {
		return cty.DynamicVal, false
	}
	v, diags := expr.Value(s.ctx)
	s.extend(diags)
	if diags.HasErrors() {
		return cty.DynamicVal, false
	}
	if !v.IsWhollyKnown() {
		return cty.DynamicVal, false
	}
	return v, true
}

// given is the value of an attribute without marks. ok is false where the attribute is left out, and like value.
func (s *scope) given(attr *hclsyntax.Attribute) (v cty.Value, ok bool) {
	if attr == nil {
		return cty.DynamicVal, false
	}
	if v, ok = s.value(attr.Expr); ok {
		v, _ = v.UnmarkDeep()
	}
	return v, ok
}

// namesKnown reports references to variables, locals and functions that do not exist, with the nearest that does.
// HCL's own message has no suggestion for var.x.
func (s *scope) namesKnown(expr hclsyntax.Expression) bool {
	ok := true
	for _, t := range expr.Variables() {
		root, isRoot := t[0].(hcl.TraverseRoot)
		if !isRoot || len(t) < 2 {
			continue
		}
		object, found := s.ctx.Variables[root.Name]
		attr, isAttr := t[1].(hcl.TraverseAttr)
		if !found || !isAttr || !object.Type().IsObjectType() || object.Type().HasAttribute(attr.Name) {
			continue
		}
		s.unknownName(t, root.Name, attr.Name, slices.Sorted(maps.Keys(object.Type().AttributeTypes())))
		ok = false
	}
	return ok
}

// unknownName reports a reference to a name of a namespace that does not have it.
func (f *faults) unknownName(t hcl.Traversal, namespace, name string, known []string) {
	what := map[string]string{"var": "variable", "local": "local"}[namespace]
	if what == "" {
		what = namespace + " value"
	}
	detail := fmt.Sprintf("Nothing declares a %s %q.", what, name) + suggest(name, known)
	if len(known) > 0 {
		detail += " Known: " + expected(known) + "."
	}
	f.fault(CodeUnknown, t.SourceRange(), fmt.Sprintf("Unknown %s %q", what, name), detail)
}

// text evaluates an attribute as a piece of text; a number or a bool is one too.
func (s *scope) text(attr *hclsyntax.Attribute) (text, bool) {
	if attr == nil {
		return text{}, false
	}
	return s.textOf(attr.Expr, attr.Name)
}

func (s *scope) textOf(expr hclsyntax.Expression, name string) (text, bool) {
	if value, ok := constant(expr); ok {
		return text{value: value, source: s.source, expr: expr, ctx: s.ctx}, true
	}
	v, ok := s.value(expr)
	if !ok {
		return text{}, false
	}
	value, ok := stringOf(v)
	if !ok {
		s.fault(CodeValue, expr.Range(), fmt.Sprintf("Wrong value for %q", name),
			fmt.Sprintf("%q takes a text in quotes or a heredoc; this is %s.", name, describe(v)))
		return text{}, false
	}
	if int64(len(value)) > s.limits.ValueBytes {
		s.fault(CodeLimit, expr.Range(), "Text is too large", fmt.Sprintf("%q is larger than the ceiling of %d bytes.", name, s.limits.ValueBytes))
		return text{}, false
	}
	return text{value: value, source: s.source, expr: expr, ctx: s.ctx}, true
}

// constant returns the text of a string without templates, as most are: there is nothing to evaluate.
func constant(expr hclsyntax.Expression) (string, bool) {
	template, ok := expr.(*hclsyntax.TemplateExpr)
	if !ok || len(template.Parts) != 1 {
		return "", false
	}
	literal, ok := template.Parts[0].(*hclsyntax.LiteralValueExpr)
	if !ok || literal.Val.Type() != cty.String || literal.Val.IsNull() {
		return "", false
	}
	return literal.Val.AsString(), true
}

// str evaluates an attribute as plain words that are no ClickHouse text; absent is "".
func (s *scope) str(attr *hclsyntax.Attribute) string {
	t, _ := s.text(attr)
	return t.value
}

// texts evaluates an attribute as one text or a list of them.
func (s *scope) texts(attr *hclsyntax.Attribute) (list []text, isList, ok bool) {
	if attr == nil {
		return nil, false, false
	}
	if tuple, isTuple := attr.Expr.(*hclsyntax.TupleConsExpr); isTuple {
		ok = true
		for _, e := range tuple.Exprs {
			t, good := s.textOf(e, attr.Name)
			if !good {
				ok = false
				continue
			}
			list = append(list, t)
		}
		return list, true, ok
	}
	v, ok := s.value(attr.Expr)
	if !ok {
		return nil, false, false
	}
	v, _ = v.UnmarkDeep()
	if v.IsNull() || !v.CanIterateElements() || v.Type().IsObjectType() || v.Type().IsMapType() {
		t, ok := s.textOf(attr.Expr, attr.Name)
		return []text{t}, false, ok
	}
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		value, isText := stringOf(element)
		if !isText {
			s.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("Wrong value in %q", attr.Name),
				fmt.Sprintf("%q takes a list of texts; one of its elements is %s.", attr.Name, describe(element)))
			return nil, true, false
		}
		// The element was computed: its place is the expression that did it.
		list = append(list, text{value: value, source: s.source, expr: computed{attr.Expr}, ctx: s.ctx})
	}
	return list, true, true
}

// computed hides how an expression is built, so that no part of its value is looked for in its source.
type computed struct{ hclsyntax.Expression }

func describe(v cty.Value) string {
	v, _ = v.UnmarkDeep()
	switch {
	case v.IsNull():
		return "null"
	case !v.IsKnown():
		return "not known"
	}
	return "a value of type " + v.Type().FriendlyName()
}

// newContext returns a context with the functions and the given namespaces.
func newContext(funcs map[string]function.Function, names map[string]cty.Value) *hcl.EvalContext {
	return &hcl.EvalContext{Functions: funcs, Variables: names}
}
