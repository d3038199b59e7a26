package canon

import (
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// codec fills in what ClickHouse adds when it stores a codec: the level of ZSTD, LZ4HC, FPC and ZXC, and the width of Delta
// and Gorilla from the column's type (case S42); arguments that ClickHouse reads and does not store go. typ is nil where there is none, in TTL ... RECOMPRESS.
func (f *form) codec(n, typ *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	return with(n, each(n.Kids, func(step *ast.Node) *ast.Node {
		args := each(step.Kids, f.expr)
		if len(args) == 0 {
			switch step.Text {
			case "ZSTD":
				args = []*ast.Node{ast.N(ast.Number, "1")}
			case "LZ4HC":
				args = []*ast.Node{ast.N(ast.Number, "0")}
			case "FPC":
				args = []*ast.Node{ast.N(ast.Number, "12")}
			case "ZXC":
				args = []*ast.Node{ast.N(ast.Number, "3")}
			case "Delta", "Gorilla":
				if w := width(typ); w > 0 {
					args = []*ast.Node{ast.N(ast.Number, strconv.Itoa(w))}
				}
			}
		}
		switch {
		case step.Text == "DoubleDelta": // it takes a width and forgets it
			args = nil
		case step.Text == "FPC" && len(args) > 1: // the width of a float is its type's
			args = args[:1]
		case step.Text == "T64" && len(args) == 1 && args[0].Kind == ast.String && args[0].Text == "byte":
			args = nil
		}
		return word(step, args)
	}))
}

// word is a codec, a statistics or an index type: an Ident where it has no arguments.
func word(n *ast.Node, args []*ast.Node) *ast.Node {
	if n.Kind != ast.Ident && n.Kind != ast.Func {
		return n
	}
	kind := ast.Func
	if len(args) == 0 {
		kind = ast.Ident
	}
	if kind == n.Kind && same(args, n.Kids) {
		return n
	}
	return at(n, kind, n.Text, args...)
}

// width is the size in bytes of every value a column of the type stores, 0 where its streams do not all have the same:
// ClickHouse then leaves the codec without arguments.
func width(n *ast.Node) int {
	if n == nil || n.Kind != ast.Type && n.Kind != ast.NamedType {
		return 0
	}
	if n.Kind == ast.NamedType {
		return width(n.Kids[0])
	}
	switch n.Text {
	case "UInt8", "Int8", "Bool", "Enum8", "Dynamic", "QBit":
		return 1
	case "UInt16", "Int16", "Date", "Enum16", "BFloat16":
		return 2
	case "UInt32", "Int32", "Float32", "DateTime", "Date32", "IPv4", "Time":
		return 4
	case "UInt64", "Int64", "Float64", "DateTime64", "Time64", "Point", "Ring", "LineString", "MultiLineString", "Polygon", "MultiPolygon":
		return 8
	case "UInt128", "Int128", "UUID", "IPv6":
		return 16
	case "UInt256", "Int256":
		return 32
	case "Nullable", "Array", "LowCardinality", "Tuple", "Map", "Nested":
		return commonWidth(n.Kids)
	case "JSON", "Variant": // they have a stream of bytes beside their values
		if len(n.Kids) == 0 || commonWidth(n.Kids) == 1 {
			return 1
		}
		return 0
	}
	if strings.HasPrefix(n.Text, "Interval") {
		return 8
	}
	if len(n.Kids) == 0 {
		return 0
	}
	switch n.Text {
	case "SimpleAggregateFunction":
		return width(n.Kids[len(n.Kids)-1])
	case "FixedString":
		w, _ := strconv.Atoi(n.Kids[0].Text)
		return w
	case "Decimal":
		precision, _ := strconv.Atoi(n.Kids[0].Text)
		switch {
		case precision <= 9:
			return 4
		case precision <= 18:
			return 8
		case precision <= 38:
			return 16
		}
		return 32
	}
	return 0
}

func commonWidth(types []*ast.Node) int {
	if len(types) == 0 {
		return 0
	}
	w := width(types[0])
	for _, t := range types[1:] {
		if width(t) != w {
			return 0
		}
	}
	return w
}

// ttl returns the rules of a TTL clause; DELETE without a condition is what a rule does anyway (case S45).
func (f *form) ttl(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	if n.Kind != ast.List {
		return f.ttlRule(n)
	}
	return with(n, each(n.Kids, f.ttlRule))
}

func (f *form) ttlRule(n *ast.Node) *ast.Node {
	if n.Kind != ast.Clause {
		return f.expr(n)
	}
	if n.Text == "DELETE" && len(n.Kids) == 1 {
		return f.expr(n.Kids[0])
	}
	return with(n, each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind == ast.List && n.Text == "RECOMPRESS" {
			return f.codec(k, nil)
		}
		return f.expr(k)
	}))
}
