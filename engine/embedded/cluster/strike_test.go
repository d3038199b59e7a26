package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strikes are the numbers of the statements that a fault happens to.
func strikes(seed int64, f Fault) []int {
	faults := newFaults(seed)
	faults.arm(f)
	var list []int
	for i := range 40 {
		if struck, _ := faults.strike(false, "ALTER", "pass 1", "ALTER TABLE t"); struck != nil {
			list = append(list, i+1)
		}
	}
	return list
}

func TestTheSameSeedStrikesTheSameStatements(t *testing.T) {
	by := Fault{What: Drop, Times: -1, Match: Match{Chance: 0.3}}
	first := strikes(1, by)
	if diff := cmp.Diff(first, strikes(1, by)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(first, strikes(2, by)) || len(first) == 0 || len(first) == 40 {
		t.Errorf("the seed does not matter: %v", first)
	}
}

func TestAFaultBeginsWithTheNthAndHappensSoOften(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  []int
	}{
		{Fault{What: Drop}, []int{1}},
		{Fault{What: Drop, Match: Match{Nth: 3}}, []int{3}},
		{Fault{What: Drop, Times: 2, Match: Match{Nth: 3, Kind: "alter"}}, []int{3, 4}},
		{Fault{What: Drop, Times: -1, Match: Match{Nth: 38}}, []int{38, 39, 40}},
		{Fault{What: Drop, Match: Match{Kind: "DROP"}}, nil},
		{Fault{What: Drop, Match: Match{Comment: "pass 2"}}, nil},
		{Fault{What: Delay, Match: Match{Log: true}}, nil},
	} {
		if diff := cmp.Diff(c.want, strikes(1, c.fault)); diff != "" {
			t.Errorf("%+v:\n%s", c.fault, diff)
		}
	}
}
