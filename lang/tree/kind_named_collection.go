package tree

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/ast"
)

// namedCollectionKind is a named collection: keys with values, of which secrets are named by where they come from.
func namedCollectionKind() kind {
	return kind{
		name:  ast.KindNamedCollection,
		shape: shape{what: "a named collection", attrs: []string{"keys"}, blocks: map[string]int{"key": 1}},
		build: buildNamedCollection,
		statement: func(o ast.Object, name ast.Name, origin ast.Origin) bool {
			c, ok := o.(*ast.NamedCollection)
			if ok {
				c.Name, c.Origin = name.Name, origin
			}
			return ok
		},
		render: renderNamedCollection,
	}
}

var keyShape = shape{what: "a key of a named collection", attrs: []string{"value", "secret_env", "secret_file", "hidden", "overridable"}}

func keyPath(name string) ast.Path { return ast.Path{Part: "key", Name: name} }

func buildNamedCollection(d *definition) ast.Object {
	c := &ast.NamedCollection{Name: d.declared.Name.Name, Origin: d.origin()}
	for _, s := range d.settings(d, d.content.attrs["keys"], keyPath) {
		k := ast.CollectionKey{Name: s.Name, Value: s.Value}
		if secret, ok := ast.SecretOf(s.Value); ok {
			k.Value, k.Secret = nil, secret
		}
		c.Keys = append(c.Keys, k)
	}
	for _, block := range d.content.blocks {
		name := block.Labels[0]
		switch {
		case name == "":
			d.fault(CodeName, block.LabelRanges[0], "A key without a name", `It is written key "url" { value = "https://example.com" }.`)
			continue
		case c.Key(name) != nil:
			d.fault(CodeDuplicate, block.LabelRanges[0], fmt.Sprintf("Key %q is written twice", name), "A named collection has each key once.")
			continue
		}
		d.declared.places.setSpot(keyPath(name), block.LabelRanges[0])
		c.Keys = append(c.Keys, d.collectionKey(block, name))
	}
	if len(c.Keys) == 0 && d.content.attrs["keys"] == nil {
		d.fault(CodeMissing, d.content.at, "A named collection without a key", `It has keys = { url = "https://example.com" }, or blocks key "password" { secret_env = "PASSWORD" } on lines of their own.`)
	}
	return c
}

func (d *definition) collectionKey(block *hclsyntax.Block, name string) ast.CollectionKey {
	body := d.read(block.Body, block.DefRange(), keyShape)
	k := ast.CollectionKey{Name: name, Secret: d.secret(body, block)}
	hidden := d.flag(body, "hidden")
	ways := 0
	for _, attr := range []string{"value", "secret_env", "secret_file"} {
		if body.attrs[attr] != nil {
			ways++
		}
	}
	if hidden {
		ways++
	}
	if a := body.attrs["value"]; a != nil {
		if v, ok := d.given(a); ok {
			if k.Value = settingNode(v); k.Value == nil {
				d.fault(CodeValue, a.Expr.Range(), `Wrong value for "value"`, "A key has a number, a text or a bool; this is "+describe(v)+".")
			}
		}
		d.declared.places.setSpot(keyPath(name), a.Expr.Range())
	}
	if a := body.attrs["overridable"]; a != nil {
		k.Overridable = "NOT OVERRIDABLE"
		if d.flag(body, "overridable") {
			k.Overridable = "OVERRIDABLE"
		}
	}
	switch {
	case ways == 0:
		d.fault(CodeMissing, block.DefRange(), fmt.Sprintf("Key %q has no value", name),
			`It has value = "...", secret_env = "NAME" or secret_file = "/path"; hidden = true leaves a value that is set by hand to whoever set it.`)
	case ways > 1 && (k.Value != nil || hidden):
		d.fault(CodeValue, block.DefRange(), fmt.Sprintf("Key %q has two values", name), "It has one of value, secret_env, secret_file and hidden = true.")
	}
	return k
}

func renderNamedCollection(w *writer, o ast.Object) {
	c := o.(*ast.NamedCollection)
	for i := range c.Keys {
		k := &c.Keys[i]
		w.block("key", k.Name, func() {
			switch {
			case k.Value != nil:
				value, ok := w.plainValue(k.Value)
				if !ok {
					w.fail("the value of %s has no form in .hcl", k.Name)
				}
				w.raw("value", value)
			case slices.Contains([]string{"env", "file"}, k.Secret.Source):
				w.text("secret_"+k.Secret.Source, k.Secret.Name)
			default:
				w.raw("hidden", "true")
			}
			switch k.Overridable {
			case "OVERRIDABLE":
				w.raw("overridable", "true")
			case "NOT OVERRIDABLE":
				w.raw("overridable", "false")
			}
		})
	}
}
