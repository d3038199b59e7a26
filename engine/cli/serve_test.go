package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pod is a service that runs as a process, and its log as far as it was read.
type pod struct {
	cmd  *exec.Cmd
	log  *bufio.Reader
	read strings.Builder
	url  string
}

// startPod starts dfe serve on a free port and returns when it answers.
func startPod(t *testing.T, variables []string, args ...string) *pod {
	t.Helper()
	p := &pod{cmd: exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)}
	p.cmd.Env = append(os.Environ(), variables...)
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.log = bufio.NewReader(pipe)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	p.url = "http://" + p.until(t, "serving")["listen"].(string)
	return p
}

// until reads the log up to a message and returns its line.
func (p *pod) until(t *testing.T, message string) map[string]any {
	t.Helper()
	for {
		line, err := p.log.ReadString('\n')
		p.read.WriteString(line)
		if err != nil {
			t.Fatalf("%q is never logged: %v\n%s", message, err, p.read.String())
		}
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("the log has a line that is no JSON: %s", line)
		}
		if entry["msg"] == message {
			return entry
		}
	}
}

// stop sends a signal, reads the rest of the log and demands a clean end.
func (p *pod) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.until(t, "stopped")
	rest, err := io.ReadAll(p.log)
	if err != nil {
		t.Fatal(err)
	}
	p.read.Write(rest)
	if err := p.cmd.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("it ended with %v; after the last line: %s", err, rest)
	}
}

func (p *pod) get(t *testing.T, path string) (int, string) {
	t.Helper()
	r, err := http.Get(p.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// status is the part of the schema document that these tests look at.
type status struct {
	State, Step, Error, Code, Schemas string
	Objects                           []struct{ Name, Outcome string }
}

func (p *pod) status(t *testing.T) (s status) {
	t.Helper()
	_, text := p.get(t, "/api/v1/system/schema")
	decode(t, text, &s)
	return s
}

func (s status) count(outcome string) (n int) {
	for _, o := range s.Objects {
		if o.Outcome == outcome {
			n++
		}
	}
	return n
}

func (p *pod) demand(t *testing.T, path string, code int, words ...string) {
	t.Helper()
	got, text := p.get(t, path)
	if got != code {
		t.Errorf("%s answers %d, want %d: %s", path, got, code, text)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s does not say %q: %s", path, word, text)
		}
	}
}

func TestServeMakesTheSchemaTrueAtBootAndSaysSo(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for i, outcome := range []string{"applied", "unchanged"} {
		p := startPod(t, nil, "--embedded", data, "--tree", write(t, garden))
		p.until(t, "pass converged")
		p.demand(t, "/readyz", 200, `"ready":true`)
		p.demand(t, "/livez", 200)
		p.demand(t, "/api/v1/system/version", 200, `"schemas":"3.1.0"`)
		p.demand(t, "/metrics", 200, "dfe_schema_bootstrap_state 1", `schemas="3.1.0"`)
		p.demand(t, "/", 200, "Converged", "garden.sunny")
		if s := p.status(t); s.State != "converged" || s.count(outcome) != len(s.Objects) || len(s.Objects) < 6 {
			t.Errorf("boot %d: %+v", i, s)
		}
		p.stop(t)
	}
}

func TestAServerThatIsDownLeavesTheProcessUpAndNotReady(t *testing.T) {
	p := startPod(t, []string{"DFE_ENGINE_CLICKHOUSE_URL=http://127.0.0.1:1", "DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS=0"})
	p.until(t, "the pass runs again")
	p.demand(t, "/livez", 200)
	p.demand(t, "/readyz", 503, "nothing listens there", `"state":"failed"`)
	p.demand(t, "/", 200, "Failed", "nothing listens there", "runs again at")
	if s := p.status(t); s.State != "failed" || s.count("pending") == 0 || s.Schemas == "" {
		t.Errorf("%+v", s)
	}
	p.stop(t)
}

func TestDuringStartUpTheStatusIsAnsweredAndAStopIsTaken(t *testing.T) {
	p := startPod(t, []string{"DFE_ENGINE_CLICKHOUSE_URL=http://127.0.0.1:1", "DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS=3600"}, "--tree", write(t, garden))
	p.until(t, "the server is not up yet")
	if s := p.status(t); s.State != "running" || s.Step != "connecting" || s.Schemas != "3.1.0" || s.count("pending") != len(s.Objects) || len(s.Objects) < 6 {
		t.Errorf("%+v", s)
	}
	p.demand(t, "/readyz", 503, "no pass has finished yet")
	p.demand(t, "/metrics", 200, "dfe_schema_bootstrap_state 3")
	p.stop(t)
}

func TestASwitchedOffPhaseTouchesNothing(t *testing.T) {
	_, url := serve(t)
	p := startPod(t, []string{"DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_TABLES=false"}, "--url", url)
	p.until(t, "the schema phase is switched off: no pass is made, and readiness does not depend on it")
	p.demand(t, "/readyz", 200, `"state":"unknown"`)
	p.demand(t, "/metrics", 200, "dfe_schema_bootstrap_state 0")
	p.stop(t)
	if got := query(t, url, "SELECT count() FROM system.databases WHERE name = 'dfe'"); got != "0" {
		t.Error("the server was touched")
	}
}

func TestASecondServeOnOnePortEndsBeforeItTouchesTheServer(t *testing.T) {
	p := startPod(t, []string{"DFE_ENGINE_CLICKHOUSE_URL=http://127.0.0.1:1"})
	address := strings.TrimPrefix(p.url, "http://")
	r := dfe(t, nil, "serve", "--url", "http://127.0.0.1:1", "--listen", address)
	r.demand(t, 1, address+" is in use", "--listen")
	if strings.Contains(r.err, "pass") {
		t.Errorf("a pass began: %s", r.err)
	}
	p.stop(t)
}

func TestAnOlderServerThanTheReleaseNeedsIsNamed(t *testing.T) {
	tree := write(t, strings.Replace(garden, `release = "3.1.0"`, "release = \"3.1.0\"\nmin_server = \"99.1\"", 1))
	p := startPod(t, nil, "--embedded", filepath.Join(t.TempDir(), "data"), "--tree", tree)
	p.until(t, "pass failed")
	p.demand(t, "/readyz", 503, "99.1", "upgrade the server")
	p.stop(t)
}

func TestATreeWithFaultsIsTheCauseOnTheStatus(t *testing.T) {
	tree := write(t, strings.Replace(garden, `engine   = "MergeTree"`, `engine   = "MergTree"`, 1))
	p := startPod(t, nil, "--embedded", filepath.Join(t.TempDir(), "data"), "--tree", tree)
	p.until(t, "pass failed")
	p.demand(t, "/api/v1/system/schema", 200, "beds.hcl:", "MergTree")
	p.stop(t)
}

func TestStoppedInTheMiddleOfAPassTheNextOneFinishes(t *testing.T) {
	const tables = 200
	manifest, definitions := "release = \"1.0.0\"\ndatabase \"many\" {}\n", ""
	for i := range tables {
		manifest += fmt.Sprintf("table \"many.t%d\" { from = \"t%d.sql\" }\n", i, i)
		definitions += fmt.Sprintf("-- t%d.sql --\nCREATE TABLE many.t%d (a UInt8) ENGINE = MergeTree ORDER BY a\n", i, i)
	}
	dir, data := write(t, "-- manifest.hcl --\n"+manifest+definitions), filepath.Join(t.TempDir(), "data")
	p := startPod(t, nil, "--embedded", data, "--tree", dir)
	for {
		s := p.status(t)
		if s.State != "running" && s.State != "unknown" {
			t.Fatalf("the pass ended before it was stopped: %+v", s)
		}
		if s.Step == "applying" && s.count("applied") > 0 && s.count("pending") > 0 {
			break
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.until(t, "pass stopped")
	p.until(t, "stopped")
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	next := startPod(t, nil, "--embedded", data, "--tree", dir)
	next.until(t, "pass converged")
	s := next.status(t)
	if applied, unchanged := s.count("applied"), s.count("unchanged"); applied == 0 || unchanged == 0 || applied+unchanged != len(s.Objects) || len(s.Objects) < tables {
		t.Errorf("of %d objects %d applied and %d unchanged", len(s.Objects), applied, unchanged)
	}
	next.stop(t)
}

func TestNoSecretIsServedOrLogged(t *testing.T) {
	const secret = "Qx7-canary"
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-ClickHouse-Exception-Code", "516")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "Code: 516. DB::Exception: operator: Authentication failed: password %s is incorrect. (AUTHENTICATION_FAILED)", secret)
	}))
	defer refuses.Close()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(refuses.URL, "http://")
	for _, variables := range [][]string{
		{"DFE_ENGINE_CLICKHOUSE_URL=http://operator:" + secret + "@" + host},
		{"DFE_ENGINE_CLICKHOUSE_URL=http://" + host, "DFE_ENGINE_CLICKHOUSE_USER=operator", "DFE_ENGINE_CLICKHOUSE_PASSWORD=" + secret},
		{"DFE_ENGINE_CLICKHOUSE_URL=http://" + host, "DFE_ENGINE_CLICKHOUSE_USER=operator", "DFE_ENGINE_CLICKHOUSE_PASSWORD_FILE=" + file},
	} {
		p := startPod(t, append(variables, "DFE_ENGINE_LOG_LEVEL=debug"))
		p.until(t, "the pass runs again")
		for _, path := range []string{"/", "/readyz", "/metrics", "/api/v1/system/schema", "/api/v1/system/version"} {
			if _, text := p.get(t, path); strings.Contains(text, secret) || strings.Contains(text, "operator") {
				t.Errorf("%s shows a credential: %s", path, text)
			}
		}
		p.demand(t, "/api/v1/system/schema", 200, "refuses the user or the password")
		p.stop(t)
		if strings.Contains(p.read.String(), secret) {
			t.Errorf("the log shows a secret:\n%s", p.read.String())
		}
	}
}

func TestServeNamesEveryUnusableVariableAtOnceAndDoesNotStart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	bad := map[string]string{
		"DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_TABLES": "maybe", "DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS": "3m", "DFE_ENGINE_CLICKHOUSE_DDL_MAX_QUERY_SIZE": "16MB",
		"DFE_ENGINE_CLICKHOUSE_PLATFORM": "embedded", "DFE_ENGINE_KAFKA_BOOTSTRAP_TOPICS": "on", "DFE_ENGINE_KAFKA_TIERED_STORAGE": "1",
		"DFE_ENGINE_KAFKA_TOPIC_MAX_MESSAGE_BYTES": "-1", "DFE_ENGINE_SCHEMAS_OVERLAY_DIR": "/dev/null", "DFE_ENGINE_KAFKA_BROKERS": "broker", "DFE_ENGINE_LISTEN": "8480",
		"DFE_ENGINE_LOG_FORMAT": "xml", "DFE_ENGINE_LOG_LEVEL": "loud",
	}
	names := []string{"it accepts"}
	for name, value := range bad {
		names = append(names, fmt.Sprintf("%s=%q is unusable", name, value))
	}
	r := run(t, bad, "serve", "--url", "http://"+l.Addr().String())
	r.demand(t, 2, names...)
	if strings.Contains(r.err, "serving") {
		t.Errorf("it started: %s", r.err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve"}, "no server is named"},
		{[]string{"serve", "--url", "http://127.0.0.1:1", "--listen", "8480"}, "no address to listen at"},
		{[]string{"serve", "--url", "http://127.0.0.1:1", "--log-format", "xml"}, "json or text"},
		{[]string{"serve", "--url", "ftp://127.0.0.1:1"}, "use clickhouse, clickhouses, http or https"},
	} {
		run(t, nil, c.args...).demand(t, 2, c.want)
	}
}
