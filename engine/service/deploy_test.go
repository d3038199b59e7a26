package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/platform"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/engine/tokens"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

const webConfig = "id = \"web\"\norganisation = \"acme\"\nprofile = \"minimal\"\n"

// deployer answers every part the same.
type deployer struct {
	report engine.Report
	err    error
	parts  []string
	within func(context.Context)
	plan   *plan.Document // what is planned; nil: nothing
}

func (d *deployer) PassPart(ctx context.Context, part engine.Part) (engine.Report, *plan.Document, error) {
	d.parts = append(d.parts, part.What)
	if d.within != nil {
		d.within(ctx)
	}
	return d.report, &plan.Document{Version: 1, Objects: []*plan.Object{}, Statements: []*plan.Statement{}}, d.err
}

func (d *deployer) PlanPart(_ context.Context, part engine.Part) (*plan.Document, error) {
	d.parts = append(d.parts, part.What)
	doc := &plan.Document{Version: 1, Objects: []*plan.Object{}, Statements: []*plan.Statement{}}
	if d.plan != nil {
		doc = d.plan
	}
	return doc, d.err
}

func TestThePlanOfASourceListsWhatIsRefusedAndReportedAsADeployDoes(t *testing.T) {
	refused := &plan.Change{Path: "ttl", Op: "change", Action: "refused", Rule: "a law", Reason: "why", Advice: "what to do", Live: "a", Desired: "b", Statement: "ALTER"}
	reported := &plan.Change{Path: "column.x", Op: "remove", Action: "report", Rule: "another"}
	carried := &plan.Change{Path: "column.y", Op: "add", Action: "add-column", Rule: "a third"}
	d := &deployer{plan: &plan.Document{Version: 1, Statements: []*plan.Statement{}, Objects: []*plan.Object{
		{Kind: "table", Name: "org_acme.web", Action: "refused", Changes: []*plan.Change{refused, carried, reported}}}}}
	o := newDoor(t, d)
	status, _, document := o.call(planWeb, o.tokens["reader"], webConfig)
	want := []*service.Finding{{Kind: "table", Object: "org_acme.web", Path: "ttl", Op: "change", Action: "refused", Rule: "a law",
		Reason: "why", Advice: "what to do", Live: "a", Desired: "b", Statement: "ALTER"}}
	if diff := cmp.Diff(want, document.Refused); status != http.StatusOK || diff != "" {
		t.Error(status, diff)
	}
	want = []*service.Finding{{Kind: "table", Object: "org_acme.web", Path: "column.x", Op: "remove", Action: "report", Rule: "another"}}
	if diff := cmp.Diff(want, document.Reported); diff != "" {
		t.Error(diff)
	}
}

// door is a service with tokens, what it logs, and the tokens by what they are called.
type door struct {
	testing.TB
	*service.Service
	log    *bytes.Buffer
	file   string
	tokens map[string]string
}

func newDoor(t testing.TB, d service.Deployer) *door {
	t.Helper()
	o := &door{TB: t, log: &bytes.Buffer{}, file: filepath.Join(t.TempDir(), "tokens.hcl"), tokens: map[string]string{}}
	var text bytes.Buffer
	for name, made := range map[string]struct {
		permission    tokens.Permission
		organisations []string
	}{"ci": {tokens.SourceDeploy, nil}, "reader": {tokens.SourcePlan, nil}, "other": {tokens.SourceDeploy, []string{"other"}}} {
		token, hash := tokens.New()
		o.tokens[name] = token
		text.Write(tokens.Block(name, hash, []tokens.Permission{made.permission}, made.organisations))
	}
	if err := os.WriteFile(o.file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	access, err := tokens.Open(o.file)
	if err != nil {
		t.Fatal(err)
	}
	o.Service = service.New(service.Options{Engine: &fake{}, Deployer: d, Tokens: access, Log: slog.New(slog.NewTextHandler(o.log, nil))})
	return o
}

// call sends a config and returns the status and the document.
func (d *door) call(path, token, text string, header ...string) (int, http.Header, service.Deployed) {
	d.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(text))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Code, w.Header(), answered(d, w.Body.Bytes())
}

// answered reads an answer, which has to be as the golden schema of its document says: a list is never null.
func answered(t testing.TB, text []byte) service.Deployed {
	t.Helper()
	var document service.Deployed
	if err := json.Unmarshal(text, &document); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	name := "deployed"
	if document.Source == "" {
		name = "fault"
	}
	schema, err := os.ReadFile(filepath.Join("testdata", name+".v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = compiled(t, schema).Validate(instance)
	}
	if err != nil {
		t.Errorf("the document is no %s document: %v\n%s", name, err, text)
	}
	return document
}

const deployWeb, planWeb = "/api/v1/sources/web/deploy", "/api/v1/sources/web/plan"

func TestWhoMayCallIsToldApart(t *testing.T) {
	work := &deployer{report: engine.Report{State: engine.Converged}}
	d := newDoor(t, work)
	unknown, _ := tokens.New()
	for _, c := range []struct {
		name, path, token, text string
		status                  int
		code, challenge         string
	}{
		{"no token", deployWeb, "", webConfig, 401, "token_missing", `Bearer realm="dfe"`},
		{"a token of nobody", deployWeb, unknown, webConfig, 401, "token_unknown", `Bearer realm="dfe", error="invalid_token"`},
		{"another permission", deployWeb, d.tokens["reader"], webConfig, 403, "permission_missing", `Bearer realm="dfe", error="insufficient_scope", scope="source.deploy"`},
		{"the other way around", planWeb, d.tokens["ci"], webConfig, 403, "permission_missing", `Bearer realm="dfe", error="insufficient_scope", scope="source.plan"`},
		{"another organisation", deployWeb, d.tokens["other"], webConfig, 403, "organisation_forbidden", ""},
		{"the permission", deployWeb, d.tokens["ci"], webConfig, 200, "", ""},
		{"the other permission", planWeb, d.tokens["reader"], webConfig, 200, "", ""},
		{"its organisation", deployWeb, d.tokens["other"], strings.Replace(webConfig, "acme", "other", 1), 200, "", ""},
	} {
		status, header, document := d.call(c.path, c.token, c.text)
		if status != c.status || document.Code != c.code || header.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%s: %d %q, challenge %q", c.name, status, document.Code, header.Get("WWW-Authenticate"))
		}
	}
	want := []string{`the source "web" of "acme"`, `the source "web" of "acme"`, `the source "web" of "other"`}
	if diff := cmp.Diff(want, work.parts); diff != "" {
		t.Errorf("carried out: %s", diff)
	}
	log := d.log.String()
	if lines := strings.Count(log, "msg=call"); lines != 8 {
		t.Errorf("%d lines of the log tell of 8 calls:\n%s", lines, log)
	}
	if !strings.Contains(log, "token=ci") || !strings.Contains(log, "organisation=acme") || strings.Contains(log, "dfe_") {
		t.Errorf("the log says:\n%s", log)
	}
}

func TestWithoutTokensTheRouteIsClosedAndSaysHowToOpenIt(t *testing.T) {
	s := service.New(service.Options{Engine: &fake{}, Deployer: &deployer{}})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, deployWeb, strings.NewReader(webConfig)))
	if text := w.Body.String(); w.Code != http.StatusForbidden || !strings.Contains(text, `"tokens_not_configured"`) || !strings.Contains(text, "DFE_ENGINE_API_TOKENS_FILE") || !strings.Contains(text, "dfe token new") {
		t.Errorf("%d %s", w.Code, text)
	}
}

func TestATokenThatIsTakenOutIsRefusedFromThenOn(t *testing.T) {
	d := newDoor(t, &deployer{report: engine.Report{State: engine.Converged}})
	statuses := []int{}
	ask := func() {
		status, _, _ := d.call(deployWeb, d.tokens["ci"], webConfig)
		statuses = append(statuses, status)
	}
	ask()
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{"", "token {", string(text)} {
		if err := os.WriteFile(d.file, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		ask()
	}
	if err := os.Chmod(d.file, 0o622); err != nil {
		t.Fatal(err)
	}
	ask()
	if diff := cmp.Diff([]int{200, 401, 403, 200, 403}, statuses); diff != "" {
		t.Error(diff)
	}
	if log := d.log.String(); strings.Count(log, "nobody has access") != 2 || strings.Count(log, "can be used again") != 1 {
		t.Errorf("the log says:\n%s", log)
	}
}

func TestADeployAnswersWhatBecameOfIt(t *testing.T) {
	refused := &engine.RefusedError{What: "x", Plan: &plan.Document{}}
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   string
	}{
		{"done", nil, 200, ""},
		{"refused", refused, 409, "refused"},
		{"older", &engine.OlderError{What: "x"}, 409, "release_regressed"},
		{"locked", &engine.LockedError{Waited: time.Minute, Err: lease.ErrTurn}, 503, "schema_locked"},
		{"held elsewhere", &engine.LockedError{Err: &lease.ObservedError{}}, 503, "schema_locked"},
		{"not replicated", &platform.NotReplicatedError{Missing: []string{"it has no Keeper"}}, 503, "clickhouse_not_replicated"},
		{"unreachable", &catalog.ConnectError{}, 503, "clickhouse_unreachable"},
		{"a lease that ended", &lease.LostError{}, 503, "lease_lost"},
		{"no bus", &topics.ConnectError{Fault: catalog.NotUp}, 503, "kafka_unreachable"},
		{"a faulty schema", &engine.TreeError{What: "the schema tree"}, 503, "schema_faulty"},
		{"a faulty config", &engine.TreeError{What: `the source "web" of "acme"`}, 422, "config_faulty"},
		{"too long", context.DeadlineExceeded, 504, "timeout"},
		{"anything else", errors.New("a statement failed"), 500, "deploy_failed"},
	} {
		d := newDoor(t, &deployer{err: c.err, report: engine.Report{State: engine.Converged}})
		status, header, document := d.call(deployWeb, d.tokens["ci"], webConfig)
		if again := header.Get("Retry-After"); (again != "") != (c.status == http.StatusServiceUnavailable) {
			t.Errorf("%s: %d with Retry-After %q", c.name, status, again)
		}
		if status != c.status || document.Code != c.code || document.Version != 1 || (document.Error == "") != (c.err == nil) || document.Source != "web" {
			t.Errorf("%s: %d, %+v", c.name, status, document)
		}
	}
}

func TestAConfigWithFaultsIsAnsweredWithAllOfThemAndNothingIsAsked(t *testing.T) {
	work := &deployer{}
	d := newDoor(t, work)
	status, _, document := d.call(deployWeb, d.tokens["ci"], "id = \"web\"\nprofile = \"maximal\"\n")
	var got []string
	for _, f := range document.Diagnostics {
		got = append(got, fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Summary))
	}
	want := []string{"config:1: Missing required argument", `config:2: Unknown profile "maximal"`}
	if diff := cmp.Diff(want, got); diff != "" || status != 422 || document.Code != "config_faulty" {
		t.Errorf("%d %s: %s", status, document.Code, diff)
	}
	if status, _, document := d.call("/api/v1/sources/other/deploy", d.tokens["ci"], webConfig); status != 422 || !strings.Contains(document.Error, `"other"`) {
		t.Errorf("another id: %d %s", status, document.Error)
	}
	if len(work.parts) != 0 {
		t.Errorf("%q were carried out", work.parts)
	}
}

func TestAnIdOfAnyTextHasARoute(t *testing.T) {
	const id = `a/b "c"; DROP ../é`
	d := newDoor(t, &deployer{report: engine.Report{State: engine.Converged}})
	text := strings.Replace(webConfig, `"web"`, "\"a/b \\\"c\\\"; DROP ../é\"", 1)
	status, _, document := d.call("/api/v1/sources/"+url.PathEscape(id)+"/deploy", d.tokens["ci"], text)
	if status != 200 || document.Source != id {
		t.Errorf("%d %q", status, document.Source)
	}
}

func TestAPathThatIsNoRouteSendsNobodyOn(t *testing.T) {
	d := newDoor(t, &deployer{report: engine.Report{State: engine.Converged}})
	for _, path := range []string{"/api/v1/sources//deploy", "/api/v1/sources/web/deploy/", "/api/v1/sources/web/../deploy", "/api/v1/sources/web/drop", "/api/v1/sources/deploy"} {
		status, header, document := d.call(path, d.tokens["ci"], webConfig)
		if status != http.StatusNotFound || document.Code != "not_found" || header.Get("Location") != "" {
			t.Errorf("%s: %d %q, sent on to %q", path, status, document.Code, header.Get("Location"))
		}
	}
}

func TestABodyHasALimitAndATypeAndATime(t *testing.T) {
	d := newDoor(t, &deployer{report: engine.Report{State: engine.Converged}})
	ci := d.tokens["ci"]
	for _, c := range []struct {
		name, text string
		header     []string
		status     int
		code       string
	}{
		{"too large", webConfig + strings.Repeat("#", 1<<20), nil, 413, "body_too_large"},
		{"JSON", webConfig, []string{"Content-Type", "application/json; charset=utf-8"}, 415, "unsupported_media_type"},
		{"a form with files", webConfig, []string{"Content-Type", "multipart/form-data; boundary=x"}, 415, "unsupported_media_type"},
		{"packed", webConfig, []string{"Content-Encoding", "gzip"}, 415, "unsupported_media_type"},
		{"what curl says", webConfig, []string{"Content-Type", "application/x-www-form-urlencoded"}, 200, ""},
		{"HCL", webConfig, []string{"Content-Type", "application/hcl"}, 200, ""},
	} {
		if status, _, document := d.call(deployWeb, ci, c.text, c.header...); status != c.status || document.Code != c.code {
			t.Errorf("%s: %d %s", c.name, status, document.Code)
		}
	}
	r := httptest.NewRequest(http.MethodPost, deployWeb, io.MultiReader(strings.NewReader("id = "), failing{}))
	r.Header.Set("Authorization", "Bearer "+ci)
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	if w.Code != http.StatusRequestTimeout {
		t.Errorf("a body that ends early: %d", w.Code)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestACallerWhoHangsUpEndsTheDeploy(t *testing.T) {
	ended := make(chan struct{})
	entered := make(chan struct{})
	d := newDoor(t, &deployer{within: func(ctx context.Context) {
		close(entered)
		<-ctx.Done()
		close(ended)
	}})
	server := httptest.NewServer(d)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+deployWeb, strings.NewReader(webConfig))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.tokens["ci"])
	go func() {
		<-entered
		cancel()
	}()
	if answer, err := http.DefaultClient.Do(r); err == nil {
		answer.Body.Close()
		t.Errorf("it was answered %d", answer.StatusCode)
	}
	<-ended
	d.Wait()
}

func TestADeployTellsOfObjectsAndRefusals(t *testing.T) {
	object := &engine.ObjectReport{Kind: ast.KindTable, Name: "org_acme.web", Changes: []*plan.Change{{Path: "order_by", Action: "refused", Rule: "a table keeps its sorting key"}}}
	d := newDoor(t, &deployer{report: engine.Report{State: engine.Failed, Objects: []*engine.ObjectReport{object}}, err: &engine.RefusedError{Plan: &plan.Document{}}})
	status, _, document := d.call(deployWeb, d.tokens["ci"], webConfig)
	if status != 409 || len(document.Refused) != 1 || document.Refused[0].Path != "order_by" || len(document.Objects) != 1 || document.Plan == nil {
		t.Errorf("%d %+v", status, document)
	}
}
