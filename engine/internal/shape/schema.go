package shape

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Document is the schema of a document of version 1, indented and with a line feed at its end. It forbids no property:
// later versions gain some. A type that has none, such as a struct with a field without a JSON name, is an error.
func Document(title string, t reflect.Type) ([]byte, error) {
	schema, err := of(t)
	if err != nil {
		return nil, err
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is no struct, and a document is one", t)
	}
	schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", title
	properties["version"] = map[string]any{"const": 1}
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}

// of is the schema of what encoding/json makes of a type. A pointer is as what it points to and a slice as a list, never
// null: a document leaves out what it has not.
func of(t reflect.Type) (map[string]any, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}, nil
	case t.Kind() == reflect.Pointer:
		return of(t.Elem())
	case t.Kind() == reflect.Slice:
		items, err := of(t.Elem())
		return map[string]any{"type": "array", "items": items}, err
	case t.Kind() == reflect.Struct:
		return ofStruct(t)
	case t.Kind() == reflect.String:
		return map[string]any{"type": "string"}, nil
	case t.Kind() == reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return map[string]any{"type": "integer"}, nil
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return map[string]any{"type": "number"}, nil
	}
	return nil, fmt.Errorf("%s has no JSON Schema", t)
}

func ofStruct(t reflect.Type) (map[string]any, error) {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || !f.IsExported() {
			return nil, fmt.Errorf("%s.%s has no JSON name", t, f.Name)
		}
		if name == "-" {
			continue
		}
		property, err := of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		properties[name] = property
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}, nil
}
