package rules

import (
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

// attrLists are the words before those attributes that stand in parentheses.
var attrLists = map[string]string{"codec": "CODEC", "statistics": "STATISTICS"}

// attrLabels are the words before those attributes that do not explain themselves.
var attrLabels = map[string]string{
	"ttl": "TTL", "comment": "COMMENT", "granularity": "GRANULARITY", "index": "INDEX",
	"definer": "DEFINER", "mode": "SQL SECURITY", "depends_on": "DEPENDS ON", "offset": "OFFSET", "randomize": "RANDOMIZE FOR",
	"min": "MIN", "max": "MAX", "collation": "COLLATE",
}
