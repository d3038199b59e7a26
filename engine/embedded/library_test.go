package embedded

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeText stands in for the library in these tests: a small file with a pin of
// its own. Nothing here loads it.
const fakeText = "this is a fake library, good for its checksum alone\n"

func fakePin() pin {
	sum := sha256.Sum256([]byte(fakeText))
	return pin{
		platform: "linux-amd64", pkg: "@chdb/lib-linux-x64-gnu", file: "libchdb.so",
		size: int64(len(fakeText)), sha256: hex.EncodeToString(sum[:]),
	}
}

// fakeCache is a cache directory with the given text as its library.
func fakeCache(t *testing.T, text string) (root, file string) {
	t.Helper()
	root = t.TempDir()
	file = filepath.Join(root, Version, "libchdb.so")
	write(t, file, text)
	return root, file
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestALibraryInTheCacheIsFound(t *testing.T) {
	root, file := fakeCache(t, fakeText)
	got, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Library{Path: file, Origin: OriginCache}, got); diff != "" {
		t.Error(diff)
	}
}

func TestALibraryThatIsNotThePinnedOneIsNeverUsed(t *testing.T) {
	other := strings.Replace(fakeText, "good", "evil", 1)
	cases := []struct {
		name, text string
		says       string
	}{
		{"truncated", fakeText[:20], "it has 20 bytes instead of 52"},
		{"empty", "", "it has 0 bytes instead of 52"},
		{"other bytes of the same size", other, "its SHA-256 is "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root, file := fakeCache(t, c.text)
			_, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil)
			if !errors.Is(err, ErrTampered) {
				t.Fatal(err)
			}
			for _, part := range []string{file, c.says, "delete it and it is fetched again"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
	t.Run("changed after it was checked", func(t *testing.T) {
		root, file := fakeCache(t, fakeText)
		if _, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil); err != nil {
			t.Fatal(err)
		}
		write(t, file, other)
		// The clock of a file system is coarse; a change is seen by its time.
		later := time.Now().Add(time.Second)
		if err := os.Chtimes(file, later, later); err != nil {
			t.Fatal(err)
		}
		if _, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil); !errors.Is(err, ErrTampered) {
			t.Error(err)
		}
	})
}

func TestACheckedLibraryIsNotReadAgainUntilItChanges(t *testing.T) {
	root, file := fakeCache(t, fakeText)
	if _, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	// Other bytes under the same size and time: what the record cannot see. That
	// they go unnoticed shows that the file was not read.
	write(t, file, strings.Replace(fakeText, "good", "evil", 1))
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if _, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil); err != nil {
		t.Error(err)
	}
	// A record of another release's pin is no record.
	later := fakePin()
	later.sha256 = strings.Repeat("0", 64)
	if _, err := locate(t.Context(), LocateOptions{CacheDir: root}, later, nil); !errors.Is(err, ErrTampered) {
		t.Error(err)
	}
}

func TestASystemLibraryIsUsedWhenItIsThePinnedOne(t *testing.T) {
	system, other := t.TempDir(), t.TempDir()
	write(t, filepath.Join(other, "libchdb.so"), strings.Replace(fakeText, "good", "evil", 1))
	write(t, filepath.Join(system, "libchdb.so"), fakeText)
	got, err := locate(t.Context(), LocateOptions{CacheDir: t.TempDir()}, fakePin(), []string{other, system})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Library{Path: filepath.Join(system, "libchdb.so"), Origin: OriginSystem}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheOperatorsLibraryIsTakenAtTheirWord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.so")
	write(t, file, "anything")
	t.Setenv(LibraryVariable, file)
	got, err := Locate(t.Context(), LocateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Library{Path: file, Origin: OriginVariable}, got); diff != "" {
		t.Error(diff)
	}
	t.Setenv(LibraryVariable, file+".absent")
	if _, err := Locate(t.Context(), LocateOptions{}); err == nil || !strings.Contains(err.Error(), LibraryVariable) {
		t.Error(err)
	}
}

func TestAMachineWithoutNPMGetsOneClearSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := locate(t.Context(), LocateOptions{CacheDir: t.TempDir()}, fakePin(), nil)
	if !errors.Is(err, ErrNoNPM) {
		t.Fatal(err)
	}
	want := "embedded engine: it is not installed here and npm was not found: install Node.js, or set DFE_EMBEDDED_LIBRARY to a copy of libchdb.so from the npm package @chdb/lib-linux-x64-gnu@" + Version
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestAMachineWithoutNetworkGetsOneClearSentence(t *testing.T) {
	// A registry on a closed port of this machine, and no copy in npm's cache.
	t.Setenv("npm_config_registry", "http://127.0.0.1:1")
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_fetch_retries", "0")
	root := t.TempDir()
	var progress bytes.Buffer
	_, err := locate(t.Context(), LocateOptions{CacheDir: root, Progress: &progress}, fakePin(), nil)
	if !errors.Is(err, ErrNoNetwork) {
		t.Fatal(err)
	}
	want := "embedded engine: it is not installed here and the package registry could not be reached (ECONNREFUSED): connect once, or set DFE_EMBEDDED_LIBRARY to a copy of the library"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	if got := progress.String(); !strings.HasPrefix(got, "fetching the ClickHouse engine") || strings.Contains(got, "fetched") {
		t.Errorf("progress: %q", got)
	}
	left, err := filepath.Glob(filepath.Join(root, Version, "npm-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// fakeNPM puts a script in place of npm that unpacks the fake library, or does
// what else the text says. Its directory is the whole PATH but for the shell's.
func fakeNPM(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"npm": "#!/bin/sh\n" + script, "node": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestOneInstallationServesAllWhoWaitForIt(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	fakeNPM(t, `echo run >> "`+runs+`"
[ "$1" = ci ] && [ -f package-lock.json ] || exit 9
mkdir -p node_modules/@chdb/lib-linux-x64-gnu
printf '%s' "`+strings.ReplaceAll(fakeText, "\n", "")+`
" > node_modules/@chdb/lib-linux-x64-gnu/libchdb.so
`)
	root := t.TempDir()
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() {
			got, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil)
			if err != nil || got.Path != filepath.Join(root, Version, "libchdb.so") {
				t.Error(got, err)
			}
		})
	}
	together.Wait()
	text, err := os.ReadFile(runs)
	if err != nil || string(text) != "run\n" {
		t.Errorf("npm ran %q times: %v", text, err)
	}
}

func TestWhatNPMReportsBecomesOneSentence(t *testing.T) {
	cases := []struct {
		name, script string
		is           error
		says         string
	}{
		{"a name that does not resolve", "echo 'npm error code ENOTFOUND' >&2; exit 1", ErrNoNetwork, "(ENOTFOUND)"},
		{"an older npm", "echo 'npm ERR! code EAI_AGAIN' >&2; exit 1", ErrNoNetwork, "(EAI_AGAIN)"},
		{"a time-out", "echo 'npm error code ETIMEDOUT' >&2; exit 1", ErrNoNetwork, "(ETIMEDOUT)"},
		{"another hash", "echo 'npm error code EINTEGRITY' >&2; exit 1", ErrTampered, "another hash"},
		{"a version that is gone", "echo 'npm error code E404' >&2; exit 1", nil, "does not serve version"},
		{"anything else", "echo 'something broke' >&2; exit 3", nil, "npm failed: exit status 3: something broke"},
		{"success without a library", "exit 0", nil, "left no library"},
		{"another library", "mkdir -p node_modules/@chdb/lib-linux-x64-gnu; echo no > node_modules/@chdb/lib-linux-x64-gnu/libchdb.so", ErrTampered, "bytes instead of"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			fakeNPM(t, c.script)
			root := t.TempDir()
			_, err := locate(t.Context(), LocateOptions{CacheDir: root}, fakePin(), nil)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(root, Version, "libchdb.so")); err == nil {
				t.Error("a library was installed")
			}
		})
	}
}

func TestAnInterruptedInstallationLeavesNoProcessAndNoFiles(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	// npm is a script that starts another program; both have to go.
	fakeNPM(t, `sleep 1000 & echo begun > "`+begun+`"; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	root := t.TempDir()
	failed := make(chan error, 1)
	go func() {
		_, err := locate(ctx, LocateOptions{CacheDir: root}, fakePin(), nil)
		failed <- err
	}()
	for {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	// It returns only once nobody holds npm's output any more.
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(root, Version, "npm-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestAPlatformWithoutAPinIsToldWhatToDo(t *testing.T) {
	for platform, says := range map[[2]string]string{
		{"linux", "arm64"}:   "@chdb/lib-linux-arm64-gnu@" + Version,
		{"darwin", "arm64"}:  "@chdb/lib-darwin-arm64@" + Version,
		{"windows", "amd64"}: "use a ClickHouse server instead",
	} {
		_, err := pinFor(platform[0], platform[1])
		if !errors.Is(err, ErrUnsupportedPlatform) || !strings.Contains(err.Error(), says) {
			t.Error(platform, err)
		}
	}
	if _, err := pinFor("linux", "amd64"); err != nil {
		t.Error(err)
	}
}

func TestTheLockFileCarriesHashesAndNoHosts(t *testing.T) {
	text, err := lockfiles.ReadFile("npm/linux-amd64/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"integrity": "sha512-`, `"version": "` + Version + `"`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("no %s", part)
		}
	}
	for _, part := range []string{"resolved", "://"} {
		if bytes.Contains(text, []byte(part)) {
			t.Errorf("it names a host: %s", part)
		}
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, address := range []string{"0.0.0.0:8123", ":8123", "[::]:0", "10.0.0.1:8123", "example.org:80", "127.0.0.1"} {
		if _, err := Start(t.Context(), Options{Listen: address}); err == nil {
			t.Errorf("%s was accepted", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "localhost:8123", "127.8.8.8:1"} {
		if err := checkLoopback(address); err != nil {
			t.Error(err)
		}
	}
}
