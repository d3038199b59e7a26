package rulelang_test

import (
	"strconv"
	"strings"
	"testing"
)

func TestARuleThatCanNeverMatchIsAFault(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		dead  string // the law that is reported; "" for none
	}{
		"below the same pattern":               {`rule "a" on add lock -> turn` + "\n" + `rule "b" on add lock -> none`, "b"},
		"below a wider pattern":                {`rule "a" on any lock -> turn` + "\n" + `rule "b" on add lock.front -> none`, "b"},
		"below a wider part":                   {`rule "a" on change animal -> feed` + "\n" + `rule "b" on any animal.diet -> none`, "b"},
		"beside another name":                  {`rule "a" on add lock.front -> turn` + "\n" + `rule "b" on add lock.back -> none`, ""},
		"a part against the name inside":       {`rule "a" on add lock.front -> turn` + "\n" + `rule "b" on add lock -> none`, ""},
		"an attribute is no whole part":        {`rule "a" on add animal -> feed` + "\n" + `rule "b" on add animal.diet -> none`, ""},
		"another operation":                    {`rule "a" on add lock -> turn` + "\n" + `rule "b" on remove lock -> none`, ""},
		"by a weaker guard":                    {`rule "a" on add lock when open -> turn` + "\n" + `rule "b" on add lock when open and hungry -> none`, "b"},
		"not by a stronger guard":              {`rule "a" on add lock when open and hungry -> turn` + "\n" + `rule "b" on add lock when open -> none`, ""},
		"by two guards together":               {`rule "a" on add lock when open -> turn` + "\n" + `rule "b" on add lock when not open -> none` + "\n" + `rule "c" on add lock when hungry -> none`, "c"},
		"by two operations together":           {`rule "a" on add lock -> turn` + "\n" + `rule "b" on remove, change lock -> none` + "\n" + `rule "c" on any lock -> none`, "c"},
		"by every value of an enum":            {`rule "a" on add lock when season == winter or season == spring -> turn` + "\n" + `rule "b" on add lock when season == summer -> none` + "\n" + `rule "c" on add lock -> none`, "c"},
		"not by some values of an enum":        {`rule "a" on add lock when season == winter -> turn` + "\n" + `rule "b" on add lock when season != winter -> none`, ""},
		"by a set that holds another":          {"set big = [\"x\", \"y\"]\nset small = [\"x\"]\n" + `rule "a" on add lock when keeper in big -> turn` + "\n" + `rule "b" on add lock when keeper in small -> none`, "b"},
		"not by a set inside":                  {"set big = [\"x\", \"y\"]\nset small = [\"x\"]\n" + `rule "a" on add lock when keeper in small -> turn` + "\n" + `rule "b" on add lock when keeper in big -> none`, ""},
		"a text has more values than are said": {"set big = [\"x\", \"y\"]\n" + `rule "a" on add lock when keeper in big -> turn` + "\n" + `rule "b" on add lock when keeper not in big -> turn` + "\n" + `rule "c" on add lock when keeper == "z" -> none`, "c"},
		"the name of a pattern is a fact":      {"set front = [\"door\"]\n" + `rule "a" on add lock when name in front -> turn` + "\n" + `rule "b" on add lock.door -> none`, "b"},
		"the name of a pattern misses":         {"set front = [\"door\"]\n" + `rule "a" on add lock when name not in front -> turn` + "\n" + `rule "b" on add lock.door -> none`, ""},
		"by a predicate":                       {"predicate calm = open or not hungry\n" + `rule "a" on add lock when calm -> turn` + "\n" + `rule "b" on add lock when not hungry -> none`, "b"},
		"a guard that is never true":           {`rule "a" on add lock when open and not open -> turn`, "a"},
		"an open part has other attributes":    {`rule "a" on any label.kind -> none` + "\n" + `rule "b" on change label -> none`, ""},
		"the object":                           {`rule "a" on any object -> none` + "\n" + `rule "b" on remove object -> none`, "b"},
		"every part":                           {`rule "a" on any part -> none` + "\n" + `rule "b" on add animal.diet -> none`, "b"},
		"every part but one":                   {`rule "a" on any lock -> turn` + "\n" + `rule "b" on any part -> none`, ""},
		"every part by its parts":              {`rule "a" on any animal -> feed` + "\n" + `rule "b" on any lock -> turn` + "\n" + `rule "c" on any roof -> none` + "\n" + `rule "d" on any label -> none` + "\n" + `rule "e" on any part -> none`, "e"},
		"every part is not the object":         {`rule "a" on any part -> none` + "\n" + `rule "b" on any object -> none`, ""},
		"a family of attributes":               {`rule "a" on any animal.setting -> feed` + "\n" + `rule "b" on change animal -> none` + "\n" + `rule "c" on add animal.setting -> none`, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := one("kind cage\n" + c.rules + "\n")
			got := strings.Join(faults, "\n")
			if c.dead == "" {
				if got != "" {
					t.Error(got)
				}
				return
			}
			if len(faults) != 1 || !strings.Contains(got, "Rule can never match") {
				t.Fatalf("want %q reported as dead, got:\n%s", c.dead, got)
			}
			tables, _ := one("kind cage\n" + c.rules + "\n")
			laws := tables[0].Laws
			if last := laws[len(laws)-1]; last.Name != c.dead || !strings.HasPrefix(got, last.Range.Filename+":"+strconv.Itoa(last.Range.Start.Line)+":") {
				t.Errorf("want %q reported as dead, got:\n%s", c.dead, got)
			}
		})
	}
}
