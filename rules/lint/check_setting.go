package lint

import (
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

func settingChecks() []Check {
	return []Check{
		{Code: "DFE291", Title: "a setting that stays for ever", Severity: Note, table: fixedSetting},
		{Code: "DFE292", Title: "inserts that are not deduplicated", Severity: Warning, table: noDeduplication},
		{Code: "DFE293", Title: "a setting that lifts a check", Severity: Warning, table: liftedCheck},
	}
}

func (t *table) eachSetting(f func(name, value string, path ast.Path, node *ast.Node)) {
	if !t.merges {
		return
	}
	for _, s := range t.def.Settings {
		f(s.Name, literal(s.Value), ast.Path{Part: "setting", Name: s.Name}, s.Value)
	}
}

// fixedSetting: system.merge_tree_settings.readonly; MODIFY SETTING answers error 472 (case S54).
func fixedSetting(t *table) {
	t.eachSetting(func(name, value string, path ast.Path, node *ast.Node) {
		s, known := facts.MergeTreeSetting(name)
		if !known || !s.ReadOnly || sameSetting(s, value) {
			return
		}
		t.report(path, node, fmt.Sprintf("%s can never be changed", name),
			fmt.Sprintf("ClickHouse fixes it when the table is created (error 472 afterwards); its default is %s. Another value later means another table and copying all rows.", s.Default),
			"Leave it at its default unless it was measured to help; if it was, waive this with the figure.")
	})
}

func sameSetting(s facts.Setting, value string) bool {
	switch {
	case s.Type == "Bool" && value == "true":
		value = "1"
	case s.Type == "Bool" && value == "false":
		value = "0"
	}
	return value == s.Default || value == ""
}

func noDeduplication(t *table) {
	t.eachSetting(func(name, value string, path ast.Path, node *ast.Node) {
		if value == "0" && (name == "replicated_deduplication_window" || name == "replicated_deduplication_window_seconds") {
			t.report(path, node, "Repeated inserts are stored twice",
				"A writer that gets no answer sends its block again, and ClickHouse recognises it by this window; without one the rows are there twice.",
				"Leave the setting out; where duplicates are wanted, set insert_deduplicate = 0 for those inserts.")
		}
	})
}

var checkLifters = []string{"allow_nullable_key", "allow_floating_point_partition_key", "allow_suspicious_indices",
	"allow_summing_columns_in_partition_or_order_key", "allow_coalescing_columns_in_partition_or_order_key"}

func liftedCheck(t *table) {
	t.eachSetting(func(name, value string, path ast.Path, node *ast.Node) {
		if slices.Contains(checkLifters, name) && (value == "1" || value == "true") {
			t.report(path, node, fmt.Sprintf("%s lifts a check of ClickHouse", name),
				"ClickHouse refuses by default what has gone wrong for others; with this setting it is taken without a word.",
				"Correct what the check is about, and leave the setting out.")
		}
	})
}
