package ast

// Table is a table of any engine.
type Table struct {
	Name        Name
	Columns     []*Column
	Indexes     []*Index
	Projections []*Projection
	Constraints []*Constraint
	// Structure is what the columns are copied from where the definition lists none: AS db.table (an Ident),
	// AS tableFunction(...) (a Func) or AS SELECT (a Select, Union or Paren). Clone is CLONE AS. A definition may have
	// both a list and AS SELECT: the stored text then has the list alone.
	Structure *Node
	Clone     bool
	// Empty is EMPTY AS SELECT: it leaves no trace in the stored text.
	Empty  bool
	Engine *Engine
	// Keys as written: an expression, or a List where the clause holds several with or without directions.
	PartitionBy *Node
	PrimaryKey  *Node
	OrderBy     *Node
	SampleBy    *Node
	UniqueKey   *Node // experimental: rows of one key replace each other
	// TTL is a List of rules. A rule is an expression or a Clause node with the action
	// ("DELETE", "TO DISK", "TO VOLUME", "RECOMPRESS", "GROUP BY"): Kids[0] is the expression, then WHERE, SET, ...
	TTL      *Node
	Settings []Setting
	Targets  []*Target // of a TimeSeries table
	Comment  string
	// Unread are clauses and elements no parser of ours reads, as Opaque nodes.
	Unread []*Node
	Origin Origin
}

// Kind returns [KindTable].
func (t *Table) Kind() Kind { return KindTable }

// ID returns the table's name.
func (t *Table) ID() Name { return t.Name }

// Parts lists columns, indexes, projections, constraints, engine, keys, TTL rules, settings, targets and comment. The order
// of the columns is the order of their parts.
func (t *Table) Parts() []Part {
	parts := make([]Part, 0, len(t.Columns)+len(t.Settings)+8)
	parts = columnParts(parts, t.Columns)
	for _, i := range t.Indexes {
		parts = append(parts, i.part())
	}
	for _, p := range t.Projections {
		parts = append(parts, p.part())
	}
	for _, c := range t.Constraints {
		parts = append(parts, c.part())
	}
	parts = appendNode(parts, "structure", t.Structure)
	parts = append(parts, t.Engine.parts()...)
	parts = appendNode(parts, "partition_by", t.PartitionBy)
	parts = appendNode(parts, "primary_key", t.PrimaryKey)
	parts = appendNode(parts, "order_by", t.OrderBy)
	parts = appendNode(parts, "sample_by", t.SampleBy)
	parts = appendNode(parts, "unique_key", t.UniqueKey)
	parts = appendNode(parts, "ttl", t.TTL)
	parts = settingParts(parts, "setting", t.Settings)
	for _, target := range t.Targets {
		parts = target.parts(parts)
	}
	parts = unreadParts(parts, t.Unread)
	return appendText(parts, "comment", t.Comment)
}

// Column returns the named column, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Index is a data-skipping index.
type Index struct {
	Name string
	Expr *Node // an expression, or a Tuple of several
	Type *Node // a Func, or an Ident where it was written without parentheses
	// Granularity in marks; 0 where it was not written.
	Granularity uint64
}

func (i *Index) part() Part {
	attrs := []Attr{{"expr", i.Expr}, {"type", i.Type}}
	if i.Granularity != 0 {
		attrs = append(attrs, Attr{"granularity", number(i.Granularity)})
	}
	return Part{Kind: "index", Name: i.Name, Attrs: attrs}
}

// Projection is a projection: a query, or an index over an expression.
type Projection struct {
	Name     string
	Query    *Node // a Select without FROM
	Index    *Node // PROJECTION name INDEX expr TYPE type: the expression
	Type     *Node // its type
	Settings []Setting
}

func (p *Projection) part() Part {
	attrs := make([]Attr, 0, 2)
	if p.Query != nil {
		attrs = append(attrs, Attr{"query", p.Query})
	}
	if p.Index != nil {
		attrs = append(attrs, Attr{"index", p.Index}, Attr{"type", p.Type})
	}
	for _, s := range p.Settings {
		attrs = append(attrs, Attr{"setting " + s.Name, s.Value})
	}
	return Part{Kind: "projection", Name: p.Name, Attrs: attrs}
}

// Constraint is CHECK or ASSUME.
type Constraint struct {
	Name string
	Kind string // "CHECK" or "ASSUME"
	Expr *Node
}

func (c *Constraint) part() Part {
	return Part{Kind: "constraint", Name: c.Name, Attrs: []Attr{{"kind", N(Keyword, c.Kind)}, {"expr", c.Expr}}}
}
