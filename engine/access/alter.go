package access

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/canon"
)

// alter gives the clauses that the statement has to what is there.
func (s *state) alter(st *access.Statement) (changed bool, err error) {
	if st.NewName != "" {
		return false, cannot("another name for what is there: create it anew")
	}
	for i, name := range st.Names {
		if !s.has(st.Kind, name) {
			if st.IfExists {
				continue
			}
			return false, unknown(st.Kind, name)
		}
		before := s.checksum(st.Kind, name)
		switch o := st.Object.(type) {
		case *ast.Role:
			r := s.role(name)
			r.Settings = settings(st, r.Settings, o.Settings)
		case *ast.User:
			if changed, err = s.alterUser(st, s.user(name), o, changed); err != nil {
				return false, err
			}
		case *ast.SettingsProfile:
			p := s.Profiles[slices.IndexFunc(s.Profiles, func(p *ast.SettingsProfile) bool { return p.Name == name })]
			p.Settings = settings(st, p.Settings, o.Settings)
			if st.Written["to"] {
				p.To = o.To
			}
		case *ast.Quota:
			s.alterQuota(st, s.Quotas[slices.IndexFunc(s.Quotas, func(q *ast.Quota) bool { return q.Name == name })], o)
		case *ast.RowPolicy:
			p := s.Policies[slices.IndexFunc(s.Policies, func(p *ast.RowPolicy) bool { return p.ID().Name == st.Names[i] })]
			if st.Written["filter"] {
				p.Filter = o.Filter
			}
			if st.Written["as"] {
				p.Restrictive = o.Restrictive
			}
			if st.Written["to"] {
				p.To = o.To
			}
		}
		changed = changed || s.checksum(st.Kind, name) != before
	}
	return changed, nil
}

// checksum tells whether an object means the same as before.
func (s *state) checksum(kind ast.Kind, name string) string {
	for _, o := range s.objects() {
		if o.Kind() == kind && o.ID().Name == name {
			return canon.Checksum(canon.Object(o, canon.Env{}))
		}
	}
	return ""
}

func (s *state) objects() []ast.Object {
	var list []ast.Object
	for _, o := range s.Roles {
		list = append(list, o)
	}
	for _, o := range s.Users {
		list = append(list, &o.User)
	}
	for _, o := range s.Profiles {
		list = append(list, o)
	}
	for _, o := range s.Quotas {
		list = append(list, o)
	}
	for _, o := range s.Policies {
		list = append(list, o)
	}
	return list
}

func settings(st *access.Statement, have, set []ast.ProfileSetting) []ast.ProfileSetting {
	if !st.Written["settings"] {
		return have
	}
	if len(st.Steps) == 0 {
		return set
	}
	out := slices.Clone(have)
	for _, step := range st.Steps {
		same := func(e ast.ProfileSetting) bool {
			return e.Name == step.Setting.Name && e.Profile == step.Setting.Profile
		}
		switch step.Op {
		case "drop all settings":
			out = slices.DeleteFunc(out, func(e ast.ProfileSetting) bool { return e.Profile == "" })
		case "drop all profiles":
			out = slices.DeleteFunc(out, func(e ast.ProfileSetting) bool { return e.Profile != "" })
		case "drop setting", "drop profile":
			out = slices.DeleteFunc(out, same)
		default:
			out = append(slices.DeleteFunc(out, same), step.Setting)
		}
	}
	return out
}

func (s *state) alterUser(st *access.Statement, u *user, o *ast.User, changed bool) (bool, error) {
	if st.Auth == "RESET" && len(u.Proofs) > 1 {
		u.Auth, u.Proofs, changed = u.Auth[len(u.Auth)-1:], u.Proofs[len(u.Proofs)-1:], true
	}
	if st.Written["authentication"] || st.Written["valid_until"] {
		list, err := proofs(st, o)
		if err != nil {
			return false, err
		}
		auth := o.Auth
		if st.Auth == "ADD" && !slices.Equal(u.Proofs, []string{noPassword}) {
			auth, list = append(slices.Clone(u.Auth), auth...), append(slices.Clone(u.Proofs), list...)
		}
		changed = changed || !slices.Equal(list, u.Proofs)
		u.Auth, u.Proofs = auth, list
	}
	if st.Written["hosts"] {
		switch st.HostStep {
		case "ADD":
			u.Hosts = append(u.Hosts, o.Hosts...)
		case "DROP":
			u.Hosts = slices.DeleteFunc(u.Hosts, func(h ast.Host) bool { return slices.Contains(o.Hosts, h) })
			if len(u.Hosts) == 0 {
				u.Hosts = []ast.Host{{Kind: "NONE"}}
			}
		default:
			u.Hosts = o.Hosts
		}
	}
	if st.Written["default_roles"] {
		u.DefaultRoles = o.DefaultRoles
	}
	if st.Written["default_database"] {
		u.DefaultDatabase = o.DefaultDatabase
	}
	if st.Written["grantees"] {
		u.Grantees = o.Grantees
	}
	u.Settings = settings(st, u.Settings, o.Settings)
	return changed, nil
}

func (s *state) alterQuota(st *access.Statement, q, o *ast.Quota) {
	if st.Written["key"] {
		q.Key, q.IPv4Bits, q.IPv6Bits = o.Key, o.IPv4Bits, o.IPv6Bits
	}
	for _, i := range o.Intervals {
		q.Intervals = slices.DeleteFunc(q.Intervals, func(h ast.QuotaInterval) bool { return h.Seconds == i.Seconds })
		if !i.NoLimits {
			q.Intervals = append(q.Intervals, i)
		}
	}
	if st.Written["to"] {
		q.To = o.To
	}
}

// grant gives or takes rights.
func (s *state) grant(st *access.Statement) (changed bool, err error) {
	g := st.Object.(*ast.Grant)
	to := g.To
	if st.To != nil {
		for _, r := range s.Roles {
			to = append(to, r.Name)
		}
		for _, u := range s.Users {
			to = append(to, u.Name)
		}
		to = slices.DeleteFunc(to, func(n string) bool { return slices.Contains(st.To.Except, n) })
	}
	for _, r := range g.Rights {
		switch {
		case r.Current:
			return false, cannot("GRANT CURRENT GRANTS")
		case r.Here:
			return false, cannot("the current database: write %s with its database", r.Scope())
		case r.Role != "" && !s.has(ast.KindRole, r.Role):
			return false, unknown(ast.KindRole, r.Role)
		}
	}
	for _, name := range to {
		held, err := s.rightsOf(name)
		if err != nil {
			return false, err
		}
		before := slices.Clone(*held)
		if st.Replace {
			roles := len(g.Rights) > 0 && g.Rights[0].Role != ""
			*held = slices.DeleteFunc(*held, func(r ast.Right) bool { return (r.Role != "") == roles })
		}
		for _, r := range g.Rights {
			*held = withRight(*held, r)
		}
		changed = changed || !sameRights(before, *held)
	}
	return changed, nil
}

// rightsOf finds what somebody has.
func (s *state) rightsOf(name string) (*[]ast.Right, error) {
	if r := s.role(name); r != nil {
		return &r.Rights, nil
	}
	if u := s.user(name); u != nil {
		return &u.Rights, nil
	}
	if name == "default" || name == "CURRENT_USER" {
		return nil, cannot("other rights of the user default than all")
	}
	return nil, unknown(ast.KindRole, name)
}

// withRight is the list of statements that users.xml gets after one more: the engine makes of them what is granted.
func withRight(held []ast.Right, r ast.Right) []ast.Right {
	if access.NewRights(held).Covers(&r) {
		return held
	}
	if r.Revoke {
		for _, option := range []bool{false, true} {
			granted := r
			granted.Revoke, granted.Option = false, option
			same := func(h ast.Right) bool { return ast.SameRight(&h, &granted) }
			switch at := slices.IndexFunc(held, same); {
			case at < 0 || r.Option && !option:
			case r.Option:
				held = slices.Clone(held)
				held[at].Option = false
			default:
				held = slices.DeleteFunc(held, same)
			}
		}
		if r.Role == "" && !r.Option {
			// A denial takes what was granted inside it: granted again behind it, it is there again.
			all := r
			all.Revoke, all.Option = false, true
			wide := access.NewRights([]ast.Right{all})
			held = slices.DeleteFunc(slices.Clone(held), func(h ast.Right) bool { return !h.Revoke && wide.Covers(&h) })
		}
		if r.Role == "" && !access.NewRights(held).Covers(&r) {
			return append(held, r)
		}
		return held
	}
	// What the new right says better is left out, so that the list does not grow with every grant, and so is a denial of
	// what it gives: the same denial after it has to be said again.
	wider := access.NewRights([]ast.Right{r})
	return append(slices.DeleteFunc(held, func(h ast.Right) bool {
		h.Revoke = false
		return wider.Covers(&h)
	}), r)
}

func sameRights(a, b []ast.Right) bool {
	return slices.EqualFunc(a, b, func(x, y ast.Right) bool { return ast.SameRight(&x, &y) })
}
