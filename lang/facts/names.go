package facts

// The lists of names, in the order of the tables: for suggestions and for messages that say what there is.

// TypeNames returns the names of all data type families, without aliases.
func TypeNames() []string { return values(types[:], typesFolded[:]) }

// FunctionNames returns the canonical names of all functions.
func FunctionNames() []string { return values(functions[:], functionsFolded[:]) }

// TableFunctionNames returns the names of all table functions.
func TableFunctionNames() []string { return values(tableFunctions[:], tableFunctionsFolded[:]) }

// CodecNames returns the names of all column codecs.
func CodecNames() []string { return values(codecs[:]) }

// LayoutNames returns the layouts of dictionaries, in lower case.
func LayoutNames() []string { return values(layouts[:]) }

// SourceNames returns the sources of dictionaries, in lower case.
func SourceNames() []string { return values(sources[:]) }

// EngineNames returns the names of all table engines.
func EngineNames() []string {
	names := make([]string, 0, len(engines))
	for _, e := range engines {
		names = append(names, e.Name)
	}
	return names
}

// SettingNames returns the settings of MergeTree tables that are not obsolete.
func SettingNames() []string {
	names := make([]string, 0, len(mergeTreeSettings))
	for _, s := range mergeTreeSettings {
		if !s.Obsolete {
			names = append(names, s.Name)
		}
	}
	return names
}

func values(tables ...[]name) []string {
	var names []string
	for _, table := range tables {
		for _, n := range table {
			names = append(names, n.value)
		}
	}
	return names
}
