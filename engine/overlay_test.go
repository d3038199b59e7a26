package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules/plan"
)

// headed is the library's tree with a header that it shares, a variable, and tables in a directory.
const headed = `
-- manifest.hcl --
release = "1.0"
variable "days" {
  type    = number
  default = 30
}
database "DB" {}
table "DB.books" { from = "tables/core/books.hcl" }
view "DB.recent" { from = "tables/core/recent.sql" }
-- common-header/when.hcl --
column "at" { type = "DateTime('UTC')" }
-- tables/core/books.hcl --
include = ["common-header/when.hcl"]
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = "isbn"
-- tables/core/recent.sql --
CREATE VIEW DB.recent AS SELECT isbn FROM DB.books WHERE at > now() - INTERVAL 1 DAY
`

func refused(list []plan.OverlayRefusal) []string {
	var found []string
	for _, r := range list {
		reason, _, _ := strings.Cut(r.Reason, ";")
		found = append(found, r.Kind+" "+r.Object+" ("+r.Place+"): "+reason)
	}
	return found
}

func TestWhatAnOverlayMayNotTouchIsRefusedByNameAndTheRestIsApplied(t *testing.T) {
	s := newStage(t)
	s.tree(headed)
	overlay := t.TempDir()
	writeTree(t, overlay, s.in(`
-- manifest.hcl --
release = "0.1"
table "DB.books" { from = "site/loans.hcl" }
table "DB.core" { from = "tables/core/core.hcl" }
table "DB.away" { from = "../away.hcl" }
table "DB.etc" { from = "site/etc.hcl" }
table "DB.loans" { from = "site/loans.hcl" }
view "DB.lent" { from = "site/lent.sql" }
-- tables/core/core.hcl --
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = "isbn"
-- site/loans.hcl --
include = ["common-header/when.hcl"]
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = "isbn"
ttl      = "at + INTERVAL ${var.days} DAY"
-- site/lent.sql --
CREATE VIEW DB.lent AS SELECT l.isbn AS isbn FROM DB.loans AS l INNER JOIN DB.recent AS r ON r.isbn = l.isbn
`))
	if err := os.Symlink("/etc/hostname", filepath.Join(overlay, "site/etc.hcl")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"table DB.books (manifest.hcl:2): DB.books belongs to the core release",
		"table DB.core (manifest.hcl:3): A directory of the core release",
		"table DB.away (manifest.hcl:4): Path leaves the tree",
		"table DB.etc (manifest.hcl:5): Symbolic link leaves the tree",
	}
	for i := range want {
		want[i] = s.in(want[i])
	}
	o := engine.Options{Overlay: overlay}
	doc, err := s.engine(o).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, refused(doc.Overlay.Refused)); diff != "" {
		t.Errorf("the plan:\n%s", diff)
	}
	r := s.pass(o)
	if diff := cmp.Diff(want, refused(r.OverlayRefused)); diff != "" || r.State != engine.Converged || r.OverlayFault != "" {
		t.Errorf("the pass: %s, fault %q\n%s", r.State, r.OverlayFault, diff)
	}
	if got := s.outcomes(r); cmp.Diff([]string{
		"database : applied, create", "table books: applied, create", "view recent: applied, create", "table loans: applied, create", "view lent: applied, create",
	}, got) != "" {
		t.Errorf("%q", got)
	}
	if ttl := s.value("SELECT position(create_table_query, 'toIntervalDay(30)') > 0 FROM system.tables WHERE database = 'DB' AND name = 'loans'"); ttl != "1" {
		t.Error("the table of the overlay has not the retention of the core")
	}
	if record := s.records()["loans"]; record == nil || record.Scope != ledger.ScopeOverlay {
		t.Errorf("recorded as %+v", record)
	}
	status, err := s.engine(o).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, refused(status.Overlay.Refused)); diff != "" || !status.AllMatch() {
		t.Errorf("the status:\n%s", diff)
	}
}

func TestABrokenOverlayIsReportedAsSuchByPassPlanAndStatus(t *testing.T) {
	for name, c := range map[string]struct{ archive, want string }{
		"an empty directory":    {"", "No manifest"},
		"a syntax error":        {"-- manifest.hcl --\nrelease = \"1\"\ntable \"DB.x\" {", "Unclosed configuration block"},
		"an unreadable file":    {"-- manifest.hcl --\nrelease = \"1\"\ntable \"DB.x\" { from = \"x.hcl\" }\n-- x.hcl/y --\n", "Not a file"},
		"a manifest of nothing": {"-- manifest.hcl --\nrelease = \"1\"\n", "declares no object"},
		"nothing but refusals":  {"-- manifest.hcl --\nrelease = \"1\"\ndatabase \"DB\" {}\n", "nothing is left of the overlay"},
		"a rule with a fault":   {"-- manifest.hcl --\nrelease = \"1\"\ndatabase \"DB_own\" {}\n-- rules/view.rules --\nkind view\nrule \"mine\" on any queri -> none\n", "the overlay's rule tables"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.tree(headed)
			overlay := t.TempDir()
			writeTree(t, overlay, s.in(c.archive))
			o := engine.Options{Overlay: overlay}
			r := s.pass(o)
			if r.State != engine.Converged || !strings.Contains(r.OverlayFault, c.want) || r.Summary.Applied < 3 {
				t.Errorf("state %s, fault %q, %+v", r.State, r.OverlayFault, r.Summary)
			}
			doc, err := s.engine(o).Plan(t.Context())
			if err != nil || doc.Overlay == nil || doc.Overlay.Fault != r.OverlayFault || len(doc.Statements) != 0 {
				t.Errorf("the plan: %v, %+v", err, doc)
			}
			status, err := s.engine(o).Status(t.Context())
			if err != nil || status.Overlay == nil || status.Overlay.Fault != r.OverlayFault {
				t.Errorf("the status: %v, %+v", err, status)
			}
		})
	}
}

func TestRuleTablesThatLieOutsideOfAnOverlayKeepItOut(t *testing.T) {
	s := newStage(t)
	s.tree(headed)
	overlay := t.TempDir()
	writeTree(t, overlay, s.in("-- manifest.hcl --\nrelease = \"1\"\ndatabase \"DB_own\" {}\n"))
	if err := os.Symlink(t.TempDir(), filepath.Join(overlay, "rules")); err != nil {
		t.Fatal(err)
	}
	r := s.pass(engine.Options{Overlay: overlay})
	if r.State != engine.Converged || !strings.Contains(r.OverlayFault, "its rule tables cannot be read") {
		t.Errorf("state %s, fault %q", r.State, r.OverlayFault)
	}
}
