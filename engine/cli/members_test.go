package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/cli"
)

// needsKeeper skips a test where no ZooKeeper can be run; with the variable CI it is left to fail.
func needsKeeper(t *testing.T) {
	t.Helper()
	for _, program := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
	}
}

func TestAClusterIsRehearsedOnFromTheCommandLine(t *testing.T) {
	needsKeeper(t)
	temporary := t.TempDir()
	s := start(t, []string{"TMPDIR=" + temporary}, "embedded", "--members", "2", "--port", "0", "--format", "json")
	var up struct {
		Version          int
		Cluster, Control string
		Members          []struct{ Name, URL string }
	}
	if err := json.Unmarshal([]byte(s.until(t, `"control"`)), &up); err != nil {
		t.Fatal(err)
	}
	if up.Version != 1 || up.Cluster != "main" || len(up.Members) != 2 || up.Members[1].Name != "member2" {
		t.Fatalf("the document is %+v", up)
	}
	tree := write(t, `
-- manifest.hcl --
release = "1.0.0"
database "shop" {}
table "shop.orders" { from = "orders.hcl" }
-- orders.hcl --
column "id" { type = "UInt64" }
engine   = "MergeTree"
order_by = ["id"]
`)
	dfe(t, nil, "schema", "apply", "--url", up.Members[0].URL, "--tree", tree, "--wait", "60s").demand(t, 0, "converged", "on self_hosted")
	if got := query(t, up.Members[1].URL, "SELECT engine FROM system.tables WHERE database = 'shop'"); got != "ReplicatedMergeTree" {
		t.Errorf("the other member has %q", got)
	}
	resp, err := http.Post(up.Control+"members/member2/kill", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the control route answers %s", resp.Status)
	}
	dfe(t, nil, "schema", "apply", "--url", up.Members[0].URL, "--tree", tree).demand(t, 4, "nothing was applied")
	if code := s.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, s.err.String())
	}
	if left := leftovers(t, temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAClusterThatIsToldToStopWhileItStartsSaysSoAndNotWhatItsProcessesPrinted(t *testing.T) {
	needsKeeper(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	var out, errs bytes.Buffer
	code := cli.Run(ctx, cli.Process{Out: &out, Err: &errs, Getenv: func(string) string { return "" }}, []string{"embedded", "--members", "2", "--port", "0"})
	if diff := cmp.Diff("dfe: the cluster was told to stop while it started: interrupt signal received\n", errs.String()); code != 1 || diff != "" {
		t.Errorf("exit code %d, %s", code, diff)
	}
}

func TestTheDirectoryOfAClusterIsNotOneServers(t *testing.T) {
	dir := write(t, `
-- cluster.json --
{"members":2,"shards":1,"cloud":false}
`)
	dfe(t, nil, "embedded", "--port", "0", "--path", dir).demand(t, 1, "holds a cluster", "give --members")
}

func TestFlagsOfAClusterThatMeanNothingAreRefused(t *testing.T) {
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string]string{
		"--cloud is for a cluster":              "--cloud",
		"the last would have 65536":             "--members 2 --port 65535",
		"--without is for a cluster":            "--without keeper",
		"--password-file is for one server":     "--members 2 --password-file " + password,
		"a cluster of 12 members":               "--members 12",
		"a cluster of 0 members":                "--members 0",
		"a cluster of -1 members":               "--members -1",
		`a cluster without "zookeeper": only`:   "--members 2 --without zookeeper",
		"2 members: from 1 to as many as there": "--members 2 --shards 4",
		"a service of ClickHouse Cloud has one": "--members 2 --shards 2 --cloud",
	} {
		r := dfe(t, nil, append([]string{"embedded", "--port", "0"}, strings.Fields(args)...)...)
		if r.code != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit code %d, %s; want %q", args, r.code, r.err, want)
		}
	}
	dfe(t, []string{"PATH=" + t.TempDir()}, "embedded", "--members", "2", "--port", "0").demand(t, 1, "install a Java 17 runtime")
}
