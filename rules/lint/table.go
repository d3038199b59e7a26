package lint

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// table is a table with what the checks ask of it again and again.
type table struct {
	*object
	def    *ast.Table
	family string // the engine without a platform's prefix
	merges bool   // a MergeTree engine
	types  map[string]dataType
	// sorting and partition are the elements of the keys, in order.
	sorting, partition []element
}

// element is one expression of a key.
type element struct {
	path   ast.Path
	node   *ast.Node
	column string // the column it is, where it is one and nothing else
}

func newTable(o *object, def *ast.Table) *table {
	t := &table{object: o, def: def, types: make(map[string]dataType, len(def.Columns))}
	if def.Engine != nil {
		t.family = def.Engine.Name
		for _, prefix := range []string{"Replicated", "Shared"} {
			t.family = strings.TrimPrefix(t.family, prefix)
		}
		t.merges = strings.HasSuffix(t.family, "MergeTree")
	}
	for _, c := range def.Columns {
		t.types[c.Name] = typeOf(c.Type)
		if c.PrimaryKey {
			t.sorting = append(t.sorting, element{column(c.Name, "type"), c.Type, c.Name})
		}
	}
	switch {
	case def.OrderBy != nil:
		t.sorting = elements(ast.Path{Part: "order_by"}, def.OrderBy)
	case def.PrimaryKey != nil:
		t.sorting = elements(ast.Path{Part: "primary_key"}, def.PrimaryKey)
	}
	t.partition = elements(ast.Path{Part: "partition_by"}, def.PartitionBy)
	return t
}

func elements(path ast.Path, key *ast.Node) []element {
	if key == nil {
		return nil
	}
	switch {
	case key.Kind == ast.Paren, key.Kind == ast.Clause && (key.Text == "ASC" || key.Text == "DESC"):
		return elements(path, key.Kids[0])
	case key.Kind == ast.Tuple, key.Kind == ast.List, key.Kind == ast.Func && strings.EqualFold(key.Text, "tuple"):
		var all []element
		for _, kid := range key.Kids {
			all = append(all, elements(path, kid)...)
		}
		return all
	}
	return []element{{path, key, identifier(key)}}
}

// identifier is the column a node names, or "".
func identifier(n *ast.Node) string {
	if n == nil || n.Kind != ast.Ident {
		return ""
	}
	if len(n.Kids) == 0 {
		return n.Text
	}
	parts := make([]string, len(n.Kids))
	for i, kid := range n.Kids {
		parts[i] = kid.Text
	}
	return strings.Join(parts, ".")
}

// columnsIn lists the columns of the table that an expression reads, each once, in the order of their first use.
func (t *table) columnsIn(n *ast.Node) []string {
	var names []string
	seen := map[string]bool{}
	n.Walk(func(n *ast.Node) bool {
		name := identifier(n)
		if name == "" {
			return true
		}
		if _, is := t.types[name]; is && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
		return false
	})
	return names
}

// setting returns the value of a setting as written, or "".
func (t *table) setting(name string) string {
	for _, s := range t.def.Settings {
		if s.Name == name {
			return literal(s.Value)
		}
	}
	return ""
}

// isOn reports a setting that is switched on.
func (t *table) isOn(name string) bool {
	v := t.setting(name)
	return v == "1" || v == "true"
}

// literal is the text of a literal's value, signed where it is a number; "" for anything else.
func literal(n *ast.Node) string {
	if n == nil {
		return ""
	}
	switch {
	case n.Kind == ast.Number, n.Kind == ast.String, n.Kind == ast.Keyword:
		return n.Text
	case n.Kind == ast.Operator && n.Text == "-" && len(n.Kids) == 1 && n.Kids[0].Kind == ast.Number:
		return "-" + n.Kids[0].Text
	case n.Kind == ast.Paren:
		return literal(n.Kids[0])
	}
	return ""
}

// call returns a call's name in lower case and its arguments; "" for anything else.
func call(n *ast.Node) (name string, args []*ast.Node) {
	for n != nil && n.Kind == ast.Paren {
		n = n.Kids[0]
	}
	if n == nil || n.Kind != ast.Func {
		return "", nil
	}
	args = n.Kids
	if len(args) > 0 && args[0].Kind == ast.Params {
		args = args[1:]
	}
	return strings.ToLower(n.Text), args
}
