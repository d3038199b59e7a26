package ast

// MaterializedView is a view that writes what it selects: to a table (To) or to an inner table (the Inner part).
type MaterializedView struct {
	Name    Name
	Columns []*Column // empty where the list is left to the server
	To      Name      // zero for an inner table
	// Inner is the storage of the inner table: engine, keys, TTL, settings, and the indexes, projections and
	// constraints of its column list. Its Name and Columns are empty. Nil with To.
	Inner    *Table
	Refresh  *Refresh
	Query    *Node
	Security Security
	Comment  string
	Unread   []*Node // clauses no parser of ours reads, as Opaque nodes
	Populate bool    // POPULATE and EMPTY leave no trace in the stored text
	Empty    bool
	Origin   Origin
}

// Refresh is the schedule of a refreshable materialized view.
type Refresh struct {
	Kind      string // "EVERY" or "AFTER"; "" where the views it depends on alone say when
	Period    *Node  // an Interval, or a List of them; nil without a Kind
	Offset    *Node
	Randomize *Node
	DependsOn []Name
	Append    bool
	Settings  []Setting
}

// Kind returns [KindMaterializedView].
func (m *MaterializedView) Kind() Kind { return KindMaterializedView }

// ID returns the view's name.
func (m *MaterializedView) ID() Name { return m.Name }

// Parts lists the column list, the target or the inner table's storage, the schedule, the query and the rest.
func (m *MaterializedView) Parts() []Part {
	parts := columnParts(make([]Part, 0, len(m.Columns)+6), m.Columns)
	if m.To != (Name{}) {
		parts = appendNode(parts, "to", m.To.node())
	}
	if m.Inner != nil {
		for _, p := range m.Inner.Parts() {
			p.Kind = "inner_" + p.Kind
			parts = append(parts, p)
		}
	}
	parts = m.Refresh.parts(parts)
	parts = appendNode(parts, "query", m.Query)
	parts = m.Security.parts(parts)
	parts = unreadParts(parts, m.Unread)
	return appendText(parts, "comment", m.Comment)
}

func (r *Refresh) parts(parts []Part) []Part {
	if r == nil {
		return parts
	}
	schedule := N(Clause, "DEPENDS ON")
	if r.Period != nil {
		schedule = N(Clause, r.Kind, r.Period)
	}
	p := Part{Kind: "refresh", Attrs: []Attr{{"schedule", schedule}}}
	if r.Offset != nil {
		p.Attrs = append(p.Attrs, Attr{"offset", r.Offset})
	}
	if r.Randomize != nil {
		p.Attrs = append(p.Attrs, Attr{"randomize", r.Randomize})
	}
	if len(r.DependsOn) > 0 {
		list := N(List, "")
		for _, n := range r.DependsOn {
			list.Kids = append(list.Kids, n.node())
		}
		p.Attrs = append(p.Attrs, Attr{"depends_on", list})
	}
	if r.Append {
		p.Attrs = append(p.Attrs, Attr{"append", N(Keyword, "APPEND")})
	}
	for _, s := range r.Settings {
		p.Attrs = append(p.Attrs, Attr{"setting " + s.Name, s.Value})
	}
	return append(parts, p)
}

func (n Name) node() *Node {
	if n.Database == "" {
		return N(Ident, n.Name)
	}
	return N(Ident, "", N(Ident, n.Database), N(Ident, n.Name))
}
