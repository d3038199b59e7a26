package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/access"
)

// cannot is the answer to what users.xml has no words for.
func cannot(format string, args ...any) error {
	return embedded.NewException(48, "NOT_IMPLEMENTED", "The embedded engine keeps access objects in users.xml, which does not know "+fmt.Sprintf(format, args...))
}

// unknown is the answer to a name that nothing has, with ClickHouse's code for its kind.
func unknown(kind ast.Kind, name string) error {
	code, word := 0, ""
	switch kind {
	case ast.KindUser:
		code, word = 192, "UNKNOWN_USER"
	case ast.KindRole:
		code, word = 511, "UNKNOWN_ROLE"
	case ast.KindSettingsProfile:
		code, word = 180, "THERE_IS_NO_PROFILE"
	case ast.KindQuota:
		code, word = 199, "UNKNOWN_QUOTA"
	default:
		code, word = 523, "UNKNOWN_ROW_POLICY"
	}
	return embedded.NewException(code, word, fmt.Sprintf("There is no %s `%s` in user directories", strings.ReplaceAll(string(kind), "_", " "), name))
}

func exists(kind ast.Kind, name string) error {
	return embedded.NewException(493, "ACCESS_ENTITY_ALREADY_EXISTS",
		fmt.Sprintf("%s `%s`: cannot insert because it already exists in users_xml", strings.ReplaceAll(string(kind), "_", " "), name))
}

// apply carries a statement out and reports whether anything is different.
func (s *state) apply(st *access.Statement) (bool, error) {
	switch {
	case st.Cluster != "":
		return false, embedded.NewException(392, "QUERY_IS_PROHIBITED", "Distributed DDL queries are prohibited for the embedded engine")
	case st.Storage != "":
		return false, cannot("the storage %s", st.Storage)
	case slices.Contains(st.Names, "default") && st.Kind != ast.KindRowPolicy:
		return false, embedded.NewException(495, "ACCESS_STORAGE_READONLY", "default is the embedded engine's own and cannot be changed")
	}
	switch st.Verb {
	case access.Create:
		return s.create(st)
	case access.Alter:
		return s.alter(st)
	case access.Drop:
		return s.drop(st)
	}
	return s.grant(st)
}

func (s *state) create(st *access.Statement) (changed bool, err error) {
	for i, name := range st.Names {
		switch has := s.has(st.Kind, name); {
		case has && st.IfNotExists:
			continue
		case has && !st.OrReplace:
			return false, exists(st.Kind, name)
		case has:
			s.remove(st.Kind, name)
		case st.Kind == ast.KindRole && s.has(ast.KindUser, name) || st.Kind == ast.KindUser && s.has(ast.KindRole, name):
			return false, exists(st.Kind, name)
		}
		changed = true
		switch o := st.Object.(type) {
		case *ast.Role:
			role := *o
			role.Name = name
			s.Roles = append(s.Roles, &role)
		case *ast.User:
			made := user{User: *o}
			made.Name = name
			if made.Proofs, err = proofs(st, o); err != nil {
				return false, err
			}
			s.Users = append(s.Users, &made)
		case *ast.SettingsProfile:
			profile := *o
			profile.Name = name
			s.Profiles = append(s.Profiles, &profile)
		case *ast.Quota:
			quota := *o
			quota.Name = name
			s.Quotas = append(s.Quotas, &quota)
		case *ast.RowPolicy:
			policy := *o
			policy.Short, policy.Table = st.Policies[i].Short, st.Policies[i].Table
			s.Policies = append(s.Policies, &policy)
		}
	}
	return changed, nil
}

func (s *state) has(kind ast.Kind, name string) bool {
	switch kind {
	case ast.KindRole:
		return s.role(name) != nil
	case ast.KindUser:
		return s.user(name) != nil
	case ast.KindSettingsProfile:
		return slices.ContainsFunc(s.Profiles, func(p *ast.SettingsProfile) bool { return p.Name == name })
	case ast.KindQuota:
		return slices.ContainsFunc(s.Quotas, func(q *ast.Quota) bool { return q.Name == name })
	}
	return slices.ContainsFunc(s.Policies, func(p *ast.RowPolicy) bool { return p.ID().Name == name })
}

func (s *state) role(name string) *ast.Role {
	for _, r := range s.Roles {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func (s *state) user(name string) *user {
	for _, u := range s.Users {
		if u.Name == name {
			return u
		}
	}
	return nil
}

func (s *state) remove(kind ast.Kind, name string) {
	switch kind {
	case ast.KindRole:
		s.Roles = slices.DeleteFunc(s.Roles, func(r *ast.Role) bool { return r.Name == name })
	case ast.KindUser:
		s.Users = slices.DeleteFunc(s.Users, func(u *user) bool { return u.Name == name })
	case ast.KindSettingsProfile:
		s.Profiles = slices.DeleteFunc(s.Profiles, func(p *ast.SettingsProfile) bool { return p.Name == name })
	case ast.KindQuota:
		s.Quotas = slices.DeleteFunc(s.Quotas, func(q *ast.Quota) bool { return q.Name == name })
	default:
		s.Policies = slices.DeleteFunc(s.Policies, func(p *ast.RowPolicy) bool { return p.ID().Name == name })
	}
}

func (s *state) drop(st *access.Statement) (changed bool, err error) {
	for _, name := range st.Names {
		if !s.has(st.Kind, name) {
			if st.IfExists {
				continue
			}
			return false, unknown(st.Kind, name)
		}
		s.remove(st.Kind, name)
		s.forget(st.Kind, name)
		changed = true
	}
	return changed, nil
}

// forget takes a name out of what the others say.
func (s *state) forget(kind ast.Kind, name string) {
	without := func(rights []ast.Right) []ast.Right {
		return slices.DeleteFunc(rights, func(r ast.Right) bool { return kind == ast.KindRole && r.Role == name })
	}
	for _, r := range s.Roles {
		r.Rights = without(r.Rights)
	}
	for _, u := range s.Users {
		u.Rights = without(u.Rights)
		u.Settings = slices.DeleteFunc(u.Settings, func(p ast.ProfileSetting) bool { return kind == ast.KindSettingsProfile && p.Profile == name })
	}
	for _, q := range s.Quotas {
		q.To = withoutName(q.To, kind, name)
	}
	if kind == ast.KindUser {
		s.Policies = slices.DeleteFunc(s.Policies, func(p *ast.RowPolicy) bool {
			return p.To != nil && slices.Equal(p.To.Names, []string{name})
		})
	}
}

func withoutName(r *ast.Recipients, kind ast.Kind, name string) *ast.Recipients {
	if r == nil || kind != ast.KindUser && kind != ast.KindRole {
		return r
	}
	c := *r
	c.Names = slices.DeleteFunc(slices.Clone(r.Names), func(n string) bool { return n == name })
	return &c
}
