package tree_test

import (
	"strings"
	"testing"
	"unicode/utf8"

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

// A text without lines would be an answer of a gigabyte: each of its thousand faults would show all of it.
func TestOfALongLineIsShownWhatStandsAroundThePlace(t *testing.T) {
	filler := strings.Repeat("é = 1, ", 5_000)
	for marked, want := range map[string]string{
		filler + "«größe»" + filler:                             `größe`,
		"«größe»" + filler:                                      `größe`,
		filler + "«größe»":                                      `größe`,
		filler + `password = "hid` + "«d»en" + `",` + filler:    `***`,
		filler + `password = "hidden", «format» = "JSON"`:       `format`,
		`password = "` + strings.Repeat("hidden", 1000) + `"«»`: ``,
		`password = "` + strings.Repeat("hidden", 1000) + `", «x» = "` + strings.Repeat("hidden", 1000) + `"`: `x`,
	} {
		before, rest, _ := strings.Cut(marked, "«")
		within, after, _ := strings.Cut(rest, "»")
		source := before + within + after
		at := hcl.Range{Filename: "a.hcl", Start: position(before), End: position(before + within)}
		e, ok := tree.NewExcerpts(map[string]*hcl.File{"a.hcl": {Bytes: []byte(source)}}, nil).At(at)
		runes := []rune(e.Text)
		switch {
		case !ok || len(e.Text) > 1100 || strings.Contains(e.Text, "hid") || !utf8.ValidString(e.Text) || strings.ContainsRune(e.Text, utf8.RuneError):
			t.Errorf("%d bytes are shown as %q", len(source), e.Text)
		case e.From > len(runes) || string(runes[e.From:min(e.To, len(runes))]) != want:
			t.Errorf("%q is marked in %q, want %q", string(runes[e.From:min(e.To, len(runes))]), e.Text, want)
		case !strings.Contains(e.Text, "…"):
			t.Errorf("%q does not say that it was cut", e.Text)
		}
	}
}

func TestALineIsMarkedUnderThePlaceAndFitsTheTerminal(t *testing.T) {
	upper := func(marks string) string { return strings.ToUpper(marks) }
	for _, c := range []struct {
		e     tree.Excerpt
		width int
		want  string
	}{
		{tree.Excerpt{Text: "order_by = id", From: 11, To: 13}, 0, "    7 | order_by = id\n      |            ^^\n"},
		{tree.Excerpt{Text: "\torder_by = id", From: 12, To: 14}, 80, "    7 | \torder_by = id\n      | \t           ^^\n"},
		{tree.Excerpt{Text: "order_by     = [\"viewed_at\", \"path\"] # by time", From: 16, To: 27}, 40,
			"    7 | …y     = [\"viewed_at\", \"path\"] …\n      |           ^^^^^^^^^^^\n"},
		{tree.Excerpt{Text: strings.Repeat("x", 50), From: 0, To: 50}, 40, "    7 | " + strings.Repeat("x", 31) + "…\n      | " + strings.Repeat("^", 32) + "\n"},
		{tree.Excerpt{Text: strings.Repeat("x", 50), From: 50, To: 51}, 40, "    7 | …" + strings.Repeat("x", 9) + "\n      | " + strings.Repeat(" ", 10) + "^\n"},
		{tree.Excerpt{Text: strings.Repeat("x", 50), From: 1, To: 2}, 10, "    7 | " + strings.Repeat("x", 50) + "\n      |  ^\n"}, // too narrow to cut
	} {
		if got := c.e.Marked(7, c.width, upper); got != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.width, got, c.want)
		}
	}
}
