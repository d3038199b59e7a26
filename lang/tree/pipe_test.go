//go:build linux || darwin

package tree_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dfe-engine/dfe/lang/tree"
)

// A pipe that nobody writes into would hold up the program for ever, and no signal ends the waiting.
func TestAPipeInATreeIsAFaultAndNotWaitedFor(t *testing.T) {
	for _, name := range []string{"manifest.hcl", "t.hcl", "header.hcl"} {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"manifest.hcl": string(manifestOf("t.hcl")),
			"t.hcl":        "include = [\"header.hcl\"]\n" + oneTable,
			"header.hcl":   "column \"at\" { type = \"DateTime\" }\n",
		} {
			var err error
			if file == name {
				err = syscall.Mkfifo(filepath.Join(dir, file), 0o600)
			} else {
				err = os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_, diags := tree.LoadDir(dir, tree.Options{})
		if !diags.HasErrors() || !strings.Contains(diags.Error(), "no regular file") {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
