package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/engine/tokens"
)

// over deploys a config over HTTP, as a service with that engine answers it.
func over(t *testing.T, e *engine.Engine, text string) (int, service.Deployed) {
	t.Helper()
	s, token := opened(t, e)
	server := httptest.NewServer(s)
	defer server.Close()
	return post(t, server.URL, token, text)
}

// opened is a service with that engine, and a token that it takes.
func opened(t *testing.T, e *engine.Engine) (*service.Service, string) {
	t.Helper()
	token, hash := tokens.New()
	file := filepath.Join(t.TempDir(), "tokens.hcl")
	if err := os.WriteFile(file, tokens.Block("ci", hash, []tokens.Permission{tokens.SourceDeploy}, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	access, err := tokens.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return service.New(service.Options{Engine: e, Tokens: access}), token
}

func post(t *testing.T, url, token, text string) (int, service.Deployed) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/v1/sources/web-access/deploy", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var document service.Deployed
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("service/testdata/deployed.v1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("a document of status %d: %v\n%s", answer.StatusCode, err, body)
	}
	return answer.StatusCode, document
}

func TestASourceIsDeployedOverHTTP(t *testing.T) {
	y := newYard(t)
	for _, c := range []struct {
		text            string
		status, applied int
		code            string
	}{
		{web, 200, 5, ""},
		{web, 200, 0, ""},
		{web + "column \"path\" { type = \"String\" }\n", 200, 3, ""},
		{strings.Replace(web, "UInt16", "String", 1), 409, 0, "refused"},
		{strings.Replace(web, "UInt16", "Uint16", 1), 422, 0, "config_faulty"},
	} {
		status, document := over(t, y.Engine, c.text)
		if status != c.status || document.Summary.Applied != c.applied || document.Code != c.code {
			t.Errorf("%d %q, %+v; want %d %q, %d applied: %s", status, document.Code, document.Summary, c.status, c.code, c.applied, document.Error)
		}
		if c.status == 200 && (document.Plan == nil || document.State != engine.Converged || len(document.Objects) != 5) {
			t.Errorf("%s with %d objects, plan %v", document.State, len(document.Objects), document.Plan)
		}
		if c.status == 422 && (len(document.Diagnostics) != 1 || document.Diagnostics[0].Line != 9) {
			t.Errorf("diagnostics %+v", document.Diagnostics)
		}
	}
}

func TestADeployWaitsForTheLeaseAndSaysWhoHasIt(t *testing.T) {
	y := newYard(t)
	y.pass(engine.Options{})
	y.hold("another")
	status, document := over(t, y.engine(engine.Options{}), web)
	if status != 503 || document.Code != "schema_locked" || !strings.Contains(document.Error, "another") || document.State != engine.Observed || document.WaitedMS <= 0 {
		t.Errorf("%d %q, %s after %d ms: %s", status, document.Code, document.State, document.WaitedMS, document.Error)
	}
}

func TestADeployToAServerThatIsNotReplicatedHasTheReasonOfThePass(t *testing.T) {
	y := newYard(t)
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: y.url}, Tree: y.dir})
	if err != nil {
		t.Fatal(err)
	}
	r, failure := e.Pass(t.Context())
	status, document := over(t, e, web)
	if status != 503 || document.Code != "clickhouse_not_replicated" || failure == nil || document.Error != failure.Error() || r.Code != document.Code || len(y.databases()) != 0 {
		t.Errorf("%d %q: %s\nthe pass: %v", status, document.Code, document.Error, failure)
	}
}

// TestAServiceThatIsToldToStopEndsADeployAfterTheStatementAtHand tells it to while the server has the statement.
func TestAServiceThatIsToldToStopEndsADeployAfterTheStatementAtHand(t *testing.T) {
	y := newYard(t)
	y.pass(engine.Options{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := y.wire()
	w.statement = func(n int) bool {
		if n == 2 { // the table, behind its database
			stop()
			for { // until nothing new is accepted: the service has been told
				c, err := net.Dial("tcp", l.Addr().String())
				if err != nil {
					return true
				}
				c.Close()
			}
		}
		return true
	}
	e := y.engine(engine.Options{Target: catalog.Target{URL: w.URL}})
	s, token := opened(t, e)
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, l, s, nil) }()
	status, document := post(t, "http://"+l.Addr().String(), token, web)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.Wait()
	if status != http.StatusServiceUnavailable || document.Code != "stopping" {
		t.Errorf("%d %q: %s", status, document.Code, document.Error)
	}
	want := []string{"database org_acme applied", "table org_acme.webx2daccess applied"}
	told := y.column("SELECT concat(kind, ' ', name, ' ', outcome) FROM dfe.schema_migrations WHERE scope = 'source' ORDER BY sequence")
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the ledger: %s", diff)
	}
	if live := y.column("SELECT name FROM system.tables WHERE database = 'org_acme'"); len(live) != 1 {
		t.Errorf("the server has %q", live)
	}
	if last := y.column("SELECT argMax(action, (epoch, sequence)) FROM dfe.schema_lock"); last[0] != "release" {
		t.Errorf("the newest row of the lease is a %s", last[0])
	}
	if r := y.deploy(web); r.Summary.Applied != 3 || r.Summary.Unchanged != 2 {
		t.Errorf("the next deploy: %+v", r.Summary)
	}
}

// paths lists what findings are about, as "column.status remove".
func paths(findings []*service.Finding) string {
	list := make([]string, len(findings))
	for i, f := range findings {
		list[i] = f.Path + " " + f.Op
	}
	return strings.Join(list, ", ")
}

// TestAChangeThatIsNotAdditiveIsRefusedByNameAndWhatIsLeftOutIsReported has each kind of change that a config can make to
// a source which is deployed.
func TestAChangeThatIsNotAdditiveIsRefusedByNameAndWhatIsLeftOutIsReported(t *testing.T) {
	text := web + `
column "kind" { type = "Enum8('a' = 1, 'b' = 2)" }
column "note" {
  type    = "Nullable(String)"
  codec   = "ZSTD(1)"
}
column "cost" {
  type    = "UInt32"
  default = 0
}
column "twice" {
  type  = "UInt64"
  alias = "cost * 2"
}
index "by_status" {
  expression = "status"
  type       = "minmax"
}
`
	y := newYard(t)
	y.deploy(text)
	for _, c := range []struct {
		old, new          string
		refused, reported string
	}{
		{`"UInt16"`, `"UInt8"`, "column.status.type change", ""},
		{`"UInt16"`, `"UInt64"`, "column.status.type change", ""},
		{`"LowCardinality(String)"`, `"String"`, "column.host.type change", ""},
		{`"Nullable(String)"`, `"String"`, "column.note.type change", ""},
		{`, 'b' = 2`, ``, "column.kind.type change", ""},
		{`ZSTD(1)`, `ZSTD(3)`, "column.note.codec change", ""},
		{`default = 0`, `default = 1`, "column.cost.default change", ""},
		{`default = 0`, ``, "column.cost.kind remove", ""},
		{`alias = `, `materialized = `, "column.twice.kind change", ""},
		{`["host"]`, `["host", "status"]`, "order_by change", ""},
		{`["host"]`, `[]`, "order_by change", ""},
		{`= 30`, `= 7`, "ttl change", ""},
		{`= 30`, `= 0`, "ttl remove", ""},
		{`"minmax"`, `"set(10)"`, "index.by_status.type change", ""},
		{`"timeseries"`, `"minimal"`, "partition_by change, order_by change, ttl change", "column.timestamp remove, setting.ttl_only_drop_parts remove"},
		{`column "kind" { type = "Enum8('a' = 1, 'b' = 2)" }`, ``, "", "column.kind remove"},
		{`type       = "minmax"`, "type = \"minmax\"\n}\nindex \"by_host\" {\n  expression = \"host\"\n  type = \"minmax\"", "", "index.by_host add"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		doc, err := y.PlanPart(t.Context(), part(t, changed))
		if err != nil {
			t.Fatal(err)
		}
		status, code := 200, ""
		if c.refused != "" {
			status, code = 409, "refused"
		}
		got, d := over(t, y.Engine, changed)
		if got != status || d.Code != code || paths(d.Refused) != c.refused || paths(d.Reported) != c.reported || (doc.Summary.Refused > 0) != (c.refused != "") {
			t.Errorf("%s -> %s: %d %q, refused %q, reported %q, the plan %+v", c.old, c.new, got, d.Code, paths(d.Refused), paths(d.Reported), doc.Summary)
		}
		if c.refused == "" {
			y.deploy(text)
			continue
		}
		for _, f := range d.Refused {
			if f.Reason == "" || f.Advice == "" || f.Live == f.Desired {
				t.Errorf("%s -> %s: %+v", c.old, c.new, f)
			}
		}
		if d.Summary.Statements != 0 {
			t.Errorf("%s -> %s: %d statements were sent", c.old, c.new, d.Summary.Statements)
		}
	}
}
