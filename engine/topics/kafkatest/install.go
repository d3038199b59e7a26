package kafkatest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dfe-engine/dfe/engine/internal/jvm"
)

//go:embed pom.xml
var pom []byte

//go:embed SHA256SUMS
var sums string

//go:embed Cap.java
var policySource []byte

// files are where a broker's jars are, and the class of its policy.
type files struct{ jars, policy string }

// install returns the files, making what this machine does not have yet. Any number of processes may call it at once.
func install(ctx context.Context, progress io.Writer) (files, error) {
	kafka := jvm.Pinned{Name: "kafka", POM: pom, Sums: sums, Size: "46 MB"}
	jars, err := kafka.Fetch(ctx, progress)
	if err != nil {
		return files{}, err
	}
	dir, err := kafka.Dir()
	if err != nil {
		return files{}, err
	}
	f := files{jars: jars, policy: filepath.Join(dir, "policy-"+jvm.Digest(policySource)[:16])}
	return f, f.compile(ctx, dir)
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
	source, classes := filepath.Join(work, "Cap.java"), filepath.Join(work, "classes")
	if err := os.WriteFile(source, policySource, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "java", "-cp", jvm.Jars(f.jars), "org.eclipse.jdt.internal.compiler.batch.Main",
		"-17", "-nowarn", "-cp", strings.Join(globbed(f.jars, "kafka-clients-*.jar"), ":"), "-d", classes, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the policy: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Rename(classes, f.policy); err != nil && !errors.Is(err, fs.ErrExist) { // another process was faster
		return err
	}
	return nil
}

func globbed(dir, pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the one error is a bad pattern
	return found
}
