package plan

import (
	"fmt"
	"strings"
)

// sentence says what a change would lose, or break where the loss is accepted.
func (l Loss) sentence(c *Change, proof *Proof) string {
	switch {
	case l.Err != "" && proof.Accepted:
		return fmt.Sprintf("it could not be shown that every value of %s can be cast to %s, and the server would take the type and fail on the rows: %s", c.Live, c.Desired, l.Err)
	case l.Err != "":
		return fmt.Sprintf("it could not be shown that every value of %s fits %s: %s", c.Live, c.Desired, l.Err)
	}
	rows := "1 row holds a value"
	if l.Rows != 1 {
		rows = fmt.Sprintf("%d rows hold values", l.Rows)
	}
	if proof.Accepted {
		return fmt.Sprintf("%s that cannot be cast to %s: the server would take the type, fail on the rows for ever, and no longer read the column; that is no loss to accept (counted by %s)", rows, c.Desired, proof.Query)
	}
	return fmt.Sprintf("%s that %s cannot keep", rows, c.Desired)
}

// Cost says how many rows the change costs, or how to find out; "" where nothing can be asked. The query of a type change
// stands beside its statement.
func (c *Change) Cost() string {
	what := "rows whose value it cannot keep"
	if c.Action == modifyTTL {
		what = "rows that are past it"
	}
	switch {
	case c.Counts == "":
		return ""
	case c.Rows != nil:
		return fmt.Sprintf("%s now: %d, by %s", what, *c.Rows, c.Counts)
	case c.Action == modifyTTL:
		return "count the " + what + ": " + c.Counts
	}
	return ""
}

// modifyTTL is the action that deletes rows by and by.
const modifyTTL = "modify-ttl"

// columnOf cuts the column's name out of a path "column.NAME.type".
func columnOf(path string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(path, "column."), ".type")
	return strings.Trim(name, "`")
}
