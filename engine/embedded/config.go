package embedded

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeConfig writes the engine's configuration files into dir. A file is always
// given: without one the engine would read config.xml of the working directory.
//
// There is no logger in it. Without one the engine is silent; with one, even at
// level none, it writes every failed statement's stack trace to standard error.
func writeConfig(dir string, o Options) error {
	users := o.Users
	if users == "" {
		users = usersOf(o.MaxThreads, o.Settings, o.access)
	}
	config := fmt.Sprintf(`<clickhouse>
  <users_config>%s</users_config>
  <max_server_memory_usage>%d</max_server_memory_usage>
  <max_server_memory_usage_to_ram_ratio>0.8</max_server_memory_usage_to_ram_ratio>
  <mark_cache_size>67108864</mark_cache_size>
  <index_mark_cache_size>16777216</index_mark_cache_size>
  <mmap_cache_size>100</mmap_cache_size>
  <compiled_expression_cache_size>33554432</compiled_expression_cache_size>
  <background_schedule_pool_size>16</background_schedule_pool_size>
%s
</clickhouse>
`, escape(filepath.Join(dir, "users.xml")), o.MaxMemory, o.Config)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	for _, file := range []struct{ name, text string }{{"users.xml", users}, {"config.xml", config}} {
		// The engine does not say what is wrong with a file, so we do.
		if err := wellFormed(file.text); err != nil {
			return fmt.Errorf("embedded engine: %s: %w", file.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, file.name), []byte(file.text), 0o600); err != nil {
			return fmt.Errorf("embedded engine: %w", err)
		}
	}
	return nil
}

// usersOf is users.xml for the user default, with more settings of his own, and
// the kept objects.
func usersOf(threads int, settings map[string]string, a AccessConfig) string {
	var more strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&more, "      <%[1]s>%[2]s</%[1]s>\n", name, escape(settings[name]))
	}
	return fmt.Sprintf(usersText, threads, more.String(), a.Profiles, a.Default, a.Users, a.Roles, a.Quotas)
}

// usersText is the user default with everything granted, and what an [Access]
// keeps. implicit_select, which clickhouse-local switches on, is off as on a
// server: a statement that is no statement is a syntax error, not a SELECT.
const usersText = `<clickhouse>
  <profiles>
    <default>
      <max_threads>%d</max_threads>
      <implicit_select>0</implicit_select>
%s    </default>
%s
  </profiles>
  <users>
    <default>
      <password></password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <access_management>1</access_management>
      <named_collection_control>1</named_collection_control>
      <show_named_collections>1</show_named_collections>
      <show_named_collections_secrets>1</show_named_collections_secrets>
%s
    </default>
%s
  </users>
  <roles>
%s
  </roles>
  <quotas><default></default>
%s
  </quotas>
</clickhouse>
`

func wellFormed(text string) error {
	var any struct {
		Inner []byte `xml:",innerxml"`
	}
	return xml.Unmarshal([]byte(text), &any)
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}
