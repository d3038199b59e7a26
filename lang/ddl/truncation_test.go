package ddl_test

import (
	"testing"

	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestATextCutAnywhereIsReadOrRefused(t *testing.T) {
	texts := []string{
		"ALTER TABLE d.t ON CLUSTER c ADD COLUMN IF NOT EXISTS a UInt8 DEFAULT 1 AFTER b, MODIFY COLUMN a REMOVE TTL, MODIFY COLUMN a ADD ENUM VALUES ('x' = 1), RENAME COLUMN a TO b, COMMENT COLUMN a 'x', CLEAR COLUMN a IN PARTITION 1, ADD INDEX i a TYPE minmax GRANULARITY 1, DROP STATISTICS ALL, ADD STATISTICS a TYPE x, MODIFY ORDER BY (a, b), MODIFY TTL d GROUP BY a SET b = 1 WHERE c, RESET SETTING a, MODIFY REFRESH EVERY 1 DAY, MODIFY SQL SECURITY NONE, UPDATE a = 1 IN PARTITION 2 WHERE b, DELETE WHERE c SETTINGS x = 1 FORMAT Null",
		"CREATE MATERIALIZED VIEW d.m UUID 'u' REFRESH EVERY 1 DAY OFFSET 2 HOUR RANDOMIZE FOR 1 MINUTE DEPENDS ON a.b SETTINGS x = 1 APPEND TO d.t (a UInt8, INDEX i a TYPE x) DEFINER = a@'b' SQL SECURITY DEFINER AS WITH RECURSIVE r AS (SELECT 1), 2 AS x SELECT DISTINCT ON (a) top, CASE WHEN a THEN b ELSE c END, INTERVAL '1' DAY, cast(x AS Array(y)), trim(BOTH a FROM b), f(1)(DISTINCT x) FILTER (WHERE y) OVER (w PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM a AS b (c) FINAL SAMPLE 1 OFFSET 2 GLOBAL ANY LEFT JOIN c USING (x), d ARRAY JOIN e GROUP BY GROUPING SETS ((a), b) WITH TOTALS WINDOW w AS () ORDER BY ALL DESC NULLS LAST LIMIT 1 OFFSET 2 BY a LIMIT 3 SETTINGS a = {'x': 1} COMMENT 'c'",
		"CREATE DICTIONARY d (a UInt8 DEFAULT 1 EXPRESSION b HIERARCHICAL) PRIMARY KEY a SOURCE(HTTP(URL 'x' HEADERS(HEADER(NAME 'a')))) LIFETIME(MIN 1 MAX 2) LAYOUT(HASHED(x 1)) RANGE(MIN a MAX b) SETTINGS(a = 1)",
	}
	for _, text := range texts {
		for end := range len(text) {
			if _, err := ddl.ParseScript(text[:end]); err != nil {
				t.Fatal(err)
			}
			closed := text[:end] + closers(text[:end])
			if _, err := ddl.ParseScript(closed); err != nil {
				t.Fatal(err)
			}
			// The rest of the text begins anywhere in a fragment: reading it must come back, with whatever answer.
			_, _ = ddl.ParseExpr(text[end:])
			_, _ = ddl.ParseQuery(text[end:])
			_, _ = ddl.ParseColumn(text[end:])
			_, _ = ddl.ParseTTL(text[end:])
			_, _ = ddl.ParseType(text[end:])
		}
	}
}

// closers returns the quote and the brackets that close what the text leaves open, so that the parser sees it cut there.
func closers(text string) string {
	var open []byte
	quoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			open = append(open, ')')
		case c == '{':
			open = append(open, '}')
		case c == ')', c == '}':
			open = open[:len(open)-1]
		}
	}
	out := ""
	if quoted {
		out = "'"
	}
	for i := len(open) - 1; i >= 0; i-- {
		out += string(open[i])
	}
	return out
}
