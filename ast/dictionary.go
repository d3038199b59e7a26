package ast

import "strconv"

// Dictionary is a dictionary defined by DDL.
type Dictionary struct {
	Name       Name
	Attributes []*Attribute
	PrimaryKey []string
	Source     *Source
	Layout     *Layout
	// LifetimeMin and LifetimeMax are seconds; HasLifetime is false where no clause is written.
	LifetimeMin, LifetimeMax uint64
	HasLifetime              bool
	RangeMin, RangeMax       string // RANGE(MIN x MAX y)
	Settings                 []Setting
	Comment                  string
	Unread                   []*Node // clauses no parser of ours reads, as Opaque nodes
	Origin                   Origin
}

// Attribute is a key or an attribute of a dictionary.
type Attribute struct {
	Name       string
	Type       *Node
	Default    *Node
	Expression *Node
	// Flags
	Hierarchical, Bidirectional, Injective, IsObjectID bool
}

// Source is SOURCE(KIND(key value ...)). Keys keep their order; a value is a literal, a call, or a List of Equals
// for a nested block.
type Source struct {
	Kind string // upper case once canonical
	Args []Setting
	// HasParens keeps NULL() apart from NULL for printing alone.
	HasParens bool
}

// Layout is LAYOUT(KIND(key value ...)).
type Layout struct {
	Kind string
	Args []Setting
	// HasParens keeps FLAT() apart from FLAT for printing alone.
	HasParens bool
}

// Kind returns [KindDictionary].
func (d *Dictionary) Kind() Kind { return KindDictionary }

// ID returns the dictionary's name.
func (d *Dictionary) ID() Name { return d.Name }

// Parts lists attributes, key, source, lifetime, layout, range, settings and comment.
func (d *Dictionary) Parts() []Part {
	parts := make([]Part, 0, len(d.Attributes)+8)
	for _, a := range d.Attributes {
		parts = append(parts, a.part())
	}
	if len(d.PrimaryKey) > 0 {
		key := N(List, "")
		for _, k := range d.PrimaryKey {
			key.Kids = append(key.Kids, N(Ident, k))
		}
		parts = appendNode(parts, "primary_key", key)
	}
	if d.Source != nil {
		parts = append(parts, Part{Kind: "source", Attrs: keyValueAttrs(d.Source.Kind, d.Source.Args)})
	}
	if d.HasLifetime {
		parts = append(parts, Part{Kind: "lifetime", Attrs: []Attr{{"min", number(d.LifetimeMin)}, {"max", number(d.LifetimeMax)}}})
	}
	if d.Layout != nil {
		parts = append(parts, Part{Kind: "layout", Attrs: keyValueAttrs(d.Layout.Kind, d.Layout.Args)})
	}
	if d.RangeMin != "" || d.RangeMax != "" {
		parts = append(parts, Part{Kind: "range", Attrs: []Attr{{"min", N(Ident, d.RangeMin)}, {"max", N(Ident, d.RangeMax)}}})
	}
	parts = settingParts(parts, "setting", d.Settings)
	parts = unreadParts(parts, d.Unread)
	return appendText(parts, "comment", d.Comment)
}

func (a *Attribute) part() Part {
	attrs := []Attr{{"type", a.Type}}
	if a.Default != nil {
		attrs = append(attrs, Attr{"default", a.Default})
	}
	if a.Expression != nil {
		attrs = append(attrs, Attr{"expression", a.Expression})
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"hierarchical", a.Hierarchical}, {"bidirectional", a.Bidirectional}, {"injective", a.Injective}, {"is_object_id", a.IsObjectID}} {
		if flag.set {
			attrs = append(attrs, Attr{flag.name, N(Keyword, "true")})
		}
	}
	return Part{Kind: "attribute", Name: a.Name, Attrs: attrs}
}

func keyValueAttrs(kind string, args []Setting) []Attr {
	attrs := make([]Attr, 0, len(args)+1)
	attrs = append(attrs, Attr{"kind", N(Ident, kind)})
	for _, a := range args {
		attrs = append(attrs, Attr{a.Name, a.Value})
	}
	return attrs
}

func number(n uint64) *Node { return N(Number, strconv.FormatUint(n, 10)) }
