//go:build linux || darwin

package regular_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dfe-engine/dfe/lang/regular"
)

// Nobody writes into the pipe: a reader that opened it would not come back.
func TestOnlyARegularFileIsOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("text"), 0o600), os.Symlink("file", at("link")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("piped")), os.Mkdir(at("dir"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"file": nil, "link": nil, "pipe": regular.ErrKind, "piped": regular.ErrKind, "dir": regular.ErrKind, "gone": os.ErrNotExist} {
		text, err := regular.Read(at(name), 4)
		if !errors.Is(err, want) || (err == nil) != (string(text) == "text") {
			t.Errorf("%s: %q, %v; want %v", name, text, err, want)
		}
		text, err = regular.ReadFS(os.DirFS(dir), name, 4)
		if !errors.Is(err, want) || (err == nil) != (string(text) == "text") {
			t.Errorf("%s in a file system: %q, %v; want %v", name, text, err, want)
		}
	}
	if _, err := regular.Read("/dev/zero", 4); !errors.Is(err, regular.ErrKind) {
		t.Errorf("a device: %v", err)
	}
	if _, err := regular.Read(at("file"), 3); !errors.Is(err, regular.ErrSize) {
		t.Errorf("over the limit: %v", err)
	}
}
