package rulelang_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryFaultIsReportedWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a clean table has none": {`kind cage
set vets = ["ann", "bob"]
predicate calm = not hungry and (open or season == winter)
rule "one" on add animal when calm and keeper in vets -> feed
rule "two" on add, remove animal when not calm -> report because "x"
rule "three" on change animal.diet -> refused unless open then feed and report when tame because "{name} {season}" advice "y"
`, nil},
		"unknown kind": {"kind cgae\n", []string{
			`cage.rules:1:6: Unknown kind: There is no kind of object called "cgae"; there are cage, pond. Did you mean "cage"?`}},
		"unknown words of a pattern": {`kind cage
rule "a" on ad animal -> feed
rule "b" on add animl -> feed
rule "c" on change animal.spices -> feed
rule "d" on change roof.tiles -> none
rule "e" on change object.x -> create
rule "f" on change animal.diet.meat -> feed
rule "g" on add, add lock -> turn
`, []string{
			`cage.rules:2:13: Unknown operation: A change is an add, a remove or a change; ` + "`any`" + ` is all three. Did you mean "add"?`,
			`cage.rules:3:17: Unknown path: A cage has no part called "animl"; it has object, part, animal, lock, roof, label. Did you mean "animal"?`,
			`cage.rules:4:27: Unknown path: A animal has no "spices"; it has species, diet, setting. Did you mean "species"?`,
			`cage.rules:5:25: Unknown path: The roof of a cage is one value and has no "tiles".`,
			`cage.rules:6:27: Unknown path: The object as a whole has no parts in a pattern.`,
			`cage.rules:7:32: Path too long: A path is a part, or a part and one attribute or name.`,
			`cage.rules:8:18: Listed twice: "add" is in this pattern already.`,
		}},
		"actions": {`kind cage
rule "a" on add lock -> trun
rule "b" on add animal -> turn
rule "c" on add roof -> none and feed
rule "d" on add object -> create
rule "e" on remove lock -> refused
rule "f" on any part -> feed
`, []string{
			`cage.rules:2:25: Unknown action: There is no action called "trun"; for a lock there are none, report, refused, turn. Did you mean "turn"?`,
			`cage.rules:3:27: Action does not fit: "turn" is no action for a animal; none, report, refused, feed are.`,
			`cage.rules:4:34: Unknown action: After ` + "`and`" + ` stands ` + "`report`" + `: the change is carried out and reported.`,
			`cage.rules:6:6: Rule without a reason: A rule that ends in "refused" says why: add ` + "`because \"...\"`.",
			`cage.rules:7:25: Action does not fit: "feed" is no action for a part; none, report, refused are.`,
		}},
		"guards": {`kind cage
set vets = ["ann"]
predicate calm = opne
rule "a" on add animal when season -> feed
rule "b" on add animal when season == autumn -> feed
rule "c" on add animal when keeper == ann -> feed
rule "d" on add animal when vets -> feed
rule "e" on add animal when open in vets -> feed
rule "f" on add animal when tame -> feed
rule "g" on add animal when keeper in vet -> feed
rule "h" on add animal when season in vets -> feed
rule "i" on add animal when open == summer -> feed
rule "j" on remove animal -> report because "{nam}"
`, []string{
			`cage.rules:3:18: Unknown fact or predicate: Nothing declares "opne". Did you mean "open"?`,
			`cage.rules:4:29: Guard of a wrong type: "season" is one of a list: compare it with == or !=, or ask whether it is ` + "`in` a set.",
			`cage.rules:5:39: Guard of a wrong type: "season" is one of spring, summer, winter, never "autumn".`,
			`cage.rules:6:39: Guard of a wrong type: "keeper" is a text: write "ann".`,
			`cage.rules:7:29: Guard of a wrong type: "vets" is a set: ask whether a fact is ` + "`in` it.",
			`cage.rules:8:29: Guard of a wrong type: "open" is true or false and is in no set.`,
			`cage.rules:9:29: Proof in a guard: A proof may need the data, and a rule's ` + "`when`" + ` must be clear without it; a proof stands behind ` + "`then ACTION when`.",
			`cage.rules:10:39: Unknown set: No ` + "`set`" + ` above this rule is called "vet". Did you mean "vets"?`,
			`cage.rules:11:39: Guard of a wrong type: "season" is never "ann", which the set holds; it is one of spring, summer, winter.`,
			`cage.rules:12:37: Guard of a wrong type: "open" is true or false and is not compared with "summer".`,
			`cage.rules:13:45: Unknown placeholder: {nam} is no fact; {object}, {path}, {live}, {desired} and every fact are filled in. Did you mean "name"?`,
		}},
		"names": {`kind cage
kind pond
set open = ["x"]
set vets = ["ann", "ann"]
predicate vets = open
predicate not = open
rule "a" on add lock -> turn
rule "a" on remove lock -> turn
rule " " on add roof -> none
`, []string{
			`cage.rules:2:6: Second kind in a file: This file is about kind "cage": each kind has a file of its own.`,
			`cage.rules:3:5: Name of a fact: "open" is a fact; a set or a predicate needs a name of its own.`,
			`cage.rules:4:20: Listed twice: "ann" is in this set already.`,
			`cage.rules:5:11: Name declared twice: "vets" is declared in cage.rules:4,5-9 already.`,
			`cage.rules:6:11: Reserved word: "not" is a word of the language.`,
			`cage.rules:8:6: Law declared twice: A rule of this name is in cage.rules:7,6-9 already.`,
			`cage.rules:9:6: Rule without a law: A rule's name states the law it is.`,
		}},
		"a rule before its kind": {"rule \"a\" on add lock -> turn\nkind cage\n", []string{
			`cage.rules:1:6: Rule without a kind: A rule stands below the ` + "`kind`" + ` of its file, or in a file that one with a kind includes.`}},
		"syntax, and the statements around it are still checked": {`kind cage
rule "a" on add lock when -> turn
rule "b on add lock -> turn
 indented
rule "c" on add lok -> turn
frobnicate
set x = ["a" "b"]
`, []string{
			`cage.rules:2:22: Syntax error in a rule file`,
			`cage.rules:3:6: Syntax error in a rule file`,
			`cage.rules:6:1: Syntax error in a rule file`,
			`cage.rules:7:14: Syntax error in a rule file`,
			`cage.rules:5:17: Unknown path: A cage has no part called "lok"; it has object, part, animal, lock, roof, label. Did you mean "lock"?`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := one(c.text)
			for i := range got {
				if i < len(c.want) && strings.HasSuffix(c.want[i], "Syntax error in a rule file") {
					got[i] = got[i][:min(len(got[i]), len(c.want[i]))]
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIncludesAreCheckedInThePlaceOfTheInclude(t *testing.T) {
	files := map[string]string{
		"cage.rules":   "kind cage\ninclude \"common.rules\"\nrule \"own\" on add lock -> turn\n",
		"pond.rules":   "kind pond\ninclude \"common.rules\"\n",
		"common.rules": "rule \"shared\" on add object -> create\n",
	}
	tables, faults := check(files, "cage.rules", "pond.rules")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for _, table := range tables {
		for _, law := range table.Laws {
			got = append(got, table.Kind+": "+law.Name)
		}
	}
	if diff := cmp.Diff([]string{"cage: shared", "cage: own", "pond: shared"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestALoopOfIncludesIsAFault(t *testing.T) {
	_, faults := check(map[string]string{
		"cage.rules": "kind cage\ninclude \"a.rules\"\n",
		"a.rules":    "include \"b.rules\"\n",
		"b.rules":    "include \"a.rules\"\ninclude \"missing.rules\"\n",
	}, "cage.rules")
	want := []string{
		`b.rules:1:9: Loop of includes: a.rules includes itself: a.rules includes b.rules includes a.rules.`,
		`b.rules:2:9: Included file cannot be read: there is no file "missing.rules".`,
	}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Error(diff)
	}
}

func TestAKindHasOneTable(t *testing.T) {
	_, faults := check(map[string]string{"cage.rules": "kind cage\n", "more.rules": "kind cage\n"}, "cage.rules", "more.rules")
	want := []string{`more.rules:1:6: Kind declared twice: The rules of kind "cage" are in cage.rules:1,6-10 already: a kind has one table.`}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Error(diff)
	}
}
