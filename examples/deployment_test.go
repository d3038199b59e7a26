package examples_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine/cli"
)

// step is a command of a README.
var step = regexp.MustCompile(`(?m)^\$ (export|dfe) (.*)$`)

// TestTheDeploymentIsWhatItsReadmeSays runs the commands that the README of the deployment shows, in their order, twice: the
// second time nothing is left to do. Then a service takes a config over HTTP.
func TestTheDeploymentIsWhatItsReadmeSays(t *testing.T) {
	t.Chdir("deployment")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	walk, _, _ := strings.Cut(string(readme), "| file |")
	data := filepath.Join(t.TempDir(), "data")
	said := map[string][]string{}
	for range 2 {
		ran := 0
		for _, m := range step.FindAllStringSubmatch(walk, -1) {
			words := strings.Fields(strings.ReplaceAll(m[2], "./data", data))
			if m[1] == "export" {
				for _, word := range words {
					name, value, _ := strings.Cut(word, "=")
					t.Setenv(name, value)
				}
				continue
			}
			ran++
			var out, complaint bytes.Buffer
			if code := cli.Run(t.Context(), cli.Process{Out: &out, Err: &complaint, Getenv: os.Getenv}, words); code != cli.ExitDone {
				t.Fatalf("dfe %s: exit code %d\n%s%s", m[2], code, &out, &complaint)
			}
			said[m[2]] = append(said[m[2]], out.String())
		}
		if ran != 7 {
			t.Fatalf("the README has %d commands", ran)
		}
	}
	for command, outs := range said {
		again := outs[1]
		switch {
		case strings.Contains(command, " lint ") && !strings.Contains(again, "nothing to remark"),
			strings.Contains(command, " apply ") && !strings.Contains(again, "converged: no statement was sent"),
			strings.Contains(command, " plan ") && !strings.Contains(again, "no difference"):
			t.Errorf("dfe %s, again:\n%s", command, again)
		case strings.Contains(command, " status "):
			for _, name := range []string{"site.badge_events", "org_acme.webx2daccess__latest", "org_globex.firewall", "org_acme ON dfe.events", "group_security_operations"} {
				if !strings.Contains(again, name) {
					t.Errorf("%s is not in the status:\n%s", name, again)
				}
			}
		}
	}
	tokens := filepath.Join(t.TempDir(), "tokens.hcl")
	var token bytes.Buffer
	if code := cli.Run(t.Context(), cli.Process{Out: &token, Err: io.Discard, Getenv: os.Getenv}, []string{"token", "new", "ci", "--permission", "source.deploy", "--file", tokens}); code != cli.ExitDone {
		t.Fatalf("exit code %d", code)
	}
	t.Setenv("DFE_ENGINE_API_TOKENS_FILE", tokens)
	overHTTP(t, data, strings.TrimSpace(token.String()))
}

// overHTTP starts a service on the data and deploys a source, as curl would.
func overHTTP(t *testing.T, data, token string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- cli.Run(ctx, cli.Process{Out: io.Discard, Err: &log, Getenv: os.Getenv}, []string{"serve", "--embedded", data, "--overlay", "overlay", "--listen", address, "--wait", "1m"})
	}()
	defer func() {
		cancel()
		if code := <-ended; code != cli.ExitDone {
			t.Errorf("the service ended with %d:\n%s", code, &log)
		}
	}()
	config, err := os.ReadFile("sources/web-access.hcl")
	if err != nil {
		t.Fatal(err)
	}
	status, answer := 0, ""
	for until := time.Now().Add(5 * time.Minute); status == 0 && time.Now().Before(until); {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://%s/api/v1/sources/web-access/deploy", address), bytes.NewReader(config))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			time.Sleep(100 * time.Millisecond) // it does not listen yet
			continue
		}
		text, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		status, answer = got.StatusCode, string(text)
	}
	if status != http.StatusOK || !strings.Contains(answer, `"state":"converged"`) {
		t.Errorf("%d %s", status, answer)
	}
}
