package service_test

import (
	"bytes"
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/internal/shape"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/service"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestEveryRouteAnswersGetAndHeadAndNothingElse(t *testing.T) {
	s := passed(t, withRefusals())
	types := map[string]string{
		"/": "text/html; charset=utf-8", "/livez": "text/plain; charset=utf-8", "/readyz": "application/json", "/metrics": "text/plain",
		"/api/v1/system/schema": "application/json", "/api/v1/system/version": "application/json",
	}
	for path, kind := range types {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if r := get(t, s, method, path); r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), kind) {
				t.Errorf("%s %s answers %d with %q", method, path, r.StatusCode, r.Header.Get("Content-Type"))
			}
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, "BREW"} {
			r := get(t, s, method, path)
			if text := body(t, r); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" || !strings.Contains(text, `"method_not_allowed"`) {
				t.Errorf("%s %s answers %d, Allow %q: %s", method, path, r.StatusCode, r.Header.Get("Allow"), text)
			}
		}
	}
	for _, path := range []string{"/index.html", "/api", "/api/v1/system/schema/", "/livez/x", "/api/v2/system/schema"} {
		if r := get(t, s, http.MethodGet, path); r.StatusCode != http.StatusNotFound || !strings.Contains(body(t, r), `"not_found"`) {
			t.Errorf("%s answers %d", path, r.StatusCode)
		}
	}
}

func TestEveryAnswerForbidsScriptsFramesAndSniffing(t *testing.T) {
	s := passed(t, withRefusals())
	for _, path := range []string{"/", "/livez", "/metrics", "/api/v1/system/schema", "/nowhere"} {
		h := get(t, s, http.MethodGet, path).Header
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s answers with %v", path, h)
		}
	}
}

func TestTheMetricsTellTheState(t *testing.T) {
	lapsed := &fake{ends: []engine.Report{withRefusals()}}
	lapsed.leases.ReleaseFailures.Add(2)
	refusals := service.New(service.Options{Engine: lapsed, Release: "2026.11.2"})
	refusals.Pass(t.Context())
	for name, c := range map[string]struct {
		service *service.Service
		want    []string
	}{
		"refusals": {refusals, []string{
			"dfe_schema_bootstrap_state 1", "dfe_schema_objects_refused 2", "dfe_schema_lease_release_failures_total 2",
			`dfe_schema_version_info{engine="2026.11.2",overlay="1.4.0",platform="self_hosted",schemas="2026.11.0"} 1`,
		}},
		"failed":   {passed(t, failed()), []string{"dfe_schema_bootstrap_state 2", "dfe_schema_objects_refused 0", "dfe_schema_lease_release_failures_total 0"}},
		"running":  {looks(t)["running"], []string{"dfe_schema_bootstrap_state 3"}},
		"observed": {passed(t, ended(engine.Observed, "held", nil)), []string{"dfe_schema_bootstrap_state 4"}},
		"off":      {service.New(service.Options{Engine: &fake{}, Off: true}), []string{"dfe_schema_bootstrap_state 0"}},
	} {
		text := body(t, get(t, c.service, http.MethodGet, "/metrics"))
		lines := strings.Split(text, "\n")
		for _, want := range append(c.want, "# TYPE dfe_schema_bootstrap_duration_seconds gauge", "# TYPE go_goroutines gauge", "# TYPE process_resident_memory_bytes gauge") {
			if !slices.Contains(lines, want) {
				t.Errorf("%s: %q is not among the metrics\n%s", name, want, text)
			}
		}
	}
}

// TestTheDocumentsKeepTheirShape guards the contract: a golden file may gain a property and lose none.
func TestTheDocumentsKeepTheirShape(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for name, document := range map[string]any{
		"schema": service.Document{}, "version": service.Releases{}, "readiness": service.Readiness{}, "fault": service.Fault{}, "deployed": service.Deployed{},
	} {
		got, err := shape.Document("dfe serve: "+name, reflect.TypeOf(document))
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = compiled(t, got)
		file := filepath.Join("testdata", name+".v1.json")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (rewrite with -update and read it in review):\n%s", file, diff)
		}
	}
	for name, s := range looks(t) {
		for schema, path := range map[string]string{"schema": "/api/v1/system/schema", "version": "/api/v1/system/version", "readiness": "/readyz", "fault": "/nowhere"} {
			instance, err := jsonschema.UnmarshalJSON(get(t, s, http.MethodGet, path).Body)
			if err != nil {
				t.Fatal(err)
			}
			if err := schemas[schema].Validate(instance); err != nil {
				t.Errorf("%s of %s: %v", path, name, err)
			}
		}
	}
}

func compiled(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("document.json", schema); err != nil {
		t.Fatal(err)
	}
	made, err := compiler.Compile("document.json")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestThePageShowsWhatTheDocumentHas(t *testing.T) {
	all := looks(t)
	for name, words := range map[string][]string{
		"refusals": {"Converged", "2 differences are refused", "self hosted", "2026.11.0", "overlay 1.4.0", "20261129T090000Z-5c19068d", "needs the table rebuilt",
			"EXCHANGE the two", "MODIFY QUERY", "column.debug_note", "add-column", "<svg", "shop.page_views is read by reports.count_views", "reports.sum_revenue writes reports.revenue_by_hour", "declares no topic"},
		"failed":      {"Failed", "Memory limit (total) exceeded", "not tried, because table shop.order_lines did not come to be", "blocked"},
		"missing":     {"clickhouse_not_replicated", "{shard}"},
		"observed":    {"Observed", "held by dfe-7c9f"},
		"running":     {"Running", `http-equiv="refresh" content="2"`, "14 of 30 objects", "applying database reports", "The pass before this one ended failed"},
		"unreachable": {"Failed", "nothing listens there", "pending"},
		"unread":      {"Failed", "Unsupported block type"},
		"off":         {"Switched off"},
		"many":        {"<b>300</b> objects", "9 links from web to billing", "<summary><b>machine_learning</b>"},
	} {
		text := body(t, get(t, all[name], http.MethodGet, "/"))
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: the page does not say %q", name, word)
			}
		}
		if name != "running" && strings.Contains(text, `http-equiv="refresh"`) {
			t.Errorf("%s: the page refreshes itself though nothing happens", name)
		}
		if name == "unread" && (strings.Contains(text, "declares no topic") || strings.Contains(text, "Objects by outcome")) {
			t.Error("the page counts what a tree that was not read declares")
		}
		if regexp.MustCompile(`(?i)<script|\son[a-z]+=|\sstyle=|javascript:`).MatchString(text) {
			t.Errorf("%s: the page has what its policy forbids", name)
		}
	}
}

func TestNamesAndTextsAreTextOnThePage(t *testing.T) {
	const evil = `<script>alert(1)</script>"'&--></style>`
	objects := shop(ledger.Unchanged)
	objects[7].Name, objects[8].Error, objects[9].Reads = "shop.`"+evil+"`", evil, []string{"shop.`" + evil + "`"}
	r := ended(engine.Failed, evil, objects)
	r.OverlayFault, r.Platform, r.Server = evil, evil, evil
	text := body(t, get(t, passed(t, r), http.MethodGet, "/"))
	if strings.Contains(text, "<script>") || strings.Count(text, "</style>") != 1 || !strings.Contains(text, "&lt;script&gt;") {
		t.Error("a name became markup")
	}
}

func TestWhatHidesOrTurnsTextAroundIsShownOnThePageAndKeptInTheDocument(t *testing.T) {
	const evil = "user\u202eresu\u200b\x1b[2J"
	objects := shop(ledger.Unchanged)
	objects[7].Name, objects[8].Error, objects[9].Reads = "shop.`"+evil+"`", evil, []string{"shop.`" + evil + "`"}
	s := passed(t, ended(engine.Failed, evil, objects))
	text := body(t, get(t, s, http.MethodGet, "/"))
	if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsGraphic(c) }); i >= 0 || !strings.Contains(text, `user\u202eresu\u200b\x1b[2J`) {
		t.Errorf("the page has %q", text[max(0, i):max(0, i)+20])
	}
	if d := document(t, s); d.Objects[7].Name != objects[7].Name || d.Error != evil {
		t.Errorf("the document says %q, %q", d.Objects[7].Name, d.Error)
	}
}

func TestAPageOfAThousandObjectsHasLessThanTwoMegabytes(t *testing.T) {
	var objects []*engine.ObjectReport
	for range 4 {
		objects = append(objects, many().Objects...)
	}
	if text := body(t, get(t, passed(t, ended(engine.Converged, "", objects[:1000])), http.MethodGet, "/")); len(text) > 2<<20 {
		t.Errorf("the page has %d bytes", len(text))
	}
}

func BenchmarkThePageOfThreeHundredObjects(b *testing.B) {
	s := passed(b, many())
	for b.Loop() {
		body(b, get(b, s, http.MethodGet, "/"))
	}
}

func TestASlowClientIsCutOffAndTheServerEndsCleanly(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, l, passed(t, withRefusals()), nil) }()
	idle, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if _, err := idle.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 1<<20) + "\r\n\r\n")); err == nil {
		// The answer is a refusal, or the connection is cut while the header is still being sent.
		answer := make([]byte, 64)
		n, _ := idle.Read(answer)
		if n > 0 && !strings.Contains(string(answer[:n]), "431") {
			t.Errorf("a header of a megabyte is answered %q", answer[:n])
		}
	}
	client := http.Client{Timeout: time.Minute}
	r, err := client.Get("http://" + l.Addr().String() + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the server still accepts")
	}
}
