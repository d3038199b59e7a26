package failures_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
	"github.com/dfe-engine/dfe/stdlib"
)

// roles finds the roles in the core release's manifest.
var roles = regexp.MustCompile(`(?ms)^role "[^"]*" \{.*?^\}\n`)

// core is a directory with the whole core release, without its roles where the stage does not take any.
func (p *place) core() string {
	p.Helper()
	dir := p.TempDir()
	if err := os.CopyFS(dir, stdlib.FS); err != nil {
		p.Fatal(err)
	}
	if _, code := clustertest.Answer(p, p.urls[0], "DROP ROLE IF EXISTS dfe_reader"); code != "" {
		file := filepath.Join(dir, "manifest.hcl")
		text, err := fs.ReadFile(stdlib.FS, "manifest.hcl")
		if err != nil {
			p.Fatal(err)
		}
		if err := os.WriteFile(file, roles.ReplaceAll(text, nil), 0o600); err != nil {
			p.Fatal(err)
		}
	}
	return dir
}

// tree is a directory with the files of an archive.
func (p *place) tree(archive string) string {
	p.Helper()
	dir := p.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			p.Fatal(err)
		}
	}
	return dir
}
