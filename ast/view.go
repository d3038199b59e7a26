package ast

// Security is the SQL SECURITY and DEFINER of a view. The zero value is: not written.
type Security struct {
	Mode    string // "", "DEFINER", "INVOKER", "NONE"
	Definer string // a user's name, or "CURRENT_USER"
}

func (s Security) parts(parts []Part) []Part {
	if s.Mode == "" && s.Definer == "" {
		return parts
	}
	p := Part{Kind: "security"}
	if s.Mode != "" {
		p.Attrs = append(p.Attrs, Attr{"mode", N(Keyword, s.Mode)})
	}
	if s.Definer != "" {
		p.Attrs = append(p.Attrs, Attr{"definer", N(Ident, s.Definer)})
	}
	return append(parts, p)
}

// View is a plain view: a stored query with no data of its own.
type View struct {
	Name     Name
	Columns  []*Column // empty where the list is left to the server
	Query    *Node
	Security Security
	Comment  string
	Origin   Origin
}

// Kind returns [KindView].
func (v *View) Kind() Kind { return KindView }

// ID returns the view's name.
func (v *View) ID() Name { return v.Name }

// Parts lists the column list, the query, the SQL security and the comment.
func (v *View) Parts() []Part {
	parts := columnParts(make([]Part, 0, len(v.Columns)+3), v.Columns)
	parts = appendNode(parts, "query", v.Query)
	parts = v.Security.parts(parts)
	return appendText(parts, "comment", v.Comment)
}
