package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
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

//go:embed keeper/pom.xml
var pom []byte

//go:embed keeper/SHA256SUMS
var sums string

// copier is the goal of Maven's that fetches what a pom names, pinned.
const copier = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

// ErrNoKeeper is wrapped by the error of [Start] where no ZooKeeper is to be had.
var ErrNoKeeper = errors.New("no ZooKeeper")

// installKeeper returns the directory of ZooKeeper's jars, fetching them where this machine has none yet. Any number
// of processes may call it at once: one fetches and the others find it.
func installKeeper(ctx context.Context, progress io.Writer) (dir string, err error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", fmt.Errorf("%w: a cluster of members needs one, and there is no java to run it with: install a Java 17 runtime", ErrNoKeeper)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: no cache directory to keep it in: %w", ErrNoKeeper, err)
	}
	root := filepath.Join(cache, "dfe", "keeper", digest(pom, []byte(sums))[:16])
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoKeeper, err)
	}
	lock := flock.New(filepath.Join(root, ".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return "", fmt.Errorf("%w: waiting for another process that fetches it: %w", ErrNoKeeper, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	jars := filepath.Join(root, "jars")
	if _, err := os.Stat(jars); err == nil {
		return jars, verifyJars(jars)
	}
	return jars, fetchJars(ctx, root, jars, progress)
}

func fetchJars(ctx context.Context, root, jars string, progress io.Writer) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("%w: a cluster of members needs one, and there is no mvn to fetch it with: install Maven", ErrNoKeeper)
	}
	work, err := os.MkdirTemp(root, "fetch-*")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoKeeper, err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrNoKeeper, err)
	}
	if progress != nil {
		fmt.Fprintln(progress, "fetching ZooKeeper, once for this machine (7 MB)")
	}
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", filepath.Join(work, "pom.xml"), copier, "-DoutputDirectory="+filepath.Join(work, "jars"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: mvn could not fetch it: %w: %s", ErrNoKeeper, err, bytes.TrimSpace(out))
	}
	if err := verifyJars(filepath.Join(work, "jars")); err != nil {
		return err
	}
	return os.Rename(filepath.Join(work, "jars"), jars)
}

// verifyJars demands that a directory holds exactly the files of SHA256SUMS.
func verifyJars(dir string) error {
	want := map[string]string{}
	for line := range strings.Lines(sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoKeeper, err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNoKeeper, err)
		}
		if digest(text) != want[e.Name()] {
			return fmt.Errorf("%w: %s in %s is not the pinned file: delete the directory", ErrNoKeeper, e.Name(), dir)
		}
		delete(want, e.Name())
	}
	if len(want) > 0 {
		return fmt.Errorf("%w: %s lacks %d of the pinned files: delete the directory", ErrNoKeeper, dir, len(want))
	}
	return nil
}

func digest(texts ...[]byte) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
