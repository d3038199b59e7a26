package rules_test

import (
	"fmt"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

// sums are the checksums of a definition as written and as each platform's rendering reads; the databases of a service
// have no engine of their own in the text.
func sums(o ast.Object, env canon.Env) (map[string]bool, error) {
	found := map[string]bool{canon.Checksum(canon.Object(o, env)): true}
	for _, p := range rules.Platforms() {
		text := ast.Create(rules.Render(o, p), ast.Style{})
		read, err := ddl.ParseStatement(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", p, text, err)
		}
		found[canon.Checksum(canon.Object(read, env))] = true
	}
	return found, nil
}

func TestOneSchemaHasOneChecksumOnEveryPlatform(t *testing.T) {
	looked := 0
	core, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	quickstart, diags := tree.LoadDir("../examples/quickstart", tree.Options{Base: core})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	check := func(what string, o ast.Object, env canon.Env) {
		t.Helper()
		looked++
		found, err := sums(o, env)
		if err != nil {
			t.Error(err)
		} else if len(found) != 1 {
			t.Errorf("%s has %d checksums", what, len(found))
		}
	}
	for _, d := range append(core.Objects, quickstart.Objects...) {
		if !d.Kind.InClickHouse() || d.Kind.IsAccess() {
			continue // no platform renders them its own way
		}
		check(d.Name.String(), d.Object, canon.Env{})
	}
	for i, p := range corpus[corpusPair](t, "ddl_pairs.jsonl") {
		if i%5 != 0 {
			continue
		}
		if o, err := ddl.ParseStatement(p.Source); err == nil {
			check(p.ID, o, canon.Env{Database: p.DB})
		}
	}
	if looked < 20 {
		t.Errorf("%d objects were looked at", looked)
	}
}
