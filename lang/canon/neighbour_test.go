package canon_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// TestOneLiteralOrNameChangedIsADifference changes every number, string and quoted name of every stored text, one at a time:
// what the canonical form makes equal must never be two objects.
func TestOneLiteralOrNameChangedIsADifference(t *testing.T) {
	pairs := corpus[pairCase](t, "ddl_pairs.jsonl")
	tried, missed := 0, 0
	for _, p := range pairs {
		live, err := ddl.ParseStatement(p.Live)
		if err != nil {
			t.Fatalf("%s: %v", p.ID, err)
		}
		tokens, problem := lex.All(nil, p.Live)
		if problem != "" {
			t.Fatalf("%s: %s", p.ID, problem)
		}
		for i, token := range tokens {
			if i < 8 && token.Value(p.Live) == live.ID().Name {
				continue // the object's own name brings two together
			}
			changed := neighbour(token, p.Live)
			if changed == "" || token.Pos > 3000 {
				continue
			}
			text := p.Live[:token.Pos] + changed + p.Live[token.End:]
			other, err := ddl.ParseStatement(text)
			if err != nil {
				continue
			}
			tried++
			l, d := canon.Pair(live, other, canon.Env{})
			if len(compare(l, d)) == 0 && !neutral(live, token.Text(p.Live)) {
				missed++
				t.Errorf("%s: %s instead of %s is no difference\n  %.700s", p.ID, changed, token.Text(p.Live), text)
			}
		}
	}
	t.Logf("%d neighbours, %d not told apart", tried, missed)
}

func neighbour(token lex.Token, text string) string {
	s := token.Text(text)
	switch token.Kind {
	case lex.Number:
		if s == "0" || s == "1" { // 0 and 1 are false and true, so another number
			return "7"
		}
		return s + "5"
	case lex.String:
		return s[:len(s)-1] + "q'"
	case lex.Quoted:
		return s[:1] + "q" + s[1:]
	}
	return ""
}

// neutral are texts in which the changed token says nothing.
func neutral(o ast.Object, token string) bool {
	switch o := o.(type) {
	case *ast.Table:
		for _, x := range o.Indexes { // a text index takes the whole part, whatever is written
			if token == "100000000" && x.Granularity == 100000000 {
				return true
			}
		}
	}
	return token == "'[HIDDEN]'"
}
