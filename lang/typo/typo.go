package typo

import (
	"fmt"
	"strings"
)

// Suggest returns ` Did you mean "x"?` for the known word nearest to given, or "" when none is near: at most two slips
// away, and at most half the word.
func Suggest(given string, known []string) string {
	const farthest = 2
	best, nearest := "", farthest+1
	lower := []rune(strings.ToLower(given))
	for _, word := range known {
		if word == given {
			continue
		}
		letters := []rune(strings.ToLower(word))
		if slips := distance(lower, letters, nearest-1); slips < nearest && slips*2 <= len(letters) {
			best, nearest = word, slips
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// distance counts the slips that turn a into b: a letter too many, missing, wrong, or two letters swapped, which is the
// slip fingers make most. Beyond most it stops and returns most+1.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], most+1)
}
