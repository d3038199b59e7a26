package rulelang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Check turns files into tables, one for each file with a kind, in the order given. open returns the file that an
// include names, as seen from the including file's name; a file may be included by several. Every fault is reported:
// unknown words, guards of a wrong type, loops of includes, duplicate names, rules that can never match. Tables are
// complete only when the diagnostics hold no error.
func Check(files []*File, vocabulary *Vocabulary, open func(from, name string) (*File, error)) ([]*Table, hcl.Diagnostics) {
	var tables []*Table
	var diags hcl.Diagnostics
	byKind := map[string]hcl.Range{}
	for _, f := range files {
		c := &checker{words: vocabulary, open: open, sets: map[string]*declared{}, predicates: map[string]*declared{}, laws: map[string]hcl.Range{}}
		c.file(f, nil)
		diags = append(diags, c.diags...)
		if c.table == nil {
			continue
		}
		if first, twice := byKind[c.table.Kind]; twice {
			diags = append(diags, fault(c.table.Range, "Kind declared twice",
				"The rules of kind %q are in %s already: a kind has one table.", c.table.Kind, first))
			continue
		}
		byKind[c.table.Kind] = c.table.Range
		if !c.diags.HasErrors() {
			diags = append(diags, shadowed(c.table, c.kind, vocabulary)...)
		}
		tables = append(tables, c.table)
	}
	return tables, dedupe(diags)
}

// dedupe drops a fault reported before: an included file is checked once for each file that includes it.
func dedupe(diags hcl.Diagnostics) hcl.Diagnostics {
	seen := map[string]bool{}
	kept := diags[:0]
	for _, d := range diags {
		if key := d.Error(); !seen[key] {
			seen[key] = true
			kept = append(kept, d)
		}
	}
	return kept
}

// declared is a set or a predicate.
type declared struct {
	at    hcl.Range
	items []string // of a set
	guard *Guard   // of a predicate
	proof bool     // the predicate asks for a proof
}

type checker struct {
	words      *Vocabulary
	open       func(from, name string) (*File, error)
	table      *Table
	kind       *KindWords
	sets       map[string]*declared
	predicates map[string]*declared
	laws       map[string]hcl.Range
	diags      hcl.Diagnostics
}

func fault(at hcl.Range, summary, detail string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: &at}
}

func (c *checker) fault(at hcl.Range, summary, detail string, args ...any) {
	c.diags = append(c.diags, fault(at, summary, detail, args...))
}

// file checks the statements of a file; above holds the names of the files that include it.
func (c *checker) file(f *File, above []string) {
	for _, st := range f.Statements {
		switch {
		case st.Kind != nil:
			c.kindStatement(st.Kind, above)
		case st.Include != nil:
			c.include(f, st.Include, append(slices.Clone(above), f.Name))
		case st.Set != nil:
			c.set(st.Set)
		case st.Predicate != nil:
			c.predicate(st.Predicate)
		case st.Rule != nil:
			c.rule(st)
		}
	}
}

func (c *checker) kindStatement(k *KindStatement, above []string) {
	at := k.Name.Range()
	if len(above) > 0 {
		c.fault(at, "Kind in an included file", "An included file takes the kind of the file that includes it.")
		return
	}
	if c.table != nil {
		c.fault(at, "Second kind in a file", "This file is about kind %q: each kind has a file of its own.", c.table.Kind)
		return
	}
	c.table = &Table{Kind: k.Name.Text, Range: at}
	if c.kind = c.words.kind(k.Name.Text); c.kind == nil {
		var names []string
		for _, known := range c.words.Kinds {
			names = append(names, known.Name)
		}
		c.fault(at, "Unknown kind", "There is no kind of object called %q; there are %s.%s", k.Name.Text, list(names), suggest(k.Name.Text, names))
	}
}

func (c *checker) include(f *File, inc *Include, above []string) {
	name := string(inc.File.Text)
	included, err := c.open(f.Name, name)
	if err != nil {
		c.fault(inc.File.Range(), "Included file cannot be read", "%v.", err)
		return
	}
	if i := slices.Index(above, included.Name); i >= 0 {
		c.fault(inc.File.Range(), "Loop of includes", "%s includes itself: %s.", included.Name,
			strings.Join(append(above[i:], included.Name), " includes "))
		return
	}
	c.file(included, above)
}

func (c *checker) set(s *Set) {
	d := &declared{at: s.Name.Range()}
	if !c.fresh(s.Name) {
		return
	}
	for _, item := range s.Items {
		text := string(item.Text)
		if slices.Contains(d.items, text) {
			c.fault(item.Range(), "Listed twice", "%q is in this set already.", text)
			continue
		}
		d.items = append(d.items, text)
	}
	slices.Sort(d.items)
	c.sets[s.Name.Text] = d
}

// fresh reports whether a name is free for a set or a predicate.
func (c *checker) fresh(name Word) bool {
	switch earlier := firstOf(c.sets[name.Text], c.predicates[name.Text]); {
	case earlier != nil:
		c.fault(name.Range(), "Name declared twice", "%q is declared in %s already.", name.Text, earlier.at)
	case c.words.fact(name.Text) >= 0:
		c.fault(name.Range(), "Name of a fact", "%q is a fact; a set or a predicate needs a name of its own.", name.Text)
	case slices.Contains(reserved[:], name.Text):
		c.fault(name.Range(), "Reserved word", "%q is a word of the language.", name.Text)
	default:
		return true
	}
	return false
}

var reserved = [...]string{"and", "or", "not", "in", "true", "false", "when", "unless", "then", "because", "advice", "saying"}

func firstOf(a, b *declared) *declared {
	if a != nil {
		return a
	}
	return b
}

func (c *checker) predicate(p *Predicate) {
	if !c.fresh(p.Name) {
		return
	}
	d := &declared{at: p.Name.Range()}
	d.guard, d.proof = c.guard(p.Guard)
	c.predicates[p.Name.Text] = d
}

func (c *checker) rule(st *Statement) {
	r := st.Rule
	at := r.Law.Range()
	if c.kind == nil {
		if c.table == nil {
			c.fault(at, "Rule without a kind", "A rule stands below the `kind` of its file, or in a file that one with a kind includes.")
		}
		return
	}
	law := &Law{Name: string(r.Law.Text), Kind: c.table.Kind, Range: at, Syntax: r}
	if strings.TrimSpace(law.Name) == "" {
		c.fault(at, "Rule without a law", "A rule's name states the law it is.")
	}
	if first, twice := c.laws[law.Name]; twice {
		c.fault(at, "Law declared twice", "A rule of this name is in %s already.", first)
	}
	c.laws[law.Name] = at
	part := c.pattern(law, &r.On)
	law.When = c.offline(r.When, "a rule's `when`")
	law.Action, law.Report = c.action(r.Outcome.Action, r.Outcome.Report, part, law)
	if law.Bare = r.Outcome.Bare; law.Bare && law.Action != "refused" && law.Action != "report" {
		c.fault(r.Outcome.Action.Range(), "Action without its statement", "Only what is refused or reported stands without a statement.")
	}
	if u := r.Outcome.Unless; u != nil {
		law.Unless = &Way{Guard: c.offline(u.Guard, "`unless`")}
		law.Unless.Action, law.Unless.Report = c.action(u.Action, u.Report, part, law)
		if u.Proof != nil {
			law.Unless.Proof, _ = c.guard(u.Proof)
		}
		law.Unless.Saying = c.template(u.Saying)
	}
	law.Because, law.Advice = c.template(r.Because), c.template(r.Advice)
	if law.Because == "" && (law.Action == "refused" || law.Action == "report") {
		c.fault(at, "Rule without a reason", "A rule that ends in %q says why: add `because \"...\"`.", law.Action)
	}
	c.table.Laws = append(c.table.Laws, law)
}

// pattern checks a pattern and returns the part it is about, nil for the object or an unknown part.
func (c *checker) pattern(law *Law, p *Pattern) *PartWords {
	for _, op := range p.Ops {
		switch i := slices.Index(ops[:], op.Text); {
		case op.Text == anyOp:
			law.On.ops = [3]bool{true, true, true}
		case i < 0:
			c.fault(op.Range(), "Unknown operation", "A change is an add, a remove or a change; `any` is all three.%s",
				suggest(op.Text, append(ops[:], anyOp)))
		case law.On.ops[i]:
			c.fault(op.Range(), "Listed twice", "%q is in this pattern already.", op.Text)
		default:
			law.On.ops[i] = true
		}
	}
	first := p.Path[0]
	if first.Text == object {
		if len(p.Path) > 1 {
			c.fault(p.Path[1].Range(), "Unknown path", "The object as a whole has no parts in a pattern.")
		}
		return nil
	}
	law.On.part = first.Text
	if first.Text == anyPart {
		if len(p.Path) > 1 {
			c.fault(p.Path[1].Range(), "Unknown path", "`part` is every part, and has no attributes of its own.")
		}
		return c.kind.everyPart()
	}
	part := c.kind.part(first.Text)
	if part == nil {
		names := []string{object, anyPart}
		for _, known := range c.kind.Parts {
			names = append(names, known.Name)
		}
		c.fault(first.Range(), "Unknown path", "A %s has no part called %q; it has %s.%s", c.kind.Name, first.Text, list(names), suggest(first.Text, names))
		return nil
	}
	if len(p.Path) == 1 {
		return part
	}
	second := p.Path[1]
	switch {
	case len(p.Path) > 2:
		c.fault(p.Path[2].Range(), "Path too long", "A path is a part, or a part and one attribute or name.")
	case slices.Contains(part.Attrs, second.Text) || part.Open:
		law.On.attr = second.Text
	case part.Named && len(part.Attrs) == 0:
		law.On.name = second.Text
	case len(part.Attrs) == 0:
		c.fault(second.Range(), "Unknown path", "The %s of a %s is one value and has no %q.", part.Name, c.kind.Name, second.Text)
	default:
		c.fault(second.Range(), "Unknown path", "A %s has no %q; it has %s.%s", part.Name, second.Text, list(part.Attrs), suggest(second.Text, part.Attrs))
	}
	return part
}

func (c *checker) action(word Word, report *Word, part *PartWords, law *Law) (string, bool) {
	fitting := slices.Clone(c.words.Actions)
	where := "the object"
	switch {
	case part != nil:
		fitting, where = append(fitting, part.Actions...), "a "+part.Name
	case law.On.part == "":
		fitting = append(fitting, c.words.ObjectActions...)
	}
	if !slices.Contains(fitting, word.Text) && (part != nil || law.On.part == "") {
		all := c.allActions()
		if slices.Contains(all, word.Text) {
			c.fault(word.Range(), "Action does not fit", "%q is no action for %s; %s are.", word.Text, where, list(fitting))
		} else {
			c.fault(word.Range(), "Unknown action", "There is no action called %q; for %s there are %s.%s", word.Text, where, list(fitting), suggest(word.Text, all))
		}
	}
	if report != nil && report.Text != "report" {
		c.fault(report.Range(), "Unknown action", "After `and` stands `report`: the change is carried out and reported.")
	}
	return word.Text, report != nil
}

func (c *checker) allActions() []string {
	all := append(slices.Clone(c.words.Actions), c.words.ObjectActions...)
	for _, k := range c.words.Kinds {
		for _, p := range k.Parts {
			all = append(all, p.Actions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// offline checks a guard that must be clear without the data.
func (c *checker) offline(e *Expr, where string) *Guard {
	if e == nil {
		return nil
	}
	g, proof := c.guard(e)
	if proof {
		c.fault(e.first().Range(), "Proof in a guard", "A proof may need the data, and %s must be clear without it; a proof stands behind `then ACTION when`.", where)
	}
	return g
}

// first returns the first name of a guard, for its place.
func (e *Expr) first() Word {
	for {
		t := e.Or[0].And[0]
		for t.Not != nil {
			t = t.Not
		}
		if t.Test != nil {
			return t.Test.Name
		}
		e = t.Group
	}
}

// template checks the placeholders of a reason: each is a fact.
func (c *checker) template(t *Text) string {
	if t == nil {
		return ""
	}
	text := string(t.Text)
	for _, name := range placeholders(text) {
		if !slices.Contains(Placeholders[:], name) && c.words.fact(name) < 0 {
			c.fault(t.Range(), "Unknown placeholder", "{%s} is no fact; {object}, {path}, {live}, {desired} and every fact are filled in.%s",
				name, suggest(name, c.factNames()))
		}
	}
	return text
}

func (c *checker) factNames() []string {
	names := make([]string, 0, len(c.words.Facts)+len(c.predicates))
	for _, f := range c.words.Facts {
		names = append(names, f.Name)
	}
	for name := range c.predicates {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func list(words []string) string { return strings.Join(words, ", ") }
