package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/cli"
)

// snippet is a block of the README that begins with the name of its file.
var snippet = regexp.MustCompile("(?ms)^```(?:hcl|sql)\n(?:#|--) ([a-z_/-]+\\.(?:hcl|sql))\n(.*?)^```$")

// TestTheTreeOfTheReadmeIsOneAndItsFaultIsShownAsPrinted makes the tree that the README shows, file by file.
func TestTheTreeOfTheReadmeIsOneAndItsFaultIsShownAsPrinted(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{}
	for _, m := range snippet.FindAllStringSubmatch(string(readme), -1) {
		// The line that names the file stays, so that lines count as they do in a reader's editor.
		comment := "# " + m[1] + "\n"
		if strings.HasSuffix(m[1], ".sql") {
			comment = "-- " + m[1] + "\n"
		}
		files[m[1]] = comment + m[2]
	}
	if len(files) != 4 {
		t.Fatalf("the README shows %d files of a tree, want 4", len(files))
	}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		put(name, text)
	}
	dfe(t, nil, "schema", "apply", "--tree", dir, "--embedded", filepath.Join(t.TempDir(), "data")).demand(t, 0, "shop.visits", "shop.top_pages")

	table := "tables/visits.hcl"
	put(table, strings.Replace(files[table], "ReplacingMergeTree", "ReplacingMergTree", 1))
	r := run(t, nil, "schema", "plan", "--tree", dir, "--url", "http://127.0.0.1:1")
	r.demand(t, cli.ExitFailed)
	shown := regexp.MustCompile("(?ms)^```\n(Error: .*?)^```$").FindStringSubmatch(string(readme))
	if shown == nil || !strings.HasPrefix(r.err, shown[1]) {
		t.Errorf("the README shows\n%v\nand it is\n%s", shown, r.err)
	}
}
