package secrets

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// Literal is a secret that stands in a definition.
type Literal struct {
	// Path is the part of the object that holds it.
	Path ast.Path
	// Node is the literal; nil where the object keeps no node of it.
	Node *ast.Node
	// Key is the word under which it stands: "password"; empty for a place among arguments.
	Key string
}

// hidden is what a server prints in place of a secret: nobody's secret.
const hidden = "[HIDDEN]"

// In lists the secrets that stand in a definition as literals. The empty text is none.
func In(o ast.Object) []Literal {
	f := &finder{}
	switch o := o.(type) {
	case nil:
		return nil
	case *ast.NamedCollection:
		f.collection(o)
		return f.found
	}
	for _, part := range parts(o) {
		f.part(part)
	}
	return f.found
}

// parts are the parts of an object that can hold a secret. Most columns of most tables cannot.
func parts(o ast.Object) []ast.Part {
	t, ok := o.(*ast.Table)
	if !ok {
		return o.Parts()
	}
	small := *t
	small.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c *ast.Column) bool { return c.Default == nil || c.Default.Kind == ast.String })
	return small.Parts()
}

// Reference is a call that is meant to name a secret.
type Reference struct {
	Path ast.Path
	Node *ast.Node
}

// References lists the calls of a definition that are meant to name a secret, those that name none included.
func References(o ast.Object) []Reference {
	var list []Reference
	if o == nil {
		return nil
	}
	for _, part := range parts(o) {
		for _, a := range part.Attrs {
			a.Value.Walk(func(n *ast.Node) bool {
				if ast.IsSecretCall(n) {
					list = append(list, Reference{ast.Path{Part: part.Kind, Name: part.Name, Attr: a.Name}, n})
				}
				return true
			})
		}
	}
	return list
}

type finder struct {
	path  ast.Path
	found []Literal
}

func (f *finder) take(key string, n *ast.Node) {
	if n != nil && (n.Kind == ast.String || n.Kind == ast.Number || n.Kind == ast.Ident) && n.Text != "" && n.Text != hidden {
		f.found = append(f.found, Literal{f.path, n, key})
	}
}

func (f *finder) collection(c *ast.NamedCollection) {
	for i := range c.Keys {
		k := &c.Keys[i]
		f.path = ast.Path{Part: "key", Name: k.Name}
		switch {
		case k.Value == nil:
		case Word(k.Name) && k.Value.Kind != ast.Keyword:
			if k.Value.Text != "" {
				f.found = append(f.found, Literal{f.path, k.Value, k.Name})
			}
		default:
			f.text(k.Value)
		}
	}
}

func (f *finder) part(part ast.Part) {
	family := ""
	for _, a := range part.Attrs {
		if a.Value == nil {
			continue
		}
		f.path = ast.Path{Part: part.Kind, Name: part.Name, Attr: a.Name}
		switch {
		case strings.HasSuffix(part.Kind, "engine") && a.Name == "family":
			family = a.Value.Text
		case strings.HasSuffix(part.Kind, "engine") && a.Name == "args":
			f.arguments(family, a.Value.Kids)
		case strings.HasSuffix(part.Kind, "setting") && Word(part.Name), part.Kind == "source" && Word(a.Name):
			f.take(part.Name+a.Name, a.Value)
			if a.Value.Kind == ast.List {
				f.inside(a.Value)
			}
		default:
			f.inside(a.Value)
		}
	}
}

// inside looks at the calls and the keyed values of an expression.
func (f *finder) inside(n *ast.Node) {
	n.Walk(func(n *ast.Node) bool {
		switch n.Kind {
		case ast.Func:
			if ast.IsSecretCall(n) {
				return false
			}
			_, table := facts.TableFunction(n.Text)
			if table || cipher(n.Text) {
				f.arguments(n.Text, n.Kids)
				return false
			}
		case ast.Equals:
			if Word(n.Text) && len(n.Kids) == 1 {
				f.take(n.Text, n.Kids[0])
			}
		case ast.List:
			f.header(n)
		case ast.Opaque:
			if unread.MatchString(n.Text) && !strings.Contains(n.Text, hidden) {
				f.found = append(f.found, Literal{f.path, n, ""})
			}
		case ast.String:
			if f.path.Part == "source" {
				f.text(n)
			}
		}
		return true
	})
}

// unread finds a text behind the word for a secret among tokens that no parser reads.
var unread = regexp.MustCompile(`(?i)(password|passwd|secret\w*|token|access_?key|private_?key|api_?key)\W{0,3}'[^']`)

// header looks at a pair of NAME and VALUE, as the headers of a dictionary over HTTP are.
func (f *finder) header(n *ast.Node) {
	name, value := "", (*ast.Node)(nil)
	for _, kid := range n.Kids {
		if kid.Kind == ast.Equals && len(kid.Kids) == 1 {
			switch strings.ToLower(kid.Text) {
			case "name":
				name = kid.Kids[0].Text
			case "value":
				value = kid.Kids[0]
			}
		}
	}
	if secretHeader.MatchString(name) {
		f.take(name, value)
	}
}

var secretHeader = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^cookie$|api-?key|token|secret|password`)

// arguments looks at the arguments of an engine or a table function: those that are secret by their place, those that are
// by their name, and texts that hold one.
func (f *finder) arguments(name string, args []*ast.Node) {
	from, to := places(strings.ToLower(name), args)
	for i, a := range args {
		switch {
		case i >= from && i < to && a.Kind == ast.String:
			f.take("", a)
		case (a.Kind == ast.Equals || a.Kind == ast.Operator && a.Text == "=") && len(a.Kids) > 0:
			key := a.Text
			if a.Kind == ast.Operator {
				key = a.Kids[0].Text
			}
			if value := a.Kids[len(a.Kids)-1]; Word(key) {
				f.take(key, value)
			} else if value.Kind == ast.String {
				f.text(value)
			}
		case a.Kind == ast.String && !cipher(name):
			f.text(a)
		default:
			f.inside(a)
		}
	}
}

// withPassword finds a text that carries a password: a URL with one before the host, a connection string.
var withPassword = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*://[^/@:\s]*:[^/@\s]+@|\b(password|pwd|accountkey|sharedaccesssignature)\s*=\s*[^;\s]`)

func (f *finder) text(n *ast.Node) {
	if n.Kind == ast.String && withPassword.MatchString(n.Text) && !strings.Contains(n.Text, hidden) {
		f.take("", n)
	}
}

// places are the arguments that are secret by where they stand (ClickHouse's FunctionSecretArgumentsFinder.h).
func places(name string, args []*ast.Node) (from, to int) {
	named := len(args) > 0 && args[0].Kind == ast.Ident
	if named && !cipher(name) && name != "s3cluster" {
		return 0, 0 // a named collection: the rest has names
	}
	switch name {
	case "mysql", "postgresql", "materializedpostgresql", "mongodb":
		return 4, 5
	case "azureblobstorage", "azurequeue":
		return 4, 5
	case "remote", "remotesecure": // the table is one argument, db.table, or two
		if len(args) == 4 {
			return 3, 4
		}
		return 4, 5
	case "redis":
		return 2, 3
	case "s3", "cosn", "oss", "gcs", "s3queue", "deltalake", "hudi", "iceberg", "icebergs3", "deltalakes3":
		if len(args) > 2 && !formatted(args[1:]) {
			return 2, 3
		}
	case "s3cluster", "deltalakecluster", "hudicluster", "icebergs3cluster":
		if len(args) > 3 && !formatted(args[2:]) {
			return 3, 4
		}
	}
	if cipher(name) {
		return 2, 3
	}
	return 0, 0
}

// formatted reports arguments that begin with a format: its compression, or the structure, follows where the secret key
// would.
func formatted(args []*ast.Node) bool {
	if len(args) < 2 || args[1].Kind != ast.String {
		return true
	}
	return args[0].Kind == ast.Ident || compression(args[1].Text) || strings.Contains(args[1].Text, " ") || strings.EqualFold(args[0].Text, "auto")
}

func compression(word string) bool {
	return slices.Contains([]string{"none", "auto", "gzip", "gz", "brotli", "br", "xz", "lzma", "zstd", "zst", "lz4", "bz2", "snappy", "deflate"}, strings.ToLower(word))
}

func cipher(name string) bool {
	switch strings.ToLower(name) {
	case "encrypt", "decrypt", "aes_encrypt_mysql", "aes_decrypt_mysql", "trydecrypt":
		return true
	}
	return false
}

// secretWords are the words that make a key's value a secret, alone or between underscores.
var secretWords = regexp.MustCompile(`(?i)(^|[_.-])(password|passwd|passphrase|pwd|secret|token|credentials?|access_?key|account_?key|private_?key|secret_?access_?key|api_?key|connection_?string|sas)([_.-]|$)|password$`)

// notSecret are keys that only sound like it.
var notSecret = regexp.MustCompile(`(?i)(access_key_id|_file|_path|_location|_name|_type|_size|_ttl|_seconds|_ms|_url|_uri)$`)

// Word reports a key whose value is a secret: kafka_sasl_password, secret_access_key, nats_token.
func Word(key string) bool { return secretWords.MatchString(key) && !notSecret.MatchString(key) }
