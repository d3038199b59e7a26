package cli_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/rules/plan"
)

// next is the garden with a column, a view over it, a codec that is refused, and a default that ClickHouse does not take.
const next = `
-- manifest.hcl --
release = "3.2.0"
database "garden" {}
table "garden.beds"  { from = "beds.hcl" }
view  "garden.sunny" { from = "sunny.sql" }
table "garden.tools" { from = "tools.hcl" }
-- beds.hcl --
column "at"  { type = "DateTime" }
column "bed" {
  type  = "String"
  codec = "ZSTD(3)"
}
column "sun" { type = "Float64" }
column "rain" { type = "Float64" }
engine   = "MergeTree"
order_by = ["bed", "at"]
ttl      = ["at + INTERVAL 30 DAY"]
-- sunny.sql --
CREATE VIEW garden.sunny AS SELECT bed, max(sun) AS most, max(rain) AS wettest FROM garden.beds GROUP BY bed
-- tools.hcl --
column "id" {
  type    = "UInt64"
  default = "DEFAULT"
}
engine   = "MergeTree"
order_by = ["id"]
`

func broken(archive, expression string) string {
	return strings.Replace(archive, `"DEFAULT"`, `"`+expression+`"`, 1)
}

// On a data directory the target is closed before the stage opens: one process opens one at a time.
func TestARehearsalShowsWhatTheEngineAnswersBeforeAnythingIsSent(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	schema := func(tree, command string, more ...string) result {
		return dfe(t, nil, append([]string{"schema", command, "--tree", tree, "--embedded", data}, more...)...)
	}
	schema(write(t, garden), "apply").demand(t, 0)

	bad := write(t, broken(next, "toUInt64('x')"))
	schema(bad, "plan", "--rehearse").demand(t, 1, "ADD COLUMN", "rehearsed: ok", "rehearsed: the engine answers error 6: ",
		"no part of the plan, and rehearsed after it: ok", "2 ok, 1 would fail")
	schema(bad, "plan").demand(t, 0, "3 statements to send")

	good := write(t, broken(next, "7"))
	kept := filepath.Join(t.TempDir(), "plan.json")
	r := schema(good, "plan", "--rehearse", "--format", "json", "--out", kept)
	r.demand(t, 0)
	var doc plan.Document
	decode(t, r.out, &doc)
	for _, s := range doc.Statements {
		if s.Rehearsal == nil || s.Rehearsal.Answer != plan.AnswerOK {
			t.Errorf("%s: %+v", s.SQL, s.Rehearsal)
		}
	}
	want := &plan.Rehearsed{Server: doc.Rehearsal.Live, Live: doc.Rehearsal.Live, Loaded: 4, OK: 3, Substitutes: []*plan.Substitute{}, Left: []*plan.Left{}}
	if diff := cmp.Diff(want, doc.Rehearsal); diff != "" {
		t.Error(diff)
	}
	schema(good, "plan", "--rehearse", "--exit-code").demand(t, 3)
	// Nothing of it came to the target, and what was reviewed with its rehearsal can be applied.
	schema(good, "plan").demand(t, 0, "3 statements to send")
	schema(good, "apply", "--plan", kept).demand(t, 0, "converged: 3 statements sent")
	schema(good, "plan", "--rehearse").demand(t, 0, "there was nothing to play")
}

// A server in another process is asked and never told: each request that reaches it while a plan is rehearsed reads.
func TestARehearsalSendsNothingToTheServer(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	dfe(t, nil, "schema", "apply", "--tree", write(t, garden), "--embedded", data).demand(t, 0)
	_, target := serve(t, "--path", data)
	upstream, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu   sync.Mutex
		told []string
		all  int
	)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) }}
	wire := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all++
		if q := r.URL.Query(); q.Has("log_comment") || q.Has("wait_end_of_query") {
			told = append(told, r.URL.String())
		}
		mu.Unlock()
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(wire.Close)
	state := "SELECT groupArray((database, name, uuid, metadata_modification_time, create_table_query)) FROM (SELECT * FROM system.tables WHERE database IN ('dfe', 'garden') ORDER BY database, name)"
	before := query(t, target, state)
	// Statements for a service are in its words, and played in the stage's.
	cloud := []string{"DFE_ENGINE_CLICKHOUSE_PLATFORM=cloud"}
	dfe(t, cloud, "schema", "plan", "--rehearse", "--tree", write(t, broken(next, "7")), "--url", wire.URL).demand(t, 0, "ENGINE = ReplicatedMergeTree", "rehearsed on ClickHouse", "3 ok")
	mu.Lock()
	defer mu.Unlock()
	if len(told) > 0 || all == 0 {
		t.Errorf("%d requests, of these statements: %v", all, told)
	}
	if diff := cmp.Diff(before, query(t, target, state)); diff != "" {
		t.Error(diff)
	}
}
