package lint_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/rules/lint"
)

// TestWhatAServerTookIsNoError lints each object of the shared corpus alone. A server with default settings accepted every
// one of them, so that a finding that says it refuses one is false.
func TestWhatAServerTookIsNoError(t *testing.T) {
	path := filepath.Join("shared", "corpus", "ddl_pairs.jsonl")
	var file *os.File
	for range 6 {
		path = filepath.Join("..", path)
		if open, err := os.Open(path); err == nil {
			file = open
			break
		}
	}
	if file == nil {
		t.Skip("the shared corpus is not beside the repository")
	}
	defer file.Close()
	kinds := map[string]string{"TABLE": "table", "VIEW": "view", "MATERIALIZED VIEW": "materialized_view", "DICTIONARY": "dictionary"}
	fired := map[lint.Code]int{}
	objects := 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var p struct{ ID, Kind, DB, Name, Live string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(p.DB+p.Name, "\"\\$%`.") || p.DB == "default" {
			continue
		}
		manifest := "release = \"1.0.0\"\ndatabase \"" + p.DB + "\" {}\n" + kinds[p.Kind] + " \"" + p.DB + "." + p.Name + "\" {\n  from = \"o.sql\"\n}\n"
		_, found := load(map[string]string{"manifest.hcl": manifest, "o.sql": p.Live})
		objects++
		for _, f := range found {
			fired[f.Code]++
			// The corpus was made with allow_suspicious_low_cardinality_types and allow_suspicious_codecs, which takes what
			// DFE252 and DFE253 are about, and Gorilla on integers.
			suspicious := f.Code == "DFE232" || f.Code == "DFE252" || f.Code == "DFE253" || f.Code == "DFE251" && strings.Contains(f.Summary, "Gorilla")
			if f.Severity == lint.Error && f.Code >= "DFE200" && !suspicious {
				t.Errorf("%s: %s\n%s", p.ID, f, p.Live)
			}
		}
	}
	t.Logf("%d objects: %v", objects, fired)
	if objects < 3000 {
		t.Errorf("only %d objects were linted", objects)
	}
}
