package rules_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
)

// TestAnyObjectAgainstAnyOtherIsDecided takes each definition of the corpus for the live form of the next one of its
// kind. Such a pair differs in everything at once. Whatever is decided, every change has a rule, what is carried out has
// a statement, what is not carried out is in none, and every statement can be read.
func TestAnyObjectAgainstAnyOtherIsDecided(t *testing.T) {
	release := book(t)
	last := map[ast.Kind]ast.Object{}
	var pairs []rules.Pair
	for _, p := range corpus[corpusPair](t, "ddl_pairs.jsonl") {
		desired, err1 := ddl.ParseStatement(p.Source)
		live, err2 := ddl.ParseStatement(p.Live)
		if err1 != nil || err2 != nil {
			continue
		}
		if other := last[desired.Kind()]; other != nil {
			pairs = append(pairs, rules.Pair{Kind: desired.Kind(), Name: desired.ID(), Live: other, Desired: desired})
		}
		last[live.Kind()] = live
	}
	for _, platform := range append(rules.Platforms(), "") {
		doc := release.Plan(pairs, rules.Options{Platform: platform, AllowDrift: true})
		carried := 0
		for i, o := range doc.Objects {
			for _, c := range o.Changes {
				if c.Rule == "" {
					t.Errorf("%s: %s %s has no rule", o.Name, c.Op, c.Path)
				}
				if rules.Action(c.Action).Carried() {
					carried++
					if c.Statement == "" {
						t.Errorf("%s: %s %s is %s, by no statement", o.Name, c.Op, c.Path, c.Action)
					}
				}
				script, err := ddl.ParseScript(c.Statement)
				if err != nil {
					t.Fatal(err)
				}
				for _, st := range script {
					if st.Err != nil && readable(pairs[i].Desired) {
						t.Errorf("%s: %s %s: %v\n%s", o.Name, c.Op, c.Path, st.Err, st.Text)
					}
				}
			}
		}
		if carried == 0 {
			t.Error("nothing was carried out")
		}
	}
}

// readable reports whether all of a definition was read: one with a clause that no parser reads prints it as it stands.
func readable(o ast.Object) bool {
	for _, p := range o.Parts() {
		if p.Kind == "unread" {
			return false
		}
	}
	return true
}
