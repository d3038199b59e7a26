package sources

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// attributeOf is what the config says a variable or a local of the standard definitions comes from.
func attributeOf(name string) string {
	switch name {
	case "organisation", "database":
		return "organisation"
	case "source", "table", "topic":
		return "id"
	case "comment":
		return "title"
	}
	return name
}

// place moves faults that were found in the standard definitions to what the config says there: what the author of a
// config can change is the config.
func (c *Config) place(diags hcl.Diagnostics) hcl.Diagnostics {
	placed := make(hcl.Diagnostics, len(diags))
	for i, d := range diags {
		moved := *d
		if d.Subject != nil {
			at := *d.Subject
			moved.Subject = &at
			moved.Context = nil
			if at.Filename == included {
				moved.Subject.Filename = c.name
			} else if attr := c.cause(at); attr != nil {
				moved.Subject = attr.SrcRange.Ptr()
			}
		}
		moved.Detail = strings.ReplaceAll(moved.Detail, included+":", c.name+":")
		placed[i] = &moved
	}
	return placed
}

// cause is the attribute of the config that a place in the standard definitions has its value from, or nil.
func (c *Config) cause(at hcl.Range) *hclsyntax.Attribute {
	if name, isVariable := strings.CutPrefix(at.Filename, "--var "); isVariable {
		return c.body.Attributes[attributeOf(name)]
	}
	text, err := fs.ReadFile(templates(), at.Filename)
	if err != nil {
		return nil
	}
	parsed, _ := hclsyntax.ParseConfig(text, at.Filename, hcl.InitialPos)
	body, isNative := parsed.Body.(*hclsyntax.Body)
	if !isNative {
		return nil
	}
	names := namesAt(body, at)
	for _, name := range names {
		if attr := c.body.Attributes[attributeOf(name)]; attr != nil {
			return attr
		}
	}
	return nil
}

// namesAt are the variables and locals that a place in a body refers to: by the attribute it is in, or by being a
// variable's own block.
func namesAt(body *hclsyntax.Body, at hcl.Range) []string {
	within := func(r hcl.Range) bool { return r.Start.Byte <= at.Start.Byte && at.Start.Byte < r.End.Byte }
	for _, attr := range body.Attributes {
		if !within(attr.SrcRange) {
			continue
		}
		var names []string
		for _, t := range attr.Expr.Variables() {
			if step, isAttr := behindRoot(t); isAttr && slices.Contains([]string{"var", "local"}, t.RootName()) {
				names = append(names, step)
			}
		}
		return names
	}
	for _, block := range body.Blocks {
		if !within(block.Range()) {
			continue
		}
		if block.Type == "variable" {
			return block.Labels
		}
		return namesAt(block.Body, at)
	}
	return nil
}

// behindRoot is the name behind the root of a reference.
func behindRoot(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	step, ok := t[1].(hcl.TraverseAttr)
	return step.Name, ok
}
