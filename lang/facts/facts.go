package facts

import (
	"sort"
	"strings"
)

// Function is what system.functions says of one function.
type Function struct {
	Name      string // canonical: aliases are resolved, the case is the registered one
	Aggregate bool
}

// Setting is a setting of MergeTree tables, from system.merge_tree_settings.
type Setting struct {
	Name     string
	Type     string // ClickHouse's own name of the type: UInt64, Bool, Seconds, ...
	Default  string // as the server prints it
	ReadOnly bool   // ALTER ... MODIFY SETTING is refused with code 472
	Obsolete bool
}

// Engine is a table engine, from system.table_engines.
type Engine struct {
	Name            string
	Settings        bool // takes a SETTINGS clause
	SkippingIndexes bool
	Projections     bool
	SortOrder       bool // takes ORDER BY or PRIMARY KEY
	TTL             bool
	Replication     bool
}

// Layout is a dictionary layout, from system.dictionary_layouts.
type Layout struct {
	Name    string // lower case, as ClickHouse registers it
	Complex bool   // takes a composite or non-integer key
}

type name struct {
	key   string // what is looked up: the name itself, or in lower case where the case does not matter
	value string // the canonical name
	flags uint16
}

const (
	aggregate uint16 = 1 << iota
	complexLayout
)

func find(table []name, key string) (name, bool) {
	i := sort.Search(len(table), func(i int) bool { return table[i].key >= key })
	if i < len(table) && table[i].key == key {
		return table[i], true
	}
	return name{}, false
}

// findFold looks key up as written and then without regard to case.
func findFold(exact, folded []name, key string) (name, bool) {
	if n, ok := find(exact, key); ok {
		return n, true
	}
	return find(folded, strings.ToLower(key))
}

// TypeName returns the canonical name of a data type family: VARCHAR is String, DOUBLE PRECISION is Float64.
// Parameters stay what they were; the caller drops those an alias does not keep. False: no such family.
func TypeName(s string) (string, bool) {
	n, ok := findFold(types[:], typesFolded[:], s)
	return n.value, ok
}

// FindFunction returns a scalar, aggregate or window function by its name or alias. Aggregate function combinators
// are not resolved here; see [Combinator].
func FindFunction(s string) (Function, bool) {
	n, ok := findFold(functions[:], functionsFolded[:], s)
	return Function{Name: n.value, Aggregate: n.flags&aggregate != 0}, ok
}

// Combinator splits the last aggregate function combinator off a name: sumIf is sum and If. Both are empty where
// the name ends in none.
func Combinator(s string) (base, combinator string) {
	for _, c := range combinators {
		if len(s) > len(c) && strings.HasSuffix(s, c) {
			return s[:len(s)-len(c)], c
		}
	}
	return "", ""
}

// TableFunction reports whether s is a table function, and its registered name.
func TableFunction(s string) (string, bool) {
	n, ok := findFold(tableFunctions[:], tableFunctionsFolded[:], s)
	return n.value, ok
}

// Codec reports whether s is a column codec; codec names are case-sensitive.
func Codec(s string) bool {
	_, ok := find(codecs[:], s)
	return ok
}

// MergeTreeSetting returns a setting of MergeTree tables.
func MergeTreeSetting(s string) (Setting, bool) {
	i := sort.Search(len(mergeTreeSettings), func(i int) bool { return mergeTreeSettings[i].Name >= s })
	if i < len(mergeTreeSettings) && mergeTreeSettings[i].Name == s {
		return mergeTreeSettings[i], true
	}
	return Setting{}, false
}

// FindEngine returns a table engine; engine names are case-sensitive.
func FindEngine(s string) (Engine, bool) {
	i := sort.Search(len(engines), func(i int) bool { return engines[i].Name >= s })
	if i < len(engines) && engines[i].Name == s {
		return engines[i], true
	}
	return Engine{}, false
}

// DictionaryLayout returns a layout by its name in any case.
func DictionaryLayout(s string) (Layout, bool) {
	n, ok := find(layouts[:], strings.ToLower(s))
	return Layout{Name: n.value, Complex: n.flags&complexLayout != 0}, ok
}

// DictionarySource reports whether s names a dictionary source, in any case.
func DictionarySource(s string) bool {
	_, ok := find(sources[:], strings.ToLower(s))
	return ok
}

// Format returns a format of rows by its name in any case, from system.formats.
func Format(s string) (string, bool) {
	n, ok := find(formats[:], strings.ToLower(s))
	return n.value, ok
}

// SessionSetting reports whether s is a setting of sessions and queries.
func SessionSetting(s string) bool {
	_, ok := findSession(s)
	return ok
}

// KeepsSetting reports whether a table of the engine stores the setting written in its SETTINGS clause. A session
// setting that is none of the engine's own only applies to the CREATE statement and is not stored; every other name
// is kept, also one this release does not know.
func KeepsSetting(engine, setting string) bool {
	s, ok := findSession(setting)
	if !ok {
		return true
	}
	if strings.HasSuffix(engine, "MergeTree") {
		_, ok := MergeTreeSetting(setting)
		return ok
	}
	for i, class := range settingClasses {
		for _, e := range strings.Fields(class) {
			if e == engine {
				return s.flags&(1<<i) != 0
			}
		}
	}
	return true
}

func findSession(s string) (name, bool) {
	return find(sessionSettings[:], s)
}

// Version is the ClickHouse version the facts were read from.
func Version() string { return version }
