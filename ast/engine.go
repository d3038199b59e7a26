package ast

import "strconv"

// Engine is the ENGINE clause of a table or a database.
type Engine struct {
	// Name is the family, without a Replicated or Shared prefix once canonical ("ReplacingMergeTree").
	Name string
	// Args are the arguments of the family. HasParens keeps "MergeTree()" apart from "MergeTree" for printing alone.
	Args      []*Node
	HasParens bool
	// Replication is "", "Replicated" or "Shared"; ReplicationArgs are its path and replica name where they were
	// given and are not the server's defaults. A parser leaves both empty; the canonical form fills them.
	Replication     string
	ReplicationArgs []*Node
}

func (e *Engine) parts() []Part {
	if e == nil {
		return nil
	}
	attrs := []Attr{{"family", N(Ident, e.Name)}}
	if len(e.Args) > 0 {
		attrs = append(attrs, Attr{"args", N(List, "", e.Args...)})
	}
	if e.Replication != "" {
		attrs = append(attrs, Attr{"replication", N(Keyword, e.Replication, e.ReplicationArgs...)})
	}
	return []Part{{Kind: "engine", Attrs: attrs}}
}

// Setting is name = value. Value is a literal, a keyword or a call (disk(...)).
type Setting struct {
	Name  string
	Value *Node
}

func settingParts(parts []Part, kind string, settings []Setting) []Part {
	for _, s := range settings {
		parts = append(parts, Part{Kind: kind, Name: s.Name, Attrs: []Attr{{"", s.Value}}})
	}
	return parts
}

// unreadParts numbers the fragments nobody reads, in written order.
func unreadParts(parts []Part, unread []*Node) []Part {
	for i, n := range unread {
		parts = append(parts, Part{Kind: "unread", Name: strconv.Itoa(i + 1), Attrs: []Attr{{"", n}}})
	}
	return parts
}

func appendNode(parts []Part, kind string, value *Node) []Part {
	if value == nil {
		return parts
	}
	return append(parts, Part{Kind: kind, Attrs: []Attr{{"", value}}})
}

func appendText(parts []Part, kind, text string) []Part {
	if text == "" {
		return parts
	}
	return appendNode(parts, kind, N(String, text))
}
