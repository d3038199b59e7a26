package rulelang_test

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/rulelang"
)

// zoo is a vocabulary of its own: the language knows no words but those it is given.
func zoo() *rulelang.Vocabulary {
	return &rulelang.Vocabulary{
		Actions: []string{"none", "report", "refused"}, ObjectActions: []string{"create"},
		Kinds: []rulelang.KindWords{
			{Name: "cage", Parts: []rulelang.PartWords{
				{Name: "animal", Named: true, Attrs: []string{"species", "diet", "setting"}, Actions: []string{"feed"}},
				{Name: "lock", Named: true, Actions: []string{"turn"}},
				{Name: "roof"},
				{Name: "label", Attrs: []string{"kind"}, Open: true},
			}},
			{Name: "pond", Parts: []rulelang.PartWords{{Name: "fish", Named: true, Attrs: []string{"species"}}}},
		},
		Facts: []rulelang.Fact{
			{Name: "name", Type: rulelang.Name},
			{Name: "open", Type: rulelang.Bool},
			{Name: "hungry", Type: rulelang.Bool},
			{Name: "season", Type: rulelang.Enum, Values: []string{"spring", "summer", "winter"}},
			{Name: "keeper", Type: rulelang.Name},
			{Name: "tame", Type: rulelang.Proof},
		},
	}
}

// check checks files given as "name: text" and returns the tables and one line for each diagnostic.
func check(files map[string]string, roots ...string) ([]*rulelang.Table, []string) {
	var diags hcl.Diagnostics
	parsed := map[string]*rulelang.File{}
	for name, text := range files {
		file, faults := rulelang.Parse(name, []byte(text))
		parsed[name] = file
		diags = append(diags, faults...)
	}
	var list []*rulelang.File
	for _, name := range roots {
		list = append(list, parsed[name])
	}
	tables, faults := rulelang.Check(list, zoo(), func(_, name string) (*rulelang.File, error) {
		if f := parsed[name]; f != nil {
			return f, nil
		}
		return nil, fmt.Errorf("there is no file %q", name)
	})
	return tables, describe(append(diags, faults...))
}

func describe(diags hcl.Diagnostics) []string {
	var lines []string
	for _, d := range diags {
		at := d.Subject.Start
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s: %s", d.Subject.Filename, at.Line, at.Column, d.Summary, strings.Join(strings.Fields(d.Detail), " ")))
	}
	return lines
}

// one checks a single file called cage.rules.
func one(text string) ([]*rulelang.Table, []string) {
	return check(map[string]string{"cage.rules": text}, "cage.rules")
}
