package lease

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// open returns a connection of its own to a server.
func open(t *testing.T, url string) *catalog.Conn {
	t.Helper()
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// leaseTable creates the release's own lease table anew and returns it as it is
// live. One server serves the whole test binary, so tests that use it do not run at
// once.
func leaseTable(t *testing.T, conn *catalog.Conn) *catalog.Object {
	t.Helper()
	release, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	send := func(statement string) {
		if err := conn.Exec(context.WithoutCancel(t.Context()), statement, "", nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range release.Objects {
		if d.Name == Table() || d.Kind == ast.KindDatabase && d.Name.Name == Table().Database {
			send(ast.Create(rules.Render(d.Object, rules.Embedded), ast.Style{}))
		}
	}
	t.Cleanup(func() { send("DROP DATABASE " + Table().Database + " SYNC") })
	live, err := catalog.ReadObject(t.Context(), conn, ast.KindTable, Table())
	if err != nil {
		t.Fatal(err)
	}
	return live
}

func openStore(t *testing.T, conn *catalog.Conn, p rules.Platform, live *catalog.Object) *ClickHouse {
	t.Helper()
	store, err := OpenClickHouse(conn, p, live)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// recorder is the server with an ear on the wire.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func record(t *testing.T, server string) *recorder {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.note(t, req)
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

// note keeps the statement and all that is sent with it. How much time is left for a
// read is not told to the second.
func (r *recorder) note(t *testing.T, req *http.Request) {
	q := req.URL.Query()
	statement := q.Get("query")
	if statement == "" {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		statement = string(body)
	}
	q.Del("query")
	var settings []string
	if q.Has("max_execution_time") {
		q.Set("max_execution_time", "(left of ReadTimeout, and 5)")
	}
	for name := range q {
		settings = append(settings, name+" = "+q.Get(name))
	}
	slices.Sort(settings)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, statement+"\n\n    "+strings.Join(settings, "\n    ")+"\n")
}

// theRow is a row with a value in each field.
func theRow() Row {
	return Row{
		Scope: "schema", Epoch: 1_764_000_000, ClaimID: "00112233445566778899aabbccddeeff", Sequence: 3,
		Action: Renew, Owner: "web-3/1", TTL: TTL, Sent: time.Date(2026, 11, 29, 13, 38, 0, 123e6, time.UTC),
		Pass: "p1", SchemaRelease: "2026.11.0", EngineRelease: "1.0",
	}
}

func TestTheStatementsAndTheirSettingsAreExactlyThese(t *testing.T) {
	server := embeddedtest.Server(t)
	live := leaseTable(t, open(t, server))
	var b strings.Builder
	for _, platform := range rules.Platforms() {
		wire := record(t, server)
		store := openStore(t, open(t, wire.URL), platform, live)
		wire.seen = nil // the connection's own greeting
		if err := store.Insert(t.Context(), theRow()); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Read(t.Context(), "schema"); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "-- %s --\n\n%s\n", platform, strings.Join(wire.seen, "\n"))
	}
	golden := filepath.Join("testdata", "statements.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("what is sent differs from %s (-want +got):\n%s", golden, diff)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	conn := open(t, embeddedtest.Server(t))
	store := openStore(t, conn, rules.Embedded, leaseTable(t, conn))
	empty, err := store.Read(t.Context(), "schema")
	if diff := cmp.Diff([]Row{{Scope: "schema", Action: Release}}, empty); err != nil || diff != "" {
		t.Errorf("an empty table: %v\n%s", err, diff)
	}
	row := theRow()
	write := func(change func(*Row)) {
		r := row
		change(&r)
		if err := store.Insert(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	write(func(r *Row) { r.Action, r.Sequence, r.Sent = Claim, 0, r.Sent.Add(-time.Minute) })
	write(func(*Row) {})
	write(func(r *Row) { r.ClaimID, r.Action, r.Sequence, r.Epoch = "01", Claim, 0, r.Epoch+1 })
	write(func(r *Row) { r.ClaimID, r.Action, r.Sequence, r.Epoch = "02", Claim, 0, r.Epoch+2 })
	write(func(r *Row) { r.ClaimID, r.Action, r.Sequence, r.Epoch = "02", Release, 1, r.Epoch+2 })
	write(func(r *Row) { r.ClaimID, r.Action, r.Sequence, r.Epoch = "02", Renew, 2, r.Epoch+2 }) // late: it is released
	write(func(r *Row) { r.Scope, r.ClaimID = "publication", "03" })

	got, err := store.Read(t.Context(), "schema")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b Row) int { return strings.Compare(a.ClaimID, b.ClaimID) })
	renewed := Row{Scope: "schema", Epoch: row.Epoch, ClaimID: row.ClaimID, Sequence: 3, Action: Renew, Owner: row.Owner, TTL: TTL, Sent: row.Sent}
	claimed := renewed
	claimed.ClaimID, claimed.Action, claimed.Sequence, claimed.Epoch = "01", Claim, 0, row.Epoch+1
	want := []Row{{Scope: "schema", Action: Release, Epoch: row.Epoch + 2}, renewed, claimed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestATableOfAnotherShapeIsRefusedByName(t *testing.T) {
	conn := open(t, embeddedtest.Server(t))
	live := leaseTable(t, conn)
	alter := func(command string) *catalog.Object {
		t.Helper()
		if err := conn.Exec(t.Context(), "ALTER TABLE "+Table().SQL()+" "+command, "", nil); err != nil {
			t.Fatal(err)
		}
		o, err := catalog.ReadObject(t.Context(), conn, ast.KindTable, Table())
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	older := alter("DROP COLUMN engine_release")
	if err := openStore(t, conn, rules.Embedded, older).Insert(t.Context(), theRow()); err != nil {
		t.Errorf("a table without an optional column: %v", err)
	}
	newer := alter("ADD COLUMN later String DEFAULT 'x'")
	if err := openStore(t, conn, rules.Embedded, newer).Insert(t.Context(), theRow()); err != nil {
		t.Errorf("a table with a column of a later release: %v", err)
	}
	broken := alter("DROP COLUMN owner")
	for name, c := range map[string]struct {
		live *catalog.Object
		want string
	}{
		"absent":        {nil, "it does not exist"},
		"lacks columns": {broken, "it has no column owner"},
		"a view":        {&catalog.Object{Kind: ast.KindView, Tree: &ast.View{}}, "it is a view"},
		"unreadable":    {&catalog.Object{Unreadable: errors.New("line 1")}, "cannot be read: line 1"},
	} {
		var shape *ShapeError
		if _, err := OpenClickHouse(conn, rules.Embedded, c.live); !errors.As(err, &shape) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	// What changes its type after the store was opened is found by the read.
	if err := conn.Exec(t.Context(), "ALTER TABLE "+Table().SQL()+" ADD COLUMN owner String, MODIFY COLUMN ttl_ms String", "", nil); err != nil {
		t.Fatal(err)
	}
	var shape *ShapeError
	if _, err := openStore(t, conn, rules.Embedded, live).Read(t.Context(), "schema"); !errors.As(err, &shape) {
		t.Errorf("a column of another type: %v", err)
	}
}

func TestAReadThatIsCutOffIsNoEmptyOne(t *testing.T) {
	server := embeddedtest.Server(t)
	live := leaseTable(t, open(t, server))
	var cut atomic.Bool
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !cut.Load() {
			proxy.ServeHTTP(w, r)
		} // else: 200, and not one block
	}))
	t.Cleanup(front.Close)
	store := openStore(t, open(t, front.URL), rules.Embedded, live)
	cut.Store(true)
	if rows, err := store.Read(t.Context(), "schema"); err == nil {
		t.Errorf("it answers %v", rows)
	}
	if err := store.Insert(t.Context(), theRow()); err == nil {
		t.Error("an insert without an answer is taken for acknowledged")
	}
}

func TestTwoEnginesTakeTurnsOnOneServer(t *testing.T) {
	server := embeddedtest.Server(t)
	live := leaseTable(t, open(t, server))
	holding := make(chan string, 1)
	finished := make(chan error, 2)
	for _, owner := range []string{"a", "b"} {
		store := openStore(t, open(t, server), rules.Embedded, live)
		go func() {
			finished <- func() error {
				h, err := Acquire(t.Context(), Options{Store: store, Scope: "schema", Owner: owner, Wait: time.Minute})
				if err != nil {
					return err
				}
				select {
				case holding <- owner:
				default:
					return fmt.Errorf("%s holds while %s does", owner, <-holding)
				}
				if err := h.Check(t.Context()); err != nil {
					return err
				}
				<-holding
				return h.Release(t.Context())
			}()
		}()
	}
	for range 2 {
		if err := <-finished; err != nil {
			t.Error(err)
		}
	}
	rows, err := openStore(t, open(t, server), rules.Embedded, live).Read(t.Context(), "schema")
	if err != nil || len(rows) != 1 || rows[0].Epoch == 0 {
		t.Errorf("a claim is left standing: %v, %v", rows, err)
	}
}

// written keeps what was written to a store.
type written struct {
	Store
	mu      sync.Mutex
	actions []Action
}

func (w *written) Insert(ctx context.Context, row Row) error {
	w.mu.Lock()
	w.actions = append(w.actions, row.Action)
	w.mu.Unlock()
	return w.Store.Insert(ctx, row)
}

// One's own claim is in the table when it is read back; taken for a rival's of the same epoch it would be raised.
func TestALeaseWithoutRivalsCostsOneRow(t *testing.T) {
	server := embeddedtest.Server(t)
	store := &written{Store: openStore(t, open(t, server), rules.Embedded, leaseTable(t, open(t, server)))}
	h, err := Acquire(t.Context(), Options{Store: store, Scope: "schema", Owner: "a", Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	store.mu.Lock()
	got := slices.Clone(store.actions)
	store.mu.Unlock()
	if diff := cmp.Diff([]Action{Claim}, got); diff != "" {
		t.Error(diff)
	}
	if err := h.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
