package rehearsal

import (
	"encoding/xml"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/facts"
)

// Options are those of an embedded engine that is to be the stage for definitions from the server that facts are about:
// it knows the same macros, the clusters that Distributed tables name, and allows what the server allows.
func Options(server *catalog.Facts, definitions []ast.Object) embedded.Options {
	var config strings.Builder
	config.WriteString("<macros>\n")
	for _, name := range slices.Sorted(maps.Keys(server.Macros)) {
		if element.MatchString(name) {
			fmt.Fprintf(&config, "  <%[1]s>%[2]s</%[1]s>\n", name, escape(server.Macros[name]))
		}
	}
	config.WriteString("</macros>\n<remote_servers>\n")
	clusters := map[string]bool{}
	for _, o := range definitions {
		if t, ok := o.(*ast.Table); ok && t.Engine != nil && t.Engine.Name == "Distributed" && len(t.Engine.Args) > 0 {
			clusters[resolve(t.Engine.Args[0].Text, server.Macros)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		if element.MatchString(name) {
			// Nothing listens on port 1: no data is sent anywhere.
			fmt.Fprintf(&config, "  <%[1]s><shard><replica><host>127.0.0.1</host><port>1</port></replica></shard></%[1]s>\n", name)
		}
	}
	config.WriteString("</remote_servers>")
	settings := map[string]string{}
	for name, value := range server.Settings {
		if decides(name) && facts.SessionSetting(name) {
			settings[name] = value
		}
	}
	return embedded.Options{Config: config.String(), Settings: settings}
}

// decides reports a setting of the session by which the server takes a definition or does not, or reads it another way.
func decides(setting string) bool {
	return strings.HasPrefix(setting, "allow_") && setting != "allow_ddl" ||
		slices.Contains([]string{"data_type_default_nullable", "default_table_engine", "flatten_nested"}, setting)
}

// element is a name that XML can have as an element.
var element = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func resolve(text string, macros map[string]string) string {
	for name, value := range macros {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}
