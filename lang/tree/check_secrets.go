package tree

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/secrets"
)

// checkSecrets refuses the secrets that stand in a definition, and references that lead nowhere.
func (l *loader) checkSecrets(d *Declared) {
	for _, s := range secrets.In(d.Object) {
		at := d.Place(s.Path, s.Node)
		if s.Node != nil && s.Node.Pos == 0 {
			at = d.Place(s.Path, nil)
		}
		l.literalSecret(at)
	}
	for _, r := range secrets.References(d.Object) {
		if _, ok := ast.SecretOf(r.Node); !ok {
			l.fault(CodeSecret, d.Place(r.Path, nil), "A reference that names no secret",
				"It is written secret('env:NAME'), with the name of an environment variable of the process that applies the tree, or secret('file:/path').")
		}
	}
}
