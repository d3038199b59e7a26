package lex_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/lex"
)

// cut returns the tokens of src as their texts, and what is wrong with the text.
func cut(src string) (texts []string, problem string) {
	tokens, problem := lex.All(nil, src)
	for _, t := range tokens {
		if t.Kind != lex.EOF {
			texts = append(texts, t.Text(src))
		}
	}
	return texts, problem
}

func TestTextIsCutAsClickHouseCutsIt(t *testing.T) {
	for _, c := range []struct {
		src     string
		want    string // tokens, separated by " | "
		problem string
	}{
		{src: "a.b", want: "a | . | b"},
		{src: "pair.1.2", want: "pair | . | 1 | . | 2"},
		{src: "f(x).1", want: "f | ( | x | ) | . | 1"},
		{src: ".5 + 1. - 1.5e-3", want: ".5 | + | 1. | - | 1.5e-3"},
		{src: "0x1F 0b101 1_000 0x1p4", want: "0x1F | 0b101 | 1_000 | 0x1p4"},
		{src: "1st_try 2e5x", want: "1st_try | 2e5x"},
		{src: "a-- gone\nb# gone\nc#!gone\n/* a /* b */ c */d", want: "a | b | c | d"},
		{src: "'it''s' 'a\\'b' \"q\\\"\" `x``y`", want: `'it''s' | 'a\'b' | "q\"" | ` + "`x``y`"},
		{src: "$$a'b$$ $t$ $$ $t$ a$b", want: "$$a'b$$ | $t$ $$ $t$ | a$b"},
		{src: "x'41' B'01' xy", want: "x'41' | B'01' | xy"},
		{src: "<=> <= <> != == -> :: || @@ @ ^", want: "<=> | <= | <> | != | == | -> | :: | || | @@ | @ | ^"},
		{src: "a − ‘b’ “c”", want: "a | − | ‘b’ | “c”"},
		{src: "\u00a0a\u3000b\ufeff", want: "a | b"},
		{src: "'open", want: "'open", problem: "the quote that opens here is never closed"},
		{src: "/* open", want: "/* open", problem: "the comment has no end (*/)"},
		{src: "1.5x", want: "1.5x", problem: "this is neither a number nor an identifier"},
		{src: "a ~", want: "a | ~", problem: "this character begins nothing in SQL"},
		{src: "x'4g'", want: "x'4g'", problem: "this string holds something other than digits"},
	} {
		texts, problem := cut(c.src)
		if got := strings.Join(texts, " | "); got != c.want || problem != c.problem {
			t.Errorf("%s\n got %s (%s)\nwant %s (%s)", c.src, got, problem, c.want, c.problem)
		}
	}
}

func TestValuesAreUnescaped(t *testing.T) {
	var got []string
	src := `'it''s' 'a\tb\x41\q' "d""q" ` + "`b\\`t`" + ` x'4142' x'f' b'0100000101000010' $tag$ as it is $tag$ ‘curly’ bare`
	tokens, _ := lex.All(nil, src)
	for _, token := range tokens[:len(tokens)-1] {
		got = append(got, token.Value(src))
	}
	want := []string{"it's", "a\tbA\\q", `d"q`, "b`t", "AB", "\x0f", "AB", " as it is ", "curly", "bare"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestKeywordsAreKnownInAnyCase(t *testing.T) {
	for _, word := range []string{"SELECT", "select", "SeLeCt"} {
		if got := lex.Lookup(word); got != lex.KwSelect {
			t.Errorf("%s is %v", word, got)
		}
	}
	for _, word := range []string{"", "s", "selects", "таблица", "a_very_long_word_that_is_none"} {
		if got := lex.Lookup(word); got != 0 {
			t.Errorf("%q is %v", word, got)
		}
	}
}

func TestPlacesCountLinesAndCharacters(t *testing.T) {
	if line, column := lex.Place("ä\nöü x", len("ä\nöü ")); line != 2 || column != 4 {
		t.Errorf("line %d, column %d", line, column)
	}
}

func TestLexingAllocatesNothingForAToken(t *testing.T) {
	src := strings.Repeat("SELECT a.b, 'text', 1.5 FROM `t` WHERE x >= 3 ", 20)
	buffer := make([]lex.Token, 0, 1000)
	if n := testing.AllocsPerRun(10, func() { lex.All(buffer, src) }); n > 1 { // the lexer itself
		t.Errorf("%v allocations", n)
	}
}

func FuzzLexer(f *testing.F) {
	for _, seed := range []string{"SELECT 1", "'a\\", "$$", "$a$b$a$", "/*/**/*/", "1.e+", "0x_1p", "−‘’", "a.1.b", "`", "x'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tokens, _ := lex.All(nil, src)
		end := int32(0)
		for i, token := range tokens {
			if token.Pos < end || token.End < token.Pos || int(token.End) > len(src) {
				t.Fatalf("token %d of %q is [%d, %d) behind %d", i, src, token.Pos, token.End, end)
			}
			if token.End == token.Pos && token.Kind != lex.EOF {
				t.Fatalf("token %d of %q is empty", i, src)
			}
			end = token.End
			if token.Kind != lex.Error && token.Kind != lex.EOF {
				token.Value(src)
			}
		}
		if tokens[len(tokens)-1].Kind != lex.EOF {
			t.Fatalf("%q does not end", src)
		}
	})
}
