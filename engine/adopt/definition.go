package adopt

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/format"
	"github.com/dfe-engine/dfe/lang/tree"
)

// definition writes an object in the form that reads best, and returns the ending of its file: a query is read as SQL, and
// structure as .hcl. One that .hcl cannot state is SQL as well.
func definition(o ast.Object) (text []byte, ending string, err error) {
	o = withoutPlatform(o)
	switch o.Kind() {
	case ast.KindView, ast.KindMaterializedView, ast.KindFunction:
		text, err = statements(o)
		return text, ".sql", err
	}
	o, shown := withSecrets(o)
	text, err = tree.Render(o)
	var none *tree.NoFormError
	if errors.As(err, &none) && o.Kind() != ast.KindDatabase {
		text, err = statements(o)
		return text, ".sql", err
	}
	if shown && err == nil {
		text = append([]byte(hiddenNote), text...)
	}
	return referenced(o, text), ".hcl", err
}

func statements(o ast.Object) ([]byte, error) {
	sql := strings.Join(ast.Statements(o, ast.Style{}), ";\n") + ";\n"
	return format.SQL(referenced(o, []byte(sql)))
}

// withoutPlatform is an object without what a platform gives it: the replication of its engine, a database's own engine.
func withoutPlatform(o ast.Object) ast.Object {
	switch o := o.(type) {
	case *ast.Database:
		if e := o.Engine; e != nil && (e.Name == "Atomic" || e.Name == "Replicated" || e.Name == "Shared") {
			own := *o
			own.Engine = nil
			return &own
		}
	case *ast.Table:
		own := *o
		own.Engine = canon.Family(o.Engine)
		return &own
	case *ast.MaterializedView:
		if o.Inner != nil {
			own, inner := *o, *o.Inner
			inner.Engine = canon.Family(inner.Engine)
			own.Inner = &inner
			return &own
		}
	}
	return o
}

const hiddenNote = "# The server shows no password and no key: a reference names where one comes from when this is made anew.\n"

// withSecrets gives a reference to each secret of a user that the server hides.
func withSecrets(o ast.Object) (ast.Object, bool) {
	u, ok := o.(*ast.User)
	if !ok {
		return o, false
	}
	own := *u
	own.Auth = slices.Clone(u.Auth)
	shown := false
	for i := range own.Auth {
		a := &own.Auth[i]
		if a.Secret == (ast.Secret{}) && a.TakesSecret() {
			a.Secret = ast.Secret{Source: "env", Name: variable(o)}
			shown = true
		}
	}
	return &own, shown
}

// hidden is what a server prints in place of a text that nobody may read, as SQL or as an HCL string.
var hidden = regexp.MustCompile(`'\[HIDDEN\]'|"\[HIDDEN\]"`)

// referenced puts a reference in place of what the server hides: written back as it stands, it would be the secret. A
// named collection says itself that a value is hidden.
func referenced(o ast.Object, text []byte) []byte {
	if o.Kind() == ast.KindNamedCollection {
		return text
	}
	reference := ast.Secret{Source: "env", Name: variable(o)}.Reference()
	return hidden.ReplaceAllFunc(text, func(found []byte) []byte {
		if found[0] == '"' {
			return []byte(quoted(reference))
		}
		return []byte(reference)
	})
}

var notVariable = regexp.MustCompile(`[^A-Z0-9]+`)

// variable is the name of the environment variable for an object's secret: SHOP_RATES_PASSWORD.
func variable(o ast.Object) string {
	name := strings.Trim(notVariable.ReplaceAllString(strings.ToUpper(o.ID().String()), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = fmt.Sprintf("%s_%s", strings.ToUpper(string(o.Kind())), name)
	}
	return name + "_PASSWORD"
}

func quoted(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }
