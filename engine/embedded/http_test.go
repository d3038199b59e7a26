package embedded_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

// answer is what a client sees of one request.
type answer struct {
	Status int
	Code   string // X-ClickHouse-Exception-Code
	Body   string
}

// params makes a query string of name, value, name, value.
func params(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

func request(t testing.TB, method, query, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, embeddedtest.Server(t)+"/?"+query, strings.NewReader(body))
	must(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	return resp, string(text)
}

// send posts a request and returns what came back, an error's text cut to its
// first words.
func send(t testing.TB, query, body string, header ...string) answer {
	t.Helper()
	resp, text := request(t, http.MethodPost, query, body, header...)
	return answer{resp.StatusCode, resp.Header.Get("X-ClickHouse-Exception-Code"), text}
}

func ok(body string) answer { return answer{Status: 200, Body: body} }

func TestRequestsAreAnsweredAsCurlUsersExpect(t *testing.T) {
	db := embeddedtest.Database(t)
	cases := []struct {
		name, query, body string
		want              string
	}{
		{"the query is the body", "", "SELECT 1 + 1", "2\n"},
		{"the query is a parameter", params("query", "SELECT 3"), "", "3\n"},
		{"parameter and body are one text", params("query", "SELECT"), "4", "4\n"},
		{"a trailing semicolon", "", "SELECT 5;\n", "5\n"},
		{"semicolons in texts and comments", "", "SELECT ';' /* ; */ -- ;\n", ";\n"},
		{"FORMAT in the text", "", "SELECT 6 AS a FORMAT JSONEachRow", "{\"a\":6}\n"},
		{"default_format", params("default_format", "CSVWithNames"), "SELECT 'x' AS a", "\"a\"\n\"x\"\n"},
		{"FORMAT wins over default_format", params("default_format", "JSON"), "SELECT 'x' FORMAT TSV", "x\n"},
		{"no rows", "", "SELECT 1 WHERE 0", ""},
		{"no rows, with names", params("default_format", "TSVWithNames"), "SELECT 1 AS a WHERE 0", "a\n"},
		{"totals of a streamed format", "", "SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS ORDER BY k", "0\t2\n1\t2\n\n0\t4\n"},
		{"a database", params("database", db), "SELECT currentDatabase()", db + "\n"},
		{"a query parameter", params("param_who", "it's\\\\me"), "SELECT {who:String}", "it\\'s\\\\me\n"},
		{"an identifier as a query parameter", params("param_t", "one"), "SELECT count() FROM system.{t:Identifier}", "1\n"},
		{"access objects can be listed", "", "SHOW ROLES", ""},
		{"grants can be listed", "", "SELECT count() > 0 FROM system.grants", "1\n"},
		{"waiting for the end", params("wait_end_of_query", "1"), "SELECT 7", "7\n"},
		{"SHOW", params("database", db), "SHOW TABLES", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(ok(c.want), send(t, c.query, c.body)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsKeepClickHousesCodeTextAndStatus(t *testing.T) {
	cases := []struct {
		name, query, body string
		status            int
		code, says        string
	}{
		{"no such table", "", "SELECT * FROM absent", 404, "60", "(UNKNOWN_TABLE)"},
		{"no such database", params("database", "absent"), "SELECT 1", 404, "81", "(UNKNOWN_DATABASE)"},
		{"no such function", "", "SELECT absent(1)", 404, "46", "(UNKNOWN_FUNCTION)"},
		{"no such setting", params("absent_setting", "1"), "SELECT 1", 404, "115", "(UNKNOWN_SETTING)"},
		{"a setting that cannot be one", params("a; DROP", "1"), "SELECT 1", 404, "115", "(UNKNOWN_SETTING)"},
		{"a bad value", params("max_threads", "many"), "SELECT 1", 400, "27", "CANNOT_PARSE"},
		{"no statement", "", "SELEC 1", 400, "62", "(SYNTAX_ERROR)"},
		{"an empty text", "", " ", 400, "62", "Empty query"},
		{"two statements", "", "SELECT 1; SELECT 2", 400, "62", "Multi-statements are not allowed"},
		{"a select from input(), whose data the library would drop", "", "INSERT INTO t SELECT a FROM input('a UInt64') FORMAT CSV\n1\n", 501, "48", "(NOT_IMPLEMENTED)"},
		{"a file of the client", "", "SELECT 1 INTO OUTFILE 'x'", 500, "358", "(INTO_OUTFILE_NOT_ALLOWED)"},
		{"while running", "", "SELECT throwIf(1)", 500, "395", "FUNCTION_THROW_IF"},
		{"too slow", params("max_execution_time", "1"), "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)", 504, "159", "(TIMEOUT_EXCEEDED)"},
		{"readonly", params("readonly", "1"), "CREATE TABLE x (a UInt8) ENGINE = Memory", 500, "164", "(READONLY)"},
		{"no role", params("role", "absent"), "SELECT 1", 500, "511", "(UNKNOWN_ROLE)"},
		{"access objects, which need a server", "", "CREATE ROLE r", 500, "514", "(ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND)"},
		{"no substitution", "", "SELECT {x:String}", 500, "456", "(UNKNOWN_QUERY_PARAMETER)"},
		{"another user", params("user", "somebody"), "SELECT 1", 403, "516", "(AUTHENTICATION_FAILED)"},
		{"a password", params("password", "x"), "SELECT 1", 403, "516", "(AUTHENTICATION_FAILED)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := send(t, c.query, c.body)
			if got.Status != c.status || got.Code != c.code {
				t.Errorf("status %d, code %s, want %d, %s", got.Status, got.Code, c.status, c.code)
			}
			if !strings.HasPrefix(got.Body, "Code: "+c.code+". DB::Exception: ") || !strings.Contains(got.Body, c.says) {
				t.Error(got.Body)
			}
		})
	}
}

func TestGETReadsOnly(t *testing.T) {
	db := embeddedtest.Database(t)
	_, text := request(t, http.MethodGet, params("query", "SELECT 1"), "")
	if text != "1\n" {
		t.Error(text)
	}
	resp, text := request(t, http.MethodGet, params("query", "CREATE TABLE t (a UInt8) ENGINE = Memory", "database", db), "")
	if resp.StatusCode != 500 || resp.Header.Get("X-ClickHouse-Exception-Code") != "164" {
		t.Error(resp.Status, text)
	}
	resp, text = request(t, http.MethodGet, params("query", "CREATE TABLE t (a UInt8) ENGINE = Memory", "database", db, "readonly", "0"), "")
	if resp.Header.Get("X-ClickHouse-Exception-Code") != "164" {
		t.Error("readonly=0 lifts it", resp.Status, text)
	}
}

func TestHeadersTellWhatTheAnswerIs(t *testing.T) {
	resp, _ := request(t, http.MethodPost, params("query_id", "mine", "default_format", "JSONEachRow"), "SELECT 1")
	got := map[string]string{}
	for _, name := range []string{"X-ClickHouse-Query-Id", "X-ClickHouse-Format", "Content-Type", "X-ClickHouse-Timezone"} {
		got[name] = resp.Header.Get(name)
	}
	want := map[string]string{
		"X-ClickHouse-Query-Id": "mine", "X-ClickHouse-Format": "JSONEachRow",
		"Content-Type": "application/x-ndjson; charset=UTF-8", "X-ClickHouse-Timezone": got["X-ClickHouse-Timezone"],
	}
	if diff := cmp.Diff(want, got); diff != "" || got["X-ClickHouse-Timezone"] == "" {
		t.Error(diff, got)
	}
	resp, _ = request(t, http.MethodPost, "", "SELECT 1")
	if len(resp.Header.Get("X-ClickHouse-Query-Id")) != 36 {
		t.Errorf("no query id was made: %v", resp.Header)
	}
	resp, _ = request(t, http.MethodPost, params("wait_end_of_query", "1"), "SELECT count() FROM numbers(1000)")
	if s := resp.Header.Get("X-ClickHouse-Summary"); !strings.Contains(s, `"written_rows":"0"`) {
		t.Error(s)
	}
}

func TestHealthPathsAreOk(t *testing.T) {
	for _, path := range []string{"/ping", "/", "/replicas_status"} {
		resp, err := http.Get(embeddedtest.Server(t) + path)
		must(t, err)
		text, err := io.ReadAll(resp.Body)
		must(t, err)
		must(t, resp.Body.Close())
		if diff := cmp.Diff("200 Ok.\n", resp.Status[:4]+string(text)); diff != "" {
			t.Error(path, diff)
		}
	}
	resp, err := http.Get(embeddedtest.Server(t) + "/play")
	must(t, err)
	must(t, resp.Body.Close())
	if resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}

func TestASettingReachesItsQueryAndNoOther(t *testing.T) {
	db := embeddedtest.Database(t)
	read := "SELECT getSetting('max_block_size'), getSetting('log_comment'), getSetting('readonly'), currentDatabase()"
	before := send(t, "", read)
	set := params("max_block_size", "777", "log_comment", "it's; mine\\", "readonly", "2", "database", db)
	want := ok("777\tit\\'s; mine\\\\\t2\t" + db + "\n")
	var together sync.WaitGroup
	for range 4 {
		together.Go(func() {
			for range 25 {
				if diff := cmp.Diff(want, send(t, set, read)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(before, send(t, "", read)); diff != "" {
					t.Error("leaked", diff)
				}
			}
		})
	}
	together.Wait()
	// And by statements of their own.
	send(t, "", "SET max_block_size = 778")
	send(t, "", "USE "+db)
	send(t, "", "CREATE TEMPORARY TABLE leftover (a UInt8)")
	if diff := cmp.Diff(before, send(t, "", read)); diff != "" {
		t.Error("leaked", diff)
	}
	if got := send(t, "", "SELECT * FROM leftover"); got.Code != "60" {
		t.Error("leaked", got)
	}
}

func TestSettingsReachDDL(t *testing.T) {
	db := embeddedtest.Database(t)
	create := "CREATE TABLE t (s LowCardinality(UInt8)) ENGINE = MergeTree ORDER BY tuple()"
	if got := send(t, params("database", db), create); got.Code != "455" {
		t.Errorf("without the setting: %v", got)
	}
	if got := send(t, params("database", db, "allow_suspicious_low_cardinality_types", "1"), create); got.Status != 200 {
		t.Errorf("with the setting: %v", got)
	}
}

func TestTheLogCommentIsSeenWhileAStatementRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { endless(ctx, t, "log_comment", "scope=schema pass=7") })
	eventually(t, "the statement is not in system.processes", func() bool {
		return send(t, "", "SELECT count() FROM system.processes WHERE Settings['log_comment'] = 'scope=schema pass=7'").Body == "1\n"
	})
	cancel()
	running.Wait()
	eventually(t, "a statement outlived its client", func() bool {
		return send(t, "", "SELECT count() FROM system.processes WHERE Settings['log_comment'] = 'scope=schema pass=7'").Body == "0\n"
	})
}

// endless runs a statement that only ends by being stopped.
func endless(ctx context.Context, t *testing.T, settings ...string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, embeddedtest.Server(t)+"/?"+params(settings...),
		strings.NewReader("SELECT sum(sipHash64(number)) FROM numbers(100000000000000)"))
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		t.Errorf("the endless statement ended: %s", resp.Status)
		_ = resp.Body.Close()
	}
}

// eventually polls a condition that is reached within a fraction of a second.
func eventually(t testing.TB, complaint string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatal(complaint)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestQueriesBeyondTheLimitWaitAndCanGiveUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 12 { // the server runs 8
		running.Go(func() { endless(ctx, t, "max_threads", "1") })
	}
	cancel()
	running.Wait()
	if diff := cmp.Diff(ok("1\n"), send(t, "", "SELECT 1")); diff != "" {
		t.Error(diff)
	}
}

func TestASessionKeepsItsStateAndNotItsRequests(t *testing.T) {
	db := embeddedtest.Database(t)
	id := "session of " + db
	in := func(q ...string) string { return params(append(q, "session_id", id)...) }
	read := "SELECT getSetting('max_block_size'), currentDatabase()"
	steps := []struct {
		query, body string
		want        answer
	}{
		{in(), "CREATE TEMPORARY TABLE kept (a UInt8)", ok("")},
		{in(), "INSERT INTO kept VALUES (1), (2)", ok("")},
		{in(), "SELECT sum(a) FROM kept", ok("3\n")},
		{in(), "SET max_block_size = 1000", ok("")},
		{in(), read, ok("1000\tdefault\n")},
		{in("max_block_size", "5", "database", db), read, ok("5\t" + db + "\n")},
		{in(), read, ok("1000\tdefault\n")},
		{in(), "USE " + db, ok("")},
		{in(), read, ok("1000\t" + db + "\n")},
	}
	for _, s := range steps {
		if diff := cmp.Diff(s.want, send(t, s.query, s.body)); diff != "" {
			t.Errorf("%s: %s", s.body, diff)
		}
	}
	if got := send(t, params("session_id", "never seen", "session_check", "1"), "SELECT 1"); got.Code != "372" {
		t.Error(got)
	}
	if resp, text := request(t, http.MethodGet, in("query", "DROP TABLE kept"), ""); resp.Header.Get("X-ClickHouse-Exception-Code") != "164" {
		t.Error(text)
	}
	t.Run("used by two at once it is locked", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { endless(ctx, t, "session_id", id, "log_comment", id) })
		eventually(t, "the statement does not run", func() bool {
			return send(t, "", "SELECT count() FROM system.processes WHERE Settings['log_comment'] = '"+id+"'").Body == "1\n"
		})
		if got := send(t, in(), "SELECT 1"); got.Code != "373" {
			t.Error(got)
		}
		cancel()
		running.Wait()
	})
}

func TestRequestsFromWebPagesAreRefused(t *testing.T) {
	if got := send(t, "", "SELECT 1", "Origin", "http://example.org"); got.Status != http.StatusForbidden {
		t.Error(got)
	}
	if got := send(t, "", "SELECT 1", "Sec-Fetch-Site", "cross-site"); got.Status != http.StatusForbidden {
		t.Error(got)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, embeddedtest.Server(t), strings.NewReader("SELECT 1"))
	must(t, err)
	req.Host = "rebound.example.org"
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	must(t, resp.Body.Close())
	if resp.StatusCode != http.StatusForbidden {
		t.Error(resp.Status)
	}
}

func TestAResultCutByAnErrorIsNotTakenForWhole(t *testing.T) {
	body := "SELECT throwIf(number = 3000000) FROM numbers(4000000) SETTINGS max_block_size = 65536, max_threads = 1"
	resp, err := http.Post(embeddedtest.Server(t)+"/?wait_end_of_query=0", "", strings.NewReader(body))
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	if err == nil || !bytes.Contains(text, []byte("__exception__")) || !bytes.Contains(text, []byte("Code: 395.")) {
		t.Errorf("the result of %d bytes ended with %v", len(text), err)
	}
	must(t, resp.Body.Close())
	if got := send(t, "wait_end_of_query=1", body); got.Status != 500 || got.Code != "395" {
		t.Error(got.Status, got.Code)
	}
}

func TestResultsAreCompressedOnRequest(t *testing.T) {
	resp, text := request(t, http.MethodPost, "", "SELECT repeat('a', 100000)", "Accept-Encoding", "zstd")
	if resp.Header.Get("Content-Encoding") != "zstd" || len(text) > 1000 {
		t.Error(resp.Header, len(text))
	}
	decoder, err := zstd.NewReader(strings.NewReader(text))
	must(t, err)
	defer decoder.Close()
	plain, err := io.ReadAll(decoder)
	must(t, err)
	if len(plain) != 100001 {
		t.Error(len(plain))
	}
}
