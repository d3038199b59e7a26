package canon_test

import (
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// wordsAlone are the alters after which the server prints other words for the same object, with the reason.
var wordsAlone = map[string]string{}

func TestEveryAlterThatChangesTheTextIsSeenAndNamed(t *testing.T) {
	alters := corpus[alterCase](t, "ddl_alters.jsonl")
	found, unchanged := 0, 0
	for _, a := range alters {
		before, err := ddl.ParseStatement(a.Before)
		if err != nil {
			t.Errorf("%s: before: %v", a.ID, err)
			continue
		}
		after, err := ddl.ParseStatement(a.After)
		if err != nil {
			t.Errorf("%s: after: %v", a.ID, err)
			continue
		}
		l, d := canon.Pair(before, after, canon.Env{})
		diffs := compare(l, d)
		if a.Before == a.After {
			unchanged++
			if len(diffs) > 0 {
				t.Errorf("%s: %s differs between equal texts", a.ID, diffs[0].path)
			}
			continue
		}
		if wordsAlone[a.ID] != "" {
			continue
		}
		if len(diffs) == 0 {
			t.Errorf("%s: no difference seen\n  alter  %s\n  before %s\n  after  %s", a.ID, a.Alter, a.Before, a.After)
			continue
		}
		found++
		statement, err := ddl.ParseAlter(a.Alter)
		if err != nil {
			t.Errorf("%s: alter: %v", a.ID, err)
			continue
		}
		for _, c := range statement.Commands {
			if definite(c) && !named(c, diffs) {
				t.Errorf("%s: %s of %s is not named by any difference", a.ID, c.Kind, a.Alter)
			}
		}
		for _, diff := range diffs {
			if diff.reason != "" {
				t.Errorf("%s: %s: cannot tell: %s", a.ID, diff.path, diff.reason)
			}
			if !explained(statement, diff) {
				t.Errorf("%s: %s is no part of %s\n  live    %s\n  desired %s", a.ID, diff.path, a.Alter, show(diff.live), show(diff.desired))
			}
		}
	}
	t.Logf("%d alters: %d found, %d change no text, %d words alone", len(alters), found, unchanged, len(wordsAlone))
}

// definite reports whether a command that was accepted alone leaves a trace of its own: nothing conditional, and nothing a later
// command of the same statement takes back in the corpus.
func definite(c *ast.Command) bool {
	switch c.Kind {
	case ast.AddColumn, ast.DropColumn, ast.RenameColumn, ast.AddIndex, ast.DropIndex, ast.AddProjection, ast.DropProjection, ast.AddConstraint,
		ast.DropConstraint, ast.RemoveTTL, ast.ModifyOrderBy:
		return !c.IfExists && !c.IfNotExists
	}
	return false
}

func named(c *ast.Command, diffs []difference) bool {
	for _, d := range diffs {
		if touches(c, d.path) {
			return true
		}
	}
	return false
}

// explained reports whether a command of the ALTER touches the part of the difference.
func explained(a *ast.Alter, d difference) bool {
	for _, c := range a.Commands {
		if touches(c, d.path) {
			return true
		}
	}
	return false
}

func touches(c *ast.Command, path string) bool {
	path = strings.TrimPrefix(path, "inner_")
	column := func(name string) bool {
		return strings.HasPrefix(path, "column."+ast.QuoteIdent(name)) || strings.HasPrefix(path, "column.`"+name+".")
	}
	switch c.Kind {
	case ast.AddColumn:
		return column(c.Column.Name) || path == "column_order"
	case ast.ModifyColumn:
		return column(c.Column.Name) || path == "column_order" && (c.First || c.After != "")
	case ast.DropColumn, ast.ClearColumn, ast.RemoveFromColumn, ast.ModifyColumnSetting, ast.ResetColumnSetting, ast.AddEnumValues,
		ast.CommentColumn, ast.MaterializeColumn:
		return column(c.Name)
	case ast.RenameColumn: // the new name follows into every expression (case S37)
		return column(c.Name) || column(c.NewName) || !strings.HasPrefix(path, "engine") && !strings.HasPrefix(path, "setting")
	case ast.AddIndex:
		return strings.HasPrefix(path, "index."+ast.QuoteIdent(c.Index.Name))
	case ast.DropIndex, ast.ClearIndex, ast.MaterializeIndex:
		return strings.HasPrefix(path, "index."+ast.QuoteIdent(c.Name))
	case ast.AddProjection:
		return strings.HasPrefix(path, "projection."+ast.QuoteIdent(c.Projection.Name))
	case ast.DropProjection, ast.ClearProjection, ast.MaterializeProjection:
		return strings.HasPrefix(path, "projection."+ast.QuoteIdent(c.Name))
	case ast.AddConstraint:
		return strings.HasPrefix(path, "constraint."+ast.QuoteIdent(c.Constraint.Name))
	case ast.DropConstraint:
		return strings.HasPrefix(path, "constraint."+ast.QuoteIdent(c.Name))
	case ast.AddStatistics, ast.ModifyStatistics, ast.DropStatistics, ast.ClearStatistics, ast.MaterializeStatistics:
		return strings.HasPrefix(path, "column.") && strings.HasSuffix(path, ".statistics")
	case ast.ModifyOrderBy:
		return path == "order_by" || path == "primary_key"
	case ast.ModifySampleBy, ast.RemoveSampleBy:
		return path == "sample_by"
	case ast.ModifyTTL, ast.RemoveTTL, ast.MaterializeTTL:
		return path == "ttl"
	case ast.ModifySetting:
		for _, s := range c.Settings {
			if path == "setting."+ast.QuoteIdent(s.Name) {
				return true
			}
		}
	case ast.ResetSetting:
		for _, name := range c.Names {
			if path == "setting."+ast.QuoteIdent(name) {
				return true
			}
		}
	case ast.ModifyComment:
		return path == "comment"
	case ast.ModifyQuery:
		return path == "query" || strings.HasPrefix(path, "column")
	case ast.ModifyRefresh:
		return strings.HasPrefix(path, "refresh")
	case ast.ModifySecurity:
		return strings.HasPrefix(path, "security")
	}
	return false
}
