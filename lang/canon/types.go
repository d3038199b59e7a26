package canon

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// typ returns the data type as ClickHouse names it (cases S01 to S13).
func (f *form) typ(n *ast.Node) *ast.Node {
	if n == nil || n.Kind != ast.Type {
		return n
	}
	switch n.Text {
	case "String", "UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64", "Float32", "Float64", "Bool", "Date", "UUID":
		if len(n.Kids) == 0 {
			return n
		}
	case "Nullable", "Array", "LowCardinality", "Map":
		return with(n, each(n.Kids, f.typ))
	case "DateTime":
		if len(n.Kids) == 0 {
			return n
		}
	case "DateTime64":
		if len(n.Kids) > 0 && plainInteger(n.Kids[0].Text) {
			return n
		}
	}
	name, ok := facts.TypeName(n.Text)
	if !ok {
		return with(n, each(n.Kids, f.argument))
	}
	switch name {
	case "DateTime", "DateTime32":
		return f.dateTime(n)
	case "DateTime64", "Time64":
		kids := each(n.Kids, f.argument)
		if len(kids) == 0 {
			kids = []*ast.Node{literal(3)}
		}
		return renamed(n, name, kids)
	case "Decimal", "Decimal32", "Decimal64", "Decimal128", "Decimal256":
		return f.decimal(n, name)
	case "Enum", "Enum8", "Enum16":
		return enum(n, name)
	case "FixedString", "QBit", "Tuple", "Nested", "Nullable", "Array", "LowCardinality", "Map":
		return renamed(n, name, each(n.Kids, f.argument))
	case "Variant":
		return f.variant(n)
	case "JSON":
		return f.json(n)
	case "Dynamic":
		return renamed(n, name, each(n.Kids, func(k *ast.Node) *ast.Node { return f.limit(k, "max_types", "32") }))
	case "AggregateFunction", "SimpleAggregateFunction":
		return f.aggregateType(n, name)
	}
	return renamed(n, name, nil) // VARCHAR(10), INT(11): the parameter means nothing
}

func renamed(n *ast.Node, name string, kids []*ast.Node) *ast.Node {
	if n.Text == name && same(n.Kids, kids) {
		return n
	}
	return at(n, ast.Type, name, kids...)
}

func literal(u uint64) *ast.Node { return ast.N(ast.Number, strconv.FormatUint(u, 10)) }

// argument is one argument of a type: a type, a named type, a literal.
func (f *form) argument(n *ast.Node) *ast.Node {
	switch n.Kind {
	case ast.Type:
		return f.typ(n)
	case ast.NamedType:
		return with(n, each(n.Kids, f.typ))
	}
	return f.expr(n)
}

// dateTime: DateTime(3) is DateTime64(3) and DateTime(0) is DateTime; a time zone stays.
func (f *form) dateTime(n *ast.Node) *ast.Node {
	kids := each(n.Kids, f.argument)
	if len(kids) > 0 && kids[0].Kind == ast.Number {
		if kids[0].Text != "0" {
			return renamed(n, "DateTime64", kids)
		}
		kids = kids[1:]
	}
	return renamed(n, "DateTime", kids)
}

func (f *form) decimal(n *ast.Node, name string) *ast.Node {
	kids := each(n.Kids, f.argument)
	precision := map[string]uint64{"Decimal32": 9, "Decimal64": 18, "Decimal128": 38, "Decimal256": 76}[name]
	switch {
	case precision != 0 && len(kids) == 1:
		kids = []*ast.Node{literal(precision), kids[0]}
	case len(kids) == 0:
		kids = []*ast.Node{literal(10), literal(0)}
	case len(kids) == 1:
		kids = []*ast.Node{kids[0], literal(0)}
	}
	return renamed(n, "Decimal", kids)
}

// enum fills in the numbers, sorts by them and chooses the width (case S07).
func enum(n *ast.Node, name string) *ast.Node {
	type member struct {
		node  *ast.Node
		value int64
	}
	members := make([]member, 0, len(n.Kids))
	next := int64(1)
	wide, changed := false, false
	for i, kid := range n.Kids {
		m := member{node: kid, value: next}
		if kid.Kind == ast.Equals {
			value, ok := smallInteger(kid.Kids[0])
			if !ok {
				return n
			}
			m.value = value
		}
		if kid.Kind != ast.Equals || kid.Kids[0].Kind != ast.Number || kid.Kids[0].Text != strconv.FormatInt(m.value, 10) {
			m.node = at(kid, ast.Equals, kid.Text, ast.N(ast.Number, strconv.FormatInt(m.value, 10)))
			changed = true
		}
		wide = wide || m.value < math.MinInt8 || m.value > math.MaxInt8
		changed = changed || i > 0 && members[i-1].value > m.value
		members = append(members, m)
		next = m.value + 1
	}
	if name == "Enum" {
		name = "Enum8"
		if wide {
			name = "Enum16"
		}
	}
	if !changed {
		return renamed(n, name, n.Kids)
	}
	slices.SortStableFunc(members, func(a, b member) int { return int(a.value - b.value) })
	kids := make([]*ast.Node, len(members))
	for i, m := range members {
		kids[i] = m.node
	}
	return renamed(n, name, kids)
}

func smallInteger(n *ast.Node) (int64, bool) {
	minus := false
	if n.Kind == ast.Operator && (n.Text == "-" || n.Text == "+") && len(n.Kids) == 1 {
		n, minus = n.Kids[0], n.Text == "-"
	}
	text := n.Text
	if n.Kind == ast.Number {
		text = numberText(text, minus)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil
}

// variant sorts its members by name, each once, and has no Nothing (case S12).
func (f *form) variant(n *ast.Node) *ast.Node {
	kids := slices.Clone(each(n.Kids, f.typ))
	names := make(map[*ast.Node]string, len(kids))
	for _, k := range kids {
		names[k] = TypeText(k)
	}
	slices.SortStableFunc(kids, func(a, b *ast.Node) int { return strings.Compare(names[a], names[b]) })
	kids = slices.CompactFunc(kids, func(a, b *ast.Node) bool { return names[a] == names[b] })
	kids = slices.DeleteFunc(kids, func(k *ast.Node) bool { return names[k] == "Nothing" })
	if n.Text == "Variant" && slices.Equal(kids, n.Kids) {
		return n
	}
	return renamed(n, "Variant", kids)
}

// limit drops name = value where it is ClickHouse's default.
func (f *form) limit(n *ast.Node, name, value string) *ast.Node {
	if n.Kind != ast.Equals {
		return f.argument(n)
	}
	n = with(n, each(n.Kids, f.expr))
	if strings.EqualFold(n.Text, name) && n.Kids[0].Text == value {
		return nil
	}
	return n
}

// json orders the arguments as ClickHouse prints them: limits, typed paths, SKIP, SKIP REGEXP, each group by name (case S13).
func (f *form) json(n *ast.Node) *ast.Node {
	kids := each(n.Kids, func(k *ast.Node) *ast.Node {
		if k = f.limit(k, "max_dynamic_paths", "1024"); k == nil {
			return nil
		}
		return f.limit(k, "max_dynamic_types", "32")
	})
	if !slices.IsSortedFunc(kids, compareJSON) {
		kids = slices.Clone(kids)
		slices.SortStableFunc(kids, compareJSON)
	}
	return renamed(n, "JSON", kids)
}

func compareJSON(a, b *ast.Node) int {
	rank := func(n *ast.Node) (int, string) {
		switch {
		case n.Kind == ast.Equals && n.Text == "max_dynamic_types":
			return 0, ""
		case n.Kind == ast.Equals:
			return 1, n.Text
		case n.Kind == ast.NamedType:
			return 2, n.Text
		case n.Text == "SKIP" && len(n.Kids) > 0:
			return 3, n.Kids[0].Text
		case len(n.Kids) > 0:
			return 4, n.Kids[0].Text
		}
		return 5, n.Text
	}
	i, s := rank(a)
	j, t := rank(b)
	if i != j {
		return i - j
	}
	return strings.Compare(s, t)
}

// aggregateType resolves the function's name and shows the version of its state where that is not 0.
func (f *form) aggregateType(n *ast.Node, name string) *ast.Node {
	kids := n.Kids
	version := ""
	if len(kids) > 0 && kids[0].Kind == ast.Number {
		version, kids = kids[0].Text, kids[1:]
	}
	if len(kids) == 0 {
		return renamed(n, name, n.Kids)
	}
	args := each(kids[1:], f.argument)
	function := f.aggregateName(kids[0])
	switch {
	case version == "0":
		version = ""
	case version == "" && name == "AggregateFunction" && stateVersion(function.Text, args):
		version = "1"
	}
	if function == kids[0] && same(args, kids[1:]) && (version != "") == (len(kids) != len(n.Kids)) {
		return renamed(n, name, n.Kids)
	}
	out := make([]*ast.Node, 0, len(args)+2)
	if version != "" {
		out = append(out, ast.N(ast.Number, version))
	}
	return renamed(n, name, append(append(out, function), args...))
}

func (f *form) aggregateName(n *ast.Node) *ast.Node {
	name := functionName(n.Text)
	switch name {
	case "sumMappedArrays": // what the server prints for them in a type
		name = "sumMap"
	case "minMappedArrays":
		name = "minMap"
	case "maxMappedArrays":
		name = "maxMap"
	}
	kids := each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind == ast.Params {
			return with(k, each(k.Kids, f.expr))
		}
		return f.expr(k)
	})
	kind := n.Kind
	if len(kids) == 0 {
		kind = ast.Ident
	}
	if kind == n.Kind && name == n.Text && same(kids, n.Kids) {
		return n
	}
	return at(n, kind, name, kids...)
}

// stateVersion reports whether the state of the function has version 1: sumMap and its like over arrays.
func stateVersion(function string, args []*ast.Node) bool {
	for _, prefix := range []string{"sumMap", "minMap", "maxMap"} {
		if strings.HasPrefix(function, prefix) {
			return len(args) > 0 && args[0].Text != "Map"
		}
	}
	return false
}

// TypeText returns the canonical type as ClickHouse's toTypeName prints it.
func TypeText(n *ast.Node) string {
	var b strings.Builder
	writeType(&b, n)
	return b.String()
}

func writeType(b *strings.Builder, n *ast.Node) {
	switch n.Kind {
	case ast.NamedType:
		b.WriteString(ast.QuoteIdent(n.Text))
		b.WriteByte(' ')
		writeType(b, n.Kids[0])
		return
	case ast.String:
		b.WriteString(ast.QuoteString(n.Text))
		return
	case ast.Equals:
		if n.Kids[0].Kind == ast.Number && strings.HasPrefix(n.Text, "max_") {
			b.WriteString(n.Text)
		} else {
			b.WriteString(ast.QuoteString(n.Text))
		}
		b.WriteString(" = ")
		writeType(b, n.Kids[0])
		return
	case ast.Clause:
		b.WriteString(n.Text)
		b.WriteByte(' ')
	default:
		b.WriteString(n.Text)
	}
	if len(n.Kids) == 0 {
		return
	}
	if n.Kind != ast.Clause {
		b.WriteByte('(')
	}
	for i, k := range n.Kids {
		if i > 0 {
			b.WriteString(", ")
		}
		writeType(b, k)
	}
	if n.Kind != ast.Clause {
		b.WriteByte(')')
	}
}
