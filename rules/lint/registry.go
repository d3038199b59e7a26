package lint

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/lang/tree"
)

// Check is one thing lint looks for.
type Check struct {
	Code     Code
	Title    string // what is found, as a noun phrase
	Severity Severity
	// Fixed is true for a finding that no comment waives: nothing works while it stands.
	Fixed bool
	// Engine is true for what only a ClickHouse engine can find.
	Engine bool

	fault  tree.Code // the loader's fault
	remedy string    // what to do about a fault, whose detail says why
	table  func(*table)
	query  func(*query)
	object func(*object)
}

// Checks lists every check by code. The list is closed: a finding has no other code.
func Checks() []Check {
	all := slices.Concat(faultChecks(), waiverChecks(), keyChecks(), partitionChecks(), ttlChecks(), typeChecks(), valueChecks(),
		commentChecks(), codecChecks(), indexChecks(), engineChecks(), queryChecks(), storedChecks(), settingChecks(), sizeChecks(), serverChecks())
	slices.SortFunc(all, func(a, b Check) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return all
}

// Find returns the check of a code, in any case.
func Find(code string) (Check, bool) {
	c, known := byCode()[Code(strings.ToUpper(code))]
	return c, known
}

func byCode() map[Code]Check {
	checks := Checks()
	index := make(map[Code]Check, len(checks))
	for _, c := range checks {
		index[c.Code] = c
	}
	return index
}

// CodeServer is the code of what a ClickHouse engine refuses; package engine finds it.
const CodeServer Code = "DFE301"

func serverChecks() []Check {
	return []Check{
		{Code: CodeServer, Title: "a statement that ClickHouse refuses", Severity: Error, Fixed: true, Engine: true},
	}
}
