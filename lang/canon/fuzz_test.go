package canon_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// FuzzPair: no text that parses makes the canonical form panic, and no object differs from itself.
func FuzzPair(f *testing.F) {
	for _, text := range samples {
		f.Add(text, text)
	}
	for _, c := range append(typeCases(), storageCases()...) {
		f.Add(c.live, c.desired)
	}
	f.Fuzz(judge)
}

func judge(t *testing.T, live, desired string) {
	l, err := ddl.ParseStatement(live)
	if err != nil {
		return
	}
	a, b := canon.Pair(l, l, canon.Env{User: "ann"})
	if diffs := compare(a, b); len(diffs) > 0 && diffs[0].reason == "" {
		t.Errorf("%s differs between an object and itself: %s", diffs[0].path, live)
	}
	d, err := ddl.ParseStatement(desired)
	if err != nil {
		return
	}
	canon.Pair(l, d, canon.Env{})
	canon.Pair(d, l, canon.Env{Database: "elsewhere", Function: func(string) *ast.Function { return nil }})
	again := canon.Object(canon.Object(d, canon.Env{}), canon.Env{})
	if canon.Checksum(again) != canon.Checksum(canon.Object(d, canon.Env{})) {
		t.Errorf("the canonical form of the canonical form is another: %s", desired)
	}
}

// TestBrokenTextsDoNotPanic takes tokens out of every text of the corpus, doubles and swaps them.
func TestBrokenTextsDoNotPanic(t *testing.T) {
	pairs := corpus[pairCase](t, "ddl_pairs.jsonl")
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range pairs {
		for _, text := range []string{p.Source, p.Live} {
			judge(t, mutated(text, random), p.Live)
			judge(t, text, mutated(text, random))
		}
	}
}

func mutated(text string, random *rand.Rand) string {
	tokens, problem := lex.All(nil, text)
	if problem != "" || len(tokens) < 4 {
		return text
	}
	words := make([]string, 0, len(tokens))
	for _, token := range tokens {
		words = append(words, token.Text(text))
	}
	for range 1 + random.IntN(3) {
		i, j := 3+random.IntN(len(words)-3), 3+random.IntN(len(words)-3)
		switch random.IntN(3) {
		case 0:
			words[i] = ""
		case 1:
			words[i] += " " + words[j]
		default:
			words[i], words[j] = words[j], words[i]
		}
	}
	return strings.Join(words, " ")
}
