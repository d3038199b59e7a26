package embedded

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockfiles holds one npm project a platform: its lock file carries the
// package's integrity hash, which npm checks before it unpacks anything.
//
//go:embed npm
var lockfiles embed.FS

// ErrNoNPM is wrapped by the error of Locate when the library has to be fetched
// and there is no npm to fetch it with.
var ErrNoNPM = errors.New("npm was not found")

// ErrNoNetwork is wrapped by the error of Locate when the package registry could
// not be reached.
var ErrNoNetwork = errors.New("the package registry could not be reached")

// unusableCache is the error of a cache directory that cannot be made or read.
func unusableCache(dir string, err error) error {
	return fmt.Errorf("embedded engine: the cache directory %s, where its library is kept, cannot be used: %w; set %s to a copy of the library, or XDG_CACHE_HOME to a directory that can be written",
		dir, reason(err), LibraryVariable)
}

// install fetches the pinned package into dir. Any number of processes may call
// it at once: one fetches and the others find the file.
func install(ctx context.Context, dir string, p pin, progress io.Writer) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unusableCache(dir, err)
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return fmt.Errorf("embedded engine: waiting for another process that installs it into %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	target := filepath.Join(dir, p.file)
	if err := verify(target, dir, p); !errors.Is(err, fs.ErrNotExist) {
		return err // another process was faster, or left a file that is not the engine
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("embedded engine: it is not installed here and %w: install Node.js, or set %s to a copy of %s from the npm package %s@%s",
			ErrNoNPM, LibraryVariable, p.file, p.pkg, Version)
	}
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("embedded engine: it is not installed here and %w with a Node.js to run it: install Node.js, or set %s",
			ErrNoNPM, LibraryVariable)
	}
	// Under dir, so that the last step is a rename within one file system.
	work, err := os.MkdirTemp(dir, "npm-*")
	if err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := lockfiles.ReadFile(path.Join("npm", p.platform, name))
		if err != nil {
			return fmt.Errorf("embedded engine: %w", err)
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o600); err != nil {
			return fmt.Errorf("embedded engine: %w", err)
		}
	}
	fetched := filepath.Join(work, "node_modules", filepath.FromSlash(p.pkg), p.file)
	done := follow(progress, fetched, p)
	err = runNPM(ctx, npm, work)
	done(err)
	if err != nil {
		return err
	}
	if err := os.Chmod(fetched, 0o600); err != nil {
		return fmt.Errorf("embedded engine: npm reported success and left no library: %w", err)
	}
	if err := verify(fetched, work, p); err != nil {
		return err
	}
	if err := os.Rename(fetched, target); err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	// The second reading, of a file that is still in memory, makes the record.
	return verify(target, dir, p)
}

// runNPM runs `npm ci` in dir: the lock file's versions and hashes, no scripts.
func runNPM(ctx context.Context, npm, dir string) error {
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error",
		// Without a network npm would try for more than a minute before it says so.
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000", "--fetch-timeout=60000")
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("embedded engine: fetching it was interrupted: %w", context.Cause(ctx))
	}
	return npmError(err, out.String())
}

// npmError makes one sentence of what npm printed.
func npmError(err error, out string) error {
	code := npmCode(out)
	switch code {
	case "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ERR_SOCKET_TIMEOUT",
		"EHOSTUNREACH", "ENETUNREACH", "EIDLETIMEOUT", "FETCH_ERROR":
		return fmt.Errorf("embedded engine: it is not installed here and %w (%s): connect once, or set %s to a copy of the library",
			ErrNoNetwork, code, LibraryVariable)
	case "EINTEGRITY":
		return fmt.Errorf("embedded engine: the registry served a package with another hash than the pinned one: %w", ErrTampered)
	case "ENOSPC":
		return fmt.Errorf("embedded engine: no space left in the cache directory: it needs 600 MB: %w", err)
	case "E404", "ETARGET":
		return fmt.Errorf("embedded engine: the package registry does not serve version %s (%s): set %s to a copy of the library",
			Version, code, LibraryVariable)
	}
	return fmt.Errorf("embedded engine: npm failed: %w: %s", err, firstLine(out))
}

// npmCode finds npm's own error code, `npm error code X` (`npm ERR!` before
// npm 10.8).
func npmCode(out string) string {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) == 4 && words[0] == "npm" && words[2] == "code" {
			return words[3]
		}
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
