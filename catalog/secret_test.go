//go:build linux || darwin

package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dfe-engine/dfe/catalog"
)

func TestASecretComesFromAFileALinkOrAPipeAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("hush"), 0o600), os.Symlink("file", at("link")),
		syscall.Mkfifo(at("silent"), 0o600)); err != nil {
		t.Fatal(err)
	}
	// What a shell hands over with <(..).
	pipe, writer, err := os.Pipe()
	if err == nil {
		_, err = writer.WriteString("hush")
	}
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if text, err := catalog.ReadSecret(fmt.Sprintf("/dev/fd/%d", pipe.Fd())); err != nil || string(text) != "hush" {
		t.Errorf("pipe: %q, %v", text, err)
	}
	for name, want := range map[string]string{"file": "hush", "link": "hush", "silent": ""} {
		if text, err := catalog.ReadSecret(at(name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, path := range []string{"/dev/zero", dir} {
		if _, err := catalog.ReadSecret(path); err == nil {
			t.Errorf("%s is read", path)
		}
	}
}
