package tree

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func renderView(w *writer, o ast.Object) {
	v := o.(*ast.View)
	w.unread(v.Unread)
	if len(v.Aliases) > 0 && len(v.Columns) > 0 {
		w.fail("it has a list of aliases and a list of columns")
	}
	for _, name := range v.Aliases {
		w.block("column", name, func() {})
	}
	for _, c := range v.Columns {
		w.block("column", c.Name, func() {
			w.node("type", c.Type)
			w.text("comment", c.Comment)
		})
		if c.Type == nil || c.DefaultKind != ast.Plain || c.Codec != nil || c.TTL != nil {
			w.fail("column %s is more than a name, a type and a comment", c.Name)
		}
	}
	w.gap()
	w.query("query", v.Query)
	w.security(v.Security)
	w.text("comment", v.Comment)
}

func renderMaterializedView(w *writer, o ast.Object) {
	m := o.(*ast.MaterializedView)
	w.unread(m.Unread)
	if m.Empty || m.Populate {
		w.fail("POPULATE and EMPTY say how it is created, not what it is")
	}
	inner := m.Inner
	if inner == nil {
		inner = &ast.Table{}
	} else if m.To != (ast.Name{}) {
		w.fail("it has a target and storage of its own")
	}
	w.tableParts(inner, m.Columns)
	w.refresh(m.Refresh)
	w.gap()
	if m.To != (ast.Name{}) {
		w.text("to", FormatName(m.To))
	}
	w.storage(inner)
	w.query("query", m.Query)
	w.security(m.Security)
	w.text("comment", m.Comment)
}

func (w *writer) refresh(r *ast.Refresh) {
	if r == nil {
		return
	}
	w.block("refresh", "", func() {
		if r.Period != nil {
			w.raw(strings.ToLower(r.Kind), w.quoted(period(r.Period)))
		}
		w.text("offset", period(r.Offset))
		w.text("randomize", period(r.Randomize))
		if len(r.DependsOn) > 0 {
			names := make([]string, len(r.DependsOn))
			for i, name := range r.DependsOn {
				names[i] = w.quoted(FormatName(name))
			}
			w.raw("depends_on", "["+strings.Join(names, ", ")+"]")
		}
		if r.Append {
			w.raw("append", "true")
		}
		w.settings(r.Settings)
	})
}

// period writes 1 HOUR 30 MINUTE.
func period(n *ast.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == ast.Interval && len(n.Kids) == 1:
		return n.Kids[0].String() + " " + n.Text
	case n.Kind == ast.List:
		parts := make([]string, len(n.Kids))
		for i, kid := range n.Kids {
			parts[i] = period(kid)
		}
		return strings.Join(parts, " ")
	}
	return n.String()
}

func renderDictionary(w *writer, o ast.Object) {
	d := o.(*ast.Dictionary)
	w.unread(d.Unread)
	for _, a := range d.Attributes {
		w.block("attribute", a.Name, func() {
			w.node("type", a.Type)
			w.node("default", a.Default)
			w.node("expression", a.Expression)
			for i, set := range []bool{a.Hierarchical, a.Bidirectional, a.Injective, a.IsObjectID} {
				if set {
					w.raw(attributeFlags[i], "true")
				}
			}
		})
	}
	w.gap()
	keys := make([]string, len(d.PrimaryKey))
	for i, key := range d.PrimaryKey {
		keys[i] = w.quoted(key)
	}
	w.raw("primary_key", "["+strings.Join(keys, ", ")+"]")
	if d.Source != nil {
		w.text("source", keyValues(d.Source.Kind, d.Source.Args, d.Source.HasParens))
	}
	if d.Layout != nil {
		w.text("layout", keyValues(d.Layout.Kind, d.Layout.Args, d.Layout.HasParens))
	}
	switch {
	case d.HasLifetime && d.LifetimeMin == 0:
		w.raw("lifetime", fmt.Sprint(d.LifetimeMax))
	case d.HasLifetime:
		w.raw("lifetime", fmt.Sprintf("{ min = %d, max = %d }", d.LifetimeMin, d.LifetimeMax))
	}
	if d.RangeMin != "" || d.RangeMax != "" {
		w.raw("range", fmt.Sprintf("{ min = %s, max = %s }", w.quoted(d.RangeMin), w.quoted(d.RangeMax)))
	}
	w.settings(d.Settings)
	w.text("comment", d.Comment)
}

// keyValues writes KIND(key value key value).
func keyValues(kind string, args []ast.Setting, parens bool) string {
	var b strings.Builder
	b.WriteString(ast.QuoteIdent(kind))
	if len(args) == 0 && !parens {
		return b.String()
	}
	b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		keyValue(&b, a.Name, a.Value)
	}
	b.WriteByte(')')
	return b.String()
}

func keyValue(b *strings.Builder, name string, value *ast.Node) {
	b.WriteString(ast.QuoteIdent(name))
	if value.Kind != ast.List {
		b.WriteByte(' ')
		b.WriteString(value.String())
		return
	}
	b.WriteByte('(')
	for i, kid := range value.Kids {
		if i > 0 {
			b.WriteByte(' ')
		}
		keyValue(b, kid.Text, kid.Kids[0])
	}
	b.WriteByte(')')
}
