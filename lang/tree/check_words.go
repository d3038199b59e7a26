package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// checkWords finds words that are none of ClickHouse's: types, codecs, engines, functions, settings. What a server
// knows comes from package facts, read from a running engine; a word of a newer server is a warning there is no way to
// tell from a typing error, so it is an error here and a regeneration of the facts there.
func (l *loader) checkWords(d *Declared) {
	switch o := d.Object.(type) {
	case *ast.Database:
		l.checkDatabaseEngine(d, o.Engine)
	case *ast.Table:
		l.checkTable(d, o)
	case *ast.View:
		l.checkColumnTypes(d, o.Columns)
		l.checkFunctions(d, ast.Path{Part: "query"}, o.Query)
	case *ast.MaterializedView:
		l.checkColumnTypes(d, o.Columns)
		l.checkFunctions(d, ast.Path{Part: "query"}, o.Query)
		if o.Inner != nil {
			l.checkTable(d, o.Inner)
		}
		if o.Security.Mode == "INVOKER" {
			l.fault(CodeValue, d.Place(ast.Path{Part: "security"}, nil), "A materialized view with SQL SECURITY INVOKER",
				"Nobody invokes it, so no server takes that (error 397). Write DEFINER, with whose rights it reads and writes, or NONE.")
		}
	case *ast.Dictionary:
		l.checkDictionary(d, o)
	case *ast.Function:
		l.checkFunctions(d, ast.Path{Part: "body"}, o.Lambda)
		if o.Lambda != nil && o.Lambda.Kind != ast.Lambda && o.Lambda.Kind != ast.Opaque {
			l.fault(CodeFunction, d.Place(ast.Path{Part: "body"}, o.Lambda), "A function is a lambda", "Its body names the parameters first, as in (x, y) -> x + y.")
		}
	}
}

func (l *loader) checkColumnTypes(d *Declared, columns []*ast.Column) {
	for _, c := range columns {
		l.checkType(d, ast.Path{Part: "column", Name: c.Name, Attr: "type"}, c.Type)
	}
}

func (l *loader) checkTable(d *Declared, t *ast.Table) {
	l.checkColumnTypes(d, t.Columns)
	for _, c := range t.Columns {
		path := func(attr string) ast.Path { return ast.Path{Part: "column", Name: c.Name, Attr: attr} }
		l.checkFunctions(d, path("default"), c.Default)
		l.checkFunctions(d, path("ttl"), c.TTL)
		l.checkCodec(d, path("codec"), c.Codec)
		if c.DefaultKind == ast.AliasColumn && c.Codec != nil {
			l.fault(CodeCodec, d.Place(path("codec"), c.Codec), "An alias stores nothing, so it has no codec",
				fmt.Sprintf("Take the codec off column %q.", c.Name))
		}
	}
	for _, i := range t.Indexes {
		l.checkFunctions(d, ast.Path{Part: "index", Name: i.Name, Attr: "expr"}, i.Expr)
		l.checkIndexType(d, ast.Path{Part: "index", Name: i.Name, Attr: "type"}, i.Type)
	}
	for _, p := range t.Projections {
		l.checkFunctions(d, ast.Path{Part: "projection", Name: p.Name, Attr: "query"}, p.Query)
		l.checkFunctions(d, ast.Path{Part: "projection", Name: p.Name, Attr: "index"}, p.Index)
	}
	for _, c := range t.Constraints {
		l.checkFunctions(d, ast.Path{Part: "constraint", Name: c.Name, Attr: "expr"}, c.Expr)
	}
	for _, k := range []struct {
		part string
		node *ast.Node
	}{{"partition_by", t.PartitionBy}, {"primary_key", t.PrimaryKey}, {"order_by", t.OrderBy}, {"sample_by", t.SampleBy}, {"unique_key", t.UniqueKey}, {"ttl", t.TTL}} {
		l.checkFunctions(d, ast.Path{Part: k.part}, k.node)
	}
	l.checkEngine(d, t)
	l.checkSettings(d, t)
}

func (l *loader) checkDictionary(d *Declared, dict *ast.Dictionary) {
	for _, a := range dict.Attributes {
		l.checkAttributeType(d, ast.Path{Part: "attribute", Name: a.Name, Attr: "type"}, a.Type)
		l.checkFunctions(d, ast.Path{Part: "attribute", Name: a.Name, Attr: "expression"}, a.Expression)
		if a.Default != nil && a.Default.Kind == ast.Func {
			l.fault(CodeValue, d.Place(ast.Path{Part: "attribute", Name: a.Name, Attr: "default"}, a.Default), fmt.Sprintf("The default of %q is no literal", a.Name),
				"A dictionary gives it for a key that it does not have and works nothing out. Write the value; EXPRESSION is worked out by the source.")
		}
	}
	if dict.Layout != nil {
		if _, ok := facts.DictionaryLayout(dict.Layout.Kind); !ok {
			l.fault(CodeUnknown, d.Place(ast.Path{Part: "layout"}, nil), fmt.Sprintf("Unknown layout %q", dict.Layout.Kind),
				fmt.Sprintf("ClickHouse %s has the layouts %s.", facts.Version(), expected(facts.LayoutNames()))+suggest(dict.Layout.Kind, facts.LayoutNames()))
		}
	}
	if dict.Source != nil && !facts.DictionarySource(dict.Source.Kind) {
		l.fault(CodeUnknown, d.Place(ast.Path{Part: "source"}, nil), fmt.Sprintf("Unknown source %q", dict.Source.Kind),
			fmt.Sprintf("ClickHouse %s has the sources %s.", facts.Version(), expected(facts.SourceNames()))+suggest(dict.Source.Kind, facts.SourceNames()))
	}
}

// noAttribute are the types that a dictionary has no attribute of (error 50 of 26.7; inside Array they may stand).
var noAttribute = []string{"BFloat16", "Time", "Time64", "FixedString", "LowCardinality", "Tuple", "Enum8", "Enum16", "Dynamic", "Variant", "AggregateFunction"}

func (l *loader) checkAttributeType(d *Declared, path ast.Path, n *ast.Node) {
	l.checkType(d, path, n)
	of := n
	if name, _ := facts.TypeName(n.Text); name == "Nullable" && len(n.Kids) == 1 {
		of = n.Kids[0]
	}
	name, _ := facts.TypeName(of.Text)
	if name == "Enum" {
		name = "Enum8"
	}
	if of.Kind == ast.Type && slices.Contains(noAttribute, name) {
		advice := "ClickHouse " + facts.Version() + " takes numbers, dates and times, UUID, IPv4, IPv6, String and Array of anything, plain or Nullable."
		switch name {
		case "LowCardinality":
			advice += " Write what is inside it."
		case "Enum8", "Enum16", "FixedString":
			advice += " Write String."
		}
		l.fault(CodeType, d.Place(path, of), fmt.Sprintf("A dictionary has no attribute of type %s", of.Text), advice)
	}
}

// noNullable are the types that cannot be inside Nullable (case S16: error 43 of 26.7).
var noNullable = []string{"Array", "Map", "Nested", "Nullable", "LowCardinality", "AggregateFunction", "Variant", "Dynamic"}

// noLowCardinality are the types that cannot be inside LowCardinality (error 43 of 26.7: numbers, strings and dates alone).
var noLowCardinality = []string{"Array", "Map", "Tuple", "Nested", "LowCardinality", "AggregateFunction", "Variant", "Dynamic", "JSON", "Decimal"}

func (l *loader) checkType(d *Declared, path ast.Path, n *ast.Node) {
	n.Walk(func(n *ast.Node) bool {
		if n.Kind != ast.Type {
			return n.Kind != ast.Func && n.Kind != ast.Operator
		}
		name, known := facts.TypeName(n.Text)
		if !known {
			l.fault(CodeType, d.Place(path, n), fmt.Sprintf("Unknown type %q", n.Text),
				fmt.Sprintf("ClickHouse %s has no type of this name.", facts.Version())+suggest(n.Text, facts.TypeNames()))
			return false
		}
		if len(n.Kids) == 0 {
			return false
		}
		inner, _ := facts.TypeName(n.Kids[0].Text)
		switch {
		case name == "Nullable" && n.Kids[0].Kind == ast.Type && slices.Contains(noNullable, inner):
			advice := "Make what is inside nullable instead."
			switch inner {
			case "Array":
				advice = "An empty array says as much; or make its elements nullable: Array(Nullable(T))."
			case "LowCardinality":
				advice = "Write LowCardinality(Nullable(T))."
			}
			l.fault(CodeType, d.Place(path, n), fmt.Sprintf("Nullable(%s) is no type", inner),
				fmt.Sprintf("A server refuses %s inside Nullable. %s", inner, advice))
			return false
		}
		if name == "LowCardinality" && n.Kids[0].Kind == ast.Type && slices.Contains(noLowCardinality, inner) {
			l.fault(CodeType, d.Place(path, n), fmt.Sprintf("LowCardinality(%s) is no type", inner),
				"A server keeps numbers, strings and dates in a dictionary of their own, and refuses anything else there.")
			return false
		}
		return true
	})
}

func (l *loader) checkCodec(d *Declared, path ast.Path, n *ast.Node) {
	if n == nil {
		return
	}
	for _, step := range n.Kids {
		if step.Kind != ast.Func && step.Kind != ast.Ident {
			continue
		}
		if !facts.Codec(step.Text) && !strings.EqualFold(step.Text, "Default") {
			l.fault(CodeCodec, d.Place(path, step), fmt.Sprintf("Unknown codec %q", step.Text),
				fmt.Sprintf("ClickHouse %s has the codecs %s.", facts.Version(), expected(facts.CodecNames()))+suggest(step.Text, facts.CodecNames()))
		}
	}
}

// indexTypes are the data-skipping index types of 26.7 (MergeTreeIndices.cpp) with the fewest and most arguments each
// takes; key = value arguments count.
var indexTypes = map[string][2]int{
	"minmax": {0, 0}, "set": {1, 1}, "bloom_filter": {0, 1}, "ngrambf_v1": {4, 4}, "tokenbf_v1": {3, 3},
	"sparse_grams": {3, 7}, "text": {0, 16}, "vector_similarity": {2, 6}, "hypothesis": {0, 0},
}

func (l *loader) checkIndexType(d *Declared, path ast.Path, n *ast.Node) {
	if n == nil || n.Kind != ast.Func && n.Kind != ast.Ident {
		return
	}
	names := make([]string, 0, len(indexTypes))
	for name := range indexTypes {
		names = append(names, name)
	}
	slices.Sort(names)
	bounds, known := indexTypes[n.Text]
	if !known {
		l.fault(CodeFunction, d.Place(path, n), fmt.Sprintf("Unknown index type %q", n.Text),
			fmt.Sprintf("ClickHouse %s has the index types %s.", facts.Version(), expected(names))+suggest(n.Text, names))
		return
	}
	if len(n.Kids) < bounds[0] || len(n.Kids) > bounds[1] {
		l.fault(CodeFunction, d.Place(path, n), fmt.Sprintf("Wrong number of arguments of index type %q", n.Text),
			fmt.Sprintf("%s takes %s; this one has %d.", n.Text, atLeastAtMost(bounds), len(n.Kids)))
	}
}

func atLeastAtMost(b [2]int) string {
	switch {
	case b[0] == b[1] && b[0] == 0:
		return "no arguments"
	case b[0] == b[1]:
		return fmt.Sprintf("%d %s", b[0], plural(b[0], "argument"))
	}
	return fmt.Sprintf("%d to %d arguments", b[0], b[1])
}

// checkFunctions finds functions nobody has: neither a server nor the tree, as a function of its own.
func (l *loader) checkFunctions(d *Declared, path ast.Path, n *ast.Node) {
	n.Walk(func(n *ast.Node) bool {
		switch n.Kind {
		case ast.Type:
			return false
		case ast.Clause:
			// What stands in FROM is a table function; the codecs of RECOMPRESS are codecs.
			if n.Text == "FROM" {
				l.checkFrom(d, path, n)
				return false
			}
			return n.Text != "RECOMPRESS" && n.Text != "SETTINGS" && n.Text != "APPLY"
		case ast.Func:
			l.checkFunction(d, path, n)
		}
		return true
	})
}

// checkFrom goes into the subqueries and conditions of a FROM clause, not into its table functions.
func (l *loader) checkFrom(d *Declared, path ast.Path, clause *ast.Node) {
	for _, item := range clause.Kids {
		item.Walk(func(n *ast.Node) bool {
			switch {
			case n.Kind == ast.Subquery, n.Kind == ast.Clause && (n.Text == "ON" || strings.HasSuffix(n.Text, "ARRAY JOIN")):
				for _, kid := range n.Kids {
					l.checkFunctions(d, path, kid)
				}
				return false
			case n.Kind == ast.Func:
				_, known := facts.TableFunction(n.Text)
				view := l.find(ast.KindTable, ast.Name{Database: d.Name.Database, Name: n.Text})
				if !known && view == nil {
					l.fault(CodeFunction, d.Place(path, n), fmt.Sprintf("Unknown table function %q", n.Text),
						fmt.Sprintf("ClickHouse %s has no table function of this name.", facts.Version())+suggest(n.Text, facts.TableFunctionNames()))
				}
				return false
			}
			return true
		})
	}
}

func (l *loader) checkFunction(d *Declared, path ast.Path, n *ast.Node) {
	for name := n.Text; name != ""; name, _ = facts.Combinator(name) {
		if _, ok := facts.FindFunction(name); ok {
			return
		}
	}
	if grammarFunctions[strings.ToUpper(n.Text)] || l.find(ast.KindFunction, ast.Name{Name: n.Text}) != nil {
		return
	}
	l.fault(CodeFunction, d.Place(path, n), fmt.Sprintf("Unknown function %q", n.Text),
		fmt.Sprintf("ClickHouse %s has no function of this name, and the tree declares none.", facts.Version())+suggest(n.Text, facts.FunctionNames()))
}

// grammarFunctions are calls the grammar itself reads, which are in no list of functions.
var grammarFunctions = map[string]bool{"CAST": true, "TRY_CAST": true, "EXTRACT": true, "COLUMNS": true, "TRIM": true, "LTRIM": true, "RTRIM": true,
	"SUBSTRING": true, "SUBSTR": true, "POSITION": true, "EXISTS": true, "CASE": true, "INTERVAL": true, "GROUPING": true,
	"DATE_ADD": true, "DATE_SUB": true, "DATEADD": true, "DATESUB": true, "TIMESTAMP_ADD": true, "TIMESTAMP_SUB": true,
	"TIMESTAMPADD": true, "TIMESTAMPSUB": true, "DATE_DIFF": true, "DATEDIFF": true, "TIMESTAMPDIFF": true, "TIMESTAMP_DIFF": true,
	"UNTUPLE": true, "VIEW": true, "VIEWIFPERMITTED": true, "ARRAYJOIN": true, "LAMBDA": true, "TUPLE": true, "ARRAY": true,
	"SECRET": true}
