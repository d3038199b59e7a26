package ast

func (w *statement) dictionary(d *Dictionary) {
	w.head("DICTIONARY", d.Name)
	l := w.open()
	for _, a := range d.Attributes {
		l.item()
		w.dst = a.Append(w.dst)
	}
	l.close()
	for i, key := range d.PrimaryKey {
		if i == 0 {
			w.clause("PRIMARY KEY ")
		} else {
			w.add(", ")
		}
		w.dst = appendIdent(w.dst, key)
	}
	if d.Source != nil {
		w.clause("SOURCE(")
		w.dst = d.Source.append(w.dst)
		w.add(")")
	}
	if d.HasLifetime {
		w.clause("LIFETIME(MIN ")
		w.dst = appendUint(w.dst, d.LifetimeMin)
		w.add(" MAX ")
		w.dst = appendUint(w.dst, d.LifetimeMax)
		w.add(")")
	}
	if d.Layout != nil {
		w.clause("LAYOUT(")
		w.dst = appendKeyValues(w.dst, d.Layout.Kind, d.Layout.Args, d.Layout.HasParens)
		w.add(")")
	}
	if d.RangeMin != "" || d.RangeMax != "" {
		w.clause("RANGE(")
		if d.RangeMin != "" {
			w.add("MIN ")
			w.dst = appendIdent(w.dst, d.RangeMin)
		}
		if d.RangeMax != "" {
			if d.RangeMin != "" {
				w.add(" ")
			}
			w.add("MAX ")
			w.dst = appendIdent(w.dst, d.RangeMax)
		}
		w.add(")")
	}
	if len(d.Settings) > 0 {
		w.clause("SETTINGS(")
		w.dst = appendSettings(w.dst, d.Settings)
		w.add(")")
	}
	w.unread(d.Unread)
	w.comment(d.Comment)
}

// String returns the attribute as it stands in a definition.
func (a *Attribute) String() string { return string(a.Append(nil)) }

// Append appends what [Attribute.String] returns.
func (a *Attribute) Append(dst []byte) []byte {
	dst = appendEscaped(dst, a.Name, '`')
	dst = append(dst, ' ')
	dst = a.Type.Append(dst)
	if a.Default != nil {
		dst = append(dst, " DEFAULT "...)
		dst = appendOperand(dst, a.Default, PrecLambda)
	}
	if a.Expression != nil {
		dst = append(dst, " EXPRESSION "...)
		dst = appendOperand(dst, a.Expression, PrecLambda)
	}
	for _, flag := range []struct {
		set  bool
		text string
	}{{a.Hierarchical, " HIERARCHICAL"}, {a.Bidirectional, " BIDIRECTIONAL"}, {a.Injective, " INJECTIVE"}, {a.IsObjectID, " IS_OBJECT_ID"}} {
		if flag.set {
			dst = append(dst, flag.text...)
		}
	}
	return dst
}

func (s *Source) append(dst []byte) []byte { return appendKeyValues(dst, s.Kind, s.Args, s.HasParens) }

// appendKeyValues appends KIND(key value key value).
func appendKeyValues(dst []byte, kind string, args []Setting, parens bool) []byte {
	dst = appendIdent(dst, kind)
	if len(args) == 0 && !parens {
		return dst
	}
	dst = append(dst, '(')
	for i, a := range args {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendKeyValue(dst, a.Name, a.Value)
	}
	return append(dst, ')')
}

func appendKeyValue(dst []byte, name string, value *Node) []byte {
	dst = appendIdent(dst, name)
	if value.Kind != List {
		dst = append(dst, ' ')
		return appendOperand(dst, value, PrecNegate)
	}
	dst = append(dst, '(')
	for i, kid := range value.Kids {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendKeyValue(dst, kid.Text, kid.Kids[0])
	}
	return append(dst, ')')
}
