package plan

import (
	"fmt"
	"strings"
)

// rehearsal says how the rehearsal went as a whole: the counts, what was other than on the server, what is left.
func (t *textWriter) rehearsal(r *Rehearsed) {
	if r == nil {
		return
	}
	t.line("%s", t.paint(bold, r.text()))
	for _, s := range r.Substitutes {
		how := "stood in for"
		if s.Absent {
			how = "missing"
		}
		t.line("  %s", t.paint(yellow, fmt.Sprintf("%s: %s %s: %s", how, s.Kind, s.Name, s.Reason)))
	}
	for _, l := range r.Left {
		what := "it is not there"
		if l.Live != "" || l.Desired != "" {
			what = fmt.Sprintf("it is %s and should be %s", orAbsent(l.Live), orAbsent(l.Desired))
		}
		t.line("  %s", t.paint(red, t.cut(strings.TrimSpace(fmt.Sprintf("still different after the plan: %s %s %s", l.Kind, l.Object, l.Path))+": "+what)))
	}
	t.line("")
}

// text is the count in words: "rehearsed on ClickHouse 26.7.2.1, without data, beside 4 live objects: 2 ok".
func (r *Rehearsed) text() string {
	var parts []string
	for _, count := range []struct {
		n    int
		what string
	}{{r.OK, "ok"}, {r.Errors, "would fail"}, {r.NotRehearsed, "not rehearsed"}} {
		if count.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count.n, count.what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"there was nothing to play"}
	}
	live := ""
	if r.Live != r.Server {
		live = fmt.Sprintf(" (the server has %s)", r.Live)
	}
	noun := "objects"
	if r.Loaded == 1 {
		noun = "object"
	}
	return fmt.Sprintf("rehearsed on ClickHouse %s%s, without data, beside %d live %s: %s", r.Server, live, r.Loaded, noun, strings.Join(parts, ", "))
}

func (r *Rehearsal) text() string {
	switch {
	case r.Answer == AnswerNotRehearsed:
		return "not rehearsed: " + r.Message
	case r.Answer == AnswerError && r.Code != 0:
		return fmt.Sprintf("the engine answers error %d: %s", r.Code, r.Message)
	case r.Answer == AnswerError:
		return "it would fail: " + r.Message
	case r.Message != "":
		return "ok, " + r.Message
	}
	return "ok"
}

func answerColor(answer string) string {
	switch answer {
	case AnswerOK:
		return green
	case AnswerError:
		return red
	}
	return yellow
}

// line is the text as it stands alone below a statement of the plan.
func (r *Rehearsal) line() string {
	if r.Answer == AnswerNotRehearsed {
		return r.text()
	}
	return "rehearsed: " + r.text()
}
