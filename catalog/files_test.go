//go:build linux || darwin

package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
)

func TestAFileThatCannotBeUsedSaysWhatItIsForAndWhatToDo(t *testing.T) {
	dir := t.TempDir()
	empty, none := filepath.Join(dir, "empty"), filepath.Join(dir, "none")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target catalog.Target
		uses   []catalog.FileUse
		words  string
	}{
		{catalog.Target{URL: "https://h", CAFile: empty}, []catalog.FileUse{catalog.UseCA}, "give one or more certificates in PEM form"},
		{catalog.Target{URL: "https://h", CAFile: none}, []catalog.FileUse{catalog.UseCA}, none + " cannot be read (no such file or directory): make it readable"},
		{catalog.Target{URL: "https://h", CertFile: none, KeyFile: empty}, []catalog.FileUse{catalog.UseCert}, none},
		{catalog.Target{URL: "https://h", CertFile: empty, KeyFile: none}, []catalog.FileUse{catalog.UseKey}, none},
		{catalog.Target{URL: "https://h", CertFile: empty, KeyFile: empty}, []catalog.FileUse{catalog.UseCert, catalog.UseKey}, "give a pair in PEM form that goes together"},
		{catalog.Target{URL: "http://h", PasswordFile: none}, []catalog.FileUse{catalog.UsePassword}, "make it readable for this process"},
		{catalog.Target{URL: "http://h", PasswordFile: empty}, []catalog.FileUse{catalog.UsePassword}, "is empty: write the password into it"},
	} {
		_, opened := catalog.Open(t.Context(), c.target)
		for _, err := range []error{opened, c.target.CheckFiles()} {
			var fault *catalog.FileError
			if !errors.As(err, &fault) || !cmp.Equal(fault.Uses, c.uses) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v, want a *catalog.FileError of %q saying %q", err, c.uses, c.words)
			}
		}
	}
}

func TestCheckingTheFilesLeavesInAPipeWhatAConnectionReads(t *testing.T) {
	pipe, writer, err := os.Pipe()
	if err == nil {
		_, err = writer.WriteString("hush\n")
	}
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	target := catalog.Target{URL: "http://h", PasswordFile: fmt.Sprintf("/dev/fd/%d", pipe.Fd())}
	if err := target.CheckFiles(); err != nil {
		t.Fatal(err)
	}
	if got, err := target.Secret(); err != nil || got != "hush" {
		t.Errorf("the password is %q, %v", got, err)
	}
}

func TestARotatedPasswordIsTakenWithoutARestart(t *testing.T) {
	target := catalog.Target{URL: "http://h", PasswordFile: filepath.Join(t.TempDir(), "password")}
	for _, password := range []string{"old", "new"} {
		if err := os.WriteFile(target.PasswordFile, []byte(password+"\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := target.Secret(); err != nil || got != password {
			t.Errorf("the password is %q, %v; want %q", got, err, password)
		}
	}
}
