package ddl_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// seedCorpus adds both sides of every tenth pair where the corpus is here.
func seedCorpus(f *testing.F) {
	path := shared("corpus/ddl_pairs.jsonl")
	if path == "" {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	sc := newScanner(file)
	for i := 0; sc.Scan(); i++ {
		var p pair
		if i%10 == 0 && json.Unmarshal(sc.Bytes(), &p) == nil {
			f.Add(p.Source)
			f.Add(p.Live)
		}
	}
}

// FuzzStatement demands that every text is read or refused, and that what is read is printed as a text that reads as the
// same tree. Fragments kept as tokens are exempt: tokens say nothing of where they end.
func FuzzStatement(f *testing.F) {
	seedCorpus(f)
	for _, seed := range []string{
		"CREATE TABLE t (a UInt8 DEFAULT 1 CODEC(ZSTD), INDEX i a TYPE minmax) ENGINE = MergeTree ORDER BY a TTL d DELETE WHERE x SETTINGS y = 1",
		"CREATE MATERIALIZED VIEW m REFRESH EVERY 1 DAY TO t AS SELECT 1 UNION ALL (SELECT 2)",
		"CREATE DICTIONARY d (k UInt64) PRIMARY KEY k SOURCE(NULL()) LIFETIME(1) LAYOUT(FLAT)",
		"ALTER TABLE t ADD COLUMN a UInt8 AFTER b, MODIFY SETTING x = 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		list, err := ddl.ParseScript(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range list {
			if st.Err != nil || len(st.Unreadable) > 0 {
				continue
			}
			if st.Alter != nil {
				checkStable(t, src, st.Alter.String(), func(text string) (string, error) {
					again, err := ddl.ParseAlter(text)
					if err != nil {
						return "", err
					}
					return again.String(), nil
				})
				continue
			}
			printed := ast.Create(st.Object, ast.Style{})
			again, err := ddl.ParseStatement(printed)
			if err != nil {
				t.Fatalf("%q is printed as %q: %v", src, printed, err)
			}
			if !equalObjects(st.Object, again) {
				t.Fatalf("%q is printed as %q, which is %q", src, printed, ast.Create(again, ast.Style{}))
			}
		}
	})
}

func checkStable(t *testing.T, src, printed string, reprint func(string) (string, error)) {
	t.Helper()
	again, err := reprint(printed)
	if err != nil || again != printed {
		t.Fatalf("%q is printed as %q and then as %q: %v", src, printed, again, err)
	}
}

// FuzzExpr demands the same of expressions, whose trees must be equal.
func FuzzExpr(f *testing.F) {
	for _, seed := range []string{
		"a + -b::Int8 * (c, 1).1 = x[2] OR NOT y BETWEEN 1 AND 2", "CASE a WHEN 1 THEN 'x' ELSE f(DISTINCT y) END",
		"(x, y) -> x ? y : z", "INTERVAL '1 day' + INTERVAL 2 HOUR", "sum(x) FILTER (WHERE a) OVER (w ORDER BY b DESC ROWS 1 PRECEDING)",
		"j.a.:Int64.^b[].c", "CAST(x AS Array(Enum8('a' = 1)))", "a IN ((SELECT 1) UNION ALL SELECT 2)", "* EXCEPT (a) APPLY(x -> x)",
		"{p:UInt8}", "position(a IN b)", "`a`.`b c`", "@@x", "{'a':1}", "x = ANY (WITH y AS (SELECT 1) SELECT * FROM y)",
	} {
		f.Add(seed)
	}
	if path := shared("corpus/ddl_pairs.jsonl"); path != "" {
		file, err := os.Open(path)
		if err != nil {
			f.Fatal(err)
		}
		defer file.Close()
		addDefaults(f, newScanner(file))
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := ddl.ParseExpr(src)
		if err != nil {
			return
		}
		printed := n.String()
		again, err := ddl.ParseExpr(printed)
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", src, printed, err)
		}
		if ast.Compare(n, again) != ast.Same {
			t.Fatalf("%q is printed as %q, another tree:\n%s\n%s", src, printed, dump(n), dump(again))
		}
	})
}

// addDefaults seeds with the default expressions of the corpus.
func addDefaults(f *testing.F, sc *bufio.Scanner) {
	for i := 0; sc.Scan(); i++ {
		var p pair
		if i%5 != 0 || json.Unmarshal(sc.Bytes(), &p) != nil {
			continue
		}
		obj, err := ddl.ParseStatement(p.Source)
		if err != nil {
			continue
		}
		if table, ok := obj.(*ast.Table); ok {
			for _, c := range table.Columns {
				if c.Default != nil {
					f.Add(c.Default.String())
				}
			}
		}
	}
}
