package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/cli"
)

// call runs a command line in this process, with an empty environment.
func call(t *testing.T, args ...string) (code int, out, complaint string) {
	t.Helper()
	r := run(t, nil, args...)
	return r.code, r.out, r.err
}

// directory makes a directory with the files.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func shopTree(order string) map[string]string {
	return map[string]string{
		"manifest.hcl": "release = \"1.0.0\"\n\ndatabase \"shop\" {\n  comment = \"A shop\"\n}\n\ntable \"shop.orders\" {\n  from = \"orders.hcl\"\n}\n",
		"orders.hcl":   "column \"id\" { type = \"UInt64\" }\nengine   = \"MergeTree\"\norder_by = " + order + "\ncomment  = \"Orders\"\n",
	}
}

// TestLintTellsByItsExitCode runs lint on trees of each sort, and on what is none.
func TestLintTellsByItsExitCode(t *testing.T) {
	clean, advice, fault := directory(t, shopTree(`"id"`)), directory(t, shopTree("[]")), directory(t, shopTree(`"no"`))
	overlay := directory(t, map[string]string{"manifest.hcl": "release = \"1.0.0\"\nview \"shop.ids\" {\n  from = \"ids.sql\"\n}\n",
		"ids.sql": "CREATE VIEW shop.ids\nAS SELECT *\nFROM shop.orders\nCOMMENT 'Ids'\n"})
	ruled := func(name, text string) string {
		files := shopTree(`"id"`)
		files["rules/"+name] = text
		return directory(t, files)
	}
	core := ruled("table.rules", "kind table\nrule \"a table is created\" on add object -> create\n")
	typo := ruled("table.rules", "kind table\nrule \"a table is created\" on add objekt -> create\n")
	loose := directory(t, map[string]string{"manifest.hcl": "release = \"1.0.0\"\n",
		"rules/table.rules": "kind table\nrule \"a key is changed\" on any order_by -> none\n"})
	foreign := directory(t, map[string]string{"manifest.hcl": "release = \"1.0.0\"\nview \"otel.mine\" {\n  from = \"views/mine.sql\"\n}\n",
		"views/mine.sql": "CREATE VIEW otel.mine\nAS SELECT Body\nFROM otel.otel_logs\nCOMMENT 'Mine'\n"})
	taken := directory(t, map[string]string{"manifest.hcl": "release = \"1.0.0\"\nview \"dfe.open_detections\" {\n  from = \"../mine.sql\"\n}\n"})
	leaving := directory(t, map[string]string{"manifest.hcl": "release = \"1.0.0\"\nview \"otel.mine\" {\n  from = \"../mine.sql\"\n}\n"})
	for _, test := range []struct {
		name string
		code int
		args []string
		says string // on standard output; on standard error where the command fails
	}{
		{"the core release", cli.ExitDone, nil, "nothing to remark"},
		{"a clean tree", cli.ExitDone, []string{"--tree", clean}, "2 objects, nothing to remark"},
		{"advice", cli.ExitDifferences, []string{"--tree", advice}, "DFE205"},
		{"a fault", cli.ExitDifferences, []string{"--tree", fault}, "DFE117"},
		{"an overlay", cli.ExitDifferences, []string{"--tree", clean, "--overlay", overlay}, "DFE281"},
		{"rule tables of its own", cli.ExitDone, []string{"--tree", core}, "nothing to remark"},
		{"a fault in a rule table", cli.ExitDifferences, []string{"--tree", typo}, "rules/table.rules:2:34: error DFE199"},
		{"an overlay that loosens a core rule", cli.ExitDifferences, []string{"--overlay", loose}, "An overlay has rules for kinds of its own alone"},
		{"an overlay in a directory of the core", cli.ExitDifferences, []string{"--overlay", foreign}, "A directory of the core release"},
		{"an overlay with a name of the core", cli.ExitDifferences, []string{"--overlay", taken}, "belongs to the core release"},
		{"an overlay that leaves its directory", cli.ExitDifferences, []string{"--overlay", leaving}, "Path leaves the tree"},
		{"an overlay over a fault", cli.ExitFailed, []string{"--tree", fault, "--overlay", overlay}, "the schema tree cannot be used"},
		{"an empty directory", cli.ExitFailed, []string{"--tree", t.TempDir()}, "nothing to lint"},
		{"an empty overlay", cli.ExitFailed, []string{"--overlay", t.TempDir()}, "nothing to lint"},
		{"no directory", cli.ExitUsage, []string{"--tree", filepath.Join(clean, "none")}, "there is no such directory"},
		{"a file for a directory", cli.ExitUsage, []string{"--tree", filepath.Join(clean, "manifest.hcl")}, "it is no directory"},
		{"an unknown flag", cli.ExitUsage, []string{"--strict"}, "unknown flag"},
		{"an unknown format", cli.ExitUsage, []string{"--format", "html"}, "text or json or sarif"},
		{"an argument", cli.ExitUsage, []string{clean}, "lint"},
		{"a variable that is none", cli.ExitUsage, []string{"--var", "x"}, "name=value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, complaint := call(t, append([]string{"schema", "lint"}, test.args...)...)
			said := out
			if test.code == cli.ExitFailed || test.code == cli.ExitUsage {
				said = complaint
			}
			if code != test.code || !strings.Contains(said, test.says) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, test.code, test.says, out, complaint)
			}
		})
	}
}

// TestMachineFormatsGoAloneToStandardOutput holds that what --format json and sarif print is one document.
func TestMachineFormatsGoAloneToStandardOutput(t *testing.T) {
	dir := directory(t, shopTree("[]"))
	for _, format := range []string{"json", "sarif"} {
		code, out, complaint := call(t, "schema", "lint", "--tree", dir, "--format", format)
		var doc map[string]any
		if err := json.Unmarshal([]byte(out), &doc); err != nil || code != cli.ExitDifferences || complaint != "" || !strings.Contains(out, "DFE205") {
			t.Errorf("%s: exit code %d, %v\n%s%s", format, code, err, out, complaint)
		}
	}
	if code, out, _ := call(t, "schema", "lint", "--tree", t.TempDir(), "--format", "json"); code != cli.ExitFailed || !json.Valid([]byte(out)) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestLintOnTheEngineReportsWhatClickHouseRefuses runs the program with an engine of its own: the core release is taken
// whole, and a default that no offline check looks into is reported at its line.
func TestLintOnTheEngineReportsWhatClickHouseRefuses(t *testing.T) {
	dfe(t, nil, "schema", "lint", "--engine").demand(t, cli.ExitDone, "nothing to remark")
	files := shopTree("\"id\"")
	files["orders.hcl"] = "column \"id\" {\n  type    = \"UInt64\"\n  default = \"toUInt64('x')\"\n}\n" + strings.TrimPrefix(files["orders.hcl"], "column \"id\" { type = \"UInt64\" }\n")
	dir := directory(t, files)
	dfe(t, nil, "schema", "lint", "--tree", dir).demand(t, cli.ExitDone, "nothing to remark")
	dfe(t, nil, "schema", "lint", "--tree", dir, "--engine").demand(t, cli.ExitDifferences, "orders.hcl:3:", "DFE301", "Error 6: ")
}

func TestExplainHasAPageForEachCodeItLists(t *testing.T) {
	code, out, _ := call(t, "schema", "explain")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != cli.ExitDone || len(lines) < 80 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " ")
		if code, page, complaint := call(t, "schema", "explain", strings.ToLower(name)); code != cli.ExitDone || !strings.Contains(page, "## Why it matters") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, page, complaint)
		}
	}
	if code, _, complaint := call(t, "schema", "explain", "DFE9"); code != cli.ExitUsage || !strings.Contains(complaint, "lists them") {
		t.Errorf("exit code %d: %s", code, complaint)
	}
}

// TestFmtWritesWhatIsNotLaidOut runs fmt in its modes over files that are laid out, that are not, and that are broken.
func TestFmtWritesWhatIsNotLaidOut(t *testing.T) {
	files := map[string]string{
		"a.hcl":         "release=\"1.0.0\"\n",
		"views/b.sql":   "create view shop.b as select 1 -- one\n",
		"good.hcl":      "release = \"1.0.0\"\n",
		"notes.txt":     "not   ours\n",
		".git/c.hcl":    "release=\"1.0.0\"\n",
		"rules/t.rules": "kind   table\n",
	}
	want := map[string]string{
		"a.hcl":         "release = \"1.0.0\"\n",
		"views/b.sql":   "CREATE VIEW shop.b\nAS SELECT 1 -- one\n",
		"good.hcl":      files["good.hcl"],
		"notes.txt":     files["notes.txt"],
		".git/c.hcl":    files[".git/c.hcl"],
		"rules/t.rules": "kind table\n",
	}
	dir := directory(t, files)
	changed := strings.Join([]string{filepath.Join(dir, "a.hcl"), filepath.Join(dir, "rules", "t.rules"), filepath.Join(dir, "views", "b.sql")}, "\n") + "\n"

	if code, out, _ := call(t, "schema", "fmt", "--check", dir); code != cli.ExitDifferences || out != changed {
		t.Errorf("--check: exit code %d\n%s", code, out)
	}
	if code, out, _ := call(t, "schema", "fmt", "--diff", dir); code != cli.ExitDone || !strings.Contains(out, "-release=\"1.0.0\"\n+release = \"1.0.0\"\n") {
		t.Errorf("--diff: exit code %d\n%s", code, out)
	}
	if diff := cmp.Diff(files, contents(t, dir)); diff != "" {
		t.Errorf("--check and --diff change nothing (-was +is):\n%s", diff)
	}
	if code, out, _ := call(t, "schema", "fmt", dir); code != cli.ExitDone || out != changed {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +is):\n%s", diff)
	}
	if code, out, _ := call(t, "schema", "fmt", "--check", dir); code != cli.ExitDone || out != "" {
		t.Errorf("--check once more: exit code %d\n%s", code, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.hcl")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the file changed: %v, %v", info.Mode(), err)
	}
}

// contents reads a directory. It finds files that a run left behind, too.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFmtNeverTouchesABrokenFile holds that a broken file is reported with its place, stays as it is, and does not keep
// others from being formatted.
func TestFmtNeverTouchesABrokenFile(t *testing.T) {
	dir := directory(t, map[string]string{"a.sql": "create view v as\n  select (1\n", "b.hcl": "x = {\n", "c.hcl": "x=1\n"})
	code, out, complaint := call(t, "schema", "fmt", dir)
	if code != cli.ExitFailed || !strings.Contains(complaint, "a.sql:2:10: ") || !strings.Contains(complaint, "b.hcl:") || out != filepath.Join(dir, "c.hcl")+"\n" {
		t.Errorf("exit code %d\n%s%s", code, out, complaint)
	}
	want := map[string]string{"a.sql": "create view v as\n  select (1\n", "b.hcl": "x = {\n", "c.hcl": "x = 1\n"}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +is):\n%s", diff)
	}
	code, out, _ = call(t, "schema", "fmt", "--format", "json", "--check", dir)
	var doc struct {
		Version int
		Files   []struct {
			Path, Error string
			Changed     bool
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != cli.ExitFailed || doc.Version != 1 || len(doc.Files) != 3 || doc.Files[0].Error == "" {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
}

func TestFmtOfNothingIsAnError(t *testing.T) {
	for path, want := range map[string]int{t.TempDir(): cli.ExitFailed, filepath.Join(t.TempDir(), "none"): cli.ExitUsage} {
		if code, _, complaint := call(t, "schema", "fmt", path); code != want || !strings.Contains(complaint, "nothing to format") || !strings.Contains(complaint, path) {
			t.Errorf("exit code %d: %s", code, complaint)
		}
	}
	dir := directory(t, map[string]string{"a.txt": "x"})
	if code, _, complaint := call(t, "schema", "fmt", filepath.Join(dir, "a.txt")); code != cli.ExitUsage {
		t.Errorf("exit code %d: %s", code, complaint)
	}
}

func TestTheAuthorsCommandsHaveHelpWithAnExample(t *testing.T) {
	for _, command := range []string{"schema lint", "schema explain", "schema fmt"} {
		run(t, nil, append(strings.Fields(command), "--help")...).demand(t, cli.ExitDone, "Examples:\n  dfe "+command, "--format text|json")
	}
	run(t, nil, "__complete", "schema", "explain", "dfe20").demand(t, cli.ExitDone, "DFE201", "DFE205")
}
