package config_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/config"
)

// TestTheReadmeListsEachVariableWithItsDefault reads the README's tables. In a row, `_PASSWORD` behind
// `DFE_ENGINE_CLICKHOUSE_USER` is short for the name with that in place of its last word or words.
func TestTheReadmeListsEachVariableWithItsDefault(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	want := map[string]string{}
	for _, v := range config.Variables() {
		known = append(known, v.Name)
		want[v.Name] = v.Default
	}
	listed := map[string]string{}
	word := regexp.MustCompile("`([^`]*)`")
	for _, row := range regexp.MustCompile("(?m)^\\| (`DFE_ENGINE_[^|]*)\\|([^|]*)\\|").FindAllStringSubmatch(string(readme), -1) {
		defaults := word.FindAllStringSubmatch(row[2], -1)
		first := ""
		for i, name := range word.FindAllStringSubmatch(row[1], -1) {
			full := name[1]
			if rest, short := strings.CutPrefix(full, "_"); short {
				full = sibling(known, first, rest)
			} else if first == "" {
				first = full
			}
			listed[full] = ""
			if i < len(defaults) {
				listed[full] = defaults[i][1]
			}
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("the variables (-read +in the README):\n%s", diff)
	}
}

// sibling is the variable that has the most in common with the first of a row and ends in the rest.
func sibling(known []string, first, rest string) string {
	for words := strings.Split(first, "_"); len(words) > 0; words = words[:len(words)-1] {
		if name := strings.Join(words, "_") + "_" + rest; slices.Contains(known, name) {
			return name
		}
	}
	return "_" + rest
}
