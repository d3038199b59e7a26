package engine_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/grants"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/platform"
)

// rewriting is a way to the server on which every text is changed.
func (s *stage) rewriting(change func(sql string) string) string {
	s.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		s.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		sql := change(string(body))
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(sql)), int64(len(sql))
		forward.ServeHTTP(w, r)
	}))
	s.Cleanup(server.Close)
	return server.URL
}

func TestAServerThatIsNotReplicatedGetsNothing(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	w := s.wire()
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: w.URL}, Tree: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Pass(t.Context())
	var lacking *platform.NotReplicatedError
	if !errors.As(err, &lacking) || r.State != engine.Failed || r.Code != "clickhouse_not_replicated" || len(lacking.Missing) != 4 || w.sent() != 0 {
		t.Errorf("state %s, code %q, error %v after %d statements", r.State, r.Code, err, w.sent())
	}
	if _, err := e.Plan(t.Context()); !errors.As(err, &lacking) {
		t.Errorf("the plan: %v", err)
	}
}

// TestGrantsThatAreMissingAreNamedBeforeAnythingIsSent lets the engine itself say no to the questions: its user may do
// everything.
func TestGrantsThatAreMissingAreNamedBeforeAnythingIsSent(t *testing.T) {
	s := newStage(t)
	s.tree(library)
	address := s.rewriting(func(sql string) string {
		if strings.HasPrefix(sql, "CHECK GRANT") && strings.Contains(sql, s.db) {
			return "SELECT toUInt8(0) AS result"
		}
		return sql
	})
	r, err := s.engine(engine.Options{Target: catalog.Target{URL: address}}).Pass(t.Context())
	var missing *grants.MissingError
	if !errors.As(err, &missing) || r.Code != "grants_missing" || len(missing.Missing) != 1 || !strings.Contains(err.Error(), "ON "+s.db+".* TO default") {
		t.Errorf("code %q, error %v", r.Code, err)
	}
	if got := s.value("SELECT count() FROM system.databases WHERE name IN ('dfe', 'DB')"); got != "0" {
		t.Errorf("%s databases are there", got)
	}
}

// lockTable is the statement of a lease table with another engine, and with another column in place of one.
func lockTable(column, engine, other string) string {
	columns := "scope String, epoch UInt64, claim_id String, sequence UInt64, action String, owner String, ttl_ms UInt32, owner_time DateTime64(3), recorded_at DateTime64(3) DEFAULT now64(3)"
	return "CREATE TABLE dfe.schema_lock (" + strings.Replace(columns, column, other, 1) + ") ENGINE = " + engine
}

func TestALeaseTableOfAnotherShapeIsRefusedByNameAndKept(t *testing.T) {
	for _, create := range []string{
		"CREATE VIEW dfe.schema_lock AS SELECT 1 AS a",
		"CREATE TABLE dfe.schema_lock (scope String, epoch UInt64) ENGINE = MergeTree ORDER BY scope",
		lockTable("epoch UInt64", "MergeTree ORDER BY scope", "epoch String"),
		lockTable("owner String", "MergeTree ORDER BY scope", "owner String ALIAS scope"),
		lockTable("", "ReplacingMergeTree ORDER BY scope", ""), // merges take claims away
		lockTable("", "Null", ""),
	} {
		s := newStage(t)
		s.tree(library)
		s.exec("CREATE DATABASE dfe")
		s.exec(create)
		before := s.value("SELECT uuid FROM system.tables WHERE database = 'dfe' AND name = 'schema_lock'")
		r, err := s.engine(engine.Options{}).Pass(t.Context())
		var shape *lease.ShapeError
		if !errors.As(err, &shape) || r.Code != "lease_shape" || !strings.Contains(err.Error(), "dfe.schema_lock is not the lease table of any release") {
			t.Errorf("code %q, error %v, want a *lease.ShapeError", r.Code, err)
		}
		if after := s.value("SELECT uuid FROM system.tables WHERE database = 'dfe' AND name = 'schema_lock'"); after != before {
			t.Error("it is another object now")
		}
		if got := s.value("SELECT count() FROM system.tables WHERE database = 'DB'"); got != "0" {
			t.Errorf("%s tables were created without a lease", got)
		}
	}
}

func TestAPlatformThatIsNoneIsRefused(t *testing.T) {
	if _, err := engine.New(engine.Options{Target: catalog.Target{URL: "http://localhost"}, Platform: "mars"}); err == nil || !strings.Contains(err.Error(), "self_hosted, cloud or embedded") {
		t.Errorf("error %v", err)
	}
}
