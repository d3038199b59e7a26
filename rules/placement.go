package rules

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

// placement is a new column and the clause that puts it into its declared position. after is the column it goes
// behind, or one of the two words below; no column has a name with a zero byte.
type placement struct {
	name   string
	clause string
	after  string
}

const (
	placeFirst = "\x00first"
	placeLast  = "\x00last"
)

// placements orders the new columns of one statement and gives each its position clause, so that after the statement
// all stand where they are declared. order is the table's columns before the statement, declared the columns as
// declared, added those to add now.
//
// A clause names only a column that was there before: of several new ones behind the same column, the last declared is
// added first and each next one squeezes in before it (AFTER a column touched in the same statement is an error on a
// Cloud service, case S38). Behind the last live column no clause is needed, and they are added as declared.
func placements(order []string, declared []*ast.Column, added []string) []placement {
	live := make(map[string]bool, len(order))
	for _, name := range order {
		live[name] = true
	}
	isNew := make(map[string]bool, len(added))
	for _, name := range added {
		isNew[name] = true
	}
	var result []placement
	anchor := ""
	var run []string
	flush := func() {
		if len(run) == 0 {
			return
		}
		switch {
		case len(order) == 0 || anchor == order[len(order)-1]:
			for _, name := range run {
				result = append(result, placement{name, "", placeLast})
			}
		default:
			clause, after := " FIRST", placeFirst
			if anchor != "" {
				clause, after = " AFTER "+ast.QuoteIdent(anchor), anchor
			}
			slices.Reverse(run)
			for _, name := range run {
				result = append(result, placement{name, clause, after})
			}
		}
		run = nil
	}
	for _, c := range declared {
		switch {
		case isNew[c.Name]:
			run = append(run, c.Name)
		case live[c.Name]:
			flush()
			anchor = c.Name
		}
	}
	flush()
	return result
}
