package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/visible"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

func (a *app) writeJSON(document any) error {
	encoder := json.NewEncoder(a.exact.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

func (a *app) showReport(r *engine.Report) error {
	if a.format == formatJSON {
		return a.writeJSON(r)
	}
	return a.writeReport(r, false)
}

// writeReport prints what a pass did: a line an object, below it what a person has to know, then the count. Objects
// with nothing to tell are left out unless all are wanted.
func (a *app) writeReport(r *engine.Report, all bool) error {
	t := a.terminal(a.Out)
	var (
		rows  [][]string
		notes [][]string
		paint []string
	)
	for _, o := range r.Objects {
		if !all && o.Outcome == ledger.Unchanged && len(o.Changes) == 0 && o.Error == "" && !o.Adopted {
			continue
		}
		rows = append(rows, []string{string(o.Outcome), string(o.Kind), o.Name, done(o)})
		paint = append(paint, outcomeColor(o))
		notes = append(notes, remarks(o))
	}
	for _, topic := range tellingTopics(r) {
		row, color := topicRow(topic)
		rows, paint, notes = append(rows, row), append(paint, color), append(notes, passRemarks(topic))
	}
	lines := strings.SplitAfter(columns(rows, func(row, column int, text string) string {
		if column == 0 {
			return t.paint(paint[row], text)
		}
		return text
	}), "\n")
	var b strings.Builder
	for i := range rows {
		b.WriteString(lines[i])
		for _, note := range notes[i] {
			b.WriteString("    " + strings.ReplaceAll(note, "\n", "\n    ") + "\n")
		}
	}
	b.WriteString(leftOut(t, &plan.Overlay{Fault: r.OverlayFault, Refused: r.OverlayRefused}))
	for _, n := range r.Notices {
		b.WriteString(t.paint(cyan, n.Code) + ": " + visible.Line(n.Text) + "\n")
	}
	if r.Bus.Skipped != "" && len(r.Topics) > 0 {
		b.WriteString(t.paint(dim, "topics are skipped: "+r.Bus.Skipped) + "\n")
	}
	b.WriteString(conclusion(t, r) + "\n")
	_, err := fmt.Fprint(a.Out, b.String())
	return err
}

// leftOut tells what of the overlay is left out, a line each.
func leftOut(t terminal, o *plan.Overlay) string {
	var b strings.Builder
	if o != nil && o.Fault != "" {
		b.WriteString(t.paint(red, "the overlay is left out") + ": " + o.Fault + "\n")
	}
	if o != nil {
		for _, r := range o.Refused {
			b.WriteString(t.paint(red, "refused of the overlay") + ": " + r.Kind + " " + visible.Line(r.Object) + ": " + r.Text() + "\n")
		}
	}
	return b.String()
}

// done says what was carried out: "create", or each change with its path.
func done(o *engine.ObjectReport) string {
	var parts []string
	for _, c := range o.Changes {
		if !rules.Action(c.Action).Carried() {
			continue
		}
		part := c.Action
		if name := strings.TrimPrefix(c.Path, "column."); !strings.HasPrefix(c.Action, "replace-") && !strings.HasSuffix(c.Action, name) {
			part += " " + name
		}
		if len(parts) == 0 || parts[len(parts)-1] != part {
			parts = append(parts, part)
		}
	}
	if o.Adopted && len(parts) == 0 {
		return "adopted: live, and not in the ledger (made by hand, or by a pass that ended before it recorded it)"
	}
	return strings.Join(parts, ", ")
}

func remarks(o *engine.ObjectReport) []string {
	var notes []string
	if o.Error != "" {
		notes = append(notes, o.Error)
	}
	for _, c := range o.Changes {
		word := "refused"
		switch {
		case c.CannotTell:
			word = "cannot tell"
		case c.Report || c.Action == string(rules.Report):
			word = "report"
		case c.Action != string(rules.Refused):
			continue
		}
		note := strings.TrimSuffix(word+" "+c.Path, " ") // the object as a whole has no path
		if c.Live != "" || c.Desired != "" {
			note += fmt.Sprintf(" (live %s, declared %s)", orNone(c.Live), orNone(c.Desired))
		}
		note += ": " + c.Reason
		if c.Reason == "" {
			note += c.Rule
		}
		if c.Advice != "" {
			note += "; " + c.Advice
		}
		if cost := c.Cost(); cost != "" {
			note += "; " + cost
		}
		if c.Statement != "" && !rules.Action(c.Action).Carried() {
			note += "\n  not sent: " + strings.ReplaceAll(c.Statement, "\n", "\n            ")
		}
		notes = append(notes, note)
	}
	return notes
}

func orNone(text string) string {
	if text == "" {
		return "absent"
	}
	return strings.Join(strings.Fields(text), " ")
}

func outcomeColor(o *engine.ObjectReport) string {
	switch o.Outcome {
	case ledger.Applied:
		return green
	case ledger.Failed, ledger.Unresolved, ledger.Blocked, ledger.Refused, ledger.Unreadable:
		return red
	}
	if o.Action == plan.ObjectNone {
		return dim
	}
	return cyan
}

// conclusion is the last line: the state, and what was sent.
func conclusion(t terminal, r *engine.Report) string {
	color := green
	if r.State != engine.Converged {
		color = red
	}
	s := r.Summary
	text := t.paint(color, string(r.State))
	if s.Statements == 0 {
		text += ": no statement was sent"
	} else {
		text += fmt.Sprintf(": %s sent", count(s.Statements, "statement"))
	}
	for _, part := range []struct {
		n    int
		what string
	}{{s.Reasserted, "re-asserted"}, {s.Applied, "applied"}, {s.Unchanged, "unchanged"}, {s.Refused, "refused"}, {s.Reported, "reported"}, {s.Failed, "failed"}, {s.Blocked, "blocked"}, {s.Unresolved, "unresolved"}, {s.Unreadable, "unreadable"}, {s.Withheld, "withheld"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	topics := map[ledger.Outcome]int{}
	for _, topic := range r.Topics {
		topics[topic.Outcome]++
	}
	for _, part := range []struct {
		outcome ledger.Outcome
		what    string
	}{{ledger.Applied, "created"}, {ledger.Refused, "refused"}, {ledger.Failed, "failed"}, {ledger.Blocked, "blocked"}} {
		if n := topics[part.outcome]; n > 0 {
			text += fmt.Sprintf(", %s %s", count(n, "topic"), part.what)
		}
	}
	// What a pass that failed early did not come to know is left out.
	where := "pass " + r.Pass
	if r.Platform != "" {
		where = "on " + r.Platform + ", " + where
	}
	if r.SchemaRelease != "" {
		release := "schema release " + r.SchemaRelease
		if r.OverlayRelease != "" {
			release += " with overlay " + r.OverlayRelease
		}
		where = strings.Replace(release+", "+where, ", on ", " on ", 1)
	}
	return fmt.Sprintf("%s (%s)", text, where)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (a *app) showStatus(s *engine.Status) error {
	if a.format == formatJSON {
		return a.writeJSON(s)
	}
	t := a.terminal(a.Out)
	rows := [][]string{{"KIND", "NAME", "RELEASE", "ENGINE", "ACTION", "TIME", "LIVE"}}
	for _, o := range s.Objects {
		when := "-"
		if o.Time != nil {
			when = o.Time.UTC().Format("2006-01-02 15:04:05")
		}
		live := string(o.Live)
		if o.Live == engine.Unread && o.Reason != "" {
			live += ": " + o.Reason
		}
		switch {
		case o.TakenOut:
			live += ", of a " + o.Scope + " that declares it no more"
		case o.Refused > 0:
			live += fmt.Sprintf(", %d refused", o.Refused)
		case o.Scope == string(ledger.ScopeSource) || o.Scope == string(ledger.ScopeTenant):
			live += ", of a " + o.Scope
		case !o.Declared:
			live += ", not declared"
		}
		rows = append(rows, []string{string(o.Kind), o.Name, orDash(o.SchemaRelease), orDash(o.EngineRelease), orDash(o.Action), when, live})
	}
	_, err := fmt.Fprint(a.Out, columns(rows, func(row, column int, text string) string {
		switch {
		case row == 0:
			return t.paint(bold, text)
		case column < 6:
			return text
		case strings.HasPrefix(text, string(engine.Matches)) && !strings.Contains(text, "refused"):
			return t.paint(green, text)
		}
		return t.paint(yellow, text)
	})+leftOut(t, s.Overlay))
	return err
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
