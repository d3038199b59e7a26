package golden

import (
	"os"
	"testing"
)

// TestEveryRuleIsShownByACase holds the cases to the table: each law decides a change in one of them, and of each law with
// a guard there is a change that it is about and does not decide. A law of the common table is one law, whatever the kind.
func TestEveryRuleIsShownByACase(t *testing.T) {
	const common = "common.rules"
	book := release(t)
	decides, passesOver := map[[2]string]bool{}, map[[2]string]bool{}
	for _, file := range caseFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCase(file, data)
		if err != nil {
			t.Fatal(err)
		}
		options := c.planOptions(c.live)
		for _, pair := range c.pairs(c.live) {
			for _, d := range book.Decide(&pair, &options) {
				decides[[2]string{string(pair.Kind), d.Rule}] = true
				decides[[2]string{common, d.Rule}] = true
				for _, law := range book.Laws(pair.Kind) {
					path := d.Change.Path
					if law.Name != d.Rule && law.On.Matches(string(d.Change.Op), path.Part, path.Name, path.Attr) {
						passesOver[[2]string{string(pair.Kind), law.Name}] = true
						passesOver[[2]string{common, law.Name}] = true
					}
				}
			}
		}
	}
	for _, kind := range book.Kinds() {
		for _, law := range book.Laws(kind) {
			key := [2]string{string(kind), law.Name}
			if law.Range.Filename == common {
				key[0] = common
			}
			if !decides[key] {
				t.Errorf("%s: no case shows that %q", kind, law.Name)
			}
			if law.When != nil && !passesOver[key] {
				t.Errorf("%s: no case shows a neighbour of %q", kind, law.Name)
			}
		}
	}
}
