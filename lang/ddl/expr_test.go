package ddl_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// printed is one case: a text, how it is printed, the tree where that is worth seeing, the error where it is none.
type printed struct {
	src  string
	want string // "" where it is src
	tree string
	err  string
}

func checkPrinted(t *testing.T, parse func(string) (*ast.Node, error), cases []printed) {
	t.Helper()
	for _, c := range cases {
		n, err := parse(c.src)
		if err != nil || c.err != "" {
			if got := errorText(err); got != c.err {
				t.Errorf("%s\n got error %s\nwant error %s", c.src, got, c.err)
			}
			continue
		}
		if c.want == "" {
			c.want = c.src
		}
		if got := n.String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
		if c.tree != "" && dump(n) != c.tree {
			t.Errorf("%s\n got %s\nwant %s", c.src, dump(n), c.tree)
		}
		again, err := parse(n.String())
		if err != nil {
			t.Errorf("%s is printed as %s, which cannot be read: %v", c.src, n, err)
		} else if ast.Compare(n, again) != ast.Same {
			t.Errorf("%s is printed as %s, another tree:\n%s\n%s", c.src, n, dump(n), dump(again))
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestExpressionsBindAsInClickHouse(t *testing.T) {
	checkPrinted(t, ddl.ParseExpr, []printed{
		{src: "a + b * c - d", tree: "(Operator `-` (Operator `+` a (Operator `*` b c)) d)"},
		{src: "a and b or not c AND d", want: "a AND b OR NOT c AND d", tree: "(Operator `OR` (Operator `AND` a b) (Operator `AND` (Operator `NOT` c) d))"},
		{src: "a OR b OR c", tree: "(Operator `OR` a b c)"},
		{src: "(a OR b) OR c", tree: "(Operator `OR` (Paren (Operator `OR` a b)) c)"},
		{src: "a || b || 'c'", tree: "(Operator `||` a b 'c')"},
		{src: "not a is null", want: "NOT a IS NULL", tree: "(Operator `NOT` (Operator `IS NULL` a))"},
		{src: "a = b IS NOT NULL", tree: "(Operator `IS NOT NULL` (Operator `=` a b))"},
		{src: "a = NOT b = c", want: "a = (NOT b = c)", tree: "(Operator `=` a (Paren (Operator `NOT` (Operator `=` b c))))"},
		{src: "a BETWEEN 1 AND 2 AND c", tree: "(Operator `AND` (Operator `BETWEEN` a 1 2) c)"},
		{src: "a not between 1 and b + 2", want: "a NOT BETWEEN 1 AND b + 2", tree: "(Operator `NOT BETWEEN` a 1 (Operator `+` b 2))"},
		{src: "c ? x : y", tree: "(Operator `?:` c x y)"},
		{src: "-1", tree: "(Operator `-` 1)"},
		{src: "- -a", want: "-(-a)"},
		{src: "+1", tree: "(Operator `+` 1)"},
		{src: "+1::Int8", tree: "(Operator `::` (Operator `+` 1) (Type `Int8`))"},
		{src: "-+x * 2", tree: "(Operator `*` (Operator `-` (Operator `+` x)) 2)"},
		{src: "+(a + b)[1]", tree: "(Operator `[]` (Operator `+` (Paren (Operator `+` a b))) 1)"},
		{src: "-x[1]", tree: "(Operator `-` (Operator `[]` x 1))"},
		{src: "-1::Int8", tree: "(Operator `::` (Operator `-` 1) (Type `Int8`))"},
		{src: "-x::Int8", tree: "(Operator `-` (Operator `::` x (Type `Int8`)))"},
		{src: "a <> b", tree: "(Operator `<>` a b)"},
		{src: "a <=> b"},
		{src: "a IS NOT DISTINCT FROM b"},
		{src: "a IS NOT TRUE"},
		{src: "a global not in (1, 2)", want: "a GLOBAL NOT IN (1, 2)", tree: "(Operator `GLOBAL NOT IN` a (Tuple 1 2))"},
		{src: "a IN (1)", tree: "(Operator `IN` a (Paren 1))"},
		{src: "a IN (SELECT 1)", tree: "(Operator `IN` a (Subquery (Select (Clause `SELECT` 1))))"},
		{src: "a ILIKE '%x' ESCAPE '!'", tree: "(Operator `ILIKE` a '%x' '!')"},
		{src: "a NOT REGEXP 'x'"},
		{src: "7 div 2 mod 3", want: "7 DIV 2 MOD 3"},
		{src: "a = any (SELECT 1)", want: "a = ANY (SELECT 1)", tree: "(Operator `= ANY` a (Subquery (Select (Clause `SELECT` 1))))"},
		{src: "a = any(b)", tree: "(Operator `=` a (Func `any` b))"},
	})
}

func TestOperandsOfEveryKindAreRead(t *testing.T) {
	checkPrinted(t, ddl.ParseExpr, []printed{
		{src: "a.b.`c d`", tree: "(Ident a b c d)"},
		{src: "`a.b`", tree: "a.b"},
		{src: "{db:Identifier}.t", tree: "(Ident (Param `db` (Type `Identifier`)) t)"},
		{src: "{id:Array(UInt8)}"},
		{src: "{table:String}"},
		{src: "pair.1.2", tree: "(Operator `.` (Operator `.` pair 1) 2)"},
		{src: "(x).name", tree: "(Operator `.` (Paren x) name)"},
		{src: "doc.a.:Int64.b", tree: "(Operator `.` (Operator `.:` (Ident doc a) (Type `Int64`)) b)"},
		{src: "doc.a.:`Array(JSON)`"},
		{src: "doc.^a", tree: "(Operator `.^` doc a)"},
		{src: "doc.list[].x", tree: "(Operator `.` (Operator `.[]` (Ident doc list)) x)"},
		{src: "(1,)", tree: "(Tuple 1)"},
		{src: "()", tree: "(Tuple)"},
		{src: "[1, [2]]"},
		{src: "TRUE and Null and INF and NaN", want: "true AND NULL AND inf AND nan"},
		{src: "`true`", tree: "true"},
		{src: "$$it's$$", want: `'it\'s'`},
		{src: "x'4142'", want: "'AB'"},
		{src: "CASE WHEN a THEN 1 ELSE 2 END", tree: "(Operator `CASE` (Clause `WHEN` a 1) (Clause `ELSE` 2))"},
		{src: "CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' END"},
		{src: "case", want: "`case`"},
		{src: "interval + 1", want: "`interval` + 1"},
		{src: "INTERVAL 2 days", want: "INTERVAL 2 DAY", tree: "(Interval `DAY` 2)"},
		{src: "INTERVAL '2 hours'", want: "INTERVAL 2 HOUR"},
		{src: "INTERVAL '-3' SQL_TSI_DAY", want: "INTERVAL '-3' DAY"},
		{src: "INTERVAL '1-2' YEAR TO MONTH"},
		{src: "INTERVAL '1 day 2 hours'", tree: "(Interval '1 day 2 hours')"},
		{src: "INTERVAL n + 1 WEEK", tree: "(Interval `WEEK` (Operator `+` n 1))"},
		{src: "DATE '2020-01-01'", want: "toDate('2020-01-01')"},
		{src: "TIMESTAMP '2020-01-01 00:00:00'", want: "toDateTime('2020-01-01 00:00:00')"},
		{src: "date + 1"},
		{src: "at AT TIME ZONE 'UTC' + 1", tree: "(Operator `+` (Operator `AT TIME ZONE` at 'UTC') 1)"},
		{src: "-a at time zone b", want: "-a AT TIME ZONE b", tree: "(Operator `AT TIME ZONE` (Operator `-` a) b)"},
		{src: "2 * a AT TIME ZONE b AT TIME ZONE c", tree: "(Operator `*` 2 (Operator `AT TIME ZONE` (Operator `AT TIME ZONE` a b) c))"},
		{src: "NOT a AT TIME ZONE lower('x')", tree: "(Operator `NOT` (Operator `AT TIME ZONE` a (Func `lower` 'x')))"},
		{src: "(a + 1) AT TIME ZONE 'UTC'"},
		{src: "EXISTS (SELECT 1)", tree: "(Operator `EXISTS` (Subquery (Select (Clause `SELECT` 1))))"},
		{src: "x -> x + 1", tree: "(Lambda x (Operator `+` x 1))"},
		{src: "(x, y) -> x", tree: "(Lambda x y x)"},
		{src: "a + b AS total", tree: "(Alias `total` (Operator `+` a b))"},
		{src: "(a AS b) + 1"},
		{src: "@@max_rows"},
		{src: "((SELECT 1) UNION ALL SELECT 2)"},
		{src: "* EXCEPT (a, b) REPLACE (1 AS c) APPLY (sum)"},
		{src: "t.* EXCEPT STRICT a", want: "t.* EXCEPT STRICT (a)"},
		{src: "columns('^m_') APPLY x -> x + 1", want: "COLUMNS('^m_') APPLY (x -> x + 1)"},
		{src: "t.COLUMNS(a, b)"},
	})
}

func TestCallsKeepTheirSyntax(t *testing.T) {
	checkPrinted(t, ddl.ParseExpr, []printed{
		{src: "f()"},
		{src: "quantiles(0.5, 0.9)(x)", tree: "(Func `quantiles` (Params 0.5 0.9) x)"},
		{src: "count(distinct a, b)", want: "count(DISTINCT a, b)", tree: "(Func `count` (Clause `DISTINCT`) a b)"},
		{src: "sum(x) FILTER (WHERE y > 0)"},
		{src: "a IS DISTINCT FROM 1 IS TRUE"},
		{src: "(a = 1) IS NOT FALSE AND b IS UNKNOWN"},
		{src: "f(a, b -> a + b, c)", want: "f((a, b) -> a + b, c)"},
		{src: "f(a, (b) -> a + b, 1)"},
		{src: "f(1, b -> b)"},
		{src: "first_value(x) IGNORE NULLS OVER w", tree: "(Func `first_value` x (Clause `IGNORE NULLS`) (Clause `OVER` w))"},
		{src: "sum(x) OVER ()"},
		{src: "sum(x) OVER (base PARTITION BY a, b ORDER BY c DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"},
		{src: "sum(x) OVER (RANGE UNBOUNDED PRECEDING)"},
		{src: "cast(x as Nullable(String))", want: "cast(x AS Nullable(String))", tree: "(Func `cast` x (Type `Nullable` (Type `String`)))"},
		{src: "CAST(x, 'String')"},
		{src: "CAST(x AS y, 'String')", tree: "(Func `CAST` (Alias `y` x) 'String')"},
		{src: "EXTRACT(DAY FROM x)", tree: "(Func `EXTRACT` (Clause `DAY` x))"},
		{src: "extract(x, 're')"},
		{src: "SUBSTRING(x FROM 2 FOR 3)", want: "SUBSTRING(x, 2, 3)"},
		{src: "position('a' IN b)", want: "position(b, 'a')"},
		{src: "position(a, 'b')"},
		{src: "trim(both '-' from x)", want: "trim(BOTH '-' FROM x)", tree: "(Func `trim` (Clause `BOTH` x '-'))"},
		{src: "date_add(day, 1, d)", want: "date_add(DAY, 1, d)", tree: "(Func `date_add` (Keyword `DAY`) 1 d)"},
		{src: "arrayMap((k, v) -> k, m)"},
		{src: "view(SELECT 1)", tree: "(Func `view` (Select (Clause `SELECT` 1)))"},
		{src: "left(x, 1)"},
		{src: "`odd name`(1)"},
		{src: "if(a = 1, b, c)", tree: "(Func `if` (Operator `=` a 1) b c)"},
	})
}

func TestFaultsInExpressionsSayWhatWasExpected(t *testing.T) {
	checkPrinted(t, ddl.ParseExpr, []printed{
		{src: "", err: "line 1, column 1: expected an expression, found the end of the text"},
		{src: "a +", err: "line 1, column 4: expected an expression, found the end of the text"},
		{src: "f(a", err: "line 1, column 4: expected a comma or a closing parenthesis, found the end of the text"},
		{src: "a b c", err: "line 1, column 3: expected the end of the text, found b"},
		{src: "CASE a END", err: "line 1, column 8: expected WHEN, found END"},
		{src: "f(x) -> 1", err: "line 1, column 6: expected an operator; only names may stand before ->, found ->"},
		{src: "'a", err: "line 1, column 1: expected a token, found 'a; the quote that opens here is never closed"},
		{src: "a BETWEEN 1 OR 2", err: "line 1, column 13: expected AND and the upper bound of BETWEEN, found OR"},
		{src: "INTERVAL 1", err: "line 1, column 11: expected the unit of the interval, found the end of the text"},
	})
}
