package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

// rulesDir is where a tree has rule tables of its own.
const rulesDir = "rules"

// lintRules returns the faults of the rule tables of what is linted, and the files they are in, by their names in the
// tree. A tree without tables of its own has the release's, which have none.
func (s *schemaTree) lintRules() (hcl.Diagnostics, map[string]*hcl.File) {
	book, diags := ruleTables(s.dir)
	if s.overlay != "" {
		root, err := os.OpenRoot(s.overlay)
		if err != nil {
			return nil, nil // reported with the manifest
		}
		defer root.Close()
		info, err := fs.Stat(root.FS(), rulesDir)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
			return nil, nil
		case err != nil:
			return hcl.Diagnostics{{Severity: hcl.DiagError, Extra: ruleFault, Summary: "The rule tables cannot be read",
				Detail: fmt.Sprintf("The directory %q of the overlay: %v. The whole overlay is left out as long as it stands.", rulesDir, err)}}, nil
		}
		own, err := fs.Sub(root.FS(), rulesDir)
		if err != nil {
			return nil, nil // the name is a valid one
		}
		var refused []rules.RefusedTable
		book, refused, diags = book.Extend(own)
		for _, r := range refused {
			diags = append(diags, r.Fault)
		}
	}
	files := map[string]*hcl.File{}
	for name, f := range book.Files() {
		files[path.Join(rulesDir, name)] = f
	}
	for _, d := range diags {
		at := *d.Subject
		at.Filename = path.Join(rulesDir, at.Filename)
		d.Subject, d.Context = &at, nil
		d.Extra = ruleFault
	}
	return diags, files
}

// ruleFault is the code of a fault of the rule language, which the schema language does not have: lint reports it as one of
// another kind.
const ruleFault tree.Code = "rules"

func ruleTables(dir string) (*rules.Book, hcl.Diagnostics) {
	var tables fs.FS
	if own := filepath.Join(dir, rulesDir); dir != "" && isDir(own) {
		tables = os.DirFS(own)
	} else if embedded, err := fs.Sub(stdlib.FS, rulesDir); err == nil {
		tables = embedded
	}
	return rules.Load(tables)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
