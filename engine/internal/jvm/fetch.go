package jvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Pinned is a program as its jars.
type Pinned struct {
	// Name is the program's: a word, which is a directory of the user's cache.
	Name string
	// POM is a pom.xml whose dependencies are the program.
	POM []byte
	// Sums is the SHA-256 of every file that brings, as sha256sum prints them.
	Sums string
	// Size is about how much is fetched, for people: "46 MB".
	Size string
}

// copier is the goal of Maven's that fetches what a pom names, pinned.
const copier = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

// Fetch returns a directory that holds exactly the pinned files, fetching them where this machine does not have them
// yet. Any number of processes may call it at once: one fetches and the others find it. What was fetched before is
// verified again. progress gets a line before anything is fetched.
func (p Pinned) Fetch(ctx context.Context, progress io.Writer) (jars string, err error) {
	dir, err := p.Dir()
	if err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return "", fmt.Errorf("waiting for another process that installs %s: %w", p.Name, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	jars = filepath.Join(dir, "jars")
	if _, err := os.Stat(jars); err == nil {
		return jars, p.verify(jars)
	}
	return jars, p.fetch(ctx, dir, jars, progress)
}

// Dir is this version's directory of the user's cache, made if need be: what is made of the files may be kept there.
func (p Pinned) Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory for %s: %w", p.Name, err)
	}
	dir := filepath.Join(cache, "dfe", p.Name, Digest(p.POM, []byte(p.Sums))[:16])
	return dir, os.MkdirAll(dir, 0o700)
}

// Digest is the SHA-256 of texts in a row, in hexadecimal.
func Digest(texts ...[]byte) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (p Pinned) fetch(ctx context.Context, dir, jars string, progress io.Writer) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("%s is not installed here and there is no mvn to fetch it with: install Maven and a Java 17 runtime: %w", p.Name, err)
	}
	work, err := os.MkdirTemp(dir, "fetch-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	pom, fetched := filepath.Join(work, "pom.xml"), filepath.Join(work, "jars")
	if err := os.WriteFile(pom, p.POM, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(progress, "fetching %s, once for this machine (%s)\n", p.Name, p.Size)
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", pom, copier, "-DoutputDirectory="+fetched)
	cmd.WaitDelay = time.Second // what it started may hold its output open
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching %s: %w: %s", p.Name, err, bytes.TrimSpace(out))
	}
	if err := p.verify(fetched); err != nil {
		return err
	}
	return os.Rename(fetched, jars)
}

// verify demands that the directory holds exactly the pinned files.
func (p Pinned) verify(dir string) error {
	want := map[string]string{}
	for line := range strings.Lines(p.Sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if Digest(text) != want[e.Name()] {
			return fmt.Errorf("%s in %s is not the pinned file: delete the directory", e.Name(), dir)
		}
		delete(want, e.Name())
	}
	if len(want) > 0 {
		return fmt.Errorf("%s lacks %d of the pinned files: delete the directory", dir, len(want))
	}
	return nil
}
