// Package embeddedtest gives tests a real ClickHouse: one embedded server a test
// binary, started by the first test that asks, and a database of its own for each
// test. It never shares a data directory between binaries, so any number of test
// packages run at once.
//
// A test package that uses it runs its tests through Main:
//
//	func TestMain(m *testing.M) { embeddedtest.Main(m) }
package embeddedtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// shared is the server of this test binary, which Main closes.
var shared struct {
	sync.Mutex
	server *embedded.Server
	err    error
	asked  bool
	owned  bool // Main runs and will close it
	access embedded.Access
}

// Main runs the tests, closes the server and exits. It is called from TestMain.
func Main(m interface{ Run() int }) { MainWith(m, nil) }

// MainWith is Main for tests that change access objects, which access keeps.
func MainWith(m interface{ Run() int }, access embedded.Access) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(serve())
	}
	shared.owned, shared.access = true, access
	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func closeShared() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return shared.server.Close(ctx)
}

// Server returns the URL of the server of this test binary.
func Server(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.owned {
		t.Fatal("embeddedtest: this package has no TestMain that calls embeddedtest.Main, so nobody would close the server")
	}
	if !shared.asked {
		shared.asked = true
		shared.server, shared.err = embedded.Start(context.Background(), embedded.Options{
			Log:       slog.New(slog.DiscardHandler),
			Progress:  os.Stderr,
			MaxMemory: 1 << 30,
			Access:    shared.access,
		})
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server.URL()
}

// Database creates a database for one test and returns its name, which is made
// of letters, digits and underscores. It is dropped when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	url := Server(t)
	var id [6]byte
	_, _ = rand.Read(id[:]) // crypto/rand does not fail
	name := "test_" + hex.EncodeToString(id[:])
	run(t, url, "CREATE DATABASE "+name)
	t.Cleanup(func() { run(t, url, "DROP DATABASE IF EXISTS "+name+" SYNC") })
	return name
}

// run runs outside of the test's context, which has ended when its cleanup runs.
func run(t testing.TB, url, sql string) {
	t.Helper()
	resp, err := http.Post(url, "text/plain", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if cerr := resp.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", sql, text)
	}
}
