package ast

import (
	"slices"
	"strings"
)

// Secret is where a value comes from that nobody may read in a tree, a plan or a ledger.
type Secret struct {
	// Source is "env" (a variable of the process), "file", or "parameter" (of the query, {name:String}); Name is the
	// variable, the path or the parameter. Both empty: no secret.
	Source, Name string
	// Literal says that a statement held the value itself, which is not kept here.
	Literal bool
}

// Reference is the text that stands for the secret in statements: secret('env:APP_PASSWORD'). Empty for none.
func (s Secret) Reference() string {
	switch {
	case s.Literal:
		return "'[HIDDEN]'"
	case s.Source == "":
		return ""
	case s.Source == "parameter":
		return s.Name
	}
	return "secret(" + QuoteString(s.Source+":"+s.Name) + ")"
}

// secretFunction is the call that names a secret in a definition: secret('env:NAME') or secret('file:PATH').
const secretFunction = "secret"

// SecretOf reads a call that names a secret. It is false for anything else, and for a call that names none.
func SecretOf(n *Node) (Secret, bool) {
	if !IsSecretCall(n) || len(n.Kids) != 1 || n.Kids[0].Kind != String {
		return Secret{}, false
	}
	source, name, ok := strings.Cut(n.Kids[0].Text, ":")
	if !ok || source != "env" && source != "file" || name == "" {
		return Secret{}, false
	}
	return Secret{Source: source, Name: name}, true
}

// IsSecretCall reports the call that is meant to name a secret, whether it does or not.
func IsSecretCall(n *Node) bool {
	return n != nil && n.Kind == Func && strings.EqualFold(n.Text, secretFunction)
}

// Secrets lists the secrets that an object's definition refers to, each once, in the order of its parts.
func Secrets(o Object) []Secret {
	var list []Secret
	add := func(s Secret) {
		if (s.Source == "env" || s.Source == "file") && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	switch o := o.(type) {
	case nil:
		return nil
	case *User:
		for i := range o.Auth {
			add(o.Auth[i].Secret)
		}
		return list
	case *NamedCollection:
		for i := range o.Keys {
			add(o.Keys[i].Secret)
		}
		return list
	}
	for _, part := range o.Parts() {
		for _, a := range part.Attrs {
			a.Value.Walk(func(n *Node) bool {
				if s, ok := SecretOf(n); ok {
					add(s)
				}
				return true
			})
		}
	}
	return list
}

// WithoutSecrets is a statement with an empty text for each secret that the object's definition refers to: one that an
// engine can try without knowing any.
func WithoutSecrets(sql string, o Object) string {
	for _, s := range Secrets(o) {
		sql = strings.ReplaceAll(sql, s.Reference(), "''")
	}
	return sql
}
