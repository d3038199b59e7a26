package tree

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// Version is a release or server version: numbers, and a suffix that sorts before none ("2026.11.0-rc1").
type Version struct {
	Numbers []uint64
	Suffix  string
}

// ParseVersion reads one to six numbers with dots between, and a suffix after a dash.
func ParseVersion(s string) (Version, error) {
	const mostNumbers = 6
	numbers, suffix, _ := strings.Cut(s, "-")
	var v Version
	v.Suffix = suffix
	for part := range strings.SplitSeq(numbers, ".") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || len(v.Numbers) == mostNumbers {
			return Version{}, errors.New(`a version is numbers with dots between, as in "2026.11.0", and a suffix after a dash where it has one`)
		}
		v.Numbers = append(v.Numbers, n)
	}
	return v, nil
}

// Compare orders versions: by their numbers, a missing one counting as zero; then a suffix before none, and suffixes
// as text.
func (v Version) Compare(w Version) int {
	for i := range max(len(v.Numbers), len(w.Numbers)) {
		if c := cmp.Compare(number(v.Numbers, i), number(w.Numbers, i)); c != 0 {
			return c
		}
	}
	switch {
	case v.Suffix == w.Suffix:
		return 0
	case v.Suffix == "":
		return 1
	case w.Suffix == "":
		return -1
	}
	return strings.Compare(v.Suffix, w.Suffix)
}

func number(numbers []uint64, i int) uint64 {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}
