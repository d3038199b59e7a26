package tree_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/tree"
)

func TestTheLanguageHasEveryKind(t *testing.T) {
	var declared, known []string
	for kind := range tree.Words() {
		declared = append(declared, kind)
	}
	for _, kind := range ast.Kinds() {
		known = append(known, string(kind))
	}
	slices.Sort(declared)
	slices.Sort(known)
	if diff := cmp.Diff(known, declared); diff != "" {
		t.Errorf("the kinds of ast (-) and those of the schema language (+):\n%s", diff)
	}
}

// TestTheReferenceTellsOfEverythingADefinitionMaySay reads the chapters of the README that have a kind's name in them.
func TestTheReferenceTellsOfEverythingADefinitionMaySay(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, chapter := range strings.Split(string(readme), "\n## ")[1:] {
		if strings.HasPrefix(chapter, "Topics\n") {
			told["topic"] = chapter
		}
		if !strings.HasPrefix(chapter, "Language reference: ") {
			continue
		}
		for _, kind := range regexp.MustCompile(`(?m)^\*\*(\w+)\*\*`).FindAllStringSubmatch(chapter, -1) {
			told[kind[1]] += chapter
		}
	}
	for kind, words := range tree.Words() {
		if told[kind] == "" {
			t.Errorf("no chapter of the README tells of %s", kind)
		}
		for _, word := range words {
			if !regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(told[kind]) {
				t.Errorf("%s: the reference does not tell of %s", kind, word)
			}
		}
	}
}
