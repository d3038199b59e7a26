package ast

import "strings"

// User is a user: how he is known, from where he may come, what he may do.
type User struct {
	Name string
	Auth []Authentication // none: whatever the server's default is
	// Hosts are where connections may come from. Nil: not said, which is anywhere.
	Hosts []Host
	// DefaultRoles are those of the granted roles that hold from the start; nil: not said, which is all.
	DefaultRoles    *Recipients
	DefaultDatabase string
	// Grantees are those the user may grant his own rights to; nil: not said, which is anybody.
	Grantees *Recipients
	Settings []ProfileSetting
	// Rights are what the user is granted, of a live user all of it.
	Rights []Right
	// Exclusive says that the user has the declared rights and no others.
	Exclusive bool
	Origin    Origin
}

// Authentication is one way in which a user proves who he is.
type Authentication struct {
	// Method in ClickHouse's words: no_password, sha256_password, ldap, ...; empty where the statement leaves it to the
	// server.
	Method string
	// Secret says where the password, the hash or the key comes from. The value itself is never part of a tree.
	Secret Secret
	// Salt of sha256_hash, as written.
	Salt string
	// Values are what the method names openly: the server of ldap and http, the realm of kerberos, common names.
	Values []Setting
	// ValidUntil is when it ends, as written; empty for never.
	ValidUntil string
}

// TakesSecret reports a method that compares what a client sends with a password or a hash of one.
func (a *Authentication) TakesSecret() bool {
	return strings.HasSuffix(a.Method, "_password") && a.Method != "no_password" || strings.HasSuffix(a.Method, "_hash")
}

// Host is one place connections may come from: Kind is ANY, NONE, LOCAL, IP, NAME, REGEXP or LIKE.
type Host struct {
	Kind  string
	Value string
}

func (h Host) append(dst []byte) []byte {
	dst = append(dst, h.Kind...)
	if h.Value != "" {
		dst = append(dst, ' ')
		dst = appendString(dst, h.Value)
	}
	return dst
}

// Kind returns [KindUser].
func (u *User) Kind() Kind { return KindUser }

// ID returns the user's name, in no database.
func (u *User) ID() Name { return Name{Name: u.Name} }

// Parts lists the ways to prove who he is, hosts, default roles and database, grantees, settings and rights. Secrets
// take no part: a server does not show them.
func (u *User) Parts() []Part {
	var parts []Part
	auth := N(List, "")
	for i := range u.Auth {
		auth.Kids = append(auth.Kids, u.Auth[i].node())
	}
	if len(auth.Kids) > 0 {
		parts = appendNode(parts, "authentication", auth)
	}
	hosts := N(List, "")
	for _, h := range u.Hosts {
		hosts.Kids = append(hosts.Kids, N(Clause, h.Kind, textNodes(h.Value)...))
	}
	if len(hosts.Kids) > 0 {
		parts = appendNode(parts, "hosts", hosts)
	}
	parts = appendNode(parts, "default_roles", u.DefaultRoles.node())
	parts = appendText(parts, "default_database", u.DefaultDatabase)
	parts = appendNode(parts, "grantees", u.Grantees.node())
	return rightParts(profileParts(parts, u.Settings), u.Rights)
}

func textNodes(s string) []*Node {
	if s == "" {
		return nil
	}
	return []*Node{N(String, s)}
}

func (a *Authentication) node() *Node {
	n := N(Clause, a.Method)
	for _, v := range a.Values {
		n.Kids = append(n.Kids, N(Equals, v.Name, v.Value))
	}
	if a.ValidUntil != "" {
		n.Kids = append(n.Kids, N(Clause, "VALID UNTIL", N(String, a.ValidUntil)))
	}
	return n
}

func (a *Authentication) append(dst []byte) []byte {
	if a.Method != "" {
		dst = append(dst, "WITH "...)
		dst = append(dst, a.Method...)
	}
	space := func() {
		if len(dst) > 0 && dst[len(dst)-1] != ' ' {
			dst = append(dst, ' ')
		}
	}
	if ref := a.Secret.Reference(); ref != "" {
		space()
		dst = append(dst, "BY "...)
		dst = append(dst, ref...)
		if a.Salt != "" {
			dst = append(dst, " SALT "...)
			dst = appendString(dst, a.Salt)
		}
	}
	dst = a.appendValues(dst, space)
	if a.ValidUntil != "" {
		space()
		dst = append(dst, "VALID UNTIL "...)
		dst = appendString(dst, a.ValidUntil)
	}
	return dst
}

// appendValues appends SERVER 's' SCHEME 'x', REALM 'r', CN 'a', 'b', or KEY k TYPE t, KEY ...
func (a *Authentication) appendValues(dst []byte, space func()) []byte {
	last := ""
	for i, v := range a.Values {
		if v.Name == last && v.Name != "KEY" {
			dst = append(dst, ", "...)
			dst = v.Value.Append(dst)
			continue
		}
		if v.Name == "KEY" {
			if i == 0 {
				dst = append(dst, " BY KEY "...)
			} else {
				dst = append(dst, ", KEY "...)
			}
		} else {
			dst = append(dst, ' ')
			dst = append(dst, v.Name...)
			dst = append(dst, ' ')
		}
		dst = v.Value.Append(dst)
		last = v.Name
	}
	return dst
}

func (w *statement) user(u *User) {
	w.accessHead("USER", u.Name)
	w.authentications(u.Auth)
	w.userClauses(u)
}

func (w *statement) authentications(list []Authentication) {
	for i := range list {
		if i == 0 {
			w.clause("IDENTIFIED ")
		} else {
			w.add(", ")
		}
		a := list[i]
		if i > 0 {
			// The word WITH introduces the list and is not said again.
			text := a.append(nil)
			if a.Method != "" {
				text = text[len("WITH "):]
			}
			w.dst = append(w.dst, text...)
			continue
		}
		w.dst = a.append(w.dst)
	}
}

func (w *statement) userClauses(u *User) {
	for i, h := range u.Hosts {
		if i == 0 {
			w.clause("HOST ")
		} else {
			w.add(", ")
		}
		w.dst = h.append(w.dst)
	}
	if u.DefaultDatabase != "" {
		w.clause("DEFAULT DATABASE ")
		w.dst = appendIdent(w.dst, u.DefaultDatabase)
	}
	if u.DefaultRoles != nil {
		w.clause("DEFAULT ROLE ")
		w.dst = u.DefaultRoles.appendTo(w.dst, "ALL")
	}
	w.profileSettings(u.Settings, "PROFILE")
	if u.Grantees != nil {
		w.clause("GRANTEES ")
		w.dst = u.Grantees.appendTo(w.dst, "ANY")
	}
}
