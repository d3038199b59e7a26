package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheDataOfAnInsertIsFound(t *testing.T) {
	cases := []struct{ text, statement, format, data string }{
		{"INSERT INTO t VALUES (1)", "INSERT INTO t ", "Values", " (1)"},
		{"insert into d.t (a, b) values(1, 2)", "insert into d.t (a, b) ", "Values", "(1, 2)"},
		{"INSERT INTO t FORMAT TSV\n1\n2", "INSERT INTO t ", "TSV", "1\n2"},
		{"INSERT INTO t FORMAT TSV \t\r\n1", "INSERT INTO t ", "TSV", "1"},
		{"INSERT INTO t FORMAT TSV\n\n1", "INSERT INTO t ", "TSV", "\n1"},
		{"INSERT INTO t FORMAT JSONEachRow {\"a\": 1}", "INSERT INTO t ", "JSONEachRow", "{\"a\": 1}"},
		{"INSERT INTO t -- FORMAT CSV\nFORMAT TSV\n1", "INSERT INTO t -- FORMAT CSV\n", "TSV", "1"},
		{"INSERT INTO format VALUES (1)", "INSERT INTO format ", "Values", " (1)"},
		{"INSERT INTO values FORMAT TSV\n1", "INSERT INTO values ", "TSV", "1"},
		{"INSERT INTO TABLE FUNCTION file('x', 'TSV', 'a UInt8') VALUES (1)", "INSERT INTO TABLE FUNCTION file('x', 'TSV', 'a UInt8') ", "Values", " (1)"},
		{"INSERT INTO `a FORMAT b`.`VALUES (` (`select`, \"with\") SETTINGS x = 'FORMAT' FORMAT CSV\n1", "INSERT INTO `a FORMAT b`.`VALUES (` (`select`, \"with\") SETTINGS x = 'FORMAT' ", "CSV", "1"},
		{"/* c */ INSERT INTO t (format, values) FORMAT Native\nx", "/* c */ INSERT INTO t (format, values) ", "Native", "x"},
		{"INSERT INTO t (a)", "INSERT INTO t (a)", "", ""},
	}
	for _, c := range cases {
		s, settled := inspect([]byte(c.text), true)
		if !s.insert || !settled {
			t.Errorf("%s: no INSERT with data", c.text)
			continue
		}
		got := []string{c.text[:s.textEnd], s.dataFormat, c.text[s.dataStart:]}
		if diff := cmp.Diff([]string{c.statement, c.format, c.data}, got); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

func TestAStatementIsReadForWhatMatters(t *testing.T) {
	cases := []struct {
		text string
		want statement
	}{
		{"SELECT 1", statement{streamable: true}},
		{"SELECT 1 FORMAT JSON", statement{streamable: true, format: "JSON"}},
		{"SELECT 1 FORMAT JSON SETTINGS max_threads = 1", statement{streamable: true, format: "JSON"}},
		{"SELECT format FROM (SELECT 1 AS format FORMAT TSV)", statement{streamable: true}},
		{"SELECT 'FORMAT X' -- FORMAT Y", statement{streamable: true}},
		{"SELECT a, count() FROM t GROUP BY a WITH TOTALS", statement{}},
		{"WITH 1 AS x SELECT x", statement{streamable: true}},
		{"WITH 1 AS x INSERT INTO t SELECT x", statement{}},
		{"SHOW CREATE TABLE t FORMAT TSVRaw", statement{format: "TSVRaw"}},
		{"SELECT 1;", statement{streamable: true}},
		{"SELECT 1;;\n-- the end", statement{streamable: true}},
		{"SELECT 1; SELECT 2", statement{streamable: true, second: 10}},
		{"SELECT $$a;b$$, $x$;$x$, 'it''s; \\'; ok'", statement{streamable: true}},
		{"SELECT 1 /* /* ; */ ; */", statement{streamable: true}},
		{"SELECT 1 INTO OUTFILE 'f'", statement{streamable: true, clientFile: true}},
		{"INSERT INTO t FROM INFILE 'f' FORMAT CSV", statement{clientFile: true}},
		{"INSERT INTO t SELECT 1", statement{}},
		{"INSERT INTO t (SELECT 1)", statement{}},
		{"INSERT INTO t WITH 1 AS x SELECT x", statement{}},
		{"INSERT INTO t SELECT a FROM input('a UInt8') FORMAT TSV\n1;2", statement{input: true}},
		{"", statement{}},
		{"'", statement{}},
		{"`\\", statement{}},
		{"/*", statement{}},
		{"$", statement{}},
		{"$a$", statement{}},
	}
	for _, c := range cases {
		got, settled := inspect([]byte(c.text), true)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(statement{})); diff != "" || !settled {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

// Whatever of a text has arrived, an INSERT is only settled when what follows
// cannot move the beginning of its data.
func TestAPrefixIsNeverSettledWrongly(t *testing.T) {
	for _, text := range []string{
		"INSERT INTO t (a, b) SETTINGS x = 'y' FORMAT JSONEachRow\n{}",
		"INSERT INTO t (a, b) VALUES (1, 2)",
		"INSERT INTO t FORMAT TSV\r\n1",
	} {
		whole, _ := inspect([]byte(text), true)
		for n := range len(text) {
			if got, settled := inspect([]byte(text[:n]), false); settled && got != whole {
				t.Errorf("%q: %+v", text[:n], got)
			}
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte("INSERT INTO t FORMAT TSV\n1"))
	f.Add([]byte("SELECT '\\'' $x$ $x$ /* -- */"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, _ := inspect(text, true)
		if s.textEnd > s.dataStart || s.dataStart > len(text) || s.second > len(text) {
			t.Errorf("%+v of %d bytes", s, len(text))
		}
	})
}
