package rules_test

import (
	"os"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/rules"
)

// book is the release's own rule tables.
func book(t testing.TB) *rules.Book {
	t.Helper()
	b, diags := rules.Load(os.DirFS("../stdlib/rules"))
	if diags.HasErrors() {
		hcl.NewDiagnosticTextWriter(os.Stderr, b.Files(), 120, false).WriteDiagnostics(diags)
		t.Fatal("the release's rule tables have faults")
	}
	return b
}

func TestTheRuleTablesOfTheReleaseHaveNoFault(t *testing.T) {
	b := book(t)
	if len(b.Kinds()) == 0 {
		t.Error("no kind has rules")
	}
}
