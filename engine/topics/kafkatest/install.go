package kafkatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

//go:embed pom.xml
var pom []byte

//go:embed SHA256SUMS
var sums string

//go:embed Cap.java
var policySource []byte

// copier is the goal of Maven's that fetches what a pom names, pinned.
const copier = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

// files are where a broker's jars are, and the class of its policy.
type files struct{ jars, policy string }

// install returns the files, fetching what this machine does not have yet. Any number of processes may call it at once:
// one fetches and the others find it.
func install(ctx context.Context, progress io.Writer) (f files, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return files{}, fmt.Errorf("no cache directory for the test broker: %w", err)
	}
	dir := filepath.Join(cache, "dfe", "kafka", digest(pom, []byte(sums))[:16])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return files{}, err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return files{}, fmt.Errorf("waiting for another process that installs the test broker: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	f = files{jars: filepath.Join(dir, "jars"), policy: filepath.Join(dir, "policy-"+digest(policySource)[:16])}
	if err := f.fetch(ctx, dir, progress); err != nil {
		return files{}, err
	}
	return f, f.compile(ctx, dir)
}

func digest(texts ...[]byte) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (f files) fetch(ctx context.Context, dir string, progress io.Writer) error {
	if _, err := os.Stat(f.jars); err == nil {
		return verify(f.jars)
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("the test broker is not installed here and there is no mvn to fetch it with: install Maven and a Java 17 runtime: %w", err)
	}
	work, err := os.MkdirTemp(dir, "fetch-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(progress, "fetching Apache Kafka for the tests, once for this machine (46 MB)")
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", filepath.Join(work, "pom.xml"), copier, "-DoutputDirectory="+filepath.Join(work, "jars"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching the test broker: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := verify(filepath.Join(work, "jars")); err != nil {
		return err
	}
	return os.Rename(filepath.Join(work, "jars"), f.jars)
}

// verify demands that the directory holds exactly the files of SHA256SUMS.
func verify(dir string) error {
	want := map[string]string{}
	for line := range strings.Lines(sums) {
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
		if digest(text) != want[e.Name()] {
			return fmt.Errorf("%s in %s is not the pinned file: delete the directory", e.Name(), dir)
		}
		delete(want, e.Name())
	}
	if len(want) > 0 {
		return fmt.Errorf("%s lacks %d of the pinned files: delete the directory", dir, len(want))
	}
	return nil
}

// compile makes the policy's class.
func (f files) compile(ctx context.Context, dir string) error {
	if _, err := os.Stat(f.policy); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp(dir, "compile-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	source := filepath.Join(work, "Cap.java")
	if err := os.WriteFile(source, policySource, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "java", "-cp", filepath.Join(f.jars, "*"), "org.eclipse.jdt.internal.compiler.batch.Main",
		"-17", "-nowarn", "-cp", strings.Join(globbed(f.jars, "kafka-clients-*.jar"), ":"), "-d", filepath.Join(work, "classes"), source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the policy: %w: %s", err, bytes.TrimSpace(out))
	}
	return os.Rename(filepath.Join(work, "classes"), f.policy)
}

func globbed(dir, pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the one error is a bad pattern
	return found
}
