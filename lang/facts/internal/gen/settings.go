package main

import (
	"fmt"
	"strconv"
	"strings"
)

// probes are engines by the session settings a table of theirs stores: the server is asked once for each, with every
// session setting in one SETTINGS clause. Engines that store none share one class. What needs a server behind it to
// be created cannot be probed; KeepsSetting keeps every setting of those.
var probes = []struct{ engines, create string }{
	{"Memory Log StripeLog TinyLog EmbeddedRocksDB Null Executable ExecutablePool Redis MongoDB SQLite", "Memory"},
	{"Set", "Set"},
	{"Join", "Join(ANY, LEFT, a)"},
	{"Kafka", "Kafka('h:1', 't', 'g', 'CSV')"},
	{"MySQL", "MySQL('h:1', 'd', 't', 'u', 'p')"},
	{"File", "File(CSV)"},
	{"URL", "URL('http://localhost:1/x.csv', CSV)"},
	{"S3 GCS COSN OSS", "COSN('http://localhost:1/bucket/x.csv', 'CSV')"},
	{"Distributed Remote RemoteSecure", "Remote('localhost:1', 'd', 't')"},
	{"PostgreSQL", "PostgreSQL('h:1', 'd', 't', 'u', 'p')"},
}

func (g *generator) mergeTree() error {
	rows, err := g.query("SELECT name, type, default, readonly, is_obsolete FROM system.merge_tree_settings ORDER BY name")
	if err != nil {
		return err
	}
	g.printf("var mergeTreeSettings = [...]Setting{\n")
	for _, r := range rows {
		g.printf("{%q, %q, %q, %t, %t},\n", r[0], r[1], r[2], r[3] == "1", r[4] == "1")
	}
	g.printf("}\n\n")
	return nil
}

func (g *generator) session() error {
	session, err := g.query("SELECT name, value FROM system.settings ORDER BY name")
	if err != nil {
		return err
	}
	flags := make(map[string]int, len(session))
	g.printf("var settingClasses = [...]string{\n")
	for i, probe := range probes {
		g.printf("%q,\n", probe.engines)
		kept, err := g.keptBy(probe.create, session)
		if err != nil {
			return err
		}
		for _, name := range kept {
			flags[name] |= 1 << i
		}
	}
	g.printf("}\n\n")
	entries := make([]entry, 0, len(session))
	for _, r := range session {
		entries = append(entries, entry{r[0], "", strconv.Itoa(flags[r[0]])})
	}
	g.table("sessionSettings", entries)
	return nil
}

// keptBy creates a table with every session setting at its current value and returns the names the stored text has.
func (g *generator) keptBy(engine string, session [][]string) ([]string, error) {
	var settings []string
	for _, r := range session { // the obsolete ones too: an engine over files stores them like any other of a format
		settings = append(settings, fmt.Sprintf("%s = '%s'", r[0], strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`).Replace(r[1])))
	}
	for _, sql := range []string{
		"DROP TABLE IF EXISTS default.facts_probe",
		"CREATE TABLE default.facts_probe (a UInt64, b String) ENGINE = " + engine + " SETTINGS " + strings.Join(settings, ", "),
	} {
		if err := g.exec(sql); err != nil {
			return nil, err
		}
	}
	rows, err := g.query("SELECT arrayJoin(extractAll(substring(create_table_query, position(create_table_query, 'SETTINGS')), '(\\\\w+) = ')) " +
		"FROM system.tables WHERE database = 'default' AND name = 'facts_probe' AND create_table_query LIKE '%SETTINGS%'")
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, r := range rows {
		kept = append(kept, r[0])
	}
	return kept, g.exec("DROP TABLE default.facts_probe")
}
