package visible_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/lang/visible"
)

func TestWhatShowsNothingOrSteersIsShownAsItsEscape(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain, größe, 日本語, שלום, a b, 👍", "plain, größe, 日本語, שלום, a b, 👍"},
		{"two\n\tlines", "two\n\tlines"},
		{"a\x00b", `a\x00b`},
		{"\x1b[2J\x1b]0;title\x07", `\x1b[2J\x1b]0;title\x07`},
		{"over\rwritten", `over\rwritten`},
		{"back\x08space\x7f", `back\x08space\x7f`},
		{"\u009b31m of eight bits", `\x9b31m of eight bits`},
		{"acme\u200b", `acme\u200b`},
		{"\ufeffacme", `\ufeffacme`},
		{"user\u202e\u2066resu", `user\u202e\u2066resu`},
		{"soft\u00adhyphen", `soft\xadhyphen`},
		{"line\u2028paragraph\u2029", `line\u2028paragraph\u2029`},
		{"\U000e0041 tag", `\U000e0041 tag`},
		{"\u3164 filler, \ufe0f selector, \u2800 blank", `\u3164 filler, \ufe0f selector, \u2800 blank`},
		{"\xff\xfe", `\xff\xfe`},
		{"\ue000", `\ue000`},
	} {
		if got := visible.Text(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := visible.Line("a\nconverged:\tb"); got != `a\nconverged:\tb` {
		t.Errorf("a name of two lines is %q", got)
	}
}

func TestOnlyTheInksOwnColoursReachATerminal(t *testing.T) {
	ink, other := visible.NewInk(), visible.NewInk()
	var out bytes.Buffer
	w := ink.Writer(&out)
	if _, err := w.Write([]byte(ink.Paint("1;31", "re\x1b[0md") + " \x1b[32mgreen " + other.Paint("32", "x") + ink.Paint("1", ""))); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if !strings.HasPrefix(got, "\x1b[1;31mre\\x1b[0md\x1b[0m \\x1b[32mgreen \\x1b<") || strings.Count(got, "\x1b") != 2 {
		t.Errorf("%q", got)
	}
}

func TestACharacterThatComesInTwoWritesIsOne(t *testing.T) {
	var out bytes.Buffer
	w := visible.NewInk().Writer(&out)
	for _, b := range []byte("größe 日本 \u202e \xff\xff.") {
		if n, err := w.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := out.String(); got != `größe 日本 \u202e \xff\xff.` {
		t.Errorf("%q", got)
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"a", "\x1b[2J", "\u202e", "\xff", "a\nb\tc", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, line := visible.Text(s), visible.Line(s)
		if !utf8.ValidString(text) || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("%q: %q, %q", s, text, line)
		}
		if visible.Text(text) != text || visible.Line(line) != line {
			t.Fatalf("%q: what is visible is changed again", s)
		}
	})
}
