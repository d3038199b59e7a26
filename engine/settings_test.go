package engine_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
)

// request is a statement as it came over the wire, with its settings.
type request struct {
	sql      string
	settings url.Values
}

// ear is a way to the server that keeps what comes by.
func (s *stage) ear() (address string, heard func() []request) {
	s.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		s.Fatal(err)
	}
	var (
		mu   sync.Mutex
		kept []request
	)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sql := r.URL.Query().Get("query")
		if sql == "" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			sql, r.Body = string(body), io.NopCloser(strings.NewReader(string(body)))
		}
		mu.Lock()
		kept = append(kept, request{sql, r.URL.Query()})
		mu.Unlock()
		forward.ServeHTTP(w, r)
	}))
	s.Cleanup(server.Close)
	return server.URL, func() []request {
		mu.Lock()
		defer mu.Unlock()
		return kept
	}
}

// TestOnlySchemaStatementsCarryTheSettingsOfSchemaStatements looks at everything a pass sends: its questions about the
// server and about the data, what it writes to ledger and lease, and its statements.
func TestOnlySchemaStatementsCarryTheSettingsOfSchemaStatements(t *testing.T) {
	s := newStage(t)
	var wide strings.Builder
	wide.WriteString("-- manifest.hcl --\nrelease = \"1.0.0\"\ndatabase \"DB\" {}\ntable \"DB.wide\" { from = \"wide.sql\" }\n-- wide.sql --\nCREATE TABLE DB.wide (k UInt64, n Int64")
	for i := range 3000 {
		fmt.Fprintf(&wide, ", column_with_a_long_name_%05d UInt64 COMMENT 'what this column of the wide table holds'", i)
	}
	wide.WriteString(") ENGINE = MergeTree ORDER BY k\n")
	s.tree(wide.String())
	address, heard := s.ear()
	s.pass(engine.Options{Target: catalog.Target{URL: address}})
	s.exec("INSERT INTO DB.wide (k, n) VALUES (1, 7)")
	s.tree(strings.Replace(wide.String(), "n Int64", "n Int8", 1))
	s.pass(engine.Options{Target: catalog.Target{URL: address}, AllowDrift: true})

	var statements, sized, questions, inserts int
	for _, r := range heard() {
		verb, _, _ := strings.Cut(strings.TrimSpace(r.sql), " ")
		switch verb {
		case "CREATE", "ALTER":
			statements++
			if r.settings.Has("max_query_size") {
				sized++
			}
			if !r.settings.Has("log_comment") || !r.settings.Has("distributed_ddl_output_mode") {
				t.Errorf("%.80s... was sent with %v", r.sql, r.settings)
			}
			continue
		case "INSERT":
			inserts++
		default:
			questions++
		}
		// The question how long a definition is holds that definition.
		if strings.HasPrefix(r.sql, "SELECT length(formatQuery(") {
			r.settings.Del("max_query_size")
		}
		for _, name := range []string{"max_query_size", "log_comment", "distributed_ddl_output_mode"} {
			if r.settings.Has(name) {
				t.Errorf("%.80s... was sent with %s", r.sql, name)
			}
		}
	}
	if statements < 6 || sized != 2 || questions < 30 || inserts < 8 {
		t.Errorf("%d statements, %d of them sized, %d questions and %d inserts were heard", statements, sized, questions, inserts)
	}
}
