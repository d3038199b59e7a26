package tree_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
)

// Each text has its place between « and ».
func TestTheMarkedPartOfALineIsThePlaceWhateverIsHiddenBeforeIt(t *testing.T) {
	for marked, want := range map[string]string{
		`broker = «x»`: `x`,
		`password = "hidden", format = «"JSON"»`:            `***`,
		`password = "hidden", «format» = "JSON"`:            `format`,
		`password = "hid«d»en", format = "JSON"`:            `***`,
		`«password = "hid»den"`:                             `password = ***`,
		`password = "ü", "ÿÿ" + «größe»`:                    `größe`,
		"first = 1\npassword = \"hidden\", «format»\nx = 1": `format`,
		`password = "hidden"«»`:                             ``,
		"\tpassword = 'hidden' «+ \nmore»":                  `+ `,
	} {
		before, rest, _ := strings.Cut(marked, "«")
		within, after, _ := strings.Cut(rest, "»")
		source := before + within + after
		at := hcl.Range{Filename: "a.hcl", Start: position(before), End: position(before + within)}
		files := map[string]*hcl.File{"a.hcl": {Bytes: []byte(source)}}
		e, ok := tree.NewExcerpts(files, nil).At(at)
		runes := []rune(e.Text)
		if !ok || strings.Contains(e.Text, "hidden") || e.From > len(runes) || string(runes[e.From:min(e.To, len(runes))]) != want {
			t.Errorf("%s is shown as %q, from %d to %d", marked, e.Text, e.From, e.To)
		}
	}
}

func position(before string) hcl.Pos {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return hcl.Pos{Line: strings.Count(before, "\n") + 1, Column: len([]rune(line)) + 1, Byte: len(before)}
}
