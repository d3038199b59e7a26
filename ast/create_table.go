package ast

func (w *statement) table(t *Table) {
	w.head("TABLE", t.Name)
	asQuery := t.Structure != nil && (t.Structure.Kind == Select || t.Structure.Kind == Union || t.Structure.Kind == Paren)
	w.elements(t.Columns, t) // the server reads no list behind AS f(..)
	if t.Structure != nil && !asQuery {
		if t.Clone {
			w.add(" CLONE")
		}
		w.add(" AS ")
		w.dst = t.Structure.Append(w.dst)
	}
	w.storage(t)
	w.targets(t.Targets)
	w.comment(t.Comment)
	if asQuery {
		keyword := "AS"
		if t.Empty {
			keyword = "EMPTY AS"
		}
		w.value(keyword, t.Structure)
	}
}

// elements writes columns and the indexes, constraints and projections of a table; the fragments nobody reads may have
// been elements or clauses, and stand behind the list.
func (w *statement) elements(columns []*Column, t *Table) {
	l := w.open()
	for _, c := range columns {
		l.item()
		w.dst = c.Append(w.dst)
	}
	if t != nil {
		for _, i := range t.Indexes {
			l.item()
			w.dst = i.Append(w.dst)
		}
		for _, c := range t.Constraints {
			l.item()
			w.dst = c.Append(w.dst)
		}
		for _, p := range t.Projections {
			l.item()
			w.dst = p.Append(w.dst)
		}
	}
	l.close()
}

// storage writes the clauses of a table's storage in the order the server prints them.
func (w *statement) storage(t *Table) {
	w.engine(t.Engine)
	w.value("PARTITION BY", t.PartitionBy)
	w.value("PRIMARY KEY", t.PrimaryKey)
	w.value("ORDER BY", t.OrderBy)
	w.value("UNIQUE KEY", t.UniqueKey)
	w.value("SAMPLE BY", t.SampleBy)
	w.value("TTL", t.TTL)
	w.settings(t.Settings)
	w.unread(t.Unread)
}

// String returns the column as it stands in a definition.
func (c *Column) String() string { return string(c.Append(nil)) }

// Append appends what [Column.String] returns, its clauses in the server's order.
func (c *Column) Append(dst []byte) []byte {
	return c.AppendClauses(appendEscaped(dst, c.Name, '`'))
}

// AppendClauses appends type and clauses without the name, each behind a space.
func (c *Column) AppendClauses(dst []byte) []byte {
	if c.Type != nil {
		dst = append(dst, ' ')
		dst = appendColumnType(dst, c.Type)
	}
	if c.DefaultKind != Plain {
		dst = append(dst, ' ')
		dst = append(dst, c.DefaultKind...)
	}
	if c.Default != nil {
		dst = append(dst, ' ')
		dst = c.Default.Append(dst)
	}
	if c.Comment != "" {
		dst = append(dst, " COMMENT "...)
		dst = appendString(dst, c.Comment)
	}
	if c.Codec != nil {
		dst = append(dst, " CODEC("...)
		dst = c.Codec.Append(dst)
		dst = append(dst, ')')
	}
	if c.Statistics != nil {
		dst = append(dst, " STATISTICS("...)
		dst = c.Statistics.Append(dst)
		dst = append(dst, ')')
	}
	if c.TTL != nil {
		dst = append(dst, " TTL "...)
		dst = c.TTL.Append(dst)
	}
	if c.Collation != "" {
		dst = append(dst, " COLLATE "...)
		dst = appendIdent(dst, c.Collation)
	}
	if len(c.Settings) > 0 {
		dst = append(dst, " SETTINGS ("...)
		dst = appendSettings(dst, c.Settings)
		dst = append(dst, ')')
	}
	if c.PrimaryKey {
		dst = append(dst, " PRIMARY KEY"...)
	}
	return dst
}

// appendColumnType appends the type; NULL without a type, and a type followed by what nobody reads, have their own shapes.
func appendColumnType(dst []byte, n *Node) []byte {
	switch {
	case n.Kind == Type && n.Text == "Nullable" && len(n.Kids) == 0:
		return append(dst, "NULL"...)
	case n.Kind == List:
		dst = n.Kids[0].Append(dst)
		return appendSpaced(dst, n.Kids[1:])
	}
	return n.Append(dst)
}

// String returns the index as it stands in a definition.
func (i *Index) String() string { return string(i.Append(nil)) }

// Append appends what [Index.String] returns.
func (i *Index) Append(dst []byte) []byte {
	return i.appendBody(append(dst, "INDEX "...))
}

// appendBody appends what stands behind the word.
func (i *Index) appendBody(dst []byte) []byte {
	dst = appendIdent(dst, i.Name)
	dst = append(dst, ' ')
	dst = i.Expr.Append(dst)
	dst = append(dst, " TYPE "...)
	dst = i.Type.Append(dst)
	if i.Granularity != 0 {
		dst = append(dst, " GRANULARITY "...)
		dst = appendUint(dst, i.Granularity)
	}
	return dst
}

// String returns the projection as it stands in a definition.
func (p *Projection) String() string { return string(p.Append(nil)) }

// Append appends what [Projection.String] returns.
func (p *Projection) Append(dst []byte) []byte {
	return p.appendBody(append(dst, "PROJECTION "...))
}

// appendBody appends what stands behind the word.
func (p *Projection) appendBody(dst []byte) []byte {
	dst = appendIdent(dst, p.Name)
	if p.Index != nil {
		dst = append(dst, " INDEX "...)
		dst = p.Index.Append(dst)
		dst = append(dst, " TYPE "...)
		dst = p.Type.Append(dst)
	} else {
		dst = append(dst, " ("...)
		dst = p.Query.Append(dst)
		dst = append(dst, ')')
	}
	if len(p.Settings) > 0 {
		dst = append(dst, " WITH SETTINGS ("...)
		dst = appendSettings(dst, p.Settings)
		dst = append(dst, ')')
	}
	return dst
}

// String returns the constraint as it stands in a definition.
func (c *Constraint) String() string { return string(c.Append(nil)) }

// Append appends what [Constraint.String] returns.
func (c *Constraint) Append(dst []byte) []byte {
	return c.appendBody(append(dst, "CONSTRAINT "...))
}

// appendBody appends what stands behind the word.
func (c *Constraint) appendBody(dst []byte) []byte {
	dst = appendIdent(dst, c.Name)
	dst = append(dst, ' ')
	dst = append(dst, c.Kind...)
	dst = append(dst, ' ')
	return c.Expr.Append(dst)
}
