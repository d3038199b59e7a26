package plainhcl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// value reads one value. What may follow it is the caller's to know: an operator, an index or a call is what it does not
// expect.
func (r *reader) value() (hclsyntax.Expression, bool) {
	switch c := r.peek(); {
	case c == '"':
		return r.quoted()
	case c == '[':
		return r.tuple()
	case c == '{':
		return r.object()
	case c >= '0' && c <= '9':
		return r.number()
	}
	start := r.pos()
	name := r.word()
	literal := cty.NilVal
	switch name {
	case "":
		return nil, false
	case "true":
		literal = cty.True
	case "false":
		literal = cty.False
	case "null":
		literal = cty.NullVal(cty.DynamicPseudoType)
	}
	if literal != cty.NilVal {
		return &hclsyntax.LiteralValueExpr{Val: literal, SrcRange: r.since(start)}, true
	}
	return r.reference(name, start)
}

// number reads a whole number. One in another form is left to HCL, which sees no end of it where this one does.
func (r *reader) number() (hclsyntax.Expression, bool) {
	start := r.pos()
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	if c := r.peek(); c == '.' || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' {
		return nil, false
	}
	n, err := cty.ParseNumberVal(r.src[start.Byte:r.at])
	return &hclsyntax.LiteralValueExpr{Val: n, SrcRange: r.since(start)}, err == nil
}

// reference reads on from the first name of a.b.c.
func (r *reader) reference(name string, start hcl.Pos) (hclsyntax.Expression, bool) {
	steps := make(hcl.Traversal, 1, 3)
	steps[0] = hcl.TraverseRoot{Name: name, SrcRange: r.since(start)}
	for r.peek() == '.' {
		dot := r.pos()
		r.at++
		attr := r.word()
		if attr == "" {
			return nil, false
		}
		steps = append(steps, hcl.TraverseAttr{Name: attr, SrcRange: r.since(dot)})
	}
	return &hclsyntax.ScopeTraversalExpr{Traversal: steps, SrcRange: r.since(start)}, true
}

// plainString is a string without references, as most are. Its parts are allocated as one.
type plainString struct {
	template hclsyntax.TemplateExpr
	literal  hclsyntax.LiteralValueExpr
	parts    [1]hclsyntax.Expression
}

// quoted reads a string with the references in it.
func (r *reader) quoted() (hclsyntax.Expression, bool) {
	start := r.pos()
	r.at++
	inside := r.pos()
	text, ok := r.literal()
	if !ok || r.depth+1 >= r.limit {
		return nil, false
	}
	if r.peek() != '"' {
		return r.template(start, inside, text)
	}
	s := &plainString{}
	s.literal.Val, s.literal.SrcRange = cty.StringVal(text), r.since(inside)
	r.at++
	if text == "" {
		// HCL gives an empty string the place behind its closing quote.
		end := r.pos()
		s.literal.SrcRange = hcl.Range{Filename: r.name, Start: end, End: end}
	}
	s.parts[0] = &s.literal
	s.template.Parts, s.template.SrcRange = s.parts[:], r.since(start)
	return &s.template, true
}

// template reads on from the first reference, before which there is a literal, if only an empty one.
func (r *reader) template(start, inside hcl.Pos, text string) (hclsyntax.Expression, bool) {
	if !r.enter() {
		return nil, false
	}
	defer r.leave()
	var parts []hclsyntax.Expression
	literals := 0
	for {
		if r.at > inside.Byte {
			literals++
			parts = append(parts, &hclsyntax.LiteralValueExpr{Val: cty.StringVal(text), SrcRange: r.since(inside)})
		}
		if r.take('"') {
			break
		}
		part, ok := r.interpolation()
		if !ok {
			return nil, false
		}
		parts = append(parts, part)
		inside = r.pos()
		if text, ok = r.literal(); !ok {
			return nil, false
		}
	}
	if len(parts) == 1 && literals == 0 {
		return &hclsyntax.TemplateWrapExpr{Wrapped: parts[0], SrcRange: r.since(start)}, true
	}
	return &hclsyntax.TemplateExpr{Parts: parts, SrcRange: r.since(start)}, true
}

// interpolation reads ${a.b}.
func (r *reader) interpolation() (hclsyntax.Expression, bool) {
	if !r.take('$') || !r.take('{') || !r.enter() {
		return nil, false
	}
	defer r.leave()
	r.blanks()
	start := r.pos()
	name := r.word()
	switch name {
	case "", "true", "false", "null":
		return nil, false
	}
	expr, ok := r.reference(name, start)
	r.blanks()
	return expr, ok && r.take('}')
}

// tuple reads [a, b]; where its lines end does not matter.
func (r *reader) tuple() (hclsyntax.Expression, bool) {
	start := r.pos()
	r.at++
	list := &hclsyntax.TupleConsExpr{OpenRange: r.since(start)}
	if !r.enter() {
		return nil, false
	}
	defer r.leave()
	for {
		if !r.gap() {
			return nil, false
		}
		if r.take(']') {
			break
		}
		element, ok := r.value()
		if !ok || isFor(element) || !r.gap() {
			return nil, false
		}
		list.Exprs = append(list.Exprs, element)
		if r.take(']') {
			break
		}
		if !r.take(',') {
			return nil, false
		}
	}
	list.SrcRange = r.since(start)
	return list, true
}

// isFor tells the word that makes what follows another thing than a list or an object.
func isFor(e hclsyntax.Expression) bool {
	t, ok := e.(*hclsyntax.ScopeTraversalExpr)
	return ok && t.Traversal.RootName() == "for"
}

// object reads { key = value }, whose items end with a comma or their line.
func (r *reader) object() (hclsyntax.Expression, bool) {
	start := r.pos()
	r.at++
	object := &hclsyntax.ObjectConsExpr{OpenRange: r.since(start)}
	if !r.enter() {
		return nil, false
	}
	defer r.leave()
	for {
		if !r.gap() {
			return nil, false
		}
		if r.take('}') {
			break
		}
		key, ok := r.key()
		if !ok {
			return nil, false
		}
		value, ok := r.value()
		if !ok {
			return nil, false
		}
		object.Items = append(object.Items, hclsyntax.ObjectConsItem{KeyExpr: key, ValueExpr: value})
		r.blanks()
		if r.take('}') {
			break
		}
		if !r.take(',') && !r.lineEnd() {
			return nil, false
		}
	}
	object.SrcRange = r.since(start)
	return object, true
}

// key reads the key of an object's item, a name or a string, and the sign behind it.
func (r *reader) key() (hclsyntax.Expression, bool) {
	var key hclsyntax.Expression
	var ok bool
	if r.peek() == '"' {
		key, ok = r.quoted()
	} else {
		key, ok = r.value()
		if _, name := key.(*hclsyntax.ScopeTraversalExpr); !name || isFor(key) {
			return nil, false
		}
	}
	if !ok {
		return nil, false
	}
	r.blanks()
	sign := r.peek()
	if sign != '=' && sign != ':' {
		return nil, false
	}
	_, ok = r.equals(sign)
	return &hclsyntax.ObjectConsKeyExpr{Wrapped: key}, ok
}
