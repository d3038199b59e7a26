package engine_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// strange answers SHOW ACCESS with what a server of another version might.
func (s *stage) strange(access string) string {
	s.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		s.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	w := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		body = bytes.ReplaceAll(body, []byte("SHOW ACCESS"), []byte(access))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		forward.ServeHTTP(rw, r)
	}))
	s.Cleanup(w.Close)
	return w.URL
}

func TestAccessThatNobodyCanReadIsReportedAndStopsNothing(t *testing.T) {
	s := accessStage(t)
	s.pass(engine.Options{})
	strange := s.strange(s.in("SELECT arrayJoin(['CREATE ROLE DB_reader MOOD good', 'CREATE ROLE DB_writer', 'CREATE AURA calm', " +
		"'CREATE ROW POLICY odd ON DB.orders FOR DREAMING USING 1', 'CREATE SETTINGS PROFILE DB_web SETTINGS max_threads = 1']) AS ACCESS"))
	doc, err := s.engine(engine.Options{Target: catalog.Target{URL: strange}}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unreadable := map[string]bool{}
	for _, o := range doc.Objects {
		if o.Unreadable != nil {
			unreadable[strings.ReplaceAll(o.Kind+" "+o.Name, s.db, "DB")] = true
		}
	}
	for _, name := range []string{"role DB_reader", "role CREATE AURA calm", "row_policy odd ON DB.orders", "grant DB_more"} {
		if !unreadable[name] {
			t.Errorf("%s is not told to be unreadable: %v", name, unreadable)
		}
	}
	for _, st := range doc.Statements {
		if strings.HasSuffix(st.Object, "_reader") {
			t.Errorf("something is sent about what nobody can read: %s", st.SQL)
		}
	}
	r, err := s.engine(engine.Options{Target: catalog.Target{URL: strange}, Wait: time.Minute}).Pass(t.Context())
	for _, o := range r.Objects {
		if strings.HasSuffix(o.Name, "_reader") && o.Outcome != ledger.Unreadable {
			t.Errorf("%s: %s (%v)", o.Name, o.Outcome, err)
		}
		if o.Name == s.in("DB.orders") && o.Outcome != ledger.Unchanged {
			t.Errorf("the table beside it: %s", o.Outcome)
		}
	}
}
