package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// collectionValues is what is known of the values of a declared named collection.
type collectionValues struct {
	// known is what a plan is told, by key.
	known map[string]rules.Value
	// hashes is what the ledger remembers once the values are the server's, by path. A value that is not at hand keeps the
	// hash it has.
	hashes map[string]string
	// read are the values of the secrets, as they were compared: a secret may be a pipe, which can be read once.
	read map[ast.Secret]string
}

// hasher remembers hidden values under the key of the options or, without one, under the password the engine connects with:
// who may read the ledger is not told a value by who may guess it.
func (e *Engine) hasher() (ledger.Hasher, error) {
	if len(e.options.LedgerKey) > 0 {
		return ledger.NewHasher(e.options.LedgerKey), nil
	}
	password, err := e.options.Target.Secret()
	if err != nil {
		return ledger.Hasher{}, err
	}
	return ledger.NewHasher([]byte(password)), nil
}

// readValues compares the values of the declared named collections with what the ledger remembers of them.
func (c *comparison) readValues(ctx context.Context, e *Engine) error {
	c.values = map[*declared]collectionValues{}
	for _, d := range c.schema.objects {
		collection, ok := d.Object.(*ast.NamedCollection)
		if !ok {
			continue
		}
		h, err := e.hasher()
		if err != nil {
			return err
		}
		c.values[d] = e.valuesOf(ctx, h, collection, c.records[d.key()])
	}
	return nil
}

func (e *Engine) valuesOf(ctx context.Context, h ledger.Hasher, c *ast.NamedCollection, r *ledger.Record) collectionValues {
	v := collectionValues{known: map[string]rules.Value{}, hashes: map[string]string{}, read: map[ast.Secret]string{}}
	for i := range c.Keys {
		k := &c.Keys[i]
		if k.Hidden() {
			continue
		}
		path := keyPrefix + k.Name
		remembered := ""
		if r != nil {
			remembered = r.ValueHashes[path]
		}
		value, err := e.collectionValue(ctx, k)
		if err != nil {
			v.known[k.Name] = rules.Value{Untold: fmt.Sprintf("the declared value is not at hand here: %v", err)}
			if remembered != "" {
				v.hashes[path] = remembered
			}
			continue
		}
		if k.Value == nil {
			v.read[k.Secret] = value
		}
		same, known := h.Same(remembered, path, value)
		v.known[k.Name] = rules.Value{Changed: !same || !known}
		if v.hashes[path] = remembered; !same {
			v.hashes[path] = h.Hash(path, value)
		}
	}
	return v
}

// collectionValue is the value of a key as text: what the definition says, or what the secret is.
func (e *Engine) collectionValue(ctx context.Context, k *ast.CollectionKey) (string, error) {
	switch {
	case k.Value == nil:
		return e.options.Secret(ctx, k.Secret.Source, k.Secret.Name)
	case k.Value.Kind == ast.String:
		return k.Value.Text, nil
	}
	return k.Value.String(), nil
}

// definedValue finds a value of a statement that stands in the definition.
func definedValue(d *declared, s plan.Secret) (executor.Secret, error) {
	if c, ok := d.Object.(*ast.NamedCollection); ok {
		if k := c.Key(s.Name); k != nil && k.Value != nil {
			return executor.Secret{Reference: s.Reference, Value: k.Value.String(), Literal: true}, nil
		}
	}
	return executor.Secret{}, fmt.Errorf("the definition has no value of %s", s.Name)
}

// keyPrefix stands before the name of a key among the ledger's paths.
const keyPrefix = "key."

// recordedKeys lists the keys of a named collection whose values a pass has set.
func recordedKeys(r *ledger.Record) []string {
	var names []string
	for path := range r.ValueHashes {
		if name, ok := strings.CutPrefix(path, keyPrefix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// rememberValues puts into a row what a pass has set, or found to be what it had set before. A key that was set before and
// is still there although nothing declares it any more stays remembered: the next pass may take it away.
func (p *pass) rememberValues(r *ledger.Record, d *declared, o *ObjectReport, live *catalog.Object) {
	values, ok := p.c.values[d]
	if !ok || live == nil {
		return
	}
	has, ok := live.Tree.(*ast.NamedCollection)
	if !ok {
		return
	}
	r.ValueHashes = map[string]string{}
	if newest := p.c.records[r.Key]; newest != nil {
		for path, hash := range newest.ValueHashes {
			if name, ok := strings.CutPrefix(path, keyPrefix); ok && has.Key(name) != nil {
				r.ValueHashes[path] = hash
			}
		}
	}
	for path, hash := range values.hashes {
		name := strings.TrimPrefix(path, keyPrefix)
		if has.Key(name) != nil && o.Outcome == ledger.Applied && wasSet(o, name) {
			r.ValueHashes[path] = hash
		}
	}
}

// wasSet reports whether a statement of the pass set a key of the named collection.
func wasSet(o *ObjectReport, name string) bool {
	return slices.ContainsFunc(o.Changes, func(c *plan.Change) bool {
		if !rules.Action(c.Action).Carried() {
			return false
		}
		key := ast.Path{Part: "key", Name: name}
		value, flag := key, key
		value.Attr, flag.Attr = "value", "overridable"
		return slices.Contains([]string{"", key.String(), value.String(), flag.String()}, c.Path)
	})
}
