package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// hidden is what stands for a secret, in ClickHouse's own word.
const hidden = "[HIDDEN]"

// leastBare is the length from which a secret is hidden without its quotes too: a shorter one would take letters out
// of every word.
const leastBare = 4

// hide takes the secrets of a definition out of what is told of its object and of what is recorded. What was sent had
// them, and so may what a server says about it.
func hide(o *ObjectReport, r *ledger.Record, definition ast.Object) {
	secrets := secretsOf(definition)
	if len(secrets) == 0 {
		return
	}
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, ast.N(ast.String, s).String(), "'"+hidden+"'")
		if len(s) >= leastBare {
			pairs = append(pairs, s, hidden)
		}
	}
	mask := strings.NewReplacer(pairs...).Replace
	o.Error = mask(o.Error)
	for i, s := range o.Statements {
		o.Statements[i] = mask(s)
	}
	changes := o.Changes
	o.Changes = nil
	for _, c := range changes {
		masked := *c // the plan's own is still to be sent
		masked.Live, masked.Desired, masked.Statement, masked.Reason = mask(c.Live), mask(c.Desired), mask(c.Statement), mask(c.Reason)
		o.Changes = append(o.Changes, &masked)
	}
	r.Statement, r.Error = mask(r.Statement), mask(r.Error)
}

// secretsOf lists the literals of a definition that ClickHouse hides when it prints one
// (FunctionSecretArgumentsFinder.h, and the sources of dictionaries), the longest first.
func secretsOf(o ast.Object) []string {
	if o == nil {
		return nil
	}
	found := map[string]bool{}
	take := func(n *ast.Node) {
		n.Walk(func(n *ast.Node) bool {
			if n.Kind == ast.String && n.Text != "" {
				found[n.Text] = true
			}
			return !ast.IsSecretCall(n) // a reference is shown
		})
	}
	for _, part := range o.Parts() {
		family := ""
		for _, a := range part.Attrs {
			if a.Value == nil {
				continue
			}
			if part.Kind == "engine" && a.Name == "family" {
				family = a.Value.Text
			}
			if secretWord(a.Name) || part.Kind == "setting" && secretWord(part.Name) {
				take(a.Value)
				continue
			}
			if family != "" && a.Name == "args" {
				positional(family, a.Value.Kids, take)
			}
			a.Value.Walk(func(n *ast.Node) bool {
				switch {
				case n.Kind == ast.Func:
					positional(n.Text, n.Kids, take)
				case n.Kind == ast.Equals && secretWord(n.Text):
					take(n)
				case n.Kind == ast.Operator && n.Text == "=" && len(n.Kids) == 2 && n.Kids[0].Kind == ast.Ident && secretWord(n.Kids[0].Text):
					take(n.Kids[1])
				}
				return true
			})
		}
	}
	secrets := make([]string, 0, len(found))
	for s := range found {
		secrets = append(secrets, s)
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return secrets
}

// secretWord reports a key whose value is a secret: kafka_sasl_password, secret_access_key, nats_token.
func secretWord(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"password", "secret", "access_key", "account_key", "token", "credential", "connection_string"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// positional takes the secret arguments of a table engine, a database engine or a table function.
func positional(name string, args []*ast.Node, take func(*ast.Node)) {
	from, to := len(args), len(args)
	switch strings.ToLower(name) {
	case "mysql", "postgresql", "materializedpostgresql", "mongodb", "azureblobstorage", "azurequeue":
		from, to = 4, 5
	case "remote", "remotesecure": // the table is one argument, db.table, or two
		from = 4
		if len(args) == 4 {
			from = 3
		}
		to = from + 1
	case "redis":
		from, to = 2, 3
	case "s3", "cosn", "oss", "gcs", "s3queue", "deltalake", "hudi", "iceberg", "icebergs3", "deltalakes3":
		if len(args) > 2 {
			from, to = 1, 3
		}
	case "s3cluster", "deltalakecluster", "hudicluster", "icebergs3cluster":
		if len(args) > 3 {
			from, to = 2, 4
		}
	case "encrypt", "decrypt", "aes_encrypt_mysql", "aes_decrypt_mysql", "trydecrypt":
		from, to = 2, 3
	}
	for i := from; i < min(to, len(args)); i++ {
		take(args[i])
	}
}
