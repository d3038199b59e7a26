package ddl_test

import (
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/ast"
)

// sameTree compares trees as ast.Compare does: places and the author's quotes take no part.
func sameTree() cmp.Option {
	return cmp.Options{cmpopts.IgnoreFields(ast.Node{}, "Pos", "Quote"), cmpopts.EquateEmpty()}
}

// equalObjects reports whether two objects have the same parts; it is the quick form of cmp.Equal with sameTree for
// thousands of them.
func equalObjects(a, b ast.Object) bool {
	left, right := a.Parts(), b.Parts()
	if a.Kind() != b.Kind() || a.ID() != b.ID() || len(left) != len(right) {
		return false
	}
	for i, p := range left {
		q := right[i]
		if p.Kind != q.Kind || p.Name != q.Name || len(p.Attrs) != len(q.Attrs) {
			return false
		}
		for j, attr := range p.Attrs {
			if attr.Name != q.Attrs[j].Name || ast.Compare(attr.Value, q.Attrs[j].Value) != ast.Same {
				return false
			}
		}
	}
	return true
}

// dump writes a tree as nested lists: the kind where it is not plain from the text, the text, the kids.
func dump(n *ast.Node) string {
	var b strings.Builder
	dumpTo(&b, n)
	return b.String()
}

func dumpTo(b *strings.Builder, n *ast.Node) {
	switch {
	case n.Kind == ast.Ident && len(n.Kids) == 0:
		b.WriteString(n.Text)
		return
	case n.Kind == ast.Number:
		b.WriteString(n.Text)
		return
	case n.Kind == ast.String:
		b.WriteString("'" + n.Text + "'")
		return
	}
	b.WriteString("(" + n.Kind.String())
	if n.Text != "" {
		b.WriteString(" `" + n.Text + "`")
	}
	for _, kid := range n.Kids {
		b.WriteByte(' ')
		dumpTo(b, kid)
	}
	b.WriteByte(')')
}
