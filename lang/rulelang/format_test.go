package rulelang_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/rulelang"
)

func TestAFileHasOneForm(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"comments stay with their statements": {
			"# head\n\nkind   cage   # tail\n# why\nset s=[ # first\n  # above\n  \"a\" , # after\n  \"b\"\n]\n# end\n",
			"# head\n\nkind cage # tail\n\n# why\nset s = [\n    # first\n    # above\n    \"a\", # after\n    \"b\",\n]\n\n# end\n"},
		"a long rule is cut at its clauses": {
			"rule \"a long law that says what it does\" on add,remove animal.diet when (open or not(hungry)) and keeper not in vets -> refused unless open then feed and report when tame saying \"so\" because \"a reason\" advice \"what to do\"\n",
			"rule \"a long law that says what it does\"\n    on add, remove animal.diet when (open or not (hungry)) and keeper not in vets -> refused unless open then feed and report when tame saying \"so\"\n    because \"a reason\"\n    advice \"what to do\"\n"},
		"comments inside a rule move above it": {
			"rule \"a\" # one\n  # two\n  on add lock\n  -> turn # three\n",
			"# one\n# two\nrule \"a\" on add lock -> turn # three\n"},
		"comparisons": {
			"predicate p=season!=winter or keeper==\"ann \\\"x\\\"\" and open==false\n",
			"predicate p = season != winter or keeper == \"ann \\\"x\\\"\" and open == false\n"},
		"a short set stands on a line": {"set s = [\n \"a\",\n \"b\" ]\n", "set s = [\"a\", \"b\"]\n"},
		"an empty set":                 {"set s = [ # none\n]\n", "# none\nset s = []\n"},
		"only comments":                {"# a\n\n\n# b\n", "# a\n\n# b\n"},
		"nothing":                      {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file, faults := rulelang.Parse("x.rules", []byte(c.text))
			if faults.HasErrors() {
				t.Fatal(faults)
			}
			got := string(rulelang.Format(file))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			again, faults := rulelang.Parse("x.rules", []byte(got))
			if faults.HasErrors() {
				t.Fatal(faults)
			}
			if diff := cmp.Diff(got, string(rulelang.Format(again))); diff != "" {
				t.Errorf("formatting twice changes the text: %s", diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("kind cage\nset s = [\"a\", # x\n]\npredicate p = not (open or season == winter)\n")
	f.Add("rule \"a\" on add, change lock.x when p and name in s -> refused unless open then turn when tame because \"{name}\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, faults := rulelang.Parse("x.rules", []byte(text))
		if faults.HasErrors() {
			return
		}
		rulelang.Check([]*rulelang.File{file}, zoo(), func(string, string) (*rulelang.File, error) { return file, nil })
		printed := rulelang.Format(file)
		again, faults := rulelang.Parse("x.rules", printed)
		if faults.HasErrors() {
			t.Fatalf("%q prints as %q, which cannot be read: %v", text, printed, faults)
		}
		if twice := rulelang.Format(again); string(twice) != string(printed) {
			t.Fatalf("%q prints as %q and then as %q", text, printed, twice)
		}
	})
}
