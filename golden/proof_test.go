package golden

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// typeChange is a change of a column's type with rows. lost lists the values the new type cannot keep, as text; proved
// says that the types do not tell and the data is asked.
type typeChange struct {
	live, desired string
	rows          string // SQL literals
	proved        bool
	lost          []string
}

var typeChanges = []typeChange{
	// S31: the server accepts this and 70000 reads 4464.
	{"UInt32", "UInt16", "1, 70000, 65535", true, []string{"70000"}},
	{"UInt32", "UInt16", "1, 65535", true, nil},
	{"UInt16", "UInt64", "0, 65535", false, nil},
	{"UInt32", "Int32", "1, 4294967295", true, []string{"4294967295"}},
	{"UInt32", "Int64", "1, 4294967295", false, nil},
	{"Int32", "UInt32", "-1, 1", true, []string{"-1"}},
	{"Int64", "Float64", "9007199254740992, 9007199254740993", true, []string{"9007199254740993"}},
	{"Int32", "Float64", "-2147483648, 2147483647", false, nil},
	{"Float64", "Float32", "0.5, 0.1", true, []string{"0.1"}},
	{"Float64", "Float32", "0.5, nan, inf", true, nil},
	{"Float64", "Int32", "1, 1.5, nan", true, []string{"1.5", "nan"}},
	{"Decimal(9, 2)", "Decimal(18, 4)", "1.23, -9999999.99", false, nil},
	{"Decimal(9, 2)", "Decimal(9, 4)", "1.23, 9999999.99", true, []string{"9999999.99"}},
	{"Decimal(9, 2)", "Decimal(9, 1)", "1.2, 1.23", true, []string{"1.23"}},
	{"Int32", "Decimal(9, 2)", "1, 99999999", true, []string{"99999999"}},
	{"Int32", "Decimal(18, 2)", "1, 2147483647, -2147483648", false, nil},
	// S09: the server accepts this and the table can no longer be read.
	{"Enum8('new' = 1, 'paid' = 2)", "Enum8('new' = 1)", "'new', 'paid'", true, []string{"paid"}},
	{"Enum8('new' = 1, 'paid' = 2)", "Enum8('new' = 1)", "'new'", true, nil},
	{"Enum8('new' = 1, 'paid' = 2)", "Enum8('new' = 1, 'settled' = 2)", "'new', 'paid'", true, []string{"paid"}},
	{"Enum8('new' = 1)", "Enum16('new' = 1, 'paid' = 300)", "'new'", false, nil},
	{"Enum8('new' = 1, 'paid' = 2)", "String", "'new', 'paid'", false, nil},
	{"Enum8('new' = 1, 'paid' = 2)", "LowCardinality(String)", "'new', 'paid'", false, nil},
	{"String", "Enum8('new' = 1, 'paid' = 2)", "'new', 'gone'", true, []string{"gone"}},
	{"Int8", "Enum8('new' = 1, 'paid' = 2)", "1, 2", true, nil},
	{"Int8", "Enum8('new' = 1, 'paid' = 2)", "1, 3", true, []string{"3"}},
	{"String", "UInt32", "'7', '007', 'x', ''", true, []string{"", "007", "x"}},
	{"String", "UInt32", "'7', '4294967295'", true, nil},
	{"String", "Date", "'2026-01-31', '2026-02-30', 'soon'", true, []string{"2026-02-30", "soon"}},
	{"String", "DateTime64(3, 'UTC')", "'2026-01-31 10:00:00.123', '2026-01-31 10:00:00'", true, []string{"2026-01-31 10:00:00"}},
	{"String", "UUID", "'61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'x'", true, []string{"x"}},
	{"String", "LowCardinality(String)", "'a', 'b'", false, nil},
	{"LowCardinality(String)", "String", "'a', 'b'", false, nil},
	{"String", "Nullable(String)", "'a', ''", false, nil},
	{"String", "FixedString(3)", "'abc', 'ab', 'abcd', ''", true, []string{"", "ab", "abcd"}},
	{"String", "FixedString(3)", "'abc', 'ab\\0'", true, []string{"ab\x00"}},
	{"String", "FixedString(3)", "'abc', '\\0bc'", true, nil},
	{"FixedString(3)", "String", "'abc'", true, nil},
	{"FixedString(3)", "String", "'abc', 'ab', '\\0bc'", true, []string{"ab"}},
	{"Nullable(FixedString(3))", "Nullable(String)", "'abc', NULL", true, nil},
	// An hour that the time zone has twice.
	{"DateTime('Europe/Berlin')", "String", "1603585800, 1603582200", true, nil},
	{"DateTime('Europe/Berlin')", "String", "1603585800, 1603589400", true, []string{"2020-10-25 02:30:00"}},
	{"Nullable(DateTime('Europe/Berlin'))", "Nullable(String)", "1603585800, 1603589400, NULL", true, []string{"2020-10-25 02:30:00"}},
	{"DateTime64(3, 'Europe/Berlin')", "String", "1603585800, 1603589400", true, []string{"2020-10-25 02:30:00.000"}},
	{"Array(DateTime('Europe/Berlin'))", "Array(String)", "[1603585800], [1603589400, 1603589401]", true, []string{"['2020-10-25 02:30:00','2020-10-25 02:30:01']"}},
	{"Map(String, DateTime('Europe/Berlin'))", "Map(String, String)", "map('a', 1603585800), map('a', 1603589400)", true, []string{"{'a':'2020-10-25 02:30:00'}"}},
	{"Tuple(at DateTime64(3, 'Europe/Berlin'))", "Tuple(at String)", "tuple(1603585800), tuple(1603589400)", true, []string{"('2020-10-25 02:30:00.000')"}},
	{"DateTime('UTC')", "String", "'2026-01-31 10:00:00', '1970-01-01 00:00:00'", true, nil},
	// A Decimal stores more than its precision says.
	{"Decimal(4, 2)", "Decimal(5, 3)", "1.25, 9000000", true, []string{"9000000"}},
	{"Decimal(4, 2)", "Decimal(5, 2)", "1.25, 9000000", false, nil},
	{"Decimal(9, 0)", "Int32", "1, 2147483647", false, nil},
	{"Decimal(9, 0)", "Int64", "-1, 2147483647", false, nil},
	{"Bool", "Float32", "true, false", false, nil},
	{"UUID", "String", "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", false, nil},
	{"IPv4", "String", "'127.0.0.1'", false, nil},
	{"Bool", "UInt8", "true, false", false, nil},
	{"UInt8", "Bool", "0, 1", true, nil},
	{"UInt8", "Bool", "0, 2", true, []string{"2"}},
	{"Date", "Date32", "'1970-01-01', '2149-06-06'", false, nil},
	{"Date32", "Date", "'1970-01-02', '1925-01-01'", true, []string{"1925-01-01"}},
	{"Date", "DateTime('UTC')", "'1970-01-01', '2026-01-31'", true, nil},
	{"Date", "DateTime('UTC')", "'2026-01-31', '2149-06-06'", true, []string{"2149-06-06"}},
	{"DateTime('UTC')", "Date", "'2026-01-31 00:00:00', '2026-01-31 10:00:00'", true, []string{"2026-01-31 10:00:00"}},
	{"DateTime('UTC')", "DateTime('Europe/Amsterdam')", "'2026-01-31 10:00:00'", false, nil},
	{"DateTime('UTC')", "DateTime64(9, 'UTC')", "'2026-01-31 10:00:00', '2106-02-07 06:28:15'", false, nil},
	{"DateTime64(6, 'UTC')", "DateTime64(3, 'UTC')", "'2026-01-31 10:00:00.123', '2026-01-31 10:00:00.123456'", true, []string{"2026-01-31 10:00:00.123456"}},
	{"DateTime64(3, 'UTC')", "DateTime64(6, 'UTC')", "'2026-01-31 10:00:00.123'", false, nil},
	{"DateTime64(3, 'UTC')", "DateTime64(9, 'UTC')", "'2026-01-31 10:00:00.123', '2290-01-01 00:00:00.000'", true, []string{"2290-01-01 00:00:00.000"}},
	{"DateTime64(3, 'UTC')", "DateTime('UTC')", "'2026-01-31 10:00:00', '2026-01-31 10:00:00.5', '1960-01-01 00:00:00'", true, []string{"1960-01-01 00:00:00.000", "2026-01-31 10:00:00.500"}},
	{"Array(UInt16)", "Array(UInt8)", "[1, 2], [300]", true, []string{"[300]"}},
	{"Array(UInt8)", "Array(UInt16)", "[1, 2], []", false, nil},
	{"Array(String)", "Array(LowCardinality(String))", "['a', 'b'], []", false, nil},
	{"Map(String, UInt32)", "Map(String, UInt16)", "map('a', 1), map('b', 70000)", true, []string{"{'b':70000}"}},
	{"Tuple(a UInt8, b UInt32)", "Tuple(a UInt16, b UInt64)", "(1, 2)", false, nil},
	{"Variant(String, UInt8)", "Variant(Date, String, UInt8)", "'a', 7", false, nil},
}

// TestATypeChangeLosesNoValue runs each change over its rows. What the proof finds is what would be lost; what it
// passes, and what the types pass, reads the same after the ALTER when it is cast back.
func TestATypeChangeLosesNoValue(t *testing.T) {
	book := release(t)
	s := &server{t: t, url: embeddedtest.Server(t)}
	database := embeddedtest.Database(t)
	for i, c := range typeChanges {
		t.Run(fmt.Sprintf("%s to %s: %s", c.live, c.desired, c.rows), func(t *testing.T) {
			s := s.in(t)
			table := fmt.Sprintf("%s.change_%d", database, i)
			definition := "CREATE TABLE " + table + " (k UInt64, v %s) ENGINE = MergeTree ORDER BY k"
			s.exec(fmt.Sprintf(definition, c.live))
			s.exec(fmt.Sprintf("INSERT INTO %s SELECT number, CAST([%s], %s)[number + 1] FROM numbers(%d)",
				table, wrapped(c.rows, c.live), ast.QuoteString("Array("+c.live+")"), rowCount(c.rows)))
			before := s.query("SELECT k, toString(v) FROM " + table + " ORDER BY k")
			doc := s.change(book, table, fmt.Sprintf(definition, c.desired), rules.Options{})
			if len(doc.Statements) != 1 {
				t.Fatalf("want one statement, have %d: %+v", len(doc.Statements), doc.Objects[0].Changes[0])
			}
			st := doc.Statements[0]
			if (st.Proof != nil) != c.proved {
				t.Fatalf("asked of the data: %v, want %v", st.Proof != nil, c.proved)
			}
			if st.Proof != nil {
				lost := s.lost(st.Proof)
				if diff := cmp.Diff(c.lost, lost); diff != "" {
					t.Fatalf("lost (-want +found):\n%s\n%s", diff, st.Proof.Query)
				}
				if len(lost) > 0 {
					return
				}
			}
			s.exec(st.SQL)
			back := "CAST(v, " + ast.QuoteString(c.live) + ")"
			if strings.HasPrefix(c.live, "Variant") {
				back = "v" // no cast leads back from more members to fewer
			}
			after := s.query("SELECT k, toString(" + back + ") FROM " + table + " ORDER BY k")
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the rows changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestAnAcceptedLossIsCarriedOutExactlyWhereNoCastFails accepts the loss of each change that loses a value. What the
// query before the ALTER finds is what cannot be read after it: the server takes the new type first and then fails on the rows.
func TestAnAcceptedLossIsCarriedOutExactlyWhereNoCastFails(t *testing.T) {
	book := release(t)
	s := &server{t: t, url: embeddedtest.Server(t)}
	database := embeddedtest.Database(t)
	changes := slices.Clone(typeChanges)
	for _, c := range [][3]string{
		{"String", "UInt8", "'256', '+5'"}, {"String", "UInt8", "'-1'"}, {"String", "Int8", "'-200'"}, {"Nullable(String)", "Nullable(UInt8)", "NULL, '7'"},
		{"Nullable(String)", "Nullable(UInt8)", "NULL, 'x'"},
		{"String", "Nullable(FixedString(3))", "'abcd'"}, {"Nullable(String)", "Nullable(Bool)", "'maybe'"}, {"Nullable(Float64)", "Nullable(UInt8)", "nan"},
		{"LowCardinality(Nullable(String))", "Nullable(Date)", "'x'"}, {"String", "Nullable(Enum8('a' = 1))", "'x'"}, {"LowCardinality(String)", "Float64", "'1e999'"}, {"String", "Bool", "'maybe'"},
		{"Float64", "UInt8", "1e30"}, {"Float64", "UInt8", "inf"}, {"Float64", "Decimal(9, 2)", "1.234"}, {"Float64", "Decimal(9, 2)", "1e30"},
		{"Decimal(18, 2)", "UInt8", "1.23"}, {"Decimal(18, 2)", "UInt8", "12345678901"}, {"Decimal(18, 2)", "Float32", "0.1"},
		{"Array(String)", "Array(UInt8)", "['1', 'x']"}, {"Array(String)", "Array(UInt8)", "['1', '256']"},
		{"FixedString(4)", "FixedString(3)", "'abcd'"}, {"IPv6", "IPv4", "'::1'"}, {"DateTime64(3, 'UTC')", "Date", "'2290-01-01 00:00:00.000'"},
	} {
		changes = append(changes, typeChange{c[0], c[1], c[2], true, []string{"some"}})
	}
	for i, c := range changes {
		if len(c.lost) == 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s to %s: %s", c.live, c.desired, c.rows), func(t *testing.T) {
			s := s.in(t)
			table := fmt.Sprintf("%s.accepted_%d", database, i)
			definition := "CREATE TABLE " + table + " (k UInt64, v %s) ENGINE = MergeTree ORDER BY k"
			s.exec(fmt.Sprintf(definition, c.live))
			s.exec(fmt.Sprintf("INSERT INTO %s SELECT number, CAST([%s], %s)[number + 1] FROM numbers(%d)",
				table, c.rows, ast.QuoteString("Array("+c.live+")"), rowCount(c.rows)))
			doc := s.change(book, table, fmt.Sprintf(definition, c.desired), rules.Options{AcceptLoss: map[string]bool{table + ".v": true}})
			if len(doc.Statements) != 1 {
				t.Fatalf("want one statement, have %d: %+v", len(doc.Statements), doc.Objects[0].Changes[0])
			}
			st := doc.Statements[0]
			found := "0\n"
			if st.Proof != nil {
				answer, err := s.send(st.Proof.Query)
				if found = answer; err != nil {
					found = err.Error()
				}
			}
			_, err := s.send(st.SQL)
			if err == nil { // between two enums no mutation is needed
				_, err = s.send("SELECT toString(v) FROM " + table)
			}
			if (found != "0\n") != (err != nil) {
				t.Errorf("the query finds %q, and the rows after the ALTER %v\n%+v", found, err, st.Proof)
			}
		})
	}
}

// Casts that there and back do not show what they do, or that fail: no query over the data can prove them.
func TestWhatNoQueryShowsIsRefusedByTheTypes(t *testing.T) {
	book := release(t)
	for _, c := range [][2]string{
		{"FixedString(3)", "FixedString(4)"}, {"FixedString(4)", "FixedString(3)"}, {"FixedString(16)", "UUID"},
		{"Array(FixedString(3))", "Array(String)"}, {"Array(String)", "Array(FixedString(3))"},
		{"Array(Array(Nullable(FixedString(3))))", "Array(Array(Nullable(String)))"},
		{"Map(String, LowCardinality(FixedString(3)))", "Map(String, String)"},
		{"Tuple(a FixedString(3))", "Tuple(a String)"}, {"Tuple(a UInt8)", "Tuple(b UInt8)"},
		{"JSON", "String"}, {"String", "JSON"}, {"Dynamic", "String"}, {"Variant(String, UInt8)", "Variant(String)"},
		{"Array(UInt8)", "String"}, {"AggregateFunction(sum, UInt8)", "AggregateFunction(sum, UInt16)"},
		{"Enum8('a' = 1)", "UInt8"}, {"Enum8('a' = 1)", "FixedString(1)"},
	} {
		var sides [2]ast.Object
		for i := range sides {
			o, err := ddl.ParseStatement("CREATE TABLE shop.t (k UInt64, v " + c[i] + ") ENGINE = MergeTree ORDER BY k")
			if err != nil {
				t.Fatal(err)
			}
			sides[i] = o
		}
		doc := book.Plan([]rules.Pair{{Kind: sides[1].Kind(), Name: sides[1].ID(), Live: sides[0], Desired: sides[1]}},
			rules.Options{Platform: rules.Embedded, AllowDrift: true})
		if len(doc.Statements) > 0 || doc.Summary.Refused != 1 {
			t.Errorf("%s to %s: %+v, sent %d statements; want it refused", c[0], c[1], doc.Summary, len(doc.Statements))
		}
	}
}

// TestANullIsCountedBeforeItsColumnGivesItUp is case S32: with a default the server takes the change, and every NULL
// becomes it.
func TestANullIsCountedBeforeItsColumnGivesItUp(t *testing.T) {
	book := release(t)
	s := &server{t: t, url: embeddedtest.Server(t)}
	table := embeddedtest.Database(t) + ".notes"
	s.exec("CREATE TABLE " + table + " (k UInt64, v Nullable(String) DEFAULT 'none') ENGINE = MergeTree ORDER BY k")
	s.exec("INSERT INTO " + table + " VALUES (1, 'a'), (2, NULL), (3, NULL)")
	doc := s.change(book, table, "CREATE TABLE "+table+" (k UInt64, v String DEFAULT 'none') ENGINE = MergeTree ORDER BY k", rules.Options{})
	found := s.query(doc.Statements[0].Proof.Query)
	if !strings.HasPrefix(found, "2\n") {
		t.Fatalf("the proof finds %q, want 2 rows", found)
	}
	s.exec("ALTER TABLE " + table + " DELETE WHERE v IS NULL")
	if found := s.query(doc.Statements[0].Proof.Query); !strings.HasPrefix(found, "0\n") {
		t.Fatalf("the proof finds %q, want no row", found)
	}
	s.exec(doc.Statements[0].SQL)
	if got := s.query("SELECT k, v FROM " + table); got != "1\ta\n" {
		t.Errorf("the rows are %q", got)
	}
}

// TestASilentChangeOfKindIsNeverSent is case S27: the server takes the ALTER and 99 reads 10.
func TestASilentChangeOfKindIsNeverSent(t *testing.T) {
	book := release(t)
	s := &server{t: t, url: embeddedtest.Server(t)}
	table := embeddedtest.Database(t) + ".units"
	s.exec("CREATE TABLE " + table + " (k UInt64, v UInt64) ENGINE = MergeTree ORDER BY k")
	s.exec("INSERT INTO " + table + " VALUES (1, 99)")
	doc := s.change(book, table, "CREATE TABLE "+table+" (k UInt64, v UInt64 ALIAS k * 10) ENGINE = MergeTree ORDER BY k", rules.Options{})
	if len(doc.Statements) > 0 {
		t.Fatalf("sent: %s", doc.Statements[0].SQL)
	}
	s.exec(doc.Objects[0].Changes[0].Statement)
	if got := s.query("SELECT v FROM " + table); got != "10\n" {
		t.Errorf("the server no longer loses the value: it reads %q; the rule can be looser", got)
	}
}

// change plans the change of a live table to a definition, with drift allowed.
func (s *server) change(book *rules.Book, table, definition string, o rules.Options) *plan.Document {
	s.t.Helper()
	desired, err := ddl.ParseStatement(definition)
	if err != nil {
		s.t.Fatal(err)
	}
	database, name, _ := strings.Cut(table, ".")
	live := s.parse(s.column("SELECT create_table_query FROM system.tables WHERE database = '" + database + "' AND name = '" + name + "'")[0])
	o.Platform, o.AllowDrift = rules.Embedded, true
	return book.Plan([]rules.Pair{{Kind: desired.Kind(), Name: desired.ID(), Live: live, Desired: desired}}, o)
}

// lost runs a proof and returns the values it found, sorted.
func (s *server) lost(proof *plan.Proof) []string {
	s.t.Helper()
	values := s.column("SELECT toString(v) FROM (" + proof.Show + ") ORDER BY 1")
	if counted := strings.TrimSpace(s.query(proof.Query)); (counted == "0") != (len(values) == 0) {
		s.t.Errorf("the proof counts %s rows and lists %q", counted, values)
	}
	return values
}

// wrapped makes each row of a Variant one of the type, whose array has no common type of its own.
func wrapped(rows, typ string) string {
	if !strings.HasPrefix(typ, "Variant") {
		return rows
	}
	var list []string
	for _, row := range strings.Split(rows, ", ") {
		list = append(list, "CAST("+row+", "+ast.QuoteString(typ)+")")
	}
	return strings.Join(list, ", ")
}

// rowCount counts the literals of a list.
func rowCount(rows string) int {
	depth, quoted, n := 0, false, 1
	for _, r := range rows {
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case r == ',' && depth == 0:
			n++
		}
	}
	return n
}
