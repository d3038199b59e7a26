package rules_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/rulelang"
	"github.com/dfe-engine/dfe/rules"
)

// book is the release's own rule tables.
func book(t testing.TB) *rules.Book {
	t.Helper()
	b, diags := rules.Load(os.DirFS("../stdlib/rules"))
	if diags.HasErrors() {
		if err := hcl.NewDiagnosticTextWriter(os.Stderr, b.Files(), 120, false).WriteDiagnostics(diags); err != nil {
			t.Error(err)
		}
		t.Fatal("the release's rule tables have faults")
	}
	return b
}

func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func summaries(diags hcl.Diagnostics) []string {
	var list []string
	for _, d := range diags {
		list = append(list, d.Subject.Filename+": "+d.Summary)
	}
	return list
}

func TestTheReleaseHasRulesForEveryKindItKnows(t *testing.T) {
	b := book(t)
	for _, k := range rules.Vocabulary().Kinds {
		if len(b.Laws(kind(k.Name))) == 0 {
			t.Errorf("kind %s has no rules", k.Name)
		}
	}
}

func TestTheRuleFilesOfTheReleaseAreFormatted(t *testing.T) {
	for name, file := range book(t).Files() {
		parsed, diags := rulelang.Parse(name, file.Bytes)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if diff := cmp.Diff(string(rulelang.Format(parsed)), string(file.Bytes)); diff != "" {
			t.Errorf("%s is not formatted (-formatted +file):\n%s", name, diff)
		}
	}
}

// A name on the list of harmless settings that no server has would be a rule that never does anything.
func TestEveryHarmlessSettingIsOneThatAServerChanges(t *testing.T) {
	file, diags := rulelang.Parse("table.rules", book(t).Files()["table.rules"].Bytes)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	seen := 0
	for _, st := range file.Statements {
		if st.Set == nil || st.Set.Name.Text != "harmless_settings" {
			continue
		}
		for _, item := range st.Set.Items {
			seen++
			setting, known := facts.MergeTreeSetting(string(item.Text))
			switch {
			case !known:
				t.Errorf("%s is no MergeTree setting", item.Text)
			case setting.ReadOnly:
				t.Errorf("%s is read-only", item.Text)
			case setting.Obsolete:
				t.Errorf("%s is obsolete", item.Text)
			}
		}
	}
	if seen == 0 {
		t.Error("there is no list of harmless settings")
	}
}

func TestFaultsOfRuleFilesAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"no file at all":         {map[string]string{"README": "x"}, []string{": No rule tables"}},
		"a file misnamed":        {map[string]string{"tables.rules": "kind table\n"}, []string{"tables.rules: Rule file misnamed"}},
		"two files of one kind":  {map[string]string{"table.rules": "kind table\n", "x.rules": "kind table\n"}, []string{"x.rules: Kind declared twice"}},
		"a missing include":      {map[string]string{"table.rules": "kind table\ninclude \"x.rules\"\n"}, []string{"table.rules: Included file cannot be read"}},
		"an include that climbs": {map[string]string{"table.rules": "kind table\ninclude \"../table.rules\"\n"}, []string{"table.rules: Included file cannot be read"}},
		"a loop":                 {map[string]string{"table.rules": "kind table\ninclude \"x.rules\"\n", "x.rules": "include \"x.rules\"\n"}, []string{"x.rules: Loop of includes"}},
		"an unknown kind":        {map[string]string{"tabel.rules": "kind tabel\n"}, []string{"tabel.rules: Unknown kind"}},
		"a fault in a library":   {map[string]string{"table.rules": "kind table\n", "x.rules": "rule x\n"}, []string{"x.rules: Syntax error in a rule file"}},
	} {
		t.Run(name, func(t *testing.T) {
			b, diags := rules.Load(files(c.files))
			if diff := cmp.Diff(c.want, summaries(diags)); diff != "" {
				t.Error(diff)
			}
			if len(b.Kinds()) > 0 {
				t.Error("a book with faults decides nothing")
			}
		})
	}
}

func TestAnOverlayHasRulesForKindsOfItsOwnAlone(t *testing.T) {
	core, diags := rules.Load(files(map[string]string{"table.rules": "kind table\nrule \"a\" on add object -> create\n"}))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	same, refused, diags := core.Extend(files(map[string]string{"table.rules": "kind table\nrule \"b\" on any setting -> modify-setting\n"}))
	if diags.HasErrors() || len(refused) != 1 || refused[0].Kind != ast.KindTable {
		t.Fatalf("%v, refused %v", diags, refused)
	}
	if diff := cmp.Diff([]string{"table.rules: Rules for a core kind"}, summaries(hcl.Diagnostics{refused[0].Fault})); diff != "" {
		t.Error(diff)
	}
	if laws := same.Laws(ast.KindTable); len(laws) != 1 || laws[0].Name != "a" {
		t.Errorf("the release's laws are now %v", laws)
	}
	more, _, diags := core.Extend(files(map[string]string{"view.rules": "kind view\nrule \"b\" on add object -> create\n"}))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var names []string
	for _, k := range more.Kinds() {
		names = append(names, string(k))
	}
	if got := strings.Join(names, " "); got != "table view" {
		t.Errorf("the kinds are %q", got)
	}
	if len(core.Kinds()) != 1 {
		t.Error("extending a book changed it")
	}
}

// A fact nobody asks for is a promise nobody tests.
func TestEveryDeclaredFactIsAskedForByARule(t *testing.T) {
	asked := map[string]bool{}
	b := book(t)
	for _, file := range b.Files() {
		for _, f := range rules.Vocabulary().Facts {
			if regexp.MustCompile(`\b` + f.Name + `\b`).Match(file.Bytes) {
				asked[f.Name] = true
			}
		}
	}
	for _, f := range rules.Vocabulary().Facts {
		if !asked[f.Name] {
			t.Errorf("no rule asks for %s", f.Name)
		}
		if f.Doc == "" {
			t.Errorf("%s is not explained", f.Name)
		}
	}
}
