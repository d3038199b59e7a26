package rules

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// valueText is a changed value as people read it: the text of a node, or of all that a part holds.
func valueText(value *ast.Node, part *ast.Part) string {
	switch {
	case value != nil:
		return value.String()
	case part == nil:
		return ""
	}
	if len(part.Attrs) == 1 && part.Attrs[0].Name == "" {
		return part.Attrs[0].Value.String()
	}
	var b strings.Builder
	for _, a := range part.Attrs {
		if a.Value == nil {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if word, list := attrLists[a.Name]; list {
			b.WriteString(word + "(" + a.Value.String() + ")")
			continue
		}
		if label := attrLabels[a.Name]; label != "" {
			b.WriteString(label + " ")
		} else if rest, ok := strings.CutPrefix(a.Name, "setting "); ok {
			b.WriteString(rest + " = ")
		}
		b.WriteString(a.Value.String())
	}
	return b.String()
}

// liveText is the live value of a change. A server hides what it knows to be a secret and shows the header of an HTTP source
// as it is: where the definition has a secret, every text that does not stand in the definition is taken for one.
func liveText(c *ast.Change) string {
	known, secret := map[string]bool{hiddenValue: true}, false
	look := func(n *ast.Node) bool {
		if _, ok := ast.SecretOf(n); ok {
			secret = true
			return false
		}
		if n.Kind == ast.String {
			known[n.Text] = true
		}
		return true
	}
	c.Desired.Walk(look)
	if c.DesiredPart != nil {
		for _, a := range c.DesiredPart.Attrs {
			a.Value.Walk(look)
		}
	}
	if !secret {
		return valueText(c.Live, c.LivePart)
	}
	part := c.LivePart
	if part != nil {
		part = &ast.Part{Kind: part.Kind, Name: part.Name, Attrs: slices.Clone(part.Attrs)}
		for i := range part.Attrs {
			part.Attrs[i].Value = withoutTexts(part.Attrs[i].Value, known)
		}
	}
	return valueText(withoutTexts(c.Live, known), part)
}

// withoutTexts is a value with [HIDDEN] in the place of every text but those that are known.
func withoutTexts(n *ast.Node, known map[string]bool) *ast.Node {
	if n == nil {
		return nil
	}
	c := *n
	if c.Kind == ast.String && !known[c.Text] {
		c.Text = hiddenValue
	}
	c.Kids = make([]*ast.Node, len(n.Kids))
	for i, k := range n.Kids {
		c.Kids[i] = withoutTexts(k, known)
	}
	return &c
}

// attrLists are the words before those attributes that stand in parentheses.
var attrLists = map[string]string{"codec": "CODEC", "statistics": "STATISTICS"}

// attrLabels are the words before those attributes that do not explain themselves.
var attrLabels = map[string]string{
	"ttl": "TTL", "comment": "COMMENT", "granularity": "GRANULARITY", "index": "INDEX",
	"definer": "DEFINER", "mode": "SQL SECURITY", "depends_on": "DEPENDS ON", "offset": "OFFSET", "randomize": "RANDOMIZE FOR",
	"min": "MIN", "max": "MAX", "collation": "COLLATE",
}
