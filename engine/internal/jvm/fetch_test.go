package jvm_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/internal/jvm"
)

func TestFilesOfAnotherChecksumAreNeverHandedOut(t *testing.T) {
	pinned := jvm.Pinned{Name: "program", POM: []byte("<project/>"), Size: "1 MB",
		Sums: jvm.Digest([]byte("one")) + "  one.jar\n" + jvm.Digest([]byte("two")) + "  two.jar\n"}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"as pinned": {map[string]string{"one.jar": "one", "two.jar": "two"}, ""},
		"changed":   {map[string]string{"one.jar": "one", "two.jar": "2"}, "two.jar in"},
		"more":      {map[string]string{"one.jar": "one", "two.jar": "two", "three.jar": "three"}, "three.jar in"},
		"fewer":     {map[string]string{"one.jar": "one"}, "lacks 1 of the pinned files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv("HOME", t.TempDir()) // where the cache is on other systems
			dir, err := pinned.Dir()
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range c.files {
				file = filepath.Join(dir, "jars", file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err = pinned.Fetch(t.Context(), io.Discard)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("it gives %v, want %q", err, c.want)
			}
		})
	}
}

func TestWithoutMavenItIsSaidWhatToInstall(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	_, err := jvm.Pinned{Name: "program", POM: []byte("<project/>")}.Fetch(t.Context(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "install Maven and a Java 17 runtime") {
		t.Errorf("it gives %v", err)
	}
}
