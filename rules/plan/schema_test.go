package plan_test

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/rules/plan"
)

var update = flag.Bool("update", false, "rewrite the JSON Schema of the document")

// schemaOf is the JSON Schema of a type, by its JSON tags: what is never left out is required.
func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		for i := range t.NumField() {
			name, rest, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			properties[name] = schemaOf(t.Field(i).Type)
			if rest == "" {
				required = append(required, name)
			}
		}
		return map[string]any{"type": "object", "properties": properties, "required": required}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Uint64:
		return map[string]any{"type": "integer"}
	default:
		return map[string]any{"type": "string"}
	}
}

// The schema is a golden file, so that a change of the contract is seen in review.
func TestTheSchemaOfTheDocumentIsTheContract(t *testing.T) {
	schema := schemaOf(reflect.TypeFor[plan.Document]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "dfe plan document, version 1"
	schema["properties"].(map[string]any)["version"] = map[string]any{"const": plan.Version}
	got, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const file = "testdata/plan.schema.json"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the document's schema changed (-recorded +now):\n%s", diff)
	}
}
