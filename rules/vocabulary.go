package rules

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// Vocabulary is the words of the rule tables: the parts of each kind as package ast lays them out, the actions the
// planner can carry out on each, and the declared facts.
func Vocabulary() *rulelang.Vocabulary {
	words := &rulelang.Vocabulary{
		Actions:       []string{string(None), string(Report), string(Refused)},
		ObjectActions: actions(Create, CreateTopic),
		Facts:         declaredFacts(),
		Kinds: []rulelang.KindWords{
			{Name: string(ast.KindDatabase), Parts: []rulelang.PartWords{enginePart(""), {Name: "setting", Named: true}, commentPart()}},
			{Name: string(ast.KindTable), Parts: append(append([]rulelang.PartWords{columnPart(AddColumn, ModifyColumn, ModifyComment, ModifyTTL)},
				storageParts("", true)...), append(targetParts(), commentPart())...)},
			{Name: string(ast.KindView), Parts: []rulelang.PartWords{
				columnPart(ReplaceView), onePart("column_order", ReplaceView), onePart("aliases", ReplaceView), onePart("query", ReplaceView),
				securityPart(ReplaceView), commentPart(ReplaceView)}},
			{Name: string(ast.KindMaterializedView), Parts: append([]rulelang.PartWords{
				columnPart(), onePart("column_order"), onePart("to"),
				{Name: "refresh", Attrs: []string{"schedule", "offset", "randomize", "depends_on", "append", "setting"}},
				onePart("query"), securityPart(), commentPart()}, storageParts("inner_", false)...)},
			{Name: string(ast.KindDictionary), Parts: []rulelang.PartWords{
				{Name: "attribute", Named: true, Actions: actions(ReplaceDictionary),
					Attrs: []string{"type", "default", "expression", "hierarchical", "bidirectional", "injective", "is_object_id"}},
				onePart("attribute_order", ReplaceDictionary), onePart("primary_key", ReplaceDictionary),
				{Name: "source", Attrs: []string{"kind"}, Open: true, Actions: actions(ReplaceDictionary)},
				{Name: "layout", Attrs: []string{"kind"}, Open: true, Actions: actions(ReplaceDictionary)},
				{Name: "lifetime", Attrs: []string{"min", "max"}, Actions: actions(ReplaceDictionary)},
				{Name: "range", Attrs: []string{"min", "max"}, Actions: actions(ReplaceDictionary)},
				{Name: "setting", Named: true, Actions: actions(ReplaceDictionary)}, commentPart(ReplaceDictionary)}},
			{Name: string(ast.KindFunction), Parts: []rulelang.PartWords{onePart("body", ReplaceFunction)}},
			{Name: string(ast.KindNamedCollection), Parts: []rulelang.PartWords{
				{Name: "key", Named: true, Attrs: []string{"value", "overridable"}, Actions: actions(ReplaceCollection)}}},
			{Name: string(ast.KindRole), Parts: append(profileParts(), rightParts()...)},
			{Name: string(ast.KindUser), Parts: append(append(profileParts(), rightParts()...),
				onePart("authentication"), onePart("hosts", ReassertGrant), onePart("default_roles", ReassertGrant),
				onePart("default_database", ReassertGrant), onePart("grantees", ReassertGrant))},
			{Name: string(ast.KindSettingsProfile), Parts: append(profileParts(), onePart("to", ReassertGrant))},
			{Name: string(ast.KindQuota), Parts: []rulelang.PartWords{
				onePart("key", ReassertGrant), onePart("ipv4_prefix_bits", ReassertGrant), onePart("ipv6_prefix_bits", ReassertGrant),
				{Name: "interval", Named: true, Attrs: append([]string{"randomized"}, ast.QuotaLimits()...), Actions: actions(ReassertGrant)},
				onePart("to", ReassertGrant)}},
			{Name: string(ast.KindRowPolicy), Parts: []rulelang.PartWords{
				onePart("filter", ReassertGrant), onePart("as", ReassertGrant), onePart("to", ReassertGrant)}},
			{Name: string(ast.KindGrant), Parts: rightParts()},
			{Name: string(ast.KindTopic), Parts: []rulelang.PartWords{onePart("partitions"), onePart("replication_factor"), onePart("landing"),
				onePart("dead_letter"), {Name: "config", Named: true}}},
		},
	}
	// A clause that no parser reads is part of every kind and is changed by no action.
	for i := range words.Kinds {
		words.Kinds[i].Parts = append(words.Kinds[i].Parts, rulelang.PartWords{Name: "unread", Named: true})
	}
	return words
}

func actions(list ...Action) []string {
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = string(a)
	}
	return words
}

func onePart(name string, fitting ...Action) rulelang.PartWords {
	return rulelang.PartWords{Name: name, Actions: actions(fitting...)}
}

func commentPart(fitting ...Action) rulelang.PartWords {
	return onePart("comment", append(fitting, ModifyComment)...)
}

func columnPart(fitting ...Action) rulelang.PartWords {
	return rulelang.PartWords{Name: "column", Named: true, Actions: actions(fitting...),
		Attrs: []string{"type", "kind", "default", "codec", "statistics", "ttl", "setting", "collation", "primary_key", "comment"}}
}

func enginePart(prefix string) rulelang.PartWords {
	return rulelang.PartWords{Name: prefix + "engine", Attrs: []string{"family", "args", "replication"}}
}

// targetParts are the parts of the tables that a TimeSeries table spreads its data over. No action changes them.
func targetParts() []rulelang.PartWords {
	var parts []rulelang.PartWords
	for _, kind := range []string{"samples", "tags", "metrics"} {
		column := columnPart()
		column.Name = kind + "_column"
		parts = append(append(parts, onePart(kind), column), storageParts(kind+"_", false)...)
	}
	return slices.DeleteFunc(parts, func(p rulelang.PartWords) bool { return strings.HasSuffix(p.Name, "_structure") })
}

func securityPart(fitting ...Action) rulelang.PartWords {
	return rulelang.PartWords{Name: "security", Attrs: []string{"mode", "definer"}, Actions: actions(fitting...)}
}

// storageParts are the parts of a table besides columns and comment. The planner alters those of a table; the inner
// table of a materialized view, with "inner_" before each name, it never touches.
func storageParts(prefix string, altered bool) []rulelang.PartWords {
	fitting := func(list ...Action) []string {
		if !altered {
			return nil
		}
		return actions(list...)
	}
	parts := []rulelang.PartWords{
		enginePart(prefix),
		{Name: "index", Named: true, Attrs: []string{"expr", "type", "granularity"}, Actions: fitting(AddIndex)},
		{Name: "projection", Named: true, Attrs: []string{"query", "index", "type", "setting"}, Actions: fitting(AddProjection)},
		{Name: "constraint", Named: true, Attrs: []string{"kind", "expr"}},
		{Name: "structure"}, {Name: "partition_by"}, {Name: "primary_key"}, {Name: "order_by"}, {Name: "sample_by"},
		{Name: "unique_key"},
		{Name: "ttl", Actions: fitting(ModifyTTL)},
		{Name: "setting", Named: true, Actions: fitting(ModifySetting, ResetSetting)},
	}
	for i := range parts[1:] {
		parts[i+1].Name = prefix + parts[i+1].Name
	}
	if altered {
		parts = append(parts, rulelang.PartWords{Name: "column_order"})
	}
	return parts
}

// profileParts are the settings of a role, a user or a settings profile.
func profileParts() []rulelang.PartWords {
	return []rulelang.PartWords{
		{Name: "setting", Named: true, Attrs: []string{"value", "min", "max", "writability"}, Actions: actions(ReassertGrant)},
		onePart("inherit", ReassertGrant)}
}

// rightParts are what somebody is granted: privileges, roles, and what is denied again.
func rightParts() []rulelang.PartWords {
	return []rulelang.PartWords{
		{Name: "grant", Named: true, Actions: actions(ReassertGrant)},
		{Name: "revoke", Named: true, Actions: actions(ReassertGrant)},
		{Name: "role", Named: true, Actions: actions(ReassertGrant)}}
}
