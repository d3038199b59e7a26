package rulelang

import (
	"strconv"
	"strings"
)

// lineWidth is the length up to which a rule stands on one line.
const lineWidth = 120

// Format prints a file in its canonical form: one statement a line where it fits and has no reason to give, its clauses
// on indented lines where it does not, comments kept. Formatting the result again changes nothing.
func Format(f *File) []byte {
	var b strings.Builder
	for i, st := range f.Statements {
		if i > 0 && (separate(f.Statements[i-1]) || separate(st)) {
			b.WriteByte('\n')
		}
		writeComments(&b, st.Doc, "")
		b.WriteString(st.text())
		if st.Comment != "" {
			b.WriteString(" # " + st.Comment)
		}
		b.WriteByte('\n')
	}
	if len(f.Trailing) > 0 {
		if len(f.Statements) > 0 {
			b.WriteByte('\n')
		}
		writeComments(&b, f.Trailing, "")
	}
	return []byte(b.String())
}

// separate reports whether a statement has blank lines around it: one with a comment of its own or of several lines, and
// those at the head of a file.
func separate(st *Statement) bool {
	return len(st.Doc) > 0 || st.Kind != nil || st.Include != nil || strings.Contains(st.text(), "\n")
}

func writeComments(b *strings.Builder, lines []string, indent string) {
	for _, line := range lines {
		if line == blankLine {
			b.WriteByte('\n')
			continue
		}
		b.WriteString(strings.TrimRight(indent+"# "+line, " ") + "\n")
	}
}

func (st *Statement) text() string {
	switch {
	case st.Kind != nil:
		return "kind " + st.Kind.Name.Text
	case st.Include != nil:
		return "include " + st.Include.File.String()
	case st.Set != nil:
		return st.Set.text()
	case st.Predicate != nil:
		return "predicate " + st.Predicate.Name.Text + " = " + st.Predicate.Guard.String()
	default:
		if line := st.Rule.String(); len(line) <= lineWidth && st.Rule.Because == nil && st.Rule.Advice == nil {
			return line
		}
		return strings.Join(st.Rule.clauses(), "\n    ")
	}
}

func (s *Set) text() string {
	head := "set " + s.Name.Text + " = ["
	items := make([]string, len(s.Items))
	for i, item := range s.Items {
		items[i] = item.String()
	}
	if line := head + strings.Join(items, ", ") + "]"; s.Docs == nil && len(line) <= lineWidth {
		return line
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	for i, item := range items {
		var doc ItemDoc
		if s.Docs != nil {
			doc = s.Docs[i]
		}
		writeComments(&b, doc.Above, "    ")
		b.WriteString("    " + item + ",")
		if doc.After != "" {
			b.WriteString(" # " + doc.After)
		}
		b.WriteByte('\n')
	}
	b.WriteByte(']')
	return b.String()
}

// String prints the rule on one line.
func (r *Rule) String() string { return strings.Join(r.clauses(), " ") }

func (r *Rule) clauses() []string {
	on := "on " + r.On.String()
	if r.When != nil {
		on += " when " + r.When.String()
	}
	clauses := []string{"rule " + r.Law.String(), on + " -> " + r.Outcome.String()}
	if r.Because != nil {
		clauses = append(clauses, "because "+r.Because.String())
	}
	if r.Advice != nil {
		clauses = append(clauses, "advice "+r.Advice.String())
	}
	return clauses
}

// String prints the pattern.
func (p Pattern) String() string {
	return words(p.Ops, ", ") + " " + words(p.Path, ".")
}

func words(list []Word, separator string) string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.Text
	}
	return strings.Join(texts, separator)
}

// String prints the outcome.
func (o Outcome) String() string {
	text := o.Action.Text + reportSuffix(o.Report)
	if o.Bare {
		text += " without statement"
	}
	if u := o.Unless; u != nil {
		text += " unless " + u.Guard.String() + " then " + u.Action.Text + reportSuffix(u.Report)
		if u.Proof != nil {
			text += " when " + u.Proof.String()
		}
		if u.Saying != nil {
			text += " saying " + u.Saying.String()
		}
	}
	return text
}

func reportSuffix(report *Word) string {
	if report == nil {
		return ""
	}
	return " and " + report.Text
}

// String prints the guard.
func (e *Expr) String() string {
	alternatives := make([]string, len(e.Or))
	for i, conjunction := range e.Or {
		terms := make([]string, len(conjunction.And))
		for j, t := range conjunction.And {
			terms[j] = t.String()
		}
		alternatives[i] = strings.Join(terms, " and ")
	}
	return strings.Join(alternatives, " or ")
}

// String prints the term.
func (t *Term) String() string {
	switch {
	case t.Not != nil:
		return "not " + t.Not.String()
	case t.Group != nil:
		return "(" + t.Group.String() + ")"
	default:
		return t.Test.String()
	}
}

// String prints the test.
func (t *Test) String() string {
	switch {
	case t.Compare != "":
		if t.Value.Word != nil {
			return t.Name.Text + " " + t.Compare + " " + t.Value.Word.Text
		}
		return t.Name.Text + " " + t.Compare + " " + t.Value.Text.String()
	case t.In != nil && t.NotIn:
		return t.Name.Text + " not in " + t.In.Text
	case t.In != nil:
		return t.Name.Text + " in " + t.In.Text
	default:
		return t.Name.Text
	}
}

// String prints the text in quotes.
func (t Text) String() string { return strconv.Quote(string(t.Text)) }
