package rulelang

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// NameFact is the fact that holds the name at a change's path. A pattern with a name fixes it.
const NameFact = "name"

// searchBudget bounds the search for a situation in which a rule matches. A rule table's guards need a few dozen
// steps; a search that runs out reports nothing, so what is reported is always true.
const searchBudget = 1 << 18

// shadowed finds the rules that can never match. A change is looked at as a cell: an operation at a path. A rule is
// dead when in every cell of its pattern its guard, with none of the guards of the earlier rules that match the cell,
// holds for no values of the facts. Facts are taken to be independent of each other, so a rule that is dead only
// because two facts never meet is not found.
func shadowed(t *Table, kind *KindWords, words *Vocabulary) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for i, law := range t.Laws {
		if unusable(law.When) {
			continue
		}
		blockers := map[string]bool{}
		dead := true
		for _, c := range cells(law, t.Laws[:i], kind) {
			s := search{words: words, wanted: law.When, budget: searchBudget}
			var met []string
			for _, earlier := range t.Laws[:i] {
				if earlier.On.Matches(c.op, c.part, c.name, c.attr) {
					s.barred = append(s.barred, earlier.When)
					met = append(met, earlier.Name)
				}
			}
			if c.name != otherName && c.name != "" {
				if i := words.fact(NameFact); i >= 0 {
					s.set(i, FactValue{Text: c.name})
				}
			}
			if s.possible() {
				dead = false
				break
			}
			for _, name := range met {
				blockers[name] = true
			}
		}
		switch {
		case !dead:
		case len(blockers) == 0:
			diags = append(diags, fault(law.Range, "Rule can never match", "Its guard is never true."))
		default:
			names := slices.Sorted(maps.Keys(blockers))
			for j := range names {
				names[j] = fmt.Sprintf("%q", names[j])
			}
			diags = append(diags, fault(law.Range, "Rule can never match",
				"Rules above it match every change it could: %s. Put it above them, or give them guards.", strings.Join(names, ", ")))
		}
	}
	return diags
}

// unusable reports whether a guard has a fault that is reported already.
func unusable(g *Guard) bool {
	facts := map[int]bool{}
	g.facts(facts)
	return facts[-1]
}

type cell struct{ op, part, name, attr string }

// otherName stands for every name and attribute that no pattern mentions. No identifier holds a zero byte.
const otherName = "\x00"

func cells(law *Law, earlier []*Law, kind *KindWords) []cell {
	m := law.On
	if m.part == anyPart {
		// Every cell of every part, of which the operations are the pattern's.
		var all []cell
		for _, p := range kind.Parts {
			inside := &Law{On: Matcher{ops: [3]bool{true, true, true}, part: p.Name}}
			for _, c := range cells(inside, earlier, kind) {
				if m.ops[opIndex(c.op)] {
					all = append(all, c)
				}
			}
		}
		return all
	}
	if m.part == "" {
		return everyOp(nil, m, "", "", "")
	}
	if m.attr != "" {
		return everyOp(nil, m, m.part, otherName, m.attr)
	}
	part := kind.part(m.part)
	names := []string{m.name}
	if m.name == "" {
		names = []string{otherName}
		for _, e := range earlier {
			if e.On.part == m.part && e.On.name != "" && !slices.Contains(names, e.On.name) {
				names = append(names, e.On.name)
			}
		}
	}
	var all []cell
	for _, name := range names {
		for i, op := range ops {
			if m.ops[i] && (op != "change" || len(part.Attrs) == 0 && !part.Open) {
				all = append(all, cell{op, m.part, name, ""})
			}
		}
		if !m.ops[opIndex("change")] {
			continue
		}
		attrs := slices.Clone(part.Attrs)
		if part.Open {
			attrs = append(attrs, otherName)
			for _, e := range earlier {
				if e.On.part == m.part && e.On.attr != "" && !slices.Contains(attrs, e.On.attr) {
					attrs = append(attrs, e.On.attr)
				}
			}
		}
		for _, attr := range attrs {
			for _, op := range ops {
				all = append(all, cell{op, m.part, name, attr})
			}
		}
	}
	return all
}

func everyOp(all []cell, m Matcher, part, name, attr string) []cell {
	for i, op := range ops {
		if m.ops[i] {
			all = append(all, cell{op, part, name, attr})
		}
	}
	return all
}

// search looks for values of the facts under which wanted holds and none of barred does.
type search struct {
	words  *Vocabulary
	wanted *Guard
	barred []*Guard
	values map[int]FactValue
	budget int
}

func (s *search) set(fact int, value FactValue) {
	if s.values == nil {
		s.values = map[int]FactValue{}
	}
	s.values[fact] = value
}

func (s *search) possible() bool {
	facts := map[int]bool{}
	s.wanted.facts(facts)
	for _, b := range s.barred {
		b.facts(facts)
	}
	var open []int
	for _, f := range slices.Sorted(maps.Keys(facts)) {
		if _, fixed := s.values[f]; !fixed {
			open = append(open, f)
		}
	}
	domains := make([][]FactValue, len(open))
	for i, f := range open {
		domains[i] = s.domain(f)
	}
	return s.try(open, domains)
}

func (s *search) try(open []int, domains [][]FactValue) bool {
	if s.budget--; s.budget <= 0 {
		return true
	}
	verdict := s.partial(s.wanted)
	for _, b := range s.barred {
		verdict = min(verdict, True-s.partial(b))
	}
	if verdict != Ask {
		return verdict == True
	}
	for _, value := range domains[0] {
		s.set(open[0], value)
		if s.try(open[1:], domains[1:]) {
			return true
		}
	}
	delete(s.values, open[0])
	return false
}

// partial answers a guard as far as the facts set so far do: Ask means not yet.
func (s *search) partial(g *Guard) Truth {
	if g == nil {
		return True
	}
	switch g.op {
	case opFact, opIn:
		value, known := s.values[g.fact]
		if !known {
			return Ask
		}
		return g.Eval(func(int) FactValue { return value })
	case opNot:
		return True - s.partial(g.kids[0])
	case opAnd:
		answer := True
		for _, kid := range g.kids {
			answer = min(answer, s.partial(kid))
		}
		return answer
	default:
		answer := False
		for _, kid := range g.kids {
			answer = max(answer, s.partial(kid))
		}
		return answer
	}
}

// domain lists the values of a fact that the guards at hand can tell apart.
func (s *search) domain(fact int) []FactValue {
	f := &s.words.Facts[fact]
	if f.Type == Bool || f.Type == Proof {
		return []FactValue{{Truth: False}, {Truth: True}}
	}
	var sets [][]string
	collect := func(g *Guard) { sets = g.sets(fact, sets) }
	collect(s.wanted)
	for _, b := range s.barred {
		collect(b)
	}
	candidates := slices.Clone(f.Values)
	if f.Type == Name {
		candidates = []string{otherName}
		for _, set := range sets {
			candidates = append(candidates, set...)
		}
	}
	seen := map[string]bool{}
	var values []FactValue
	for _, text := range candidates {
		signature := make([]byte, len(sets))
		for i, set := range sets {
			if _, in := slices.BinarySearch(set, text); in {
				signature[i] = 1
			}
		}
		if !seen[string(signature)] {
			seen[string(signature)] = true
			values = append(values, FactValue{Text: text})
		}
	}
	return values
}

func (g *Guard) sets(fact int, into [][]string) [][]string {
	if g == nil {
		return into
	}
	if g.op == opIn && g.fact == fact {
		into = append(into, g.set)
	}
	for _, kid := range g.kids {
		into = kid.sets(fact, into)
	}
	return into
}
