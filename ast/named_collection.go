package ast

import "slices"

// KindNamedCollection is the kind of named collections. They live in no database.
const KindNamedCollection Kind = "named_collection"

// NamedCollection is a named collection: keys with values that engines, table functions and dictionaries take instead of
// arguments of their own. A server shows the keys and hides every value.
type NamedCollection struct {
	Name string
	Keys []CollectionKey
	// Configured says that a file of the server's configuration defines it: no statement changes it. Of a live one alone.
	Configured bool
	// FlagsUnknown says that the server does not show which keys may be overridden. Of a live one alone.
	FlagsUnknown bool
	Origin       Origin
}

// CollectionKey is one key. A definition has its value, or says where the value comes from; a live one has neither.
type CollectionKey struct {
	Name string
	// Value is a literal that stands in the definition; nil for a value from a secret and for a hidden one. No text that
	// [Create] prints holds it: a reference stands there, see [CollectionKey.Reference].
	Value  *Node
	Secret Secret
	// Overridable is OVERRIDABLE, NOT OVERRIDABLE, or "" where it is left to the server's setting
	// allow_named_collection_override_by_default.
	Overridable string
}

// Hidden reports a key whose value is not known here: of a live collection each, of a definition one that is set by hand.
func (k *CollectionKey) Hidden() bool { return k.Value == nil && k.Secret == (Secret{}) }

// Reference is the text that stands for the value in statements: secret('env:PASSWORD') or definition('url'), and '[HIDDEN]'
// for one that is not known.
func (k *CollectionKey) Reference() string {
	switch {
	case k.Secret != (Secret{}):
		return k.Secret.Reference()
	case k.Value != nil:
		return "definition(" + QuoteString(k.Name) + ")"
	}
	return "'[HIDDEN]'"
}

// Key returns the key of a name, or nil.
func (c *NamedCollection) Key(name string) *CollectionKey {
	i := slices.IndexFunc(c.Keys, func(k CollectionKey) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Keys[i]
}

// Kind returns [KindNamedCollection].
func (c *NamedCollection) Kind() Kind { return KindNamedCollection }

// ID returns the collection's name, in no database.
func (c *NamedCollection) ID() Name { return Name{Name: c.Name} }

// Parts lists the keys with whether they may be overridden. Values take no part: a server does not show them, and a
// checksum over them would tell them to who can guess.
func (c *NamedCollection) Parts() []Part {
	var parts []Part
	for i := range c.Keys {
		flag := c.Keys[i].Overridable
		if flag == "" {
			flag = "DEFAULT"
		}
		overridable := N(Keyword, flag)
		if c.FlagsUnknown {
			overridable = N(Unknown, "this server does not show which keys of a named collection may be overridden")
		}
		parts = append(parts, Part{Kind: "key", Name: c.Keys[i].Name, Attrs: []Attr{{"overridable", overridable}}})
	}
	return parts
}

// AlterNamedCollection returns the statement that gives a live collection the keys of the definition and takes those
// away that it does not have. remove are their names.
func AlterNamedCollection(c *NamedCollection, remove []string) string {
	w := statement{style: Style{Lines: true}}
	w.add("ALTER NAMED COLLECTION IF EXISTS ")
	w.dst = appendIdent(w.dst, c.Name)
	if len(c.Keys) > 0 {
		w.clause("SET ")
		w.collectionKeys(c.Keys)
	}
	for i, name := range remove {
		if i == 0 {
			w.clause("DELETE ")
		} else {
			w.add(", ")
		}
		w.dst = appendIdent(w.dst, name)
	}
	return string(w.dst)
}

func (w *statement) namedCollection(c *NamedCollection) {
	w.head("NAMED COLLECTION", Name{Name: c.Name})
	w.add(" AS")
	if w.style.Lines {
		w.add("\n    ")
	} else {
		w.add(" ")
	}
	w.collectionKeys(c.Keys)
}

func (w *statement) collectionKeys(keys []CollectionKey) {
	for i := range keys {
		k := &keys[i]
		if i > 0 {
			w.add(", ")
			if w.style.Lines {
				w.dst = append(w.dst[:len(w.dst)-1], "\n    "...)
			}
		}
		w.dst = appendIdent(w.dst, k.Name)
		w.add(" = ")
		switch {
		case w.style.Values && k.Value != nil:
			w.dst = k.Value.Append(w.dst)
		default:
			w.add(k.Reference())
		}
		if k.Overridable != "" {
			w.add(" " + k.Overridable)
		}
	}
}
