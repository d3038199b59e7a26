package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
)

func TestADatabaseThatAMemberLacksOrStillHasIsReported(t *testing.T) {
	had := map[string][]string{
		"a": {"default", "dfe", "otel"},
		"b": {"default", "dfe", "old"},
	}
	var got [][2]string
	for _, n := range engine.DifferentDatabases(had, []string{"dfe", "otel"}) {
		got = append(got, [2]string{n.Code, n.Text[:30]})
	}
	want := [][2]string{
		{"member_still_has_database", "the database old is on b and n"},
		{"member_lacks_database", "the database otel is missing o"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	had["b"] = had["a"]
	if got := engine.DifferentDatabases(had, []string{"dfe", "otel"}); len(got) != 0 {
		t.Errorf("members that have the same: %v", got)
	}
}
