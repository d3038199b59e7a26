package ddl_test

import (
	"testing"

	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestQueriesAreReadInEveryOrderAndPrintedInOne(t *testing.T) {
	checkPrinted(t, ddl.ParseQuery, []printed{
		{src: "select a, b c from db.t", want: "SELECT a, b AS c FROM db.t", tree: "(Select (Clause `SELECT` a (Alias `c` b)) (Clause `FROM` (Ident db t)))"},
		{src: "FROM t SELECT a", want: "SELECT a FROM t"},
		{src: "SELECT a, FROM t", want: "SELECT a FROM t"},
		{src: "SELECT DISTINCT a FROM t"},
		{src: "SELECT DISTINCT ON (a, b) c FROM t", want: "SELECT c FROM t LIMIT 1 BY a, b"},
		{src: "SELECT TOP 5 WITH TIES a FROM t ORDER BY a", want: "SELECT a FROM t ORDER BY a LIMIT 5 WITH TIES"},
		{src: "WITH 1 AS one, two AS (SELECT 2), three (a) AS (SELECT 3) SELECT one FROM two", tree: "(Select (Clause `WITH` (Alias `one` 1) (Clause `CTE` two (Subquery (Select (Clause `SELECT` 2)))) (Clause `CTE` three (Subquery (Select (Clause `SELECT` 3))) (List a))) (Clause `SELECT` one) (Clause `FROM` two))"},
		{src: "WITH (SELECT 1) AS x SELECT x", tree: "(Select (Clause `WITH` (Alias `x` (Subquery (Select (Clause `SELECT` 1))))) (Clause `SELECT` x))"},
		{src: "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 2) SELECT * FROM r"},
		{src: "WITH x AS MATERIALIZED (SELECT 1) SELECT * FROM x"},
		{src: "SELECT 1 FROM t AS a FINAL SAMPLE 1 / 10 OFFSET 1 / 2", tree: "(Select (Clause `SELECT` 1) (Clause `FROM` (Clause `TABLE` (Alias `a` t) (Clause `FINAL`) (Clause `SAMPLE` (Operator `/` 1 10)) (Clause `OFFSET` (Operator `/` 1 2)))))"},
		{src: "SELECT 1 FROM t array join x as y, z", want: "SELECT 1 FROM t ARRAY JOIN x AS y, z"},
		{src: "SELECT 1 FROM a JOIN b USING id, k", want: "SELECT 1 FROM a INNER JOIN b USING (id, k)"},
		{src: "SELECT 1 FROM a left any join b on a.x = b.x", want: "SELECT 1 FROM a ANY LEFT JOIN b ON a.x = b.x"},
		{src: "SELECT 1 FROM a GLOBAL SEMI JOIN b ON x = y", want: "SELECT 1 FROM a GLOBAL SEMI LEFT JOIN b ON x = y"},
		{src: "SELECT 1 FROM a full join b on x = y cross join c, d paste join e", want: "SELECT 1 FROM a FULL OUTER JOIN b ON x = y CROSS JOIN c, d PASTE JOIN e"},
		{src: "SELECT 1 FROM a ASOF LEFT JOIN b ON a.x = b.x AND a.t >= b.t"},
		{src: "SELECT 1 FROM (SELECT 2) AS s (x)", want: "SELECT 1 FROM (SELECT 2) AS s(x)"},
		{src: "SELECT 1 FROM s3(store, format = 'CSV', SETTINGS a = 1)", tree: "(Select (Clause `SELECT` 1) (Clause `FROM` (Func `s3` store (Equals `format` 'CSV') (Clause `SETTINGS` (Equals `a` 1)))))"},
		{src: "SELECT 1 FROM numbers(10) WHERE explain LIKE 'x'", want: "SELECT 1 FROM numbers(10) WHERE `explain` LIKE 'x'"},
		{src: "SELECT 1 FROM (EXPLAIN AST optimize = 0 SELECT 1)"},
		{src: "SELECT a FROM t PREWHERE b WHERE c GROUP BY a WITH ROLLUP WITH TOTALS HAVING d QUALIFY e"},
		{src: "SELECT a FROM t GROUP BY cube(a, b)", want: "SELECT a FROM t GROUP BY a, b WITH CUBE"},
		{src: "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), (), c)", want: "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), (), (c))"},
		{src: "SELECT a FROM t GROUP BY ALL ORDER BY ALL DESC NULLS LAST"},
		{src: "SELECT a FROM t WINDOW w AS (PARTITION BY b), v AS (w ORDER BY c)"},
		{src: "SELECT a FROM t ORDER BY a, b DESC NULLS FIRST COLLATE 'de' WITH FILL FROM 1 TO 9 STEP 2 INTERPOLATE (c AS c + 1, d)", tree: "(Select (Clause `SELECT` a) (Clause `FROM` t) (Clause `ORDER BY` a (Clause `DESC` b (Clause `NULLS FIRST`) (Clause `COLLATE` 'de') (Clause `WITH FILL` (Clause `FROM` 1) (Clause `TO` 9) (Clause `STEP` 2)))) (Clause `INTERPOLATE` (Equals `c` (Operator `+` c 1)) d))"},
		{src: "SELECT a FROM t LIMIT 2 OFFSET 1 BY a, b LIMIT 3 OFFSET 4", want: "SELECT a FROM t LIMIT 1, 2 BY a, b LIMIT 4, 3"},
		{src: "SELECT a FROM t LIMIT 1 BY ALL OFFSET 2"},
		{src: "SELECT a FROM t ORDER BY a OFFSET 1 ROW FETCH NEXT 5 ROWS WITH TIES", want: "SELECT a FROM t ORDER BY a LIMIT 1, 5 WITH TIES"},
		{src: "SELECT a FROM t SETTINGS x = 1, y = 'z' FORMAT TSV"},
		{src: "SELECT a SETTINGS filters = {'t': 'x = 1'}", want: "SELECT a SETTINGS filters = {'t':'x = 1'}"},
		{src: "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3", tree: "(Union `UNION ALL` (Select (Clause `SELECT` 1)) (Select (Clause `SELECT` 2)) (Select (Clause `SELECT` 3)))"},
		{src: "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 INTERSECT SELECT 4", tree: "(Union `EXCEPT` (Union `UNION ALL` (Select (Clause `SELECT` 1)) (Select (Clause `SELECT` 2))) (Union `INTERSECT` (Select (Clause `SELECT` 3)) (Select (Clause `SELECT` 4))))"},
		{src: "(SELECT 1) UNION DISTINCT (SELECT 2 UNION SELECT 3)"},
		{src: "SELECT * FROM (VALUES (1, 2), (3, 4)) AS v(a, b)"},
		{src: "SELECT max(x) AS from_day, a.* FROM t AS a"},
		{src: "SELECT 1 FROM", err: "line 1, column 14: expected a table, found the end of the text"},
		{src: "SELECT a WHERE b WHERE c", err: "line 1, column 18: expected each clause once, found WHERE"},
		{src: "SELECT\n  count(*\nFROM t", err: "line 3, column 1: expected a comma or a closing parenthesis, found FROM"},
	})
}
