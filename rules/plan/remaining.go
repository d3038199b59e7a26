package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Remaining says what of a statement's effect is still missing, by the decision made anew about its object once the
// statement was sent: the changes it carries that are found again. "" means that all of it is there.
func (o *Object) Remaining(s *Statement) string {
	if o.Unreadable != nil {
		return o.Unreadable.Text()
	}
	var left []string
	for _, c := range o.Changes {
		// What is granted has statements of its own.
		whole := slices.Contains(s.Paths, "") && !c.granted()
		if c.CannotTell || !(slices.Contains(s.Paths, c.Path) || whole && c.Action != ObjectReport) {
			continue
		}
		what := c.Path
		if what == "" {
			what = "it is not there"
		}
		if c.Live != "" || c.Desired != "" {
			what = fmt.Sprintf("%s is %s and should be %s", c.Path, orAbsent(c.Live), orAbsent(c.Desired))
		}
		left = append(left, what)
	}
	return strings.Join(left, "; ")
}

// granted reports a change of what somebody is granted.
func (c *Change) granted() bool {
	part, _, _ := strings.Cut(c.Path, ".")
	return part == "grant" || part == "revoke" || part == "role"
}

// Text is the sentence that says which side cannot be read, and why.
func (u *Unreadable) Text() string {
	return fmt.Sprintf("the %s definition cannot be read: %s", u.Side, u.Message)
}

func orAbsent(text string) string {
	if text == "" {
		return "absent"
	}
	return text
}
