package canon_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// The statements of testdata/ are in the words people use; the engine stores each in its own.
const (
	columnTable = "CREATE TABLE {db}.@ (k UInt64, s String, ts DateTime, d Date, f Float64, arr Array(UInt8), m Map(String,String), " +
		"tup Tuple(a UInt8, b String), %s) ENGINE=MergeTree ORDER BY k"
	baseColumns = "k UInt64, s String, ts DateTime, d Date, f Float64, n UInt32, arr Array(UInt8), m Map(String,String), v Array(Float32)"
	wideColumns = "id UInt64, v String, ts DateTime, d Date, f Float64, n Nullable(Int32), arr Array(UInt8), m Map(String,UInt64), " +
		"tup Tuple(a UInt8, b String), lc LowCardinality(String), sgn Int8, ver UInt32"
)

// surroundings are the objects the statements read.
var surroundings = []string{
	"CREATE TABLE {db}.src (id UInt64, v String, ts DateTime, d Date, f Float64, n Nullable(Int32), arr Array(UInt8), m Map(String,UInt64), " +
		"tup Tuple(a UInt8, b String), nest Nested(x UInt8, y String), n2 Nested(a UInt8, b String), lc LowCardinality(String), sgn Int8, ver UInt32) " +
		"ENGINE=ReplacingMergeTree ORDER BY id SAMPLE BY id",
	"CREATE TABLE {db}.dim (id UInt64, w String, d Date) ENGINE=MergeTree ORDER BY id",
	"CREATE TABLE {db}.dst (id UInt64, v String) ENGINE=MergeTree ORDER BY id",
	"CREATE TABLE {db}.jn (id UInt64, w String) ENGINE=Join(ANY, LEFT, id)",
	"CREATE DICTIONARY {db}.dd (id UInt64, w String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'dim' DB '{db}')) LAYOUT(FLAT()) LIFETIME(0)",
}

var functionTexts = []string{"CREATE FUNCTION zzf AS (x) -> x*2+1", "CREATE FUNCTION zzg AS (a, b) -> a || b"}

func TestWhatTheEngineStoresIsWhatWasWritten(t *testing.T) {
	db := embeddedtest.Database(t)
	server := engine{t: t, url: embeddedtest.Server(t), db: db}
	env := canon.Env{User: "default", Function: sqlFunctions(t)}
	for _, text := range functionTexts {
		server.must(strings.Replace(text, "FUNCTION", "FUNCTION IF NOT EXISTS", 1))
	}
	for _, text := range surroundings {
		server.must(strings.ReplaceAll(text, "{db}", db))
	}
	texts := map[string]string{} // by the name of the object
	create := func(statement string) bool {
		name := fmt.Sprintf("o%d", len(texts))
		text := strings.ReplaceAll(strings.ReplaceAll(statement, "{db}.@", db+"."+name), "{db}", db)
		if _, err := server.query(text); err != nil {
			return false
		}
		texts[name] = text
		return true
	}
	written, refused := 0, 0
	columns := lines(t, "testdata/columns.txt")
	written += len(columns)
	const together = 16
	for start := 0; start < len(columns); start += together {
		group := columns[start:min(start+together, len(columns))]
		if create(fmt.Sprintf(columnTable, numbered(group))) {
			continue
		}
		for _, column := range group { // they do not get on with each other
			if !create(fmt.Sprintf(columnTable, column)) {
				refused++
			}
		}
	}
	stands := strings.NewReplacer("{base}", baseColumns, "{wide}", wideColumns, "{dir}", t.TempDir())
	for _, statement := range lines(t, "testdata/statements.txt") {
		written++
		statement = stands.Replace(statement)
		if !strings.Contains(statement, "{db}.@") {
			statement = strings.Replace(statement, "@", "{db}.@", 1)
		}
		if !create(statement) {
			refused++
		}
	}
	stored, err := server.query("SELECT name, create_table_query FROM system.tables WHERE database = '" + db + "' AND name LIKE 'o%' FORMAT JSONEachRow")
	if err != nil {
		t.Fatal(err)
	}
	undetermined, compared := 0, 0
	for line := range strings.Lines(stored) {
		var row struct {
			Name string
			Text string `json:"create_table_query"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		compared++
		undetermined += same(t, env, row.Text, texts[row.Name])
	}
	if compared != len(texts) {
		t.Errorf("%d objects were made, %d are stored", len(texts), compared)
	}
	t.Logf("%d definitions in %d objects, %d refused, %d parts the text does not determine", written, compared, refused, undetermined)
	if refused > written/10 {
		t.Errorf("the engine refused %d of %d definitions", refused, written)
	}
}

// same compares what was written with what is stored and returns how many parts the text does not determine.
func same(t *testing.T, env canon.Env, stored, written string) int {
	live, err := ddl.ParseStatement(stored)
	if err != nil {
		t.Errorf("stored text: %v\n%s", err, stored)
		return 0
	}
	desired, err := ddl.ParseStatement(written)
	if err != nil {
		t.Errorf("%v\n%s", err, written)
		return 0
	}
	undetermined := 0
	l, d := canon.Pair(live, desired, env)
	for _, diff := range compare(l, d) {
		if diff.reason != "" {
			undetermined++
			continue
		}
		t.Errorf("%s differs\n  written %s\n  stored  %s\n  live    %.600s\n  desired %.600s", diff.path, written, stored, show(diff.live), show(diff.desired))
	}
	// What a plan sends is printed from the canonical form.
	printed := ast.Create(canon.Object(live, env), ast.Style{})
	again, err := ddl.ParseStatement(printed)
	if err != nil {
		t.Errorf("%v: the canonical form is printed as %s", err, printed)
		return undetermined
	}
	l, d = canon.Pair(live, again, env)
	for _, diff := range compare(l, d) {
		t.Errorf("%s differs from the canonical form\n  stored  %s\n  printed %s", diff.path, stored, printed)
	}
	return undetermined
}

// numbered gives the columns of a group, each of which is called x, names of their own.
func numbered(columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = strings.Replace(c, "x", fmt.Sprintf("x%d", i), 1)
	}
	return strings.Join(out, ", ")
}

func sqlFunctions(t *testing.T) func(string) *ast.Function {
	functions := map[string]*ast.Function{}
	for _, text := range functionTexts {
		o, err := ddl.ParseStatement(text)
		if err != nil {
			t.Fatal(err)
		}
		f := o.(*ast.Function)
		functions[f.Name] = f
	}
	return func(name string) *ast.Function { return functions[name] }
}

type engine struct {
	t   *testing.T
	url string
	db  string
}

// engineSettings allow what a server of today's defaults calls experimental or suspicious.
var engineSettings = []string{"allow_suspicious_low_cardinality_types", "allow_suspicious_codecs", "allow_suspicious_variant_types",
	"allow_experimental_codecs", "enable_time_time64_type", "allow_experimental_qbit_type", "allow_experimental_statistics",
	"allow_experimental_full_text_index", "allow_suspicious_ttl_expressions", "allow_suspicious_primary_key",
	"allow_experimental_unique_key"}

func (e engine) query(sql string) (string, error) {
	parameters := url.Values{"database": {e.db}}
	for _, s := range engineSettings {
		parameters.Set(s, "1")
	}
	response, err := http.Post(e.url+"/?"+parameters.Encode(), "text/plain", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s", body)
	}
	return strings.TrimSuffix(string(body), "\n"), nil
}

func (e engine) must(sql string) {
	e.t.Helper()
	if _, err := e.query(sql); err != nil {
		e.t.Fatalf("%s: %v", sql, err)
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		out = append(out, s.Text())
	}
	return out
}
