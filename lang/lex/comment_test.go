package lex_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/lex"
)

// TestCommentsAreFoundBetweenTokensAlone holds that what looks like a comment inside a string or a name is none.
func TestCommentsAreFoundBetweenTokensAlone(t *testing.T) {
	for _, test := range []struct {
		src  string
		want []string
	}{
		{"SELECT 1", nil},
		{"-- a  \nSELECT 1 -- b", []string{"a", "b"}},
		{"SELECT '-- no', `/* no */`, $$ # no $$ /* a /* nested */ b */", []string{"a /* nested */ b"}},
		{"# a\r\nSELECT 1 #! b\n", []string{"a", "b"}},
		{"SELECT 1 - -1 --", []string{""}},
		{"SELECT 1 /* has no end", nil},
	} {
		var got []string
		for _, c := range lex.Comments(test.src) {
			got = append(got, c.Words(test.src))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.src, diff)
		}
	}
}
