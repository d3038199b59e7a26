package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/engine/cli"
	"github.com/dfe-engine/dfe/engine/embedded"
)

// program is the built command, which TestMain makes.
var program string

func TestMain(m *testing.M) {
	if url := os.Getenv(cli.BesideURL); url != "" {
		if err := cli.ServeBeside(url, os.Getenv(cli.BesideTree)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(build(m))
}

// build makes the program once, and sees to it that the engine's library is on this machine before a test waits for it.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dfe-cli-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "dfe")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/dfe").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	if _, err := embedded.Locate(context.Background(), embedded.LocateOptions{Progress: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// result is what a command line gave.
type result struct {
	out, err string
	code     int
}

// longest bounds a command that hangs; none takes a tenth of it.
const longest = 2 * time.Minute

// dfe runs the program to its end. Variables are added to the environment.
func dfe(t *testing.T, variables []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), variables...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// demand checks the exit code and that the words were said, on standard error unless the code is 0.
func (r result) demand(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.code, code, r.out, r.err)
	}
	for _, word := range words {
		if !strings.Contains(r.err+r.out, word) {
			t.Errorf("%q is not said\nstdout: %s\nstderr: %s", word, r.out, r.err)
		}
	}
}

// service is a program that runs until it is told to stop.
type service struct {
	cmd *exec.Cmd
	out *bufio.Reader
	err bytes.Buffer
}

// start runs the program in the background; it is killed at the end of the test where it still runs.
func start(t testing.TB, variables []string, args ...string) *service {
	t.Helper()
	s := &service{cmd: exec.Command(program, args...)}
	s.cmd.Env = append(os.Environ(), variables...)
	s.cmd.Stderr = &s.err
	pipe, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(pipe)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	return s
}

// until reads lines until one holds the words, and returns it.
func (s *service) until(t testing.TB, words string) string {
	t.Helper()
	var seen strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		seen.WriteString(line)
		if strings.Contains(line, words) {
			return line
		}
		if err != nil {
			_ = s.cmd.Wait()
			t.Fatalf("%q is never said: %v\nstdout: %s\nstderr: %s", words, err, seen.String(), s.err.String())
		}
	}
}

// stop sends a signal and returns the exit code.
func (s *service) stop(t *testing.T, signal os.Signal) int {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, s.out); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // the exit code tells
	return s.cmd.ProcessState.ExitCode()
}

// serve runs an embedded server as a process and returns its URL.
func serve(t testing.TB, args ...string) (*service, string) {
	t.Helper()
	s := start(t, nil, append([]string{"embedded", "--port", "0"}, args...)...)
	line := s.until(t, "answers at ")
	_, after, _ := strings.Cut(line, "answers at ")
	url, _, _ := strings.Cut(after, ";")
	return s, url
}

// query sends one statement as curl does.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	response, err := http.Post(url, "text/plain", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", sql, body)
	}
	return strings.TrimSpace(string(body))
}

// write makes a tree of files in a new directory.
func write(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// leftovers lists what a program left in its directory for temporary files.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestTheDemoAppliesChangesRefusesAndLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	r := dfe(t, []string{"TMPDIR=" + tmp}, "demo")
	r.demand(t, 0,
		"ClickHouse 26.7", "http://127.0.0.1:",
		"applied  table     dfe.schema_migrations", "applied  table     otel.otel_logs", "applied  view      shop.revenue_by_day",
		"converged: no statement was sent",
		`+ column "discount"`, "add-column discount", "replace-view",
		"refused order_by (live (path, viewed_at), declared (viewed_at, path))", "the table rebuilt",
	)
	if strings.Count(r.out, "converged") != 3 || r.err != "" {
		t.Errorf("three passes converge and nothing is wrong\nstdout: %s\nstderr: %s", r.out, r.err)
	}
	if names := leftovers(t, tmp); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestTheDemoIsOneJSONDocument(t *testing.T) {
	r := dfe(t, nil, "demo", "--format", "json")
	r.demand(t, 0)
	var doc struct {
		Version int
		Passes  []struct {
			State   string
			Summary struct{ Statements, Applied, Refused int }
		}
	}
	decode(t, r.out, &doc)
	if doc.Version != 1 || len(doc.Passes) != 3 || doc.Passes[1].Summary.Statements != 0 || doc.Passes[2].Summary.Refused != 1 {
		t.Errorf("read %+v", doc)
	}
}

func TestAKeptDemoAnswersUntilItIsToldToStop(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		tmp := t.TempDir()
		s := start(t, []string{"TMPDIR=" + tmp}, "demo", "--keep")
		line := s.until(t, "The server stays up at ")
		_, after, _ := strings.Cut(line, "stays up at ")
		url, _, _ := strings.Cut(after, ";")
		if got := query(t, url, "SELECT count() FROM system.tables WHERE database = 'shop'"); got != "4" {
			t.Errorf("the example has %s tables and views", got)
		}
		if code := s.stop(t, signal); code != 0 {
			t.Errorf("%s: exit code %d\n%s", signal, code, s.err.String())
		}
		if names := leftovers(t, tmp); len(names) != 0 {
			t.Errorf("%s: left behind: %v", signal, names)
		}
	}
}

func TestADemoInterruptedInTheMiddleLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	s := start(t, []string{"TMPDIR=" + tmp}, "demo")
	s.until(t, "1. The first pass")
	if code := s.stop(t, os.Interrupt); code != 1 {
		t.Errorf("exit code %d\n%s", code, s.err.String())
	}
	if names := leftovers(t, tmp); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestADemoWhoseReaderWentAwayLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = write, &errs
	if err := errors.Join(read.Close(), cmd.Start(), write.Close()); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != 1 || errs.Len() > 0 {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	if names := leftovers(t, tmp); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestAnEmbeddedServerStopsCleanlyAndKeepsWhatItAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	for i, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL, os.Interrupt} {
		s, url := serve(t, "--path", path)
		query(t, url, fmt.Sprintf("CREATE TABLE default.t%d (a UInt8) ENGINE = MergeTree ORDER BY a", i))
		query(t, url, fmt.Sprintf("INSERT INTO default.t%d VALUES (%d)", i, i))
		for j := range i {
			if got := query(t, url, fmt.Sprintf("SELECT a FROM default.t%d", j)); got != fmt.Sprint(j) {
				t.Errorf("start %d: the row of start %d reads %q", i, j, got)
			}
		}
		if code := s.stop(t, signal); signal != syscall.SIGKILL && code != 0 {
			t.Errorf("%s: exit code %d\n%s", signal, code, s.err.String())
		}
	}
}

func TestAnApplyKilledInTheMiddleIsFinishedByTheNext(t *testing.T) {
	var manifest strings.Builder
	manifest.WriteString("-- t.hcl --\ncolumn \"a\" { type = \"UInt8\" }\nengine = \"MergeTree\"\norder_by = \"a\"\n-- manifest.hcl --\nrelease = \"1\"\ndatabase \"yard\" {}\n")
	const tables = 120
	for i := range tables {
		fmt.Fprintf(&manifest, "table \"yard.t%03d\" { from = \"t.hcl\" }\n", i)
	}
	tree, data := write(t, manifest.String()), filepath.Join(t.TempDir(), "data")
	args := []string{"schema", "apply", "--tree", tree, "--embedded", data}
	s := start(t, nil, args...)
	// The engine keeps a file for each table it has acknowledged.
	definitions := filepath.Join(data, "metadata", "yard")
	for begun := time.Now(); ; {
		if entries, err := os.ReadDir(definitions); err == nil && len(entries) >= tables/4 {
			break
		}
		if time.Since(begun) > longest {
			t.Fatalf("no table was created\n%s", s.err.String())
		}
		time.Sleep(time.Millisecond)
	}
	s.stop(t, syscall.SIGKILL)
	// The lease of the one that was killed is waited for; whoever cannot wait applies nothing.
	dfe(t, nil, append(args, "--wait", "1s")...).demand(t, 4, "nothing was applied", "held by")
	next := dfe(t, nil, args...)
	next.demand(t, 0, "converged", "schema release 1 on embedded")
	if created := strings.Count(next.out, "create"); created == 0 || created >= tables {
		t.Errorf("%d objects were created by the next apply", created)
	}
	dfe(t, nil, args...).demand(t, 0, fmt.Sprintf("no statement was sent, %d unchanged", tables+4))
	dfe(t, nil, "schema", "status", "--tree", tree, "--embedded", data, "--exit-code").demand(t, 0)
}
