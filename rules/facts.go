package rules

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// A fact is declared here once: its name and type in the rule language, what it says, and how it is found. One about
// the object is found once for a pair of objects, one about the change once for each change.
type fact struct {
	rulelang.Fact
	perChange bool
	find      func(*situation) rulelang.FactValue
}

func declaredFacts() []rulelang.Fact {
	table := factTable()
	declared := make([]rulelang.Fact, len(table))
	for i, f := range table {
		declared[i] = f.Fact
	}
	return declared
}

func truth(yes bool) rulelang.FactValue { return rulelang.FactValue{Truth: rulelang.Answer(yes)} }

func text(s string) rulelang.FactValue { return rulelang.FactValue{Text: s} }

func boolFact(name, doc string, perChange bool, find func(*situation) bool) fact {
	return fact{rulelang.Fact{Name: name, Type: rulelang.Bool, Doc: doc}, perChange,
		func(s *situation) rulelang.FactValue { return truth(find(s)) }}
}

func nameFact(name, doc string, perChange bool, find func(*situation) string) fact {
	return fact{rulelang.Fact{Name: name, Type: rulelang.Name, Doc: doc}, perChange,
		func(s *situation) rulelang.FactValue { return text(find(s)) }}
}

func enumFact(name, doc string, values []string, find func(*situation) string) fact {
	return fact{rulelang.Fact{Name: name, Type: rulelang.Enum, Values: values, Doc: doc}, false,
		func(s *situation) rulelang.FactValue { return text(find(s)) }}
}

// factTable lists every fact. The index of a fact is its place here.
func factTable() []fact {
	return []fact{
		enumFact("platform", "what the definition is rendered for", []string{string(SelfHosted), string(Cloud), string(Embedded)},
			func(s *situation) string { return string(s.options.Platform) }),
		enumFact("scope", "the scope under which the ledger records the object", []string{ScopeNone, ScopeSchema, ScopeSource, ScopeTenant, ScopeOverlay},
			func(s *situation) string { return s.pair.scope() }),
		nameFact("engine", "the family of the live table's engine, of the declared one where none is live", false, (*situation).engine),
		boolFact("allow_drift", "the operator allowed what ClickHouse can change but a pass does not", false,
			func(s *situation) bool { return s.options.AllowDrift }),
		boolFact("has_json", "a declared column's type holds JSON", false,
			func(s *situation) bool { return hasJSON(s.desired) }),
		nameFact("projection_mode", "what the definition sets deduplicate_merge_projection_mode to; empty where it does not", false,
			func(s *situation) string { return setProjectionMode(s.desired) }),
		boolFact("adds_projection", "a declared projection is to be added", false, (*situation).addsProjection),
		boolFact("inlined", "what was created with a function's old body, or an old value of a named collection, keeps it", false,
			func(s *situation) bool { return s.pair.Inlined != "" }),
		nameFact("inlined_in", "the objects that keep it", false,
			func(s *situation) string { return s.pair.Inlined }),
		boolFact("has_inner", "the materialized view writes to an inner table, or is declared to", false,
			func(s *situation) bool { return hasInner(s.live) || hasInner(s.desired) }),
		boolFact("lonely_refresh", "a refresh without APPEND puts another table in the target's place, and of the view's database and the target one is replicated and the other not", false,
			(*situation).lonelyRefresh),
		boolFact("unshared_database", "the cluster has several servers, and each has a live database of the object's for itself: it is not Replicated", false,
			(*situation).unsharedDatabase),
		boolFact("exclusive", "the definition of the role or user says that it has the declared rights and no others", false,
			func(s *situation) bool { _, _, exclusive := rightsOf(s.pair.Desired); return exclusive }),
		boolFact("hides_secret", "the live object holds a hidden value for which the definition supplies none", false,
			func(s *situation) bool { return len(s.hiddenSecrets()) > 0 }),
		nameFact("secrets", "the keys of the hidden values for which the definition supplies none", false,
			func(s *situation) string { return strings.Join(s.hiddenSecrets(), ", ") }),
		boolFact("lacks_values", "the declared named collection has keys whose values are set by hand", false,
			func(s *situation) bool { return len(s.unsupplied()) > 0 }),
		nameFact("unsupplied", "those keys", false,
			func(s *situation) string { return strings.Join(s.unsupplied(), ", ") }),
		boolFact("configured", "a file of the server's configuration defines the live named collection", false,
			func(s *situation) bool { c, ok := s.live.(*ast.NamedCollection); return ok && c.Configured }),
		boolFact("declared_key", "the declared named collection has the key", true,
			func(s *situation) bool { return s.collectionKey() != nil }),
		boolFact("supplied", "the definition has the value of the named collection's key, or says where it comes from", true,
			func(s *situation) bool { k := s.collectionKey(); return k != nil && !k.Hidden() }),
		boolFact("flagged", "the definition says whether the named collection's key may be overridden", true,
			func(s *situation) bool { k := s.collectionKey(); return k != nil && k.Overridable != "" }),
		nameFact(rulelang.NameFact, "the name at the change's path: of the column, the setting, the index", true,
			func(s *situation) string { return s.change.Path.Name }),
		boolFact("setting_known", "the server has this setting", true,
			func(s *situation) bool { known, _ := s.setting(); return known }),
		boolFact("setting_readonly", "the server does not let an ALTER change this setting", true,
			func(s *situation) bool { _, readOnly := s.setting(); return readOnly }),
		boolFact("in_key", "the column is in the live table's sorting, primary, partition or sampling key, or is its engine's sign or version", true, (*situation).inKey),
		boolFact("keeps_key", "the type change leaves the order of stored values what it is", true, (*situation).keepsKey),
		boolFact("in_aggregate_projection", "a live projection that aggregates reads the column", true, (*situation).breaksProjection),
		boolFact("renumbers", "the enum gives another number to a name it has", true, (*situation).renumbers),
		boolFact("is_merge_tree", "the live table's engine is of the MergeTree family", false,
			func(s *situation) bool { return isMergeTree(s.engine()) }),
		boolFact("extends_key", "the declared sorting key is the live one and columns that are not live yet, and this column or key is part of that", true,
			(*situation).extendsKey),
		boolFact("in_dictionary_key", "the attribute is part of the live or the declared key of the dictionary", true, (*situation).inDictionaryKey),
		boolFact("taken_by_nested", "the server takes the added column for one that is there: a Nested of that name, or an element of one", true,
			func(s *situation) bool { return s.nestedTaking() != "" }),
		nameFact("nested_taking", "that live column", true, (*situation).nestedTaking),
		boolFact("perhaps_rename", "a live column that nothing declares has the added column's type", true,
			func(s *situation) bool { return s.renameOf() != "" }),
		nameFact("rename_of", "that live column", true, (*situation).renameOf),
		boolFact("recorded", "the ledger recorded the object, the column or the key as applied", true, (*situation).recorded),
		boolFact("foreign", "a source or the tenants declare the object, and so does the schema or its overlay", false,
			func(s *situation) bool { return s.pair.Recorded != nil && s.pair.Recorded.Foreign }),
		boolFact("taken_out", "the config of a source, or that of the tenants, declared the object and does so no more", false,
			func(s *situation) bool { return s.pair.Recorded != nil && s.pair.Recorded.TakenOut }),
		{rulelang.Fact{Name: "column_kind", Type: rulelang.Enum, Doc: "the kind of the live column",
			Values: []string{plainColumn, string(ast.Default), string(ast.Materialized), string(ast.AliasColumn), string(ast.Ephemeral)}}, true,
			func(s *situation) rulelang.FactValue { return text(s.columnKind()) }},
		boolFact("drops_null", "the column was Nullable and is declared without it", true, (*situation).dropsNull),
		boolFact("has_default", "the declared column has a DEFAULT", true, (*situation).hasDefault),
		nameFact("set_by", "what the live value of a topic's configuration comes from: the topic, or a default of the broker", true, (*situation).setBy),
		boolFact("few_brokers", "the live brokers are fewer than the replicas the topic may have", false, (*situation).fewBrokers),
		nameFact("replicas", "how a topic's replication factor was decided", false, (*situation).replicas),
		boolFact("accept_loss", "the operator accepts the loss of values in this column", true,
			func(s *situation) bool { return s.options.AcceptLoss[s.columnName()] }),
		{rulelang.Fact{Name: "lossless", Type: rulelang.Proof, Doc: "every stored value is the same value in the declared type: by the types, or by a query over the data"}, true,
			func(s *situation) rulelang.FactValue {
				return rulelang.FactValue{Truth: lossless(s.change.Live, s.change.Desired)}
			}},
	}
}

func familyOf(o ast.Object) string {
	switch o := o.(type) {
	case *ast.Table:
		if o.Engine != nil {
			return o.Engine.Name
		}
	case *ast.Database:
		if o.Engine != nil {
			return o.Engine.Name
		}
	case *ast.MaterializedView:
		if o.Inner != nil && o.Inner.Engine != nil {
			return o.Inner.Engine.Name
		}
	}
	return ""
}

func hasJSON(o ast.Object) bool {
	t, ok := o.(*ast.Table)
	if !ok {
		return false
	}
	for _, c := range t.Columns {
		found := false
		c.Type.Walk(func(n *ast.Node) bool {
			found = found || n.Kind == ast.Type && n.Text == "JSON"
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

func hasInner(o ast.Object) bool {
	m, ok := o.(*ast.MaterializedView)
	return ok && m.Inner != nil
}

// projectionMode is the setting without which a projection on a table whose merges drop rows is error 344 (case S62).
const projectionMode = "deduplicate_merge_projection_mode"

func setProjectionMode(o ast.Object) string {
	t, ok := o.(*ast.Table)
	if !ok {
		return ""
	}
	for _, s := range t.Settings {
		if s.Name == projectionMode && s.Value != nil {
			return s.Value.Text
		}
	}
	return ""
}
