package ast

func (w *statement) view(v *View) {
	w.head("VIEW", v.Name)
	w.elements(v.Columns, nil)
	if len(v.Aliases) > 0 {
		l := w.open()
		for _, a := range v.Aliases {
			l.item()
			w.dst = appendIdent(w.dst, a)
		}
		l.close()
	}
	w.security(v.Security)
	w.unread(v.Unread)
	w.comment(v.Comment)
	w.value("AS", v.Query)
}

func (w *statement) materializedView(m *MaterializedView) {
	w.head("MATERIALIZED VIEW", m.Name)
	if m.Refresh != nil {
		w.clause("")
		w.dst = m.Refresh.append(w.dst)
	}
	if m.To != (Name{}) {
		w.clause("TO ")
		w.name(m.To)
	}
	w.elements(m.Columns, m.Inner)
	if m.Inner != nil {
		w.storage(m.Inner)
	}
	w.security(m.Security)
	w.unread(m.Unread)
	if m.Populate {
		w.clause("POPULATE")
	}
	if m.Empty {
		w.clause("EMPTY")
	}
	w.comment(m.Comment)
	w.value("AS", m.Query)
}

// String returns the schedule as it stands in a definition: REFRESH EVERY 1 HOUR ..
func (r *Refresh) String() string { return string(r.append(nil)) }

func (r *Refresh) append(dst []byte) []byte {
	dst = append(dst, "REFRESH"...)
	if r.Period != nil {
		dst = append(dst, ' ')
		dst = append(dst, r.Kind...)
		dst = appendPeriod(dst, r.Period)
	}
	if r.Offset != nil {
		dst = append(dst, " OFFSET"...)
		dst = appendPeriod(dst, r.Offset)
	}
	if r.Randomize != nil {
		dst = append(dst, " RANDOMIZE FOR"...)
		dst = appendPeriod(dst, r.Randomize)
	}
	for i, name := range r.DependsOn {
		if i == 0 {
			dst = append(dst, " DEPENDS ON "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = name.node().Append(dst)
	}
	if len(r.Settings) > 0 {
		dst = append(dst, " SETTINGS "...)
		dst = appendSettings(dst, r.Settings)
	}
	if r.Append {
		dst = append(dst, " APPEND"...)
	}
	return dst
}

// appendPeriod appends 1 HOUR 30 MINUTE, each behind a space.
func appendPeriod(dst []byte, n *Node) []byte {
	if n.Kind == List {
		for _, kid := range n.Kids {
			dst = appendPeriod(dst, kid)
		}
		return dst
	}
	dst = append(dst, ' ')
	dst = n.Kids[0].Append(dst)
	dst = append(dst, ' ')
	return append(dst, n.Text...)
}
