package tree_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/tree"
)

func printed(t *testing.T, files fstest.MapFS, color bool, width int) string {
	t.Helper()
	tr, diags := tree.Load(files, tree.Options{})
	var out bytes.Buffer
	if err := tree.WriteDiagnostics(&out, tr.Files(), diags, color, width); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func manifestWith(line string) fstest.MapFS {
	return fstest.MapFS{"manifest.hcl": {Data: []byte("release = \"1.0.0\"\n" + line + "\n")}}
}

func TestALongSourceLineIsCutAroundTheFault(t *testing.T) {
	line := `database "d" { comment = "` + strings.Repeat("x", 200) + `${var.lost}` + strings.Repeat("y", 200) + `" }`
	got := printed(t, manifestWith(line), false, 60)
	want := `Error: Unknown variable "lost"
  on manifest.hcl:2:229
    2 | …xxxxxxxxxxxxxx${var.lost}yyyyyyyyyyyyyyyyyyyyyyyyy…
      |                  ^^^^^^^^
  Nothing declares a variable "lost".
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 60 {
			t.Errorf("a line of %d characters: %q", n, line)
		}
	}
}

func TestAHostileSourceDoesNotSteerTheTerminal(t *testing.T) {
	got := printed(t, manifestWith("database \"d\" { coment = \"\x1b[2J\u009b\x07\" }"), true, 0)
	plain := strings.NewReplacer("\x1b[1;31m", "", "\x1b[1m", "", "\x1b[0m", "").Replace(got)
	if strings.ContainsAny(plain, "\x1b\x07\u009b") {
		t.Errorf("control characters came through: %q", plain)
	}
}

func TestATabBeforeAFaultKeepsTheMarkUnderIt(t *testing.T) {
	got := printed(t, manifestWith("database \"d\" {\n\tcoment = \"x\"\n}"), false, 0)
	if !strings.Contains(got, "    3 | \tcoment = \"x\"\n      | \t^^^^^^\n") {
		t.Errorf("%s", got)
	}
}

func TestDiagnosticsAreDataForMachines(t *testing.T) {
	tr, diags := tree.Load(manifestWith(`database "d" { coment = "x" }`), tree.Options{Variables: map[string]string{"x": "1"}})
	want := []tree.Diagnostic{
		{Severity: "error", Code: tree.CodeVariable, Summary: `Unknown variable "x"`, Detail: `A value was given for "x", which the manifest does not declare.`},
		{
			Severity: "error", Code: tree.CodeUnknown, Summary: `Unknown attribute "coment"`,
			Detail: `A manifest entry of kind database takes the attributes comment, engine, for_each, name and settings. Did you mean "comment"?`,
			File:   "manifest.hcl", Line: 2, Column: 16, EndLine: 2, EndColumn: 22, Source: `database "d" { coment = "x" }`,
		},
	}
	if diff := cmp.Diff(want, tree.Plain(tr.Files(), diags)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
