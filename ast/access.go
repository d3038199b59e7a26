package ast

import "strings"

// The kinds of object that say who may do what. None lives in a database.
const (
	KindRole            Kind = "role"
	KindUser            Kind = "user"
	KindSettingsProfile Kind = "settings_profile"
	KindQuota           Kind = "quota"
	KindRowPolicy       Kind = "row_policy"
	KindGrant           Kind = "grant"
)

// AccessKinds lists the kinds that say who may do what, in the order in which they can be created.
func AccessKinds() []Kind {
	return []Kind{KindSettingsProfile, KindRole, KindUser, KindQuota, KindRowPolicy, KindGrant}
}

// IsAccess reports whether objects of the kind say who may do what.
func (k Kind) IsAccess() bool {
	switch k {
	case KindRole, KindUser, KindSettingsProfile, KindQuota, KindRowPolicy, KindGrant:
		return true
	}
	return false
}

// Statements returns the statements that make an object what it is, without semicolons: the one that [Create] returns and,
// of a role or a user, those that give its rights.
func Statements(o Object, style Style) []string {
	switch o := o.(type) {
	case *Role:
		return append([]string{Create(o, style)}, GrantSQL(o.Rights, []string{o.Name}, false)...)
	case *User:
		return append([]string{Create(o, style)}, GrantSQL(o.Rights, []string{o.Name}, false)...)
	case *Grant:
		return GrantSQL(o.Rights, o.To, false)
	}
	return []string{Create(o, style)}
}

// Recipients is a set of users and roles, as TO, DEFAULT ROLE and GRANTEES write it. The zero value is NONE.
type Recipients struct {
	All    bool // ALL or ANY, without those of Except
	Names  []string
	Except []string
}

// currentUser is the name that ClickHouse reads as whoever runs the statement.
const currentUser = "CURRENT_USER"

// AppendTo appends the set, with word for all of it: ALL or ANY.
func (r *Recipients) appendTo(dst []byte, word string) []byte {
	switch {
	case r.All:
		dst = append(dst, word...)
		if len(r.Except) > 0 {
			dst = append(dst, " EXCEPT "...)
			dst = appendGrantees(dst, r.Except)
		}
		return dst
	case len(r.Names) == 0:
		return append(dst, "NONE"...)
	}
	return appendGrantees(dst, r.Names)
}

// SQL returns the set as TO writes it.
func (r *Recipients) SQL() string { return string(r.appendTo(nil, "ALL")) }

func appendGrantees(dst []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendGrantee(dst, name)
	}
	return dst
}

// appendGrantee appends the name of a user or role. Those that read as words of the clause stand in backticks.
func appendGrantee(dst []byte, name string) []byte {
	switch strings.ToUpper(name) {
	case currentUser:
		if name == currentUser {
			return append(dst, name...)
		}
	case "ALL", "ANY", "NONE", "EXCEPT":
	default:
		// A user whose host is a part of his name: app@'%.example.com'.
		if at := strings.LastIndexByte(name, '@'); at > 0 {
			dst = appendIdent(dst, name[:at])
			dst = append(dst, '@')
			return appendString(dst, name[at+1:])
		}
		return appendIdent(dst, name)
	}
	return appendEscaped(dst, name, '`')
}

// QuoteGrantee returns the name of a user or role as ClickHouse reads it in a statement of access.
func QuoteGrantee(name string) string { return string(appendGrantee(nil, name)) }

func (r *Recipients) node() *Node {
	if r == nil {
		return nil
	}
	list := N(List, "")
	if r.All {
		list.Kids = append(list.Kids, N(Keyword, "ALL"))
		if len(r.Except) > 0 {
			list.Kids = append(list.Kids, N(Clause, "EXCEPT", identNodes(r.Except)...))
		}
		return list
	}
	list.Kids = identNodes(r.Names)
	if len(r.Names) == 0 {
		list.Kids = []*Node{N(Keyword, "NONE")}
	}
	return list
}

func identNodes(names []string) []*Node {
	nodes := make([]*Node, len(names))
	for i, name := range names {
		nodes[i] = N(Ident, name)
	}
	return nodes
}

// ProfileSetting is one element of SETTINGS in a role, a user or a settings profile: a setting with what it may be,
// or another profile whose elements hold as well.
type ProfileSetting struct {
	Profile string // INHERIT or PROFILE; the rest is then empty
	Name    string
	Value   *Node
	Min     *Node
	Max     *Node
	// Writability is CONST, WRITABLE, CHANGEABLE_IN_READONLY or "".
	Writability string
}

func (s *ProfileSetting) part() Part {
	var attrs []Attr
	for _, a := range []Attr{{"value", s.Value}, {"min", s.Min}, {"max", s.Max}} {
		if a.Value != nil {
			attrs = append(attrs, a)
		}
	}
	if s.Writability != "" {
		attrs = append(attrs, Attr{"writability", N(Keyword, s.Writability)})
	}
	return Part{Kind: "setting", Name: s.Name, Attrs: attrs}
}

func profileParts(parts []Part, settings []ProfileSetting) []Part {
	inherit := N(List, "")
	for i := range settings {
		if settings[i].Profile != "" {
			inherit.Kids = append(inherit.Kids, N(Ident, settings[i].Profile))
			continue
		}
		parts = append(parts, settings[i].part())
	}
	if len(inherit.Kids) > 0 {
		parts = appendNode(parts, "inherit", inherit)
	}
	return parts
}

func (w *statement) profileSettings(settings []ProfileSetting, inherit string) {
	if len(settings) == 0 {
		return
	}
	w.clause("SETTINGS ")
	w.dst = appendProfileSettings(w.dst, settings, inherit)
}

// ProfileSettingsSQL returns the elements as they stand behind SETTINGS in a role or a user.
func ProfileSettingsSQL(settings []ProfileSetting) string {
	return string(appendProfileSettings(nil, settings, "PROFILE"))
}

func appendProfileSettings(dst []byte, settings []ProfileSetting, inherit string) []byte {
	for i := range settings {
		s := &settings[i]
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if s.Profile != "" {
			dst = append(dst, inherit...)
			dst = append(dst, ' ')
			dst = appendIdent(dst, s.Profile)
			continue
		}
		dst = appendSettingName(dst, s.Name)
		for _, v := range []struct {
			word  string
			value *Node
		}{{" = ", s.Value}, {" MIN ", s.Min}, {" MAX ", s.Max}} {
			if v.value != nil {
				dst = append(dst, v.word...)
				dst = v.value.Append(dst)
			}
		}
		if s.Writability != "" {
			dst = append(dst, ' ')
			dst = append(dst, s.Writability...)
		}
	}
	return dst
}

// accessHead is the head of CREATE: OR REPLACE stands behind the kind, and a name may be name@host.
func (w *statement) accessHead(kind, name string) {
	w.add("CREATE " + kind + " ")
	if w.style.OrReplace {
		w.add("OR REPLACE ")
	}
	if w.style.IfNotExists {
		w.add("IF NOT EXISTS ")
	}
	w.dst = appendGrantee(w.dst, name)
	if w.style.Cluster != "" {
		w.add(" ON CLUSTER ")
		w.dst = appendIdent(w.dst, w.style.Cluster)
	}
}
