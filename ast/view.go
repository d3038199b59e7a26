package ast

// Security is the SQL SECURITY and DEFINER of a view. The zero value is: not written.
type Security struct {
	Mode    string // "", "DEFINER", "INVOKER", "NONE"
	Definer string // a user's name, or "CURRENT_USER"
	Reason  string // why the definer is not known, as a sentence: an [Unknown] in its part
}

func (s Security) parts(parts []Part) []Part {
	if s.Mode == "" && s.Definer == "" {
		return parts
	}
	p := Part{Kind: "security"}
	if s.Mode != "" {
		p.Attrs = append(p.Attrs, Attr{"mode", N(Keyword, s.Mode)})
	}
	switch {
	case s.Reason != "":
		p.Attrs = append(p.Attrs, Attr{"definer", N(Unknown, s.Reason)})
	case s.Definer != "":
		p.Attrs = append(p.Attrs, Attr{"definer", N(Ident, s.Definer)})
	}
	return append(parts, p)
}

// View is a plain view: a stored query with no data of its own.
type View struct {
	Name     Name
	Columns  []*Column // empty where the list is left to the server
	Aliases  []string  // names for the query's columns, CREATE VIEW v (a, b) AS: a list in which nothing has a type
	Query    *Node
	Security Security
	Comment  string
	Unread   []*Node // clauses no parser of ours reads, as Opaque nodes
	Origin   Origin
}

// Kind returns [KindView].
func (v *View) Kind() Kind { return KindView }

// ID returns the view's name.
func (v *View) ID() Name { return v.Name }

// Parts lists the column list, the aliases, the query, the SQL security and the comment.
func (v *View) Parts() []Part {
	parts := columnParts(make([]Part, 0, len(v.Columns)+3), v.Columns)
	if len(v.Aliases) > 0 {
		list := N(List, "")
		for _, a := range v.Aliases {
			list.Kids = append(list.Kids, N(Ident, a))
		}
		parts = appendNode(parts, "aliases", list)
	}
	parts = appendNode(parts, "query", v.Query)
	parts = v.Security.parts(parts)
	parts = unreadParts(parts, v.Unread)
	return appendText(parts, "comment", v.Comment)
}
