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

// bookshop is a small schema, and bookshopNext its next release: a table more, a column more, and another text of a view.
const (
	bookshop = `
-- manifest.hcl --
release = "1.0.0"
database "library" {}
table "library.books"  { from = "books.hcl" }
table "library.loans"  { from = "loans.hcl" }
view  "library.latest" { from = "latest.sql" }
-- books.hcl --
column "isbn"  { type = "String" }
column "title" { type = "String" }
engine   = "MergeTree"
order_by = ["isbn"]
-- loans.hcl --
column "at"   { type = "DateTime" }
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = ["at"]
-- latest.sql --
CREATE VIEW library.latest AS SELECT isbn, max(at) AS last FROM library.loans GROUP BY isbn
`
	bookshopNext = `
-- manifest.hcl --
release = "1.1.0"
database "library" {}
table "library.books"   { from = "books.hcl" }
table "library.loans"   { from = "loans.hcl" }
table "library.readers" { from = "readers.hcl" }
view  "library.latest"  { from = "latest.sql" }
-- books.hcl --
column "isbn"  { type = "String" }
column "title" { type = "String" }
column "pages" { type = "UInt16" }
engine   = "MergeTree"
order_by = ["isbn"]
-- loans.hcl --
column "at"   { type = "DateTime" }
column "isbn" { type = "String" }
engine   = "MergeTree"
order_by = ["at"]
-- readers.hcl --
column "card" { type = "UInt64" }
engine   = "MergeTree"
order_by = ["card"]
-- latest.sql --
CREATE VIEW library.latest AS SELECT isbn, min(at) AS first, max(at) AS last FROM library.loans GROUP BY isbn
`
)
