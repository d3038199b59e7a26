package series_test

import (
	"testing"

	"github.com/dfe-engine/dfe/lang/series"
)

func TestWordsAreListedAsPeopleDo(t *testing.T) {
	for _, c := range []struct {
		words   []string
		and, or string
	}{
		{nil, "", ""},
		{[]string{"a"}, "a", "a"},
		{[]string{"a", "b"}, "a and b", "a or b"},
		{[]string{"a", "b", "c"}, "a, b and c", "a, b or c"},
	} {
		if and, or := series.And(c.words), series.Or(c.words); and != c.and || or != c.or {
			t.Errorf("%q: %q, %q", c.words, and, or)
		}
	}
	if got := series.AtMost(2, []string{"a", "b", "c"}); got != "a, b and 1 more" {
		t.Error(got)
	}
	if got := series.AtMost(3, []string{"a", "b", "c"}); got != "a, b and c" {
		t.Error(got)
	}
}
