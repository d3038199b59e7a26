package executor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/executor"
)

// line is the wire between the executor and a real engine. cut, when set, decides about each statement that carries a
// log comment, and so about none of the questions asked beside it.
type line struct {
	*httptest.Server
	mu   sync.Mutex
	sent []url.Values
	cut  func(attempt int, forward http.Handler, w http.ResponseWriter, r *http.Request)
	down bool
	// rewrite, when set, changes the text of questions on their way.
	rewrite func(string) string
}

func newLine(t *testing.T) *line {
	t.Helper()
	target, err := url.Parse(embeddedtest.Server(t))
	if err != nil {
		t.Fatal(err)
	}
	l := &line{}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		statement := r.URL.Query().Has("log_comment")
		if statement {
			l.sent = append(l.sent, r.URL.Query())
		}
		attempt, cut, down, rewrite := len(l.sent), l.cut, l.down, l.rewrite
		l.mu.Unlock()
		if rewrite != nil {
			r = l.rewritten(r)
		}
		switch {
		case down:
			panic(http.ErrAbortHandler)
		case statement && cut != nil:
			cut(attempt, forward, w, r)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *line) statements() []url.Values {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent
}

func (l *line) goDown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
}

// answer is the server's exception.
func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("X-ClickHouse-Exception-Code", fmt.Sprint(code))
	w.WriteHeader(http.StatusInternalServerError)
	fmt.Fprintf(w, "Code: %d. DB::Exception: %s", code, text)
}

// lose carries the statement out and drops the answer.
func lose(forward http.Handler, r *http.Request) {
	forward.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

type bench struct {
	*line
	conn *catalog.Conn
	x    *executor.Executor
	db   string
}

func setUp(t *testing.T, o executor.Options) *bench {
	t.Helper()
	l := newLine(t)
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: l.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	o.Scope, o.Pass = "schema", "p1"
	o.Pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return &bench{l, conn, executor.New(conn, o), embeddedtest.Database(t)}
}

// pause replaces the waiting.
func (b *bench) pause(f func(context.Context, time.Duration) error) { b.x.Pause = f }

func (b *bench) exec(t *testing.T, sql string) {
	t.Helper()
	if err := b.conn.Exec(t.Context(), sql, "", nil); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) read(t *testing.T, table string) *catalog.Object {
	t.Helper()
	o, err := catalog.ReadObject(t.Context(), b.conn, ast.KindTable, ast.Name{Database: b.db, Name: table})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// statement is about table t, whose text has to hold want in the end. %s in the statement is the database.
func (b *bench) statement(t *testing.T, sql, want string) executor.Statement {
	return executor.Statement{
		Kind: ast.KindTable, Name: ast.Name{Database: b.db, Name: "t"},
		SQL: fmt.Sprintf(sql, b.db), Before: b.read(t, "t"),
		Missing: func(o *catalog.Object) string {
			if o == nil || !strings.Contains(o.Text, want) {
				return want
			}
			return ""
		},
	}
}

const (
	create = "CREATE TABLE %s.t (a UInt8) ENGINE = MergeTree ORDER BY a"
	alter  = "ALTER TABLE %s.t ADD COLUMN b UInt8"
)

func TestAppliedMeansSeen(t *testing.T) {
	b := setUp(t, executor.Options{})
	result, err := b.x.Apply(t.Context(), b.statement(t, create, "`a` UInt8"))
	if err != nil {
		t.Fatal(err)
	}
	if result.After == nil || result.After.Engine != "MergeTree" || result.Attempts != 1 || b.x.Sent() != 1 {
		t.Errorf("result %+v after %d statements, want the table as read back after one", result, b.x.Sent())
	}
	b.cut = func(_ int, _ http.Handler, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	_, err = b.x.Apply(t.Context(), b.statement(t, alter, "`b` UInt8"))
	var unseen *executor.NotSeenError
	if !errors.As(err, &unseen) || unseen.Missing != "`b` UInt8" {
		t.Errorf("an acknowledged statement without effect gives %v, want a *NotSeenError", err)
	}
}

func TestAStatementCarriesItsIdentityAndNothingElse(t *testing.T) {
	b := setUp(t, executor.Options{})
	if _, err := b.x.Apply(t.Context(), b.statement(t, create, "`a` UInt8")); err != nil {
		t.Fatal(err)
	}
	got := b.statements()[0]
	for _, driver := range []string{"default_format", "client_protocol_version", "database"} {
		got.Del(driver)
	}
	want := url.Values{
		"query_id":                    {"dfe-schema-p1-1"},
		"log_comment":                 {`{"by":"dfe","scope":"schema","pass":"p1","object":"table ` + b.db + `.t","statement":"dfe-schema-p1-1"}`},
		"distributed_ddl_output_mode": {"throw_only_active"},
		"wait_end_of_query":           {"1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNotNowIsAskedAgain(t *testing.T) {
	for _, code := range []int{202, 242, 439, 517, 745, 999} {
		b := setUp(t, executor.Options{})
		b.exec(t, fmt.Sprintf(create, b.db))
		b.cut = func(attempt int, forward http.Handler, w http.ResponseWriter, r *http.Request) {
			if attempt < 3 {
				answer(w, code, "not now")
				return
			}
			forward.ServeHTTP(w, r)
		}
		result, err := b.x.Apply(t.Context(), b.statement(t, alter, "`b` UInt8"))
		if err != nil || result.Attempts != 3 || b.x.Sent() != 1 {
			t.Errorf("code %d: %d attempts at %d statements, error %v; want 3 at 1", code, result.Attempts, b.x.Sent(), err)
		}
	}
}

func TestNotNowForEverIsARejection(t *testing.T) {
	b := setUp(t, executor.Options{Attempts: 4})
	b.cut = func(_ int, _ http.Handler, w http.ResponseWriter, _ *http.Request) { answer(w, 517, "later") }
	_, err := b.x.Apply(t.Context(), b.statement(t, create, "`a` UInt8"))
	var r *executor.RejectedError
	if !errors.As(err, &r) || r.Code != 517 || len(b.statements()) != 4 {
		t.Errorf("error %v after %d attempts, want code 517 after 4", err, len(b.statements()))
	}
}

func TestAStatementWhoseAnswerIsLostIsNotSentAgain(t *testing.T) {
	b := setUp(t, executor.Options{})
	b.exec(t, fmt.Sprintf(create, b.db))
	b.cut = func(_ int, forward http.Handler, _ http.ResponseWriter, r *http.Request) { lose(forward, r) }
	result, err := b.x.Apply(t.Context(), b.statement(t, alter, "`b` UInt8"))
	if err != nil || result.Attempts != 1 || len(b.statements()) != 1 {
		t.Errorf("%d attempts, %d arrived, error %v; want 1, 1 and none", result.Attempts, len(b.statements()), err)
	}
}

func TestAStatementThatNeverArrivedIsSentAgain(t *testing.T) {
	b := setUp(t, executor.Options{})
	b.exec(t, fmt.Sprintf(create, b.db))
	b.cut = func(attempt int, forward http.Handler, w http.ResponseWriter, r *http.Request) {
		if attempt == 1 {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}
	result, err := b.x.Apply(t.Context(), b.statement(t, alter, "`b` UInt8"))
	if err != nil || result.Attempts != 2 {
		t.Errorf("%d attempts, error %v; want 2 and none", result.Attempts, err)
	}
}

func TestATimeoutOfTheDistributedWaitIsResolvedByReading(t *testing.T) {
	b := setUp(t, executor.Options{})
	b.exec(t, fmt.Sprintf(create, b.db))
	b.cut = func(_ int, forward http.Handler, w http.ResponseWriter, r *http.Request) {
		forward.ServeHTTP(httptest.NewRecorder(), r)
		answer(w, 159, "Distributed DDL task is not finished on 1 of 2 hosts. (TIMEOUT_EXCEEDED)")
	}
	result, err := b.x.Apply(t.Context(), b.statement(t, alter, "`b` UInt8"))
	if err != nil || result.Attempts != 1 {
		t.Errorf("%d attempts, error %v; want 1 and none", result.Attempts, err)
	}
}

func TestAServerThatGoesAwayLeavesTheStatementUnresolved(t *testing.T) {
	b := setUp(t, executor.Options{})
	statement := b.statement(t, create, "`a` UInt8")
	b.cut = func(_ int, _ http.Handler, _ http.ResponseWriter, _ *http.Request) {
		b.goDown()
		panic(http.ErrAbortHandler)
	}
	_, err := b.x.Apply(t.Context(), statement)
	var unresolved *executor.UnresolvedError
	if !errors.As(err, &unresolved) || unresolved.QueryID != "dfe-schema-p1-1" {
		t.Errorf("error %v, want an *UnresolvedError", err)
	}
}

// TestTheStatementAtHandIsAnsweredThoughThePassIsToldToStop has it stopped before the server has the statement.
func TestTheStatementAtHandIsAnsweredThoughThePassIsToldToStop(t *testing.T) {
	b := setUp(t, executor.Options{})
	statement := b.statement(t, create, "`a` UInt8")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	b.cut = func(_ int, forward http.Handler, w http.ResponseWriter, r *http.Request) {
		stop()
		select { // a request that is given up is seen here first
		case <-r.Context().Done():
		case <-time.After(200 * time.Millisecond):
		}
		forward.ServeHTTP(w, r)
	}
	result, err := b.x.Apply(ctx, statement)
	if err != nil || result.After == nil || result.Attempts != 1 {
		t.Errorf("error %v after %d attempts", err, result.Attempts)
	}
	if _, err := b.x.Apply(ctx, statement); !errors.Is(err, context.Canceled) || len(b.statements()) != 1 {
		t.Errorf("the next one: error %v, %d were sent", err, len(b.statements()))
	}
}

func TestAStatementThatHangsWhenThePassIsToldToStopIsAccountedFor(t *testing.T) {
	b := setUp(t, executor.Options{Grace: 5 * time.Second}) // within which a loaded server still answers the reading
	statement := b.statement(t, create, "`a` UInt8")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.cut = func(_ int, forward http.Handler, _ http.ResponseWriter, r *http.Request) {
		// The body is read whole and the request outlives the client's wish, as on a server that is at work.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		again := r.Clone(context.WithoutCancel(r.Context()))
		again.Body = io.NopCloser(strings.NewReader(string(body)))
		forward.ServeHTTP(httptest.NewRecorder(), again)
		cancel()
		<-r.Context().Done()
	}
	result, err := b.x.Apply(ctx, statement)
	if err != nil || result.After == nil {
		t.Errorf("error %v, want the table as read back", err)
	}
}

func TestTheServersOwnWordsSayWhyAStatementIsRejected(t *testing.T) {
	b := setUp(t, executor.Options{})
	_, err := b.x.Apply(t.Context(), b.statement(t, "CREATE TABLE %s.t (a Wrong) ENGINE = MergeTree ORDER BY a", "`a`"))
	var r *executor.RejectedError
	if !errors.As(err, &r) || r.Code != 50 || r.Partial || len(b.statements()) != 1 ||
		!strings.Contains(err.Error(), "table "+b.db+".t, and it had no effect: code 50: Unknown data type family: Wrong") {
		t.Errorf("error %v after %d attempts", err, len(b.statements()))
	}
}

func TestWhatTheServerQuotesOfRowsIsNotTold(t *testing.T) {
	var logged strings.Builder
	b := setUp(t, executor.Options{Log: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	b.exec(t, fmt.Sprintf(create, b.db))
	b.cut = func(_ int, _ http.Handler, w http.ResponseWriter, _ *http.Request) {
		answer(w, 6, "Cannot parse string 'person-1' as UInt32")
	}
	statement := b.statement(t, "ALTER TABLE %s.t MODIFY COLUMN a UInt32", "`a` UInt32")
	statement.ReadsRows = true
	_, err := b.x.Apply(t.Context(), statement)
	var r *executor.RejectedError
	if !errors.As(err, &r) || r.Code != 6 || !strings.Contains(err.Error(), "under query id dfe-schema-p1-1") {
		t.Errorf("error %v", err)
	}
	if told := fmt.Sprint(err, errors.Unwrap(err), logged.String()); strings.Contains(told, "person-1") {
		t.Errorf("a value is told: %s", told)
	}
}

func TestNothingIsSentForAnObjectThatMoved(t *testing.T) {
	b := setUp(t, executor.Options{})
	absent := b.statement(t, create, "`a` UInt8")
	b.exec(t, fmt.Sprintf(create, b.db))
	present := b.statement(t, alter, "`b` UInt8")
	b.exec(t, "DROP TABLE "+b.db+".t SYNC")
	gone := present
	b.exec(t, fmt.Sprintf(create, b.db))
	other := present
	altered := b.statement(t, alter, "`b` UInt8")
	for _, c := range []struct {
		what      string
		statement executor.Statement
		before    string
		reason    string
	}{
		{"a table took the name", absent, "", "a table of that name exists now"},
		{"another table took the name", other, "", "the UUID differs"},
		{"someone altered it", altered, "ALTER TABLE " + b.db + ".t ADD COLUMN z UInt8", "its definition is another"},
		{"someone dropped it", gone, "DROP TABLE " + b.db + ".t SYNC", "it is gone"},
		{"a view took the name", present, "CREATE VIEW " + b.db + ".t AS SELECT 1", "is a view of engine View"},
	} {
		if c.before != "" {
			b.exec(t, c.before)
		}
		_, err := b.x.Apply(t.Context(), c.statement)
		var moved *executor.MovedError
		if !errors.As(err, &moved) || !strings.Contains(moved.Reason, c.reason) {
			t.Errorf("%s: error %v, want a *MovedError saying %q", c.what, err, c.reason)
		}
	}
	if n := len(b.statements()); n != 0 {
		t.Errorf("%d statements were sent", n)
	}
}
