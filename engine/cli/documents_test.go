package cli

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/internal/shape"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestTheJSONDocumentsKeepTheirShape guards the contract: a golden file may gain a property and lose none.
func TestTheJSONDocumentsKeepTheirShape(t *testing.T) {
	for name, document := range map[string]any{
		"plan": plan.Document{}, "report": engine.Report{}, "status": engine.Status{}, "inspect": inspection{}, "inspect-out": adopted{}, "topics": topics.Report{},
		"demo": demoDocument{}, "version": versions{}, "embedded": running{}, "cluster": runningCluster{}, "grants": engine.Needed{}, "error": failure{},
	} {
		got, err := shape.Document("dfe "+name, reflect.TypeOf(document))
		if err != nil {
			t.Fatal(err)
		}
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
