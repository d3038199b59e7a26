package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// server returns a connection to a real engine, a database of its own there, and what runs statements in it.
func server(t testing.TB) (*catalog.Conn, string, func(string, ...any)) {
	t.Helper()
	db := embeddedtest.Database(t)
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: embeddedtest.Server(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, db, func(format string, args ...any) {
		t.Helper()
		if err := conn.Exec(t.Context(), fmt.Sprintf(format, args...), "", nil); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t testing.TB, conn *catalog.Conn, databases ...string) *catalog.Catalog {
	t.Helper()
	found, err := catalog.Read(t.Context(), conn, catalog.Scope{Databases: databases})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEveryKindOfObjectIsReadAsWhatItIs(t *testing.T) {
	conn, db, exec := server(t)
	exec("CREATE TABLE %s.readings (at DateTime, value Float64) ENGINE = MergeTree ORDER BY at COMMENT 'what was read'", db)
	exec("CREATE VIEW %s.hot AS SELECT at FROM %s.readings WHERE value > 30", db, db)
	exec("CREATE MATERIALIZED VIEW %s.daily ENGINE = SummingMergeTree ORDER BY day AS SELECT toDate(at) AS day, sum(value) AS s FROM %s.readings GROUP BY day", db, db)
	exec("CREATE DICTIONARY %s.places (id UInt64, name String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)", db)
	exec("CREATE TABLE %s.by_dictionary (id UInt64, name String) ENGINE = Dictionary('%s.places')", db, db)
	exec("CREATE FUNCTION %s_double AS x -> x * 2", db)

	found := read(t, conn, db)
	kinds := map[string]ast.Kind{}
	for name, o := range found.Relations {
		if name.Database != db {
			t.Errorf("%s is outside the scope", name)
		}
		if o.Tree == nil || o.Tree.Kind() != o.Kind || o.Tree.ID() != name {
			t.Errorf("%s has the tree %v (%v)", name, o.Tree, o.Unreadable)
		}
		if o.UUID == "" || o.Modified.IsZero() || o.ReadAt.IsZero() || !strings.HasPrefix(o.Text, "CREATE ") {
			t.Errorf("%s is read in part: %+v", name, o)
		}
		kinds[name.Name] = o.Kind
	}
	want := map[string]ast.Kind{
		"readings": ast.KindTable, "hot": ast.KindView, "daily": ast.KindMaterializedView,
		"places": ast.KindDictionary, "by_dictionary": ast.KindTable,
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds, the materialized view's inner table left out:\n%s", diff)
	}
	database, ok := found.Databases[db].Tree.(*ast.Database)
	if !ok || database.Engine.Name != "Atomic" {
		t.Errorf("the database is read as %+v", found.Databases[db])
	}
	if f := found.Functions[db+"_double"]; f == nil || f.Tree == nil || f.Tree.Kind() != ast.KindFunction {
		t.Errorf("the function is read as %+v", f)
	}
	for name := range found.Databases {
		if name == "system" || strings.EqualFold(name, "information_schema") {
			t.Errorf("the server's own database %s is read as an object", name)
		}
	}
}

func TestAnUnreadableObjectIsKeptByNameAndStopsNothing(t *testing.T) {
	conn, db, exec := server(t)
	exec("CREATE TABLE %s.src (at DateTime, a UInt8) ENGINE = MergeTree ORDER BY at", db)
	err := conn.Exec(t.Context(), fmt.Sprintf("CREATE WINDOW VIEW %s.live ENGINE = MergeTree ORDER BY c AS SELECT count() AS c, tumbleStart(w) AS s FROM %s.src GROUP BY tumble(at, toIntervalSecond(5)) AS w", db, db),
		"", map[string]any{"allow_experimental_window_view": 1, "allow_experimental_analyzer": 0})
	if err != nil {
		t.Fatal(err)
	}
	found := read(t, conn, db)
	live := found.Relations[ast.Name{Database: db, Name: "live"}]
	if live == nil || live.Tree != nil || live.Unreadable == nil || live.Kind != "window_view" || live.Text == "" {
		t.Errorf("the window view is read as %+v", live)
	}
	if src := found.Relations[ast.Name{Database: db, Name: "src"}]; src == nil || src.Tree == nil {
		t.Errorf("the table beside it is read as %+v", src)
	}
}

func TestTheNumberOfQueriesDoesNotDependOnTheNumberOfObjects(t *testing.T) {
	conn, db, exec := server(t)
	cost := func() int {
		before := conn.Effort().Queries
		read(t, conn, db)
		return conn.Effort().Queries - before
	}
	empty := cost()
	for i := range 40 {
		exec("CREATE TABLE %s.t%d (a UInt8) ENGINE = MergeTree ORDER BY a", db, i)
	}
	if full := cost(); full != empty || full != 8 {
		t.Errorf("%d queries for no table and %d for 40, want 8 for both", empty, full)
	}
}

func TestAnObjectReadAgainIsTheObjectAsItIsNow(t *testing.T) {
	conn, db, exec := server(t)
	name := ast.Name{Database: db, Name: "it's \\ odd"}
	again := func() *catalog.Object {
		t.Helper()
		o, err := catalog.ReadObject(t.Context(), conn, ast.KindTable, name)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := again(); o != nil {
		t.Fatalf("read %+v where nothing is", o)
	}
	exec("CREATE TABLE %s (a UInt8) ENGINE = Memory", name.SQL())
	first := again()
	exec("DROP TABLE %s", name.SQL())
	exec("CREATE VIEW %s AS SELECT 1 AS a", name.SQL())
	second := again()
	if first == nil || first.Kind != ast.KindTable || second == nil || second.Kind != ast.KindView || first.UUID == second.UUID {
		t.Errorf("read %+v, then %+v", first, second)
	}
}

func TestTheServersFactsAreRead(t *testing.T) {
	conn, _, _ := server(t)
	f, err := catalog.ReadFacts(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	if !f.AtLeast("25.8") || f.AtLeast("99.1") || f.Cloud || f.Keeper || f.DefaultDatabaseEngine == "" || f.Now.IsZero() {
		t.Errorf("facts: version %s, cloud %t, keeper %t, database engine %q, clock %s", f.Version, f.Cloud, f.Keeper, f.DefaultDatabaseEngine, f.Now)
	}
	readOnly, known := f.TableSettings["index_granularity"]
	if !known || !readOnly || f.TableSettings["ttl_only_drop_parts"] {
		t.Error("index_granularity is not known as read-only, or ttl_only_drop_parts is")
	}
	if !f.Knows("max_query_size") || !f.Knows("min_bytes_for_wide_part") || f.Knows("no_such_setting") {
		t.Error("the settings the server knows are not read")
	}
}

func TestAnObjectThatHangsTheServerEndsTheReadingAndNamesItsNeighbour(t *testing.T) {
	_, db, exec := server(t)
	exec("CREATE TABLE %s.before (a UInt8) ENGINE = Memory", db)
	target, err := url.Parse(embeddedtest.Server(t))
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			if r.Request.URL.Query().Get("max_block_size") != "" { // the reading of the tables
				r.Body = endless{r.Body, r.Request.Context()}
				r.ContentLength = -1
				r.Header.Del("Content-Length")
			}
			return nil
		},
	}
	forward.ErrorLog = log.New(io.Discard, "", 0)
	hanging := httptest.NewServer(forward)
	defer hanging.Close()
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: hanging.URL, ReadTimeout: 8 * time.Second}) // a loaded server answers the other queries within it
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = catalog.Read(t.Context(), conn, catalog.Scope{Databases: []string{db}})
	var fault *catalog.ConnectError
	if !errors.As(err, &fault) || fault.Fault != catalog.NotUp || !strings.Contains(err.Error(), "the last about "+db+".before") {
		t.Errorf("error %v, want a fault that names the table read last", err)
	}
}

// endless is a body that stays open once it was read.
type endless struct {
	io.ReadCloser
	ctx context.Context
}

func (e endless) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err == io.EOF && n == 0 {
		<-e.ctx.Done()
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

func TestVersionsCompareAsNumbers(t *testing.T) {
	for _, c := range []struct {
		have, min string
		want      bool
	}{
		{"26.7.2.1", "26.7", true}, {"26.7.2.1", "26.10", false}, {"26.7", "26.7.1", false}, {"26.10.1", "26.9", true}, {"25.8.1", "25.8.1", true}, {"25.8", "soon", false},
	} {
		if got := (&catalog.Facts{Version: c.have}).AtLeast(c.min); got != c.want {
			t.Errorf("%s at least %s = %t", c.have, c.min, got)
		}
	}
}

func BenchmarkReadThousandTables(b *testing.B) {
	conn, db, exec := server(b)
	for i := range 1000 {
		exec("CREATE TABLE %s.t%d (id UInt64, at DateTime64(3, 'UTC') CODEC(Delta, ZSTD), name LowCardinality(String) DEFAULT 'x' COMMENT 'a name', value Nullable(Float64)) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (id, at) TTL toDateTime(at) + INTERVAL 30 DAY", db, i)
	}
	before := conn.Effort().Waited
	for b.Loop() {
		if n := len(read(b, conn, db).Relations); n != 1000 {
			b.Fatalf("%d tables", n)
		}
	}
	b.ReportMetric(float64((conn.Effort().Waited-before).Microseconds())/float64(b.N)/1000, "ms-waiting/op")
}

func TestAnErrorOfAStatementOrARowShowsNoCredentials(t *testing.T) {
	target, err := url.Parse(embeddedtest.Server(t))
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.SetBasicAuth("default", "")
		r.Out.Header.Del("X-ClickHouse-User")
		r.Out.Header.Del("X-ClickHouse-Key")
	}}
	server := httptest.NewServer(forward)
	defer server.Close()
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: server.URL, User: "operator", Password: "Qx7-canary"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	server.Close()
	for what, err := range map[string]error{
		"a statement": conn.Exec(t.Context(), "SELECT 1", "id", nil),
		"a row":       conn.Insert(t.Context(), "t (a)", "id", nil, [][]any{{"x"}}),
		"a query":     conn.Select(t.Context(), "SELECT 1", nil, func(func(...any) error) error { return nil }),
	} {
		if err == nil || strings.Contains(err.Error(), "operator") || strings.Contains(err.Error(), "Qx7") || !strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
