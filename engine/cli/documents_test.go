package cli

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// schemaOf is the JSON Schema of what encoding/json makes of a type.
func schemaOf(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	case t.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case t.Kind() == reflect.Struct:
		return structSchema(t)
	case t.Kind() == reflect.String:
		return map[string]any{"type": "string"}
	case t.Kind() == reflect.Bool:
		return map[string]any{"type": "boolean"}
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return map[string]any{"type": "integer"}
	}
	panic("no JSON Schema for " + t.String())
}

func structSchema(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || !f.IsExported() {
			panic(t.String() + "." + f.Name + " has no JSON name")
		}
		properties[name] = schemaOf(f.Type)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// TestTheJSONDocumentsKeepTheirShape guards the contract: a golden file may gain a property and lose none.
func TestTheJSONDocumentsKeepTheirShape(t *testing.T) {
	for name, document := range map[string]any{
		"plan": plan.Document{}, "report": engine.Report{}, "status": engine.Status{}, "inspect": inspection{}, "topics": topics.Report{},
		"demo": demoDocument{}, "version": versions{}, "embedded": running{}, "cluster": runningCluster{}, "grants": engine.Needed{}, "error": failure{},
	} {
		schema := schemaOf(reflect.TypeOf(document))
		schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", "dfe "+name
		schema["properties"].(map[string]any)["version"] = map[string]any{"const": 1}
		got, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		file := filepath.Join("testdata", "schemas", name+".json")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (rewrite with -update and read it in review):\n%s", file, diff)
		}
	}
}
