package plan

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/lang/visible"
)

// TextOptions says how the text form looks.
type TextOptions struct {
	// Color writes ANSI colours.
	Color bool
	// All lists objects without a difference too.
	All bool
	// Rules names the rule of every change, not of those alone that need a person.
	Rules bool
	// Width is the width of the terminal in columns, to which long values are cut; 0 cuts nothing.
	Width int
}

// The colours of the text form.
const (
	bold   = "1"
	green  = "32"
	yellow = "33"
	red    = "31"
	cyan   = "36"
	dim    = "2"
)

// WriteText writes the document for a person to read: an object a block, a change a line with what is done about it,
// and below it the reason, the advice and the statement where there is something to act on; then the statements to be
// sent and the count.
func WriteText(w io.Writer, d *Document, o TextOptions) error {
	t := &textWriter{ink: visible.NewInk(), o: o}
	for _, object := range d.Objects {
		if o.All || object.listed() {
			t.object(object)
		}
	}
	t.overlay(d.Overlay)
	t.bus(d.Bus)
	if r := d.Regressed; r != nil {
		t.line("%s: the release %s is older than %s in the ledger: an apply sends nothing of this; \"dfe schema apply --allow-downgrade\" is the way past for a schema\n",
			t.paint(red, "release_regressed"), r.Release, r.Ledger)
	}
	t.statements(d.Statements)
	t.rehearsal(d.Rehearsal)
	if len(d.Objects) > 0 || d.Bus == nil || d.Bus.Error == "" && d.Bus.Skipped == "" {
		t.line("%s", d.Summary.Text()) // else nothing was compared, and there is nothing to sum up
	}
	_, err := t.ink.Writer(w).Write(t.out.Bytes())
	return err
}

// bus says why topics are not among the objects.
func (t *textWriter) bus(b *Bus) {
	switch {
	case b == nil:
	case b.Error != "":
		t.line("%s: %s\n", t.paint(red, "the bus cannot be read, and nothing is decided about topics"), b.Error)
	case b.Skipped != "":
		t.line("%s\n", t.paint(dim, "topics are skipped: "+b.Skipped))
	}
}

// Text is the count in words: "1 to create, 2 to alter, 1 refused; 37 unchanged".
func (s Summary) Text() string {
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	add(s.Create, "to create")
	add(s.Alter, "to alter")
	add(s.Replace, "to replace")
	add(s.Refused, "refused")
	add(s.Report, "reported")
	add(s.CannotTell, "undecidable")
	add(s.Unreadable, "unreadable")
	unchanged := fmt.Sprintf("%d unchanged", s.None)
	if s.Reasserted > 0 {
		unchanged += fmt.Sprintf("; %d re-asserted", s.Reasserted)
	}
	if s.Unchecked > 0 {
		unchanged += fmt.Sprintf("; %d not drift-checked", s.Unchecked)
	}
	if len(parts) == 0 {
		return "no difference; " + unchanged
	}
	return strings.Join(parts, ", ") + "; " + unchanged
}

type textWriter struct {
	out   bytes.Buffer
	ink   *visible.Ink
	o     TextOptions
	shown string // the last statement shown of the object at hand
}

func (t *textWriter) line(format string, args ...any) { fmt.Fprintf(&t.out, format+"\n", args...) }

func (t *textWriter) paint(color, text string) string {
	if !t.o.Color || text == "" {
		return text
	}
	return t.ink.Paint(color, text)
}

func (t *textWriter) object(o *Object) {
	head := fmt.Sprintf("%s %s  %s", t.paint(bold, o.Kind), t.paint(bold, visible.Line(o.Name)), t.paint(actionColor(o.Action), o.Action))
	if o.Adopted {
		head += "  " + t.paint(dim, "adopted: live, and not in the ledger (made by hand, or by a pass that ended before it recorded it)")
	}
	t.line("%s", head)
	if u := o.Unreadable; u != nil {
		place := u.Side + " definition"
		if u.Line > 0 {
			place += fmt.Sprintf(", line %d", u.Line)
		}
		t.line("%s", indent("    "+place+": ", u.Message))
	}
	width, actionWidth := 0, 0
	t.shown = ""
	for _, c := range o.Changes {
		width = max(width, utf8.RuneCountInString(c.label()))
		actionWidth = max(actionWidth, len(c.action()))
	}
	for _, c := range o.Changes {
		t.change(c, min(width, 48), actionWidth)
	}
	t.line("")
}

func (t *textWriter) change(c *Change, width, actionWidth int) {
	// What is carried out without a word needs no explanation; its rule is in the JSON form.
	told := c.Report || c.Rows != nil || c.CannotTell || c.Action == ObjectRefused || c.Action == ObjectReport || t.o.Rules
	if c.Path == "" && c.Action == ObjectCreate && !told {
		return // the line above says it
	}
	color := actionColor(c.Action)
	line := fmt.Sprintf("  %s %s  %s", t.paint(color, c.sign()), pad(c.label(), width), t.paint(color, pad(c.action(), actionWidth)))
	if values := t.cut(c.values()); values != "" {
		line += "  " + values
	}
	t.line("%s", strings.TrimRight(line, " "))
	if !told {
		return
	}
	reason := c.Rule
	if c.Reason != "" {
		reason += ": " + c.Reason
	}
	t.line("      %s", t.paint(dim, visible.Line(reason)))
	if c.Advice != "" {
		t.line("      %s", t.paint(cyan, "advice: "+visible.Line(c.Advice)))
	}
	if cost := c.Cost(); cost != "" {
		t.line("      %s", t.paint(cyan, cost))
	}
	switch {
	case c.Statement == "" || c.Action != ObjectRefused && c.Action != ObjectReport:
	case c.Statement == t.shown:
		t.line("      %s", t.paint(dim, "not sent: the same statement"))
	default:
		t.shown = c.Statement
		lead := "not sent: "
		for line := range strings.SplitSeq(c.Statement, "\n") {
			t.line("      %s", t.paint(dim, lead+line))
			lead = strings.Repeat(" ", len(lead))
		}
		if r := c.Rehearsal; r != nil {
			t.line("      %s", t.paint(answerColor(r.Answer), "no part of the plan, and rehearsed after it: "+r.text()))
		}
	}
}

// statements lists what is sent. What is sent every pass is listed only where everything is wanted.
func (t *textWriter) statements(all []*Statement) {
	var list []*Statement
	for _, s := range all {
		if !s.Reassert || t.o.All {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return
	}
	noun := "statements"
	if len(list) == 1 {
		noun = "statement"
	}
	t.line("%s", t.paint(bold, fmt.Sprintf("%d %s to send", len(list), noun)))
	for i, s := range list {
		t.line("%s", indent(fmt.Sprintf("%3d  ", i+1), s.SQL))
		if s.Unchecked {
			t.line("     %s", t.paint(dim, "not drift-checked: what it comes to cannot be read back"))
		}
		if s.Proof != nil {
			t.line("     %s", t.paint(cyan, "only if this finds no row: "+s.Proof.Query))
			t.line("     %s", t.paint(dim, s.Proof.Note))
		}
		if r := s.Rehearsal; r != nil {
			t.line("     %s", t.paint(answerColor(r.Answer), r.line()))
		}
	}
	t.line("")
}

func indent(first, text string) string {
	return first + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(first)))
}

// cut shortens a value to the width of the terminal, and to one line in any case.
func (t *textWriter) cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if limit := t.o.Width - 8; t.o.Width > 0 && utf8.RuneCountInString(text) > limit && limit > 1 {
		return string([]rune(text)[:limit-1]) + "…"
	}
	return text
}

func (c *Change) sign() string {
	switch c.Op {
	case "add":
		return "+"
	case "remove":
		return "-"
	default:
		return "~"
	}
}

// label is the path in the text form; the object as a whole has none of its own.
func (c *Change) label() string {
	if c.Path == "" {
		return "(object)"
	}
	return visible.Line(c.Path)
}

func (c *Change) action() string {
	if c.CannotTell {
		return "cannot tell"
	}
	if c.Report {
		return c.Action + " and report"
	}
	return c.Action
}

func (c *Change) values() string {
	switch {
	case c.Live == "":
		return c.Desired
	case c.Desired == "":
		return c.Live
	default:
		return c.Live + " -> " + c.Desired
	}
}

func actionColor(action string) string {
	switch action {
	case ObjectRefused, ObjectUnreadable, ObjectCannotTell:
		return red
	case ObjectReport:
		return cyan
	case ObjectNone:
		return dim
	case ObjectCreate, "add-column", "add-index", "add-projection":
		return green
	default:
		return yellow
	}
}

func pad(text string, width int) string {
	if n := utf8.RuneCountInString(text); n < width {
		return text + strings.Repeat(" ", width-n)
	}
	return text
}
