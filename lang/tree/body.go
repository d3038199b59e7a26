package tree

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/lang/series"
)

// shape says what a body takes.
type shape struct {
	what   string         // how a fault names the place: "a table definition", "a column"
	name   string         // of the part at hand, where it has one
	attrs  []string       // the attributes it takes
	blocks map[string]int // the blocks it takes, with how many labels each has
}

// content is a body whose structure was checked: only known attributes, and only known blocks with their labels.
type content struct {
	attrs  map[string]*hclsyntax.Attribute
	blocks []*hclsyntax.Block // as written, in order
	at     hcl.Range          // where a missing attribute is reported
}

// place names the body in a fault.
func (s shape) place() string {
	if s.name == "" {
		return s.what
	}
	return fmt.Sprintf("%s %q", s.what, s.name)
}

// takesAll reports whether a body holds nothing but what the shape takes, as nearly every one does.
func (s shape) takesAll(body *hclsyntax.Body) bool {
	for name := range body.Attributes {
		if !slices.Contains(s.attrs, name) {
			return false
		}
	}
	for _, block := range body.Blocks {
		if labels, known := s.blocks[block.Type]; !known || labels != len(block.Labels) {
			return false
		}
	}
	return true
}

// read checks the structure of a body before anything uses it. What is unknown is reported and left out.
func (f *faults) read(body *hclsyntax.Body, at hcl.Range, s shape) content {
	if s.takesAll(body) {
		return content{attrs: body.Attributes, blocks: body.Blocks, at: at}
	}
	c := content{attrs: map[string]*hclsyntax.Attribute{}, at: at}
	blockNames := slices.Sorted(maps.Keys(s.blocks))
	names := slices.SortedFunc(maps.Values(body.Attributes), func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
	for _, attr := range names {
		_, isBlock := s.blocks[attr.Name]
		switch {
		case slices.Contains(s.attrs, attr.Name):
			c.attrs[attr.Name] = attr
		case isBlock:
			f.fault(CodeUnknown, attr.NameRange, fmt.Sprintf("%q is a block", attr.Name),
				fmt.Sprintf("In %s, %q is written as a block, without an equals sign: %s.", s.place(), attr.Name, blockForm(attr.Name, s.blocks[attr.Name])))
		default:
			f.fault(CodeUnknown, attr.NameRange, fmt.Sprintf("Unknown attribute %q", attr.Name), f.takes(s, attr.Name, s.attrs, "attributes"))
		}
	}
	for _, block := range body.Blocks {
		labels, known := s.blocks[block.Type]
		switch {
		case !known && slices.Contains(s.attrs, block.Type):
			f.fault(CodeUnknown, block.TypeRange, fmt.Sprintf("%q is an attribute", block.Type),
				fmt.Sprintf("In %s, %q is written with an equals sign: %s = ...", s.place(), block.Type, block.Type))
		case !known:
			f.fault(CodeUnknown, block.TypeRange, fmt.Sprintf("Unknown block %q", block.Type), f.takes(s, block.Type, blockNames, "blocks"))
		case len(block.Labels) != labels:
			f.fault(CodeName, block.DefRange(), fmt.Sprintf("Wrong labels of block %q", block.Type),
				fmt.Sprintf("It is written %s, with %d %s; this one has %d.", blockForm(block.Type, labels), labels, plural(labels, "label"), len(block.Labels)))
		default:
			c.blocks = append(c.blocks, block)
		}
	}
	return c
}

func (f *faults) takes(s shape, given string, known []string, what string) string {
	if len(known) == 0 {
		return fmt.Sprintf("%s takes no %s.", capital(s.place()), what)
	}
	return fmt.Sprintf("%s takes the %s %s.", capital(s.place()), what, enumerate(known, series.And[string])) + suggest(given, known)
}

// require reports a missing attribute and returns the present one.
func (f *faults) require(c content, name, why string) *hclsyntax.Attribute {
	attr := c.attrs[name]
	if attr == nil {
		f.fault(CodeMissing, c.at, fmt.Sprintf("Missing attribute %q", name), why)
	}
	return attr
}

func blockForm(name string, labels int) string {
	if labels == 0 {
		return name + " { ... }"
	}
	return name + ` "name" { ... }`
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
