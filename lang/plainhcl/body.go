package plainhcl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// items reads what is in a body: of a block up to its brace, which is left to the caller, else up to the end of the
// file.
func (r *reader) items(body *hclsyntax.Body, inBlock bool) bool {
	for {
		r.blanks()
		if r.at == len(r.src) {
			return !inBlock
		}
		switch r.peek() {
		case '}':
			return inBlock
		case '\n', '#', '/':
			if !r.lineEnd() {
				return false
			}
		default:
			if !r.item(body) || !r.lineEnd() {
				return false
			}
		}
	}
}

// item reads an attribute or a block.
func (r *reader) item(body *hclsyntax.Body) bool {
	start := r.pos()
	name := r.word()
	if name == "" {
		return false
	}
	named := r.since(start)
	r.blanks()
	if r.peek() != '=' {
		block, ok := r.block(name, named)
		body.Blocks = append(body.Blocks, block)
		return ok
	}
	attr, ok := r.attribute(name, named)
	if body.Attributes[name] != nil {
		return false
	}
	body.Attributes[name] = attr
	return ok
}

// attribute reads on from the equals sign.
func (r *reader) attribute(name string, named hcl.Range) (*hclsyntax.Attribute, bool) {
	equals, ok := r.equals('=')
	if !ok {
		return nil, false
	}
	expr, ok := r.value()
	return &hclsyntax.Attribute{Name: name, Expr: expr, SrcRange: r.since(named.Start), NameRange: named, EqualsRange: equals}, ok
}

// equals steps over the sign before a value, which no other may follow: that would be an operator.
func (r *reader) equals(sign byte) (hcl.Range, bool) {
	start := r.pos()
	if !r.take(sign) {
		return hcl.Range{}, false
	}
	at := r.since(start)
	switch r.peek() {
	case '=', '>', ':':
		return hcl.Range{}, false
	}
	r.blanks()
	return at, true
}

// block reads on from what follows the block's type.
func (r *reader) block(kind string, named hcl.Range) (*hclsyntax.Block, bool) {
	b := &hclsyntax.Block{Type: kind, TypeRange: named}
	for r.peek() != '{' {
		start := r.pos()
		label, ok := r.label()
		if !ok {
			return nil, false
		}
		b.Labels, b.LabelRanges = append(b.Labels, label), append(b.LabelRanges, r.since(start))
		r.blanks()
	}
	start := r.pos()
	r.at++
	b.OpenBraceRange = r.since(start)
	if !r.enter() {
		return nil, false
	}
	defer r.leave()
	r.blanks()
	var ok bool
	switch r.peek() {
	case '\n', '#', '/', '}':
		b.Body, b.CloseBraceRange, ok = r.lines(start)
	default:
		b.Body, b.CloseBraceRange, ok = r.oneLine()
	}
	return b, ok
}

func (r *reader) label() (string, bool) {
	if r.take('"') {
		text, ok := r.literal()
		return text, ok && r.take('"')
	}
	word := r.word()
	return word, word != ""
}

// lines reads the body of a block that is written on lines of its own, and its closing brace.
func (r *reader) lines(open hcl.Pos) (*hclsyntax.Body, hcl.Range, bool) {
	body := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, Blocks: hclsyntax.Blocks{}}
	if !r.items(body, true) {
		return nil, hcl.Range{}, false
	}
	brace := r.brace()
	body.SrcRange = r.since(open)
	body.EndRange = hcl.Range{Filename: r.name, Start: brace.End, End: brace.End}
	return body, brace, true
}

func (r *reader) brace() hcl.Range {
	start := r.pos()
	r.at++
	return r.since(start)
}

// oneLine reads the body of a block with one attribute on the line of its braces.
func (r *reader) oneLine() (*hclsyntax.Body, hcl.Range, bool) {
	start := r.pos()
	name := r.word()
	if name == "" {
		return nil, hcl.Range{}, false
	}
	named := r.since(start)
	r.blanks()
	attr, ok := r.attribute(name, named)
	if !ok {
		return nil, hcl.Range{}, false
	}
	end := r.pos()
	body := &hclsyntax.Body{
		Attributes: hclsyntax.Attributes{name: attr},
		SrcRange:   attr.SrcRange,
		EndRange:   hcl.Range{Filename: r.name, Start: end, End: end},
	}
	r.blanks()
	if r.peek() != '}' {
		return nil, hcl.Range{}, false
	}
	return body, r.brace(), true
}
