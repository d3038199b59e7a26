//go:build linux || darwin

package embedded_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// A process holds one engine, and some laws are about processes that die. So
// this test binary also runs as a child, in a mode this variable names.
const (
	childVariable = "DFE_TEST_EMBEDDED_CHILD"
	pathVariable  = "DFE_TEST_EMBEDDED_PATH"
)

// child runs one mode and returns the exit code. It speaks on standard output:
// a line "url URL" when it serves, a line "ok" when all went well.
func child(mode string) int {
	modes := map[string]func() error{"serve": childServes, "signals": childKeepsSignals, "reopen": childReopens, "configured": childIsConfigured}
	if err := modes[mode](); err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("ok")
	return 0
}

func start(path string) (*embedded.Server, error) {
	return embedded.Start(context.Background(), embedded.Options{Path: path, Log: slog.New(slog.DiscardHandler), Progress: os.Stderr})
}

// childServes runs a server until SIGINT or SIGTERM, and closes it within 2 s.
func childServes() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s, err := start(os.Getenv(pathVariable))
	if err != nil {
		return err
	}
	fmt.Println("url", s.URL())
	<-ctx.Done()
	bounded, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.Close(bounded); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	<-s.Done()
	return s.Err()
}

// childKeepsSignals dereferences nil on many threads, profiles and is signalled,
// while connections of the engine come and go.
func childKeepsSignals() error {
	s, err := start("")
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT)
	for range 100 {
		var work sync.WaitGroup
		var failures [4]error
		for i := range failures {
			work.Go(func() {
				// On the threads that call the engine, and on others beside them.
				resp, err := http.Post(s.URL()+"/?max_threads=1", "", strings.NewReader("SELECT sum(number) FROM numbers(1000)"))
				if err == nil {
					err = resp.Body.Close()
				}
				for range 10 {
					if dereferenceNil() == nil {
						err = errors.New("a nil dereference was no panic")
					}
					runtime.Gosched()
				}
				failures[i] = err
			})
		}
		work.Wait()
		if err := errors.Join(failures[:]...); err != nil {
			return err
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			return err
		}
		<-signals
	}
	pprof.StopCPUProfile()
	return s.Close(context.Background())
}

func dereferenceNil() (panicked any) {
	defer func() { panicked = recover() }()
	var p *struct{ field [64]int }
	return p.field[7]
}

// childReopens holds to one data directory at a time, and to the next after Close.
func childReopens() error {
	root := os.Getenv(pathVariable)
	for i := range 3 {
		s, err := start(filepath.Join(root, strconv.Itoa(i%2)))
		if err != nil {
			return err
		}
		if _, err := start(filepath.Join(root, "other")); !errors.Is(err, embedded.ErrInUse) {
			return fmt.Errorf("a second server in one process: %w", err)
		}
		if err := s.Close(context.Background()); err != nil {
			return err
		}
		if err := s.Close(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// childIsConfigured has macros, users, roles and a password of its own.
func childIsConfigured() error {
	s, err := embedded.Start(context.Background(), embedded.Options{
		Log:      slog.New(slog.DiscardHandler),
		Password: "open sesame",
		Config:   "<macros><shard>s1</shard></macros>",
		Users: `<clickhouse>
  <profiles><default><max_threads>1</max_threads></default></profiles>
  <roles><reader><grants><query>GRANT SELECT ON shop.*</query></grants></reader></roles>
  <users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota><access_management>1</access_management></default></users>
  <quotas><default></default></quotas>
</clickhouse>`,
	})
	if err != nil {
		return err
	}
	for _, c := range []struct{ auth, sql, want string }{
		{"default:open sesame@", "SELECT getMacro('shard')", "s1\n"},
		{"default:open sesame@", "SHOW GRANTS FOR reader", "GRANT SELECT ON shop.* TO reader\n"},
		{"", "SELECT 1", "AUTHENTICATION_FAILED"},
		{"default:wrong@", "SELECT 1", "AUTHENTICATION_FAILED"},
	} {
		resp, err := http.Post(strings.Replace(s.URL(), "//", "//"+strings.ReplaceAll(c.auth, " ", "%20"), 1), "", strings.NewReader(c.sql))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return err
		}
		if !strings.Contains(string(text), c.want) {
			return fmt.Errorf("%s: %s", c.sql, text)
		}
	}
	return s.Close(context.Background())
}

// process is a running child.
type process struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

func spawn(t *testing.T, mode, path string, env ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(append(os.Environ(), childVariable+"="+mode, pathVariable+"="+path), env...)
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	p.lines = bufio.NewScanner(out)
	must(t, p.cmd.Start())
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill() // the test has failed already
			_ = p.cmd.Wait()
		}
	})
	return p
}

// says returns the child's next line without its first word, which is given.
func (p *process) says(t *testing.T, word string) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("the child ended without saying %q: %v\n%s", word, p.cmd.Wait(), p.stderr.String())
	}
	head, rest, _ := strings.Cut(p.lines.Text(), " ")
	if head != word {
		t.Fatalf("the child said %q instead of %q", p.lines.Text(), word)
	}
	return rest
}

// ends waits for a child that ends well.
func (p *process) ends(t *testing.T) {
	t.Helper()
	p.says(t, "ok")
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.stderr.String())
	}
	if p.stderr.Len() > 0 {
		t.Errorf("the engine wrote on standard error: %s", p.stderr.String())
	}
}

func post(t *testing.T, url, sql string) string {
	t.Helper()
	resp, err := http.Post(url, "", strings.NewReader(sql))
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", sql, text)
	}
	return string(text)
}

func TestWhatWasAcknowledgedSurvivesKill9(t *testing.T) {
	dir := t.TempDir()
	first := spawn(t, "serve", dir)
	url := first.says(t, "url")
	post(t, url, "CREATE DATABASE d")
	post(t, url, "CREATE TABLE d.t (n UInt64) ENGINE = MergeTree ORDER BY n")
	var acknowledged atomic.Int64
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ; n++ {
			resp, err := http.Post(url, "", strings.NewReader(fmt.Sprintf("INSERT INTO d.t (n) VALUES (%d)", n)))
			if err != nil {
				return // killed
			}
			status := resp.StatusCode
			_ = resp.Body.Close() // it may be cut
			if status == http.StatusOK {
				acknowledged.Store(int64(n + 1))
			}
			if n == 50 {
				if resp, err := http.Post(url, "", strings.NewReader("ALTER TABLE d.t ADD COLUMN late String")); err != nil || resp.StatusCode != http.StatusOK {
					t.Error("the ALTER was not acknowledged")
				}
			}
		}
	})
	eventually(t, "too few inserts", func() bool { return acknowledged.Load() > 100 })
	must(t, first.cmd.Process.Signal(syscall.SIGKILL))
	_ = first.cmd.Wait() // killed, as asked
	writing.Wait()

	second := spawn(t, "serve", dir)
	url = second.says(t, "url")
	want := acknowledged.Load()
	if got := post(t, url, fmt.Sprintf("SELECT count() FROM d.t WHERE n < %d", want)); got != fmt.Sprintf("%d\n", want) {
		t.Errorf("%d inserts were acknowledged and %s are there", want, got)
	}
	if got := post(t, url, "SELECT count() FROM system.columns WHERE database = 'd' AND name = 'late'"); got != "1\n" {
		t.Error("the acknowledged ALTER is lost")
	}
	must(t, second.cmd.Process.Signal(syscall.SIGTERM))
	second.ends(t)
}

func TestAnInterruptClosesTheServerUnderARunningQuery(t *testing.T) {
	temporary := t.TempDir()
	p := spawn(t, "serve", "", "TMPDIR="+temporary)
	url := p.says(t, "url")
	var running sync.WaitGroup
	running.Go(func() {
		resp, err := http.Post(url+"/?log_comment=long", "", strings.NewReader("SELECT sum(sipHash64(number)) FROM numbers(100000000000000)"))
		if err == nil {
			_ = resp.Body.Close() // whatever it says
		}
	})
	eventually(t, "the query does not run", func() bool {
		return post(t, url, "SELECT count() FROM system.processes WHERE Settings['log_comment'] = 'long'") == "1\n"
	})
	must(t, p.cmd.Process.Signal(syscall.SIGINT))
	p.ends(t)
	running.Wait()
	left, err := os.ReadDir(temporary)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestADirectoryInUseIsNamedWithItsUser(t *testing.T) {
	dir := t.TempDir()
	first := spawn(t, "serve", dir)
	first.says(t, "url")
	second := spawn(t, "serve", dir)
	said := second.says(t, "error")
	want := fmt.Sprintf("embedded engine: the data directory %s is already in use by process %d: stop it, or use another directory", dir, first.cmd.Process.Pid)
	if said != want {
		t.Errorf("said %q\nwant %q", said, want)
	}
	_ = second.cmd.Wait() // it exits with 1
	must(t, first.cmd.Process.Signal(syscall.SIGTERM))
	first.ends(t)
}

func TestOfSeveralThatOpenADirectoryAtOnceOneHasItAndTheOthersSayWhy(t *testing.T) {
	dir := t.TempDir()
	children := make([]*process, 4)
	for i := range children {
		children[i] = spawn(t, "serve", dir)
	}
	var holder *process
	for _, p := range children {
		if !p.lines.Scan() {
			t.Fatalf("a child said nothing: %v\n%s", p.cmd.Wait(), p.stderr.String())
		}
		switch said := p.lines.Text(); {
		case strings.HasPrefix(said, "url ") && holder == nil:
			holder = p
		case !strings.Contains(said, "is already in use by"):
			t.Errorf("a child says %q", said)
		}
	}
	if holder == nil {
		t.Fatal("no child has the directory")
	}
	for _, p := range children {
		if p == holder {
			continue
		}
		_ = p.cmd.Wait() // it exits with 1
		if p.stderr.Len() > 0 {
			t.Errorf("the engine wrote on standard error: %s", p.stderr.String())
		}
	}
	must(t, holder.cmd.Process.Signal(syscall.SIGTERM))
	holder.ends(t)
}

func TestADirectoryThatCannotBeOpenedIsReportedWithTheEnginesReason(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "metadata"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "metadata", "broken.sql"), []byte("ATTACH NONSENSE"), 0o600))
	p := spawn(t, "serve", dir)
	if said := p.says(t, "error"); !strings.Contains(said, dir) || !strings.Contains(said, "yntax error") {
		t.Error(said)
	}
	_ = p.cmd.Wait() // it exits with 1
}

func TestGoKeepsItsSignals(t *testing.T) { spawn(t, "signals", "").ends(t) }

func TestAProcessHoldsOneDirectoryAtATime(t *testing.T) { spawn(t, "reopen", t.TempDir()).ends(t) }

func TestTheEngineIsConfiguredByOptions(t *testing.T) { spawn(t, "configured", "").ends(t) }
