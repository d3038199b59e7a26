package trial_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/trial"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
)

// TestClickHouseAgreesWithThePages creates the examples of every page of advice. What a page says ClickHouse refuses it
// refuses, and everything else it takes.
func TestClickHouseAgreesWithThePages(t *testing.T) {
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: embeddedtest.Server(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tried := 0
	for _, check := range lint.Checks() {
		page, err := lint.Explain(string(check.Code))
		if err != nil {
			t.Fatal(err)
		}
		for n, example := range page.Examples() {
			if check.Code < "DFE200" && !example.Good {
				continue
			}
			database := fmt.Sprintf("%s_%d", strings.ToLower(string(check.Code)), n)
			files := fstest.MapFS{}
			for name, text := range example.Files {
				text = strings.NewReplacer("\"example\"", "\""+database+"\"", "\"example.hcl\"", "\"example.hcl\"", "\"example.sql\"", "\"example.sql\"", "\"example.", "\""+database+".", " example.", " "+database+".", "\"shop\"", "\""+database+"\"", "\"shop.", "\""+database+".", " shop.", " "+database+".").Replace(text)
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			tr, diags := tree.Load(files, tree.Options{})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			found, err := trial.Run(t.Context(), conn, tr, func(d *tree.Declared) { tried++ })
			if err != nil {
				t.Fatal(err)
			}
			// The page of DFE288 says itself that only a cluster refuses it.
			want := check.Severity == lint.Error && check.Code > "DFE200" && check.Code != "DFE288" && !example.Good
			if refused := len(found) > 0; refused != want {
				t.Errorf("%s, good example %v: refused %v, the page says %v: %v", check.Code, example.Good, refused, want, found)
			}
			for _, f := range found {
				if f.At.Filename == "" || f.Kind != ast.KindTable || f.At.Filename == "manifest.hcl" {
					t.Errorf("%s: the refusal has no place in the definition: %+v", check.Code, f)
				}
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d objects were tried", tried)
	}
}
