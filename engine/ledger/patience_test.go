package ledger_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// putOff opens the ledger by way of a server that answers the first statements about it with a code.
func putOff(t *testing.T, code, times int) *ledger.Ledger {
	t.Helper()
	open(t, all)
	target, err := url.Parse(embeddedtest.Server(t))
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	var refused atomic.Int32
	armed := atomic.Bool{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		about := r.URL.Query().Has("insert_quorum") || r.URL.Query().Has("select_sequential_consistency")
		if armed.Load() && about && int(refused.Add(1)) <= times {
			w.Header().Set("X-ClickHouse-Exception-Code", fmt.Sprint(code))
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "Code: %d. DB::Exception: not now. (A_NAME)", code)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: front.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	o, err := catalog.ReadObject(t.Context(), conn, ast.KindTable, ledger.Table())
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Open(conn, o)
	if err != nil {
		t.Fatal(err)
	}
	l.Pause = func(context.Context, time.Duration) error { return nil }
	armed.Store(true)
	return l
}

func TestARowThatTheServersPutOffIsSentAgain(t *testing.T) {
	for _, code := range []int{286, 285, 242} {
		l := putOff(t, code, 3)
		if err := l.Append(t.Context(), record("shop.orders", 1, ledger.Applied)); err != nil {
			t.Errorf("code %d: %v", code, err)
		}
		if rows, err := l.Newest(t.Context()); err != nil || len(rows) != 1 {
			t.Errorf("code %d: %d rows, %v", code, len(rows), err)
		}
	}
}

// A member has not fetched the newest row, or lost its session with Keeper.
func TestALedgerThatAMemberCannotReadAtTheMomentIsReadAgain(t *testing.T) {
	for _, code := range []int{289, 999} {
		l := putOff(t, code, 3)
		if rows, err := l.Newest(t.Context()); err != nil || len(rows) != 0 {
			t.Errorf("code %d: %d rows, %v", code, len(rows), err)
		}
	}
}

func TestARowThatCannotBeWrittenSaysWhetherItIsThere(t *testing.T) {
	for code, want := range map[int]string{
		286: "ledger: not written, the row of table shop.orders",
		497: "ledger: not written, the row of table shop.orders",
		319: "it is not known whether this was written, the row of table shop.orders",
	} {
		err := putOff(t, code, 1000).Append(t.Context(), record("shop.orders", 1, ledger.Applied))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("code %d: %v", code, err)
		}
	}
}
