package canon

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// structureCall is AS f(..): a name among the arguments is a text, as ClickHouse stores it for most functions.
func (f *form) structureCall(n *ast.Node) *ast.Node {
	return with(n, each(n.Kids, f.tableArgument))
}

func (f *form) tableArgument(n *ast.Node) *ast.Node {
	switch n.Kind {
	case ast.Ident:
		return f.constant(n)
	case ast.Func:
		if value := f.constant(n); value.Kind == ast.String {
			return value
		}
		return with(n, each(n.Kids, f.tableArgument))
	}
	return f.expr(n)
}

// returned are the columns of a table function that has the same ones always or is told them; nil where they are found out by
// asking something else.
func (f *form) returned(n *ast.Node) []*ast.Column {
	one := func(name, typ string) []*ast.Column {
		return []*ast.Column{{Name: name, Type: ast.N(ast.Type, typ)}}
	}
	argument := -1
	switch strings.ToLower(n.Text) {
	case "numbers", "numbers_mt":
		return one("number", "UInt64")
	case "zeros", "zeros_mt":
		return one("zero", "UInt8")
	case "generateseries", "generate_series":
		return one("generate_series", "UInt64")
	case "primes":
		return one("prime", "UInt64")
	case "dictionary":
		return f.dictionaryColumns(n)
	case "null", "values", "generaterandom", "input":
		argument = 0
	case "format":
		if len(n.Kids) == 3 {
			argument = 1
		}
	case "file", "url", "executable", "redis":
		argument = 2
	case "mongodb":
		argument = 5
	}
	if argument < 0 || argument >= len(n.Kids) || n.Kids[argument].Kind != ast.String || n.Kids[argument].Text == "auto" {
		return nil
	}
	return columnsOf(n.Kids[argument].Text)
}

// columnsOf reads a structure, 'k UInt64, s String'; nil for any other text.
func columnsOf(structure string) []*ast.Column {
	o, err := ddl.ParseStatement("CREATE TABLE s (" + structure + ") ENGINE = Memory")
	if err != nil {
		return nil
	}
	t, ok := o.(*ast.Table)
	if !ok || len(t.Unread) > 0 {
		return nil
	}
	for _, c := range t.Columns {
		if untyped(c.Type) {
			return nil
		}
	}
	return t.Columns
}

func (f *form) dictionaryColumns(n *ast.Node) []*ast.Column {
	if len(n.Kids) != 1 || n.Kids[0].Kind != ast.String {
		return nil
	}
	name := ast.Name{Database: f.db, Name: n.Kids[0].Text}
	if database, table, dotted := strings.Cut(name.Name, "."); dotted {
		name = ast.Name{Database: database, Name: table}
	}
	if d, ok := f.env.lookup(name).(*ast.Dictionary); ok {
		return attributeColumns(d)
	}
	return nil
}
