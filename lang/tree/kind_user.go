package tree

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/series"
)

// userKind is a user. How he proves who he is names a secret by reference; a tree never holds the secret itself.
func userKind() kind {
	blocks := rightBlocks()
	blocks["setting"], blocks["authentication"], blocks["hosts"] = 1, 1, 0
	return kind{
		name: ast.KindUser,
		shape: shape{what: "a user definition", attrs: append([]string{"settings", "profiles", "exclusive", "default_roles", "default_roles_except",
			"default_database", "grantees", "grantees_except"}, rightAttrs...), blocks: blocks},
		build:  buildUser,
		sql:    (*loader).accessStatements,
		render: renderUser,
	}
}

var (
	authShape = shape{what: "an authentication", attrs: []string{"secret_env", "secret_file", "server", "scheme", "realm", "common_names",
		"subject_alt_names", "valid_until"}}
	hostShape = shape{what: "hosts", attrs: []string{"ip", "name", "regexp", "like", "local", "any", "none"}}
)

func buildUser(d *definition) ast.Object {
	u := &ast.User{Name: d.declared.Name.Name, Settings: d.profileSettings("profiles"), Rights: d.rights(),
		Exclusive: d.flag(d.content, "exclusive"), Origin: d.origin()}
	u.DefaultRoles, u.Grantees = d.recipients("default_roles", "all"), d.recipients("grantees", "any")
	if t, ok := d.text(d.content.attrs["default_database"]); ok {
		u.DefaultDatabase = t.value
		d.declared.places.setText(ast.Path{Part: "default_database"}, t, nil)
	}
	for _, block := range d.content.blocks {
		switch block.Type {
		case "authentication":
			d.declared.places.setSpot(ast.Path{Part: "authentication"}, block.DefRange())
			u.Auth = append(u.Auth, d.authentication(block))
		case "hosts":
			d.declared.places.setSpot(ast.Path{Part: "hosts"}, block.DefRange())
			u.Hosts = append(u.Hosts, d.hosts(block)...)
		}
	}
	if len(u.Auth) == 0 {
		d.fault(CodeMissing, d.content.at, "A user without an authentication", `It says how the user proves who he is: authentication "sha256_password" { secret_env = "APP_PASSWORD" } on lines of its own. A user that needs no proof says authentication "no_password" {}.`)
	}
	return u
}

// literalSecret reports a secret that stands in the tree. Neither the message nor the source line shows it.
func (f *faults) literalSecret(at hcl.Range) {
	f.fault(CodeSecret, at, "A secret in the tree",
		`A schema tree is read by many and kept for ever: it names where a secret comes from and never holds it. Write secret_env = "NAME" or secret_file = "/path" where a block of an .hcl definition takes them, secret('env:NAME') or secret('file:/path') in place of the text elsewhere, and change the secret that stood here.`)
}

// secretWord are the names under which people write a secret into a definition.
var secretWord = regexp.MustCompile(`(?i)pass|secret|hash|token|\bby\b|identified|private|credential`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (d *definition) authentication(block *hclsyntax.Block) ast.Authentication {
	a := ast.Authentication{Method: block.Labels[0]}
	before := d.errors
	if !slices.Contains(access.Methods(), a.Method) {
		d.fault(CodeValue, block.LabelRanges[0], fmt.Sprintf("Unknown authentication %q", a.Method),
			"ClickHouse knows "+series.And(access.Methods())+"."+suggestMethod(a.Method))
	}
	// Looked at before the shape is: whatever is written here may be the secret itself.
	for name, attr := range block.Body.Attributes {
		if !slices.Contains(authShape.attrs, name) && secretWord.MatchString(name) {
			d.literalSecret(attr.NameRange)
			delete(block.Body.Attributes, name)
		}
	}
	body := d.read(block.Body, block.DefRange(), authShape)
	a.Secret = d.secret(body, block)
	for _, v := range []struct{ attr, word string }{{"server", "SERVER"}, {"realm", "REALM"}, {"scheme", "SCHEME"}, {"common_names", "CN"}, {"subject_alt_names", "SAN"}} {
		list, _, _ := d.texts(body.attrs[v.attr])
		for _, t := range list {
			a.Values = append(a.Values, ast.Setting{Name: v.word, Value: ast.N(ast.String, t.value)})
		}
	}
	a.ValidUntil = d.str(body.attrs["valid_until"])
	if d.errors == before {
		d.checkMethod(&a, block)
	}
	return a
}

// suggestMethod proposes the method that is meant: a mistyped one, or one that is cut short.
func suggestMethod(given string) string {
	if found := suggest(given, access.Methods()); found != "" || given == "" {
		return found
	}
	if i := slices.IndexFunc(access.Methods(), func(m string) bool { return strings.HasPrefix(m, given+"_") }); i >= 0 {
		return fmt.Sprintf(" Did you mean %q?", access.Methods()[i])
	}
	return ""
}

func (d *definition) secret(body content, block *hclsyntax.Block) ast.Secret {
	env, file := body.attrs["secret_env"], body.attrs["secret_file"]
	if env != nil && file != nil {
		d.fault(CodeValue, block.DefRange(), "Two places for one secret", "It comes from secret_env or from secret_file.")
	}
	switch {
	case env != nil:
		t, ok := d.text(env)
		if ok && !variableName.MatchString(t.value) {
			d.fault(CodeSecret, env.NameRange, "secret_env is no name of a variable", "It is the name of an environment variable of the process that applies the tree, never the secret itself. Where this is the secret, change it.")
			return ast.Secret{}
		}
		return ast.Secret{Source: "env", Name: t.value}
	case file != nil:
		t, ok := d.text(file)
		if ok && !strings.HasPrefix(t.value, "/") {
			d.fault(CodeSecret, file.NameRange, "secret_file is no absolute path", "It is the path of a file on the machine that applies the tree, never the secret itself. Where this is the secret, change it.")
			return ast.Secret{}
		}
		return ast.Secret{Source: "file", Name: t.value}
	}
	return ast.Secret{}
}

// checkMethod demands what a way of authentication needs.
func (d *definition) checkMethod(a *ast.Authentication, block *hclsyntax.Block) {
	needs := a.TakesSecret()
	has := func(word string) bool {
		return slices.ContainsFunc(a.Values, func(s ast.Setting) bool { return s.Name == word })
	}
	missing := ""
	switch {
	case needs && a.Secret == (ast.Secret{}):
		missing = `a secret by reference, secret_env = "NAME" or secret_file = "/path"`
	case (a.Method == "ldap" || a.Method == "http") && !has("SERVER"):
		missing = `server = "name"`
	case a.Method == "ssl_certificate" && !has("CN") && !has("SAN"):
		missing = `common_names = ["app.example.com"], or subject_alt_names`
	case a.Method == "ssh_key":
		d.fault(CodeValue, block.LabelRanges[0], "An ssh_key in an .hcl definition", "Keys are written in a .sql definition: CREATE USER ... IDENTIFIED WITH ssh_key BY KEY '...' TYPE 'ssh-ed25519'.")
	case !needs && a.Secret != (ast.Secret{}):
		d.fault(CodeValue, block.LabelRanges[0], fmt.Sprintf("%s takes no secret", a.Method), "Remove secret_env and secret_file, or name another authentication.")
	}
	if missing != "" {
		d.fault(CodeMissing, block.DefRange(), fmt.Sprintf("%s lacks something", a.Method), "This authentication needs "+missing+".")
	}
}

func (d *definition) hosts(block *hclsyntax.Block) []ast.Host {
	body := d.read(block.Body, block.DefRange(), hostShape)
	var out []ast.Host
	for _, v := range []struct{ attr, word string }{{"ip", "IP"}, {"name", "NAME"}, {"regexp", "REGEXP"}, {"like", "LIKE"}} {
		list, _, _ := d.texts(body.attrs[v.attr])
		for _, t := range list {
			out = append(out, ast.Host{Kind: v.word, Value: t.value})
		}
	}
	for _, v := range []struct{ attr, word string }{{"local", "LOCAL"}, {"any", "ANY"}, {"none", "NONE"}} {
		if d.flag(body, v.attr) {
			out = append(out, ast.Host{Kind: v.word})
		}
	}
	if len(out) == 0 {
		d.fault(CodeMissing, block.DefRange(), "Hosts without a host", `They are ip, name, regexp or like with a list, local = true, or none = true for nobody.`)
	}
	return out
}

func renderUser(w *writer, o ast.Object) {
	u := o.(*ast.User)
	for i := range u.Auth {
		w.authentication(&u.Auth[i])
	}
	if len(u.Hosts) > 0 {
		w.block("hosts", "", func() {
			for _, kind := range []string{"IP", "NAME", "REGEXP", "LIKE"} {
				var list []string
				for _, h := range u.Hosts {
					if h.Kind == kind {
						list = append(list, h.Value)
					}
				}
				w.names(strings.ToLower(kind), list)
			}
			for _, h := range u.Hosts {
				if h.Value == "" {
					w.raw(strings.ToLower(h.Kind), "true")
				}
			}
		})
	}
	w.profileSettings("profiles", u.Settings)
	w.rights(u.Rights)
	w.gap()
	w.recipients("default_roles", "all", u.DefaultRoles)
	w.text("default_database", u.DefaultDatabase)
	w.recipients("grantees", "any", u.Grantees)
	w.exclusive(u.Exclusive)
}

func (w *writer) authentication(a *ast.Authentication) {
	if a.Method == "" || a.Method == "ssh_key" || a.Salt != "" || a.Secret.Literal || a.Secret.Source == "parameter" {
		w.fail("how the user proves who he is has no form in .hcl")
	}
	w.block("authentication", a.Method, func() {
		if a.Secret.Source != "" {
			w.text("secret_"+a.Secret.Source, a.Secret.Name)
		}
		for _, v := range []struct{ attr, word string }{{"server", "SERVER"}, {"realm", "REALM"}, {"scheme", "SCHEME"}, {"common_names", "CN"}, {"subject_alt_names", "SAN"}} {
			var list []string
			for _, s := range a.Values {
				if s.Name == v.word {
					list = append(list, s.Value.Text)
				}
			}
			if v.word == "CN" || v.word == "SAN" {
				w.names(v.attr, list)
			} else if len(list) > 0 {
				w.text(v.attr, list[0])
			}
		}
		w.text("valid_until", a.ValidUntil)
	})
}
