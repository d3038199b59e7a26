package typo

import "testing"

func TestTheNearestKnownWordIsSuggested(t *testing.T) {
	known := []string{"from", "for_each", "name", "order_by", "UInt64", "größe", "a"}
	for given, want := range map[string]string{
		"form":     ` Did you mean "from"?`,
		"orderby":  ` Did you mean "order_by"?`,
		"Uint46":   ` Did you mean "UInt64"?`,
		"ORDER_BY": ` Did you mean "order_by"?`,
		"grösse":   ` Did you mean "größe"?`,
		"nmae":     ` Did you mean "name"?`,
		"eman":     "",
		"zzz":      "",
		"b":        "",
		"":         "",
		"from":     "",
	} {
		if got := Suggest(given, known); got != want {
			t.Errorf("%q:%s, want%s", given, got, want)
		}
	}
}

func TestADistanceIsTheSameBothWaysAndNeverBeyondItsBound(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "xyz", "kitten", "sitting"}
	for _, a := range words {
		for _, b := range words {
			for most := range 4 {
				there, back := distance([]rune(a), []rune(b), most), distance([]rune(b), []rune(a), most)
				if there != back || there > most+1 || (there == 0) != (a == b) {
					t.Errorf("%q, %q within %d: %d and %d", a, b, most, there, back)
				}
			}
		}
	}
}
