package canon

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// maxCopies is how long a chain of tables that copy each other is followed; only a faulty tree has a longer one.
const maxCopies = 32

// structure gives a table the columns its definition takes from elsewhere: from another table (AS db.t), from a table
// function (AS f(..)), or from the table its engine stands in front of. What the text and Lookup do not tell stays as it is.
func (f *form) structure(t *ast.Table) {
	t.Clone, t.Empty = false, false // they leave no trace in the stored text
	switch n := t.Structure; {
	case n == nil:
		if len(t.Columns) == 0 {
			t.Columns = f.buffered(t.Engine)
		}
	case n.Kind == ast.Ident:
		f.copied(t, n)
	case n.Kind == ast.Func:
		t.Structure = f.structureCall(n)
		if len(t.Columns) == 0 {
			t.Columns = f.returned(t.Structure)
		}
	case len(t.Columns) > 0:
		t.Structure = nil // a list and AS SELECT: the list alone is stored
	}
}

// copied is CREATE TABLE t AS name, by ClickHouse's InterpreterCreateQuery: columns, constraints and the comment always; the
// whole storage where the definition names no engine; keys, indexes and projections from one MergeTree to another.
func (f *form) copied(t *ast.Table, n *ast.Node) {
	comment := ""
	switch source := f.source(f.named(n)).(type) {
	case *ast.Table:
		if source.Structure != nil && source.Structure.Kind != ast.Func || len(source.Columns) == 0 {
			return
		}
		comment = source.Comment
		t.Columns, t.Constraints = source.Columns, source.Constraints
		t.Structure = nil
		if t.Engine == nil {
			t.Structure = source.Structure
			copyStorage(t, source)
		} else {
			copyKeys(t, source)
		}
	case *ast.View:
		if len(source.Columns) == 0 {
			return
		}
		comment = source.Comment
		t.Columns, t.Structure = source.Columns, nil
	case *ast.MaterializedView:
		if len(source.Columns) == 0 {
			return
		}
		comment = source.Comment
		t.Columns, t.Structure = source.Columns, nil
		if t.Engine == nil && source.Inner != nil {
			copyStorage(t, source.Inner)
		}
	case *ast.Dictionary:
		comment = source.Comment
		t.Columns, t.Structure = attributeColumns(source), nil
	default:
		return
	}
	if t.Comment == "" {
		t.Comment = comment
	}
}

// named is the object that a name in the definition means.
func (f *form) named(n *ast.Node) ast.Name {
	if len(n.Kids) == 2 {
		return ast.Name{Database: n.Kids[0].Text, Name: n.Kids[1].Text}
	}
	return ast.Name{Database: f.db, Name: n.Text}
}

// source looks a table up and follows what it copies itself.
func (f *form) source(name ast.Name) ast.Object {
	found := f.env.lookup(name)
	t, ok := found.(*ast.Table)
	if !ok || len(t.Columns) > 0 || f.copies >= maxCopies {
		return found
	}
	c := *t
	inner := &form{env: f.env, db: name.Database, copies: f.copies + 1}
	inner.structure(&c)
	return &c
}

// copyStorage gives t the storage of source, but for the clauses it has itself.
func copyStorage(t, source *ast.Table) {
	t.Engine = source.Engine
	t.Indexes, t.Projections = source.Indexes, source.Projections
	if t.Constraints == nil {
		t.Constraints = source.Constraints
	}
	if t.TTL == nil {
		t.TTL = source.TTL
	}
	if t.UniqueKey == nil {
		t.UniqueKey = source.UniqueKey
	}
	settings := t.Settings
	for _, s := range source.Settings {
		if !slices.ContainsFunc(t.Settings, func(own ast.Setting) bool { return own.Name == s.Name }) {
			settings = append(settings[:len(settings):len(settings)], s)
		}
	}
	t.Settings = settings
	fillKeys(t, source)
}

// copyKeys gives a table with an engine of its own what that engine takes over from source.
func copyKeys(t, source *ast.Table) {
	engine, known := facts.FindEngine(t.Engine.Name)
	if known && !engine.TTL {
		t.Columns = withoutTTL(t.Columns)
	}
	if !mergeTree(t.Engine.Name) {
		return
	}
	t.Indexes, t.Projections = source.Indexes, source.Projections
	if source.Engine != nil && mergeTree(source.Engine.Name) && !legacy(source) {
		fillKeys(t, source)
	}
}

func fillKeys(t, source *ast.Table) {
	primary := source.PrimaryKey
	if primary == nil {
		primary = primaryKey(source.Columns)
	}
	for _, key := range []struct {
		own    **ast.Node
		source *ast.Node
	}{{&t.PartitionBy, source.PartitionBy}, {&t.PrimaryKey, primary}, {&t.OrderBy, source.OrderBy}, {&t.SampleBy, source.SampleBy}} {
		if *key.own == nil {
			*key.own = key.source
		}
	}
}

func withoutTTL(columns []*ast.Column) []*ast.Column {
	out := columns
	for i, c := range columns {
		if c.TTL != nil {
			bare := *c
			bare.TTL = nil
			out = replaced(out, i, &bare)
		}
	}
	return out
}

func attributeColumns(d *ast.Dictionary) []*ast.Column {
	columns := make([]*ast.Column, len(d.Attributes))
	for i, a := range d.Attributes {
		columns[i] = &ast.Column{Name: a.Name, Type: a.Type}
	}
	return columns
}

// buffered are the columns of the table behind a Buffer: names, types and defaults.
func (f *form) buffered(e *ast.Engine) []*ast.Column {
	if e == nil || e.Name != "Buffer" {
		return nil
	}
	args := f.engineArgs(e.Name, e.Args)
	if len(args) < 2 || args[0].Kind != ast.String || args[1].Kind != ast.String {
		return nil
	}
	source, ok := f.source(ast.Name{Database: args[0].Text, Name: args[1].Text}).(*ast.Table)
	if !ok {
		return nil
	}
	columns := make([]*ast.Column, len(source.Columns))
	for i, c := range source.Columns {
		column := &ast.Column{Name: c.Name, Type: c.Type, DefaultKind: c.DefaultKind, Default: c.Default}
		if c.DefaultKind == ast.Ephemeral && c.Default == nil {
			column.Default = ast.N(ast.Func, "defaultValueOfTypeName", ast.N(ast.String, TypeText(f.typ(c.Type))))
		}
		columns[i] = column
	}
	return columns
}
