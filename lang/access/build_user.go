package access

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/typo"
)

// suggest is the advice of a fault about a word that is not known: the nearest that is, or nothing.
func suggest(given string, known []string) string {
	found := strings.TrimSuffix(strings.TrimSpace(typo.Suggest(given, known)), "?")
	return strings.Replace(found, "Did you", "did you", 1)
}

// Methods lists the ways of authentication that CREATE USER takes.
func Methods() []string {
	return []string{"no_password", "plaintext_password", "sha256_password", "sha256_hash", "double_sha1_password", "double_sha1_hash",
		"bcrypt_password", "bcrypt_hash", "scram_sha256_password", "scram_sha256_hash", "ldap", "kerberos", "ssl_certificate", "ssh_key", "http"}
}

func (b *builder) user(st *Statement, s *userSyntax) {
	st.Kind, st.Names = ast.KindUser, b.userNames(s.Names)
	b.condition(st, s.Condition)
	user := &ast.User{Name: st.Names[0]}
	validUntil := ""
	for _, c := range s.Clauses {
		switch {
		case c.NotIdentified:
			b.once(st, c.Pos, "authentication")
			user.Auth = []ast.Authentication{{Method: "no_password"}}
		case len(c.Auth) > 0:
			b.once(st, c.Pos, "authentication")
			if c.AddAuth {
				st.Auth = "ADD"
			}
			for i, a := range c.Auth {
				user.Auth = append(user.Auth, b.authentication(st, i, a))
			}
		case c.ResetAuth:
			st.Auth = "RESET"
		case len(c.Hosts) > 0:
			st.Written["hosts"] = true // several add up
			st.HostStep = strings.ToUpper(c.HostStep)
			user.Hosts = append(user.Hosts, b.hosts(c.Hosts)...)
		case c.ValidUntil != nil:
			b.once(st, c.Pos, "valid_until")
			validUntil = plain(c.ValidUntil.Text)
		case c.DefaultRole != nil:
			b.once(st, c.Pos, "default_roles")
			user.DefaultRoles = b.recipients(c.DefaultRole)
		case c.DefaultDatabase != nil:
			b.once(st, c.Pos, "default_database")
			if !bare(*c.DefaultDatabase, "NONE") {
				user.DefaultDatabase = b.name(*c.DefaultDatabase)
			}
		case c.Grantees != nil:
			b.once(st, c.Pos, "grantees")
			user.Grantees = b.recipients(c.Grantees)
		case c.Common != nil:
			b.common(st, c.Common)
		default:
			user.Settings = append(user.Settings, b.settings(st, c.Settings)...)
		}
	}
	if (st.Auth != "" || st.HostStep != "") && st.Verb != Alter {
		b.fail(s.Names[0].Name.Pos, "ADD, DROP and RESET in ALTER USER alone", "")
	}
	if st.Written["valid_until"] {
		// Without an authentication of its own the clause is about the one the server takes by default.
		if len(user.Auth) == 0 {
			user.Auth = []ast.Authentication{{}}
		}
		for i := range user.Auth {
			if user.Auth[i].ValidUntil == "" {
				user.Auth[i].ValidUntil = validUntil
			}
		}
	}
	st.Object = user
}

func (b *builder) authentication(st *Statement, i int, s *authSyntax) ast.Authentication {
	a := ast.Authentication{Method: strings.ToLower(s.Method)}
	if a.Method != "" && !slices.Contains(Methods(), a.Method) {
		b.fail(s.Pos, "one of the ways of authentication "+strings.Join(Methods(), ", "), suggest(a.Method, Methods()))
	}
	switch {
	case s.By != nil:
		a.Secret = b.reference(*s.By)
	case s.Literal != nil && strings.HasPrefix(s.Literal.Text, "{"):
		a.Secret = ast.Secret{Source: "parameter", Name: s.Literal.Text}
	case s.Literal != nil && strings.HasPrefix(s.Literal.Text, "'"):
		a.Secret = ast.Secret{Literal: true}
		st.passwords[i] = plain(s.Literal.Text)
	case s.Literal != nil:
		b.fail(s.Literal.Pos, "a text in quotes, or a reference such as secret('env:NAME')", "")
	}
	if a.Method == "" && a.Secret == (ast.Secret{}) {
		b.fail(s.Pos, "WITH a way of authentication, or BY", "")
	}
	if s.Salt != nil {
		a.Salt = plain(s.Salt.Text)
	}
	for _, k := range s.Keys {
		a.Values = append(a.Values, ast.Setting{Name: "KEY", Value: ast.N(ast.String, plain(k.Key.Text))},
			ast.Setting{Name: "TYPE", Value: ast.N(ast.String, plain(k.Type.Text))})
	}
	for _, v := range s.Values {
		for _, t := range v.Text {
			a.Values = append(a.Values, ast.Setting{Name: strings.ToUpper(v.Name), Value: ast.N(ast.String, plain(t.Text))})
		}
	}
	if s.ValidUntil != nil {
		a.ValidUntil = plain(s.ValidUntil.Text)
	}
	return a
}

// reference reads secret('env:NAME') or secret('file:PATH').
func (b *builder) reference(w word) ast.Secret {
	source, name, ok := strings.Cut(plain(w.Text), ":")
	if !ok || source != "env" && source != "file" || name == "" || !strings.HasPrefix(w.Text, "'") {
		b.fail(w.Pos, "where the secret comes from: 'env:NAME' or 'file:PATH'", "")
	}
	return ast.Secret{Source: source, Name: name}
}

func (b *builder) hosts(list []*hostSyntax) []ast.Host {
	var hosts []ast.Host
	for _, h := range list {
		kind := strings.ToUpper(h.Kind)
		plainKind := kind == "ANY" || kind == "NONE" || kind == "LOCAL"
		if plainKind != (len(h.Text) == 0) {
			b.fail(h.Pos, "ANY, NONE, LOCAL, or IP, NAME, REGEXP or LIKE with a text in quotes", "")
			continue
		}
		if plainKind {
			hosts = append(hosts, ast.Host{Kind: kind})
		}
		for _, t := range h.Text {
			if plain(t.Text) == "" {
				b.fail(t.Pos, "an address or a name that is not empty", "")
			}
			hosts = append(hosts, ast.Host{Kind: kind, Value: plain(t.Text)})
		}
	}
	return hosts
}
