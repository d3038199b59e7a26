package series

import (
	"fmt"
	"slices"
	"strings"
)

// And lists words that all hold: "", "a", "a and b", "a, b and c".
func And[T ~string](words []T) string { return enumerate(words, " and ") }

// Or lists words of which one holds: "", "a", "a or b", "a, b or c".
func Or[T ~string](words []T) string { return enumerate(words, " or ") }

// AtMost lists words that all hold, no more of them than a reader takes in: "a, b and 7 more".
func AtMost[T ~string](most int, words []T) string {
	if len(words) <= most {
		return And(words)
	}
	return And(append(slices.Clone(words[:most]), T(fmt.Sprintf("%d more", len(words)-most))))
}

func enumerate[T ~string](words []T, last string) string {
	var b strings.Builder
	for i, word := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(last)
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(word))
	}
	return b.String()
}
