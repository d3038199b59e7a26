package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/rules/lint"
)

const shop = "release = \"1.0.0\"\n\ndatabase \"shop\" {\n  comment = \"A shop\"\n}\n\n"

// orders is a table with two findings: DFE237 of the column at, in its type, and DFE205 of the empty key.
const (
	atColumn = "column \"at\" {\n  type = \"DateTime\"\n}\n"
	engine   = "engine   = \"MergeTree\"\norder_by = []\ncomment  = \"Orders\"\n"
)

// TestAWaiverIsAboutWhatItStandsAt holds where a waiver may stand, and that anywhere else it waives nothing.
func TestAWaiverIsAboutWhatItStandsAt(t *testing.T) {
	table := shop + "table \"shop.orders\" {\n  from = \"orders.hcl\"\n}\n"
	view := shop + "view \"shop.parts\" {\n  from = \"parts.sql\"\n}\n"
	for _, test := range []struct {
		name, manifest, file, text string
		want                       []lint.Code
	}{
		{"above a block", table, "orders.hcl", "# dfe:ignore DFE237 why\n" + atColumn + engine, []lint.Code{"DFE205"}},
		{"above a block, among other comments", table, "orders.hcl", "# dfe:ignore DFE237 why\n# more\n\n" + atColumn + engine, []lint.Code{"DFE205"}},
		{"above an attribute", table, "orders.hcl", "column \"at\" {\n  # dfe:ignore DFE237 why\n  type = \"DateTime\"\n}\n" + engine, []lint.Code{"DFE205"}},
		{"behind an attribute", table, "orders.hcl", "column \"at\" {\n  type = \"DateTime\" # dfe:ignore DFE237 why\n}\n" + engine, []lint.Code{"DFE205"}},
		{"behind the head of a block", table, "orders.hcl", "column \"at\" { // dfe:ignore DFE237 why\n  type = \"DateTime\"\n}\n" + engine, []lint.Code{"DFE205"}},
		{"in any case, in a block comment", table, "orders.hcl", "/* dfe:ignore dfe237 why */\n" + atColumn + engine, []lint.Code{"DFE205"}},
		{"two at one place", table, "orders.hcl", atColumn + "# dfe:ignore DFE205 why\n# dfe:ignore DFE237 wrong place\n" + "order_by = []\nengine = \"MergeTree\"\ncomment = \"c\"\n", []lint.Code{"DFE237", "DFE133"}},
		{"above the entry", shop + "# dfe:ignore DFE237 why\ntable \"shop.orders\" {\n  from = \"orders.hcl\"\n}\n", "orders.hcl", atColumn + engine, []lint.Code{"DFE205"}},
		{"above another block", table, "orders.hcl", "# dfe:ignore DFE237 why\ncolumn \"id\" { type = \"UInt8\" }\n" + atColumn + engine, []lint.Code{"DFE237", "DFE205", "DFE133"}},
		{"below", table, "orders.hcl", atColumn + "# dfe:ignore DFE237 why\n" + engine, []lint.Code{"DFE237", "DFE205", "DFE133"}},
		{"without a reason", table, "orders.hcl", "# dfe:ignore DFE237\n" + atColumn + engine, []lint.Code{"DFE237", "DFE205", "DFE131"}},
		{"of an unknown code", table, "orders.hcl", "# dfe:ignore DFE9999 why\n" + atColumn + engine, []lint.Code{"DFE237", "DFE205", "DFE132"}},
		{"in a text", table, "orders.hcl", atColumn + "engine = \"MergeTree\"\norder_by = []\ncomment = \"# dfe:ignore DFE205 why\"\n", []lint.Code{"DFE237", "DFE205"}},
		{"of another word", table, "orders.hcl", "# dfe:ignored DFE237 why\n" + atColumn + engine, []lint.Code{"DFE237", "DFE205"}},
		{"above a statement", view, "parts.sql", "-- dfe:ignore DFE281 why\nCREATE VIEW shop.parts\nAS SELECT *\nFROM system.parts\nCOMMENT 'c'\n", nil},
		{"above a line", view, "parts.sql", "CREATE VIEW shop.parts\nAS SELECT\n-- dfe:ignore DFE281 why\n*\nFROM system.parts\nCOMMENT 'c'\n", nil},
		{"behind a line", view, "parts.sql", "CREATE VIEW shop.parts\nAS SELECT * /* dfe:ignore DFE281 why */\nFROM system.parts\nCOMMENT 'c'\n", nil},
		{"behind another line", view, "parts.sql", "CREATE VIEW shop.parts -- dfe:ignore DFE281 why\nAS SELECT *\nFROM system.parts\nCOMMENT 'c'\n", []lint.Code{"DFE281", "DFE133"}},
		{"of a fault", table, "orders.hcl", "# dfe:ignore DFE118 why\ncolumn \"at\" { type = \"Datum\" }\n" + engine, []lint.Code{"DFE118", "DFE134"}},
		{"in a broken tree", table, "orders.hcl", "# dfe:ignore DFE237 why\n" + atColumn + "engine = \"MergeTree\"\norder_by = \"no\"\ncomment = \"c\"\n", []lint.Code{"DFE117"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, found := load(map[string]string{"manifest.hcl": test.manifest, test.file: test.text})
			codes, lines := standing(found)
			if diff := cmp.Diff(test.want, codes); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, lines)
			}
		})
	}
}

// TestAWaiverOfOneObjectIsNotOneOfAll holds that a finding in a file two tables include stands while one of them does not
// waive it, and is told once.
func TestAWaiverOfOneObjectIsNotOneOfAll(t *testing.T) {
	entry := func(name string) string { return "table \"shop." + name + "\" {\n  from = \"" + name + ".hcl\"\n}\n" }
	files := map[string]string{
		"manifest.hcl": shop + "# dfe:ignore DFE237 why\n" + entry("a") + entry("b") + entry("c"),
		"shared.hcl":   atColumn,
	}
	for _, name := range []string{"a", "b", "c"} {
		files[name+".hcl"] = "include = [\"shared.hcl\"]\nengine = \"MergeTree\"\norder_by = \"at\"\ncomment = \"c\"\n"
	}
	_, found := load(files)
	codes, lines := standing(found)
	if diff := cmp.Diff([]lint.Code{"DFE237"}, codes); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, lines)
	}
}
