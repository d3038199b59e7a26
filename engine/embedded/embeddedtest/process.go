package embeddedtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// serveVariable makes [Main] serve instead of running tests, until its standard input ends.
const serveVariable = "DFE_EMBEDDEDTEST_SERVE"

// Process starts a server in a process of its own, this test binary once more, and returns its URL: for who measures
// what the test's own process uses. It ends with the test.
func Process(t testing.TB) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server of a process of its own did not start: %v", err)
	}
	return strings.TrimSpace(url)
}

func serve() int {
	server, err := embedded.Start(context.Background(), embedded.Options{Log: slog.New(slog.DiscardHandler), MaxMemory: 1 << 30})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(server.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := server.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
