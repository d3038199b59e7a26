package ast

// DefaultKind says what a column's expression does.
type DefaultKind string

// The kinds of column: plain columns have none.
const (
	Plain        DefaultKind = ""
	Default      DefaultKind = "DEFAULT"
	Materialized DefaultKind = "MATERIALIZED"
	AliasColumn  DefaultKind = "ALIAS"
	Ephemeral    DefaultKind = "EPHEMERAL"
)

// Column is a column of a table or the column list of a view.
type Column struct {
	Name string
	// Type is nil where none is written; the canonical form infers it or makes it Unknown. A NULL modifier is
	// already Nullable(...).
	Type *Node
	// DefaultKind and Default: the expression is nil for a plain column and for EPHEMERAL without one.
	DefaultKind DefaultKind
	Default     *Node
	// Codec is a List of codec calls; Statistics a List of statistics types; TTL an expression.
	Codec      *Node
	Statistics *Node
	TTL        *Node
	Settings   []Setting
	Collation  string
	// PrimaryKey is the PRIMARY KEY word in a column; the canonical form moves it to the table's key.
	PrimaryKey bool
	Comment    string
}

func (c *Column) part() Part {
	attrs := make([]Attr, 0, 4)
	add := func(name string, value *Node) {
		if value != nil {
			attrs = append(attrs, Attr{name, value})
		}
	}
	add("type", c.Type)
	if c.DefaultKind != Plain {
		add("kind", N(Keyword, string(c.DefaultKind)))
	}
	add("default", c.Default)
	add("codec", c.Codec)
	add("statistics", c.Statistics)
	add("ttl", c.TTL)
	for _, s := range c.Settings {
		add("setting "+s.Name, s.Value)
	}
	if c.Collation != "" {
		add("collation", N(String, c.Collation))
	}
	if c.PrimaryKey {
		add("primary_key", N(Keyword, "PRIMARY KEY"))
	}
	if c.Comment != "" {
		add("comment", N(String, c.Comment))
	}
	return Part{Kind: "column", Name: c.Name, Attrs: attrs}
}

func columnParts(parts []Part, columns []*Column) []Part {
	for _, c := range columns {
		parts = append(parts, c.part())
	}
	return parts
}
