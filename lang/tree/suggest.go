package tree

import "github.com/dfe-engine/dfe/lang/typo"

// suggest is [typo.Suggest].
func suggest(given string, known []string) string { return typo.Suggest(given, known) }
