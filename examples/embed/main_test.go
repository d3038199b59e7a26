package main_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestTheProgramServesOnlyOnceItsSchemaIsTrue(t *testing.T) {
	program := filepath.Join(t.TempDir(), "embed")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "--listen", "127.0.0.1:0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if err != nil || !strings.Contains(line, "schema release 1.0.0 is converged") || url == "" {
		t.Fatalf("it says %q: %v", line, err)
	}
	for path, want := range map[string]string{
		"/about": "/about was visited 1 times", "/schema/": "visits.raw is read by visits.count", "/schema/readyz": `"ready":true`,
		"/schema/api/v1/system/schema": `"name":"visits.by_page"`,
	} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(text), want) {
			t.Errorf("%s answers %d, without %q: %s (%v)", path, r.StatusCode, want, text, err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAServerThatIsBrokenEndsTheProgramWithTheReason(t *testing.T) {
	cmd := exec.Command("go", "run", ".", "--url", "http://127.0.0.1:1/?read_timeout=nonsense")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "read_timeout") {
		t.Errorf("%v\n%s", err, out)
	}
}
