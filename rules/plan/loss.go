package plan

import (
	"fmt"
	"strings"
)

// sentence says what a change would lose.
func (l Loss) sentence(c *Change) string {
	if l.Err != "" {
		return fmt.Sprintf("it could not be shown that every value of %s fits %s: %s", c.Live, c.Desired, l.Err)
	}
	rows := "1 row holds a value"
	if l.Rows != 1 {
		rows = fmt.Sprintf("%d rows hold values", l.Rows)
	}
	return fmt.Sprintf("%s that %s cannot keep", rows, c.Desired)
}

// columnOf cuts the column's name out of a path "column.NAME.type".
func columnOf(path string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(path, "column."), ".type")
	return strings.Trim(name, "`")
}
