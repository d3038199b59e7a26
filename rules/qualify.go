package rules

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
)

// qualify writes the database into every name of another object that a definition leaves unqualified. Such a name
// belongs to the object's own database, and a server would look it up in the session's; a statement that says it all
// means the same whoever sends it. known tells whether a name that may be a table or a column is a table.
func qualify(o ast.Object, known func(ast.Name) bool) ast.Object {
	database := o.ID().Database
	if database == "" {
		return o
	}
	q := qualifier{database: database, names: map[*ast.Node]*ast.Node{}}
	for _, ref := range deps.Of(o) {
		if ref.Node == nil || !ref.InDatabase() || len(ref.Node.Kids) > 0 || ref.Name.Database != database || ref.Perhaps && !known(ref.Name) {
			continue
		}
		switch ref.Node.Kind {
		case ast.Ident:
			q.names[ref.Node] = ast.N(ast.Ident, "", ast.N(ast.Ident, database), ast.N(ast.Ident, ref.Name.Name))
		case ast.String:
			// The first argument of dictGet and joinGet.
			if ref.Node.Text == ref.Name.Name {
				q.names[ref.Node] = ast.N(ast.String, database+"."+ref.Name.Name)
			}
		}
	}
	switch o := o.(type) {
	case *ast.Table:
		return q.table(o)
	case *ast.View:
		if len(q.names) == 0 {
			return o
		}
		c := *o
		c.Query = q.node(o.Query)
		return &c
	case *ast.MaterializedView:
		c := *o
		c.Query = q.node(o.Query)
		c.To = q.name(o.To)
		if o.Refresh != nil && len(o.Refresh.DependsOn) > 0 {
			refresh := *o.Refresh
			refresh.DependsOn = make([]ast.Name, len(o.Refresh.DependsOn))
			for i, name := range o.Refresh.DependsOn {
				refresh.DependsOn[i] = q.name(name)
			}
			c.Refresh = &refresh
		}
		if o.Inner != nil {
			c.Inner = q.table(o.Inner)
		}
		return &c
	}
	return o
}

type qualifier struct {
	database string
	names    map[*ast.Node]*ast.Node
}

func (q *qualifier) name(n ast.Name) ast.Name {
	if n.Name != "" && n.Database == "" {
		n.Database = q.database
	}
	return n
}

// table qualifies what a table's expressions, its structure and its engine name.
func (q *qualifier) table(t *ast.Table) *ast.Table {
	c := *t
	if len(q.names) > 0 {
		q.expressions(&c)
	}
	if len(t.Targets) > 0 {
		c.Targets = make([]*ast.Target, len(t.Targets))
		for i, target := range t.Targets {
			copied := *target
			copied.To = q.name(target.To)
			c.Targets[i] = &copied
		}
	}
	if t.Engine != nil && slices.ContainsFunc(t.Engine.Args, isCurrentDatabase) {
		engine := *t.Engine
		engine.Args = make([]*ast.Node, len(t.Engine.Args))
		for i, arg := range t.Engine.Args {
			// Evaluated when the table is created, by whoever creates it.
			if isCurrentDatabase(arg) {
				arg = ast.N(ast.String, q.database)
			}
			engine.Args[i] = arg
		}
		c.Engine = &engine
	}
	return &c
}

func isCurrentDatabase(n *ast.Node) bool {
	return n.Kind == ast.Func && n.Text == "currentDatabase" && len(n.Kids) == 0
}

// expressions qualifies whatever of a table may ask another object.
func (q *qualifier) expressions(t *ast.Table) {
	t.Structure = q.node(t.Structure)
	columns := make([]*ast.Column, len(t.Columns))
	for i, column := range t.Columns {
		copied := *column
		copied.Default, copied.TTL = q.node(column.Default), q.node(column.TTL)
		columns[i] = &copied
	}
	t.Columns = columns
	constraints := make([]*ast.Constraint, len(t.Constraints))
	for i, constraint := range t.Constraints {
		copied := *constraint
		copied.Expr = q.node(constraint.Expr)
		constraints[i] = &copied
	}
	t.Constraints = constraints
	indexes := make([]*ast.Index, len(t.Indexes))
	for i, index := range t.Indexes {
		copied := *index
		copied.Expr = q.node(index.Expr)
		indexes[i] = &copied
	}
	t.Indexes = indexes
	t.TTL, t.OrderBy, t.PartitionBy = q.node(t.TTL), q.node(t.OrderBy), q.node(t.PartitionBy)
	t.PrimaryKey, t.SampleBy = q.node(t.PrimaryKey), q.node(t.SampleBy)
	t.UniqueKey = q.node(t.UniqueKey)
}

// node returns the tree with its names replaced; what has none is shared with the original.
func (q *qualifier) node(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	if qualified := q.names[n]; qualified != nil {
		return qualified
	}
	for i, kid := range n.Kids {
		changed := q.node(kid)
		if changed == kid {
			continue
		}
		c := *n
		c.Kids = make([]*ast.Node, len(n.Kids))
		copy(c.Kids, n.Kids[:i])
		c.Kids[i] = changed
		for j := i + 1; j < len(n.Kids); j++ {
			c.Kids[j] = q.node(n.Kids[j])
		}
		return &c
	}
	return n
}
