package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/lang/rulelang"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

var update = flag.Bool("update", false, "rewrite the decisions and statements of the cases, and rules.txt")

// release is the rule tables of the release.
func release(t testing.TB) *rules.Book {
	t.Helper()
	book, diags := rules.Load(os.DirFS("../stdlib/rules"))
	if diags.HasErrors() {
		if err := hcl.NewDiagnosticTextWriter(os.Stderr, book.Files(), 120, false).WriteDiagnostics(diags); err != nil {
			t.Fatal(err)
		}
		t.Fatal("the rule tables have faults")
	}
	return book
}

func TestTheReleaseDecidesEachCaseAsRecorded(t *testing.T) {
	book := release(t)
	for _, file := range caseFiles(t) {
		t.Run(strings.TrimSuffix(filepath.ToSlash(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := parseCase(file, data)
			if err != nil {
				t.Fatal(err)
			}
			doc := book.Plan(c.pairs(c.live), c.planOptions(c.live))
			decisions, statements := decisionsText(t, doc), statementsText(doc)
			if *update {
				c.setSection("decisions", decisions)
				c.setSection("statements", statements)
				if err := os.WriteFile(file, txtar.Format(c.archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(c.section("decisions"), decisions); diff != "" {
				t.Errorf("decisions (-recorded +now):\n%s", diff)
			}
			if diff := cmp.Diff(c.section("statements"), statements); diff != "" {
				t.Errorf("statements (-recorded +now):\n%s", diff)
			}
		})
	}
}

// decisionsText is the plan as people read it, without the statements, which have a section of their own.
func decisionsText(t *testing.T, doc *plan.Document) string {
	t.Helper()
	shown := *doc
	shown.Statements = nil
	var b strings.Builder
	if err := plan.WriteText(&b, &shown, plan.TextOptions{Rules: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func statementsText(doc *plan.Document) string {
	var b strings.Builder
	for _, s := range doc.Statements {
		if s.Proof != nil {
			fmt.Fprintf(&b, "# only if this finds no row: %s\n", s.Proof.Query)
		}
		fmt.Fprintf(&b, "%s;\n", s.SQL)
	}
	return b.String()
}

func TestEveryRuleOfTheReleaseIsPrinted(t *testing.T) {
	book := release(t)
	var b strings.Builder
	for _, f := range rules.Vocabulary().Facts {
		values := f.Type.String()
		if len(f.Values) > 0 {
			values = strings.Join(f.Values, ", ")
		}
		fmt.Fprintf(&b, "fact %s (%s): %s\n", f.Name, values, f.Doc)
	}
	b.WriteByte('\n')
	for _, kind := range book.Kinds() {
		fmt.Fprintf(&b, "kind %s\n", kind)
		writeDeclarations(t, &b, book, string(kind)+".rules")
		for _, law := range book.Laws(kind) {
			b.WriteString(law.Syntax.String() + "\n")
		}
		b.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile("rules.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("rules.txt (-recorded +now):\n%s", diff)
	}
}

// writeDeclarations prints the sets and predicates that the rules of a file ask for, each on a line.
func writeDeclarations(t *testing.T, b *strings.Builder, book *rules.Book, name string) {
	t.Helper()
	file, diags := rulelang.Parse(name, book.Files()[name].Bytes)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, st := range file.Statements {
		switch {
		case st.Include != nil:
			writeDeclarations(t, b, book, string(st.Include.File.Text))
		case st.Set != nil:
			items := make([]string, len(st.Set.Items))
			for i, item := range st.Set.Items {
				items[i] = item.String()
			}
			fmt.Fprintf(b, "set %s = [%s]\n", st.Set.Name.Text, strings.Join(items, ", "))
		case st.Predicate != nil:
			fmt.Fprintf(b, "predicate %s = %s\n", st.Predicate.Name.Text, st.Predicate.Guard)
		}
	}
}

func TestACaseWithAMissingSectionIsAnError(t *testing.T) {
	whole := "What it shows.\n-- platform --\ncloud\n-- desired.sql --\nCREATE DATABASE a;\n-- live.sql --\n-- decisions --\n-- statements --\n"
	if _, err := parseCase("whole", []byte(whole)); err != nil {
		t.Fatal(err)
	}
	for cut, want := range map[string]string{
		"What it shows.\n":                        "the case does not say what it shows",
		"-- platform --\ncloud\n":                 `section "platform" is missing`,
		"-- desired.sql --\nCREATE DATABASE a;\n": `section "desired.sql" is missing`,
		"-- live.sql --\n":                        `section "live.sql" is missing`,
		"-- decisions --\n":                       `section "decisions" is missing`,
		"-- statements --\n":                      `section "statements" is missing`,
		"CREATE DATABASE a;\n":                    "neither side has an object",
		"cloud\n":                                 `platform "" is not known`,
	} {
		_, err := parseCase("x", []byte(strings.Replace(whole, cut, "", 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %q: got %v, want an error that says %s", cut, err, want)
		}
	}
	for add, want := range map[string]string{
		"-- extra --\n":      `unknown section "extra"`,
		"-- statements --\n": "stands twice",
	} {
		_, err := parseCase("x", []byte(whole+add))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: got %v, want an error that says %s", add, err, want)
		}
	}
}
