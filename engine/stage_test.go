package engine_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules"
)

// stage is a real engine without bookkeeping, a database of the test's own, which a tree calls DB, and a directory for
// that tree.
type stage struct {
	testing.TB
	url, db, dir string
	conn         *catalog.Conn
}

func newStage(t testing.TB) *stage {
	t.Helper()
	return stageAt(t, embeddedtest.Server(t), embeddedtest.Database(t))
}

// stageAt is a stage on a server of the caller's own.
func stageAt(t testing.TB, url, db string) *stage {
	t.Helper()
	s := &stage{TB: t, url: url, db: db, dir: t.TempDir()}
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: s.url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s.conn = conn
	s.exec("DROP DATABASE IF EXISTS dfe SYNC")
	s.exec("DROP DATABASE IF EXISTS DB SYNC")
	return s
}

// in puts the test's database where a text says DB.
func (s *stage) in(text string) string { return strings.ReplaceAll(text, "DB", s.db) }

func (s *stage) exec(statement string) {
	s.Helper()
	if err := s.conn.Exec(s.Context(), s.in(statement), "", nil); err != nil {
		s.Fatal(err)
	}
}

// value returns the one value of a query, as text.
func (s *stage) value(query string) string {
	s.Helper()
	var text string
	err := s.conn.Select(s.Context(), s.in("SELECT toString(("+query+"))"), nil, func(scan func(...any) error) error { return scan(&text) })
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// tree writes files over the tree of the stage; a name without a dash line before it is not needed.
func (s *stage) tree(archive string) {
	s.Helper()
	writeTree(s.TB, s.dir, s.in(archive))
}

func writeTree(t testing.TB, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *stage) engine(o engine.Options) *engine.Engine {
	s.Helper()
	if o.Target.URL == "" {
		o.Target.URL = s.url
	}
	if o.Tree == "" {
		o.Tree = s.dir
	}
	o.Platform, o.Release = rules.Embedded, "test"
	e, err := engine.New(o)
	if err != nil {
		s.Fatal(err)
	}
	e.SetPause(func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	newHurry().on(e)
	return e
}

// pass runs a pass that has to succeed. It waits for a claim that an earlier pass left to lapse, as one does whose answer
// took two seconds on a loaded machine; the waiting costs no time (hurry).
func (s *stage) pass(o engine.Options) *engine.Report {
	s.Helper()
	o.Wait = max(o.Wait, time.Minute)
	r, err := s.engine(o).Pass(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return &r
}

// outcomes lists what became of the test's own objects, as "table a: applied, create".
func (s *stage) outcomes(r *engine.Report) []string {
	var list []string
	for _, o := range r.Objects {
		name, own := strings.CutPrefix(o.Name, s.db)
		if !own {
			continue
		}
		list = append(list, fmt.Sprintf("%s %s: %s, %s", o.Kind, strings.TrimPrefix(name, "."), o.Outcome, o.Action))
	}
	return list
}

// debugLog writes everything an engine logs.
func debugLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// records reads the ledger's newest rows about the test's own objects, by the name in the database.
func (s *stage) records() map[string]*ledger.Record {
	s.Helper()
	live, err := catalog.Read(s.Context(), s.conn, catalog.Scope{Databases: []string{"dfe"}})
	if err != nil {
		s.Fatal(err)
	}
	l, err := ledger.Open(s.conn, live.Find(ast.KindTable, ledger.Table()))
	if err != nil {
		s.Fatal(err)
	}
	all, err := l.Newest(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	own := map[string]*ledger.Record{}
	for key, r := range all {
		if name, ok := strings.CutPrefix(key.Name, s.db); ok {
			own[strings.TrimPrefix(name, ".")] = r
		}
	}
	return own
}

// wire is a way to the server that can be cut.
type wire struct {
	*httptest.Server
	mu sync.Mutex
	// statement, when set, is asked about each schema statement with its number; false cuts the wire for good.
	statement func(n int) bool
	after     bool // cut behind the server, once it carried the statement out
	n         int
	cut       bool
}

func (s *stage) wire() *wire {
	s.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		s.Fatal(err)
	}
	w := &wire{}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		schema := r.URL.Query().Has("log_comment")
		if schema {
			w.n++
			if w.statement != nil && !w.statement(w.n) {
				w.cut = true
				if w.after {
					forward.ServeHTTP(httptest.NewRecorder(), r)
				}
			}
		}
		cut := w.cut
		w.mu.Unlock()
		if cut {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(rw, r)
	}))
	s.Cleanup(w.Close)
	return w
}

// sent counts the schema statements that came by.
func (w *wire) sent() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// refuse is a server that refuses every password.
func refuse() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-ClickHouse-Exception-Code", "516")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
	})
}
