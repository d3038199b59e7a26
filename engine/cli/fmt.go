package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/format"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/lang/series"
)

func (a *app) fmtCommand() *cobra.Command {
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Lay out .hcl, .rules and .sql files in their one form",
		Long: `Lay out definitions in their one form: white space, and the case of keywords in SQL. Comments stay, and what a file
means stays; a file with a syntax error is reported and left as it is. A PATH is a file or a directory with all below it
(default: the working directory); names that begin with a dot are passed over.

The files that changed are listed.`,
		Example: `  dfe schema fmt ./schemas
  dfe schema fmt --check --diff ./schemas`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f := formatting{app: a, write: !check && !diff, diff: diff}
			if len(args) == 0 {
				args = []string{"."}
			}
			if err := f.run(cmd.Context(), args); err != nil {
				return err
			}
			switch {
			case f.faulty:
				return exit{ExitFailed}
			case check && f.changed:
				return exit{ExitDifferences}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing; exit with 3 where a file would change")
	cmd.Flags().BoolVar(&diff, "diff", false, "change nothing; show what would change")
	a.formatFlag(cmd)
	return cmd
}

// formatting is one run of the command.
type formatting struct {
	*app
	write, diff     bool
	changed, faulty bool
	files           []formattedFile
}

// formattedFile is a file in JSON.
type formattedFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"` // or would be
	Error   string `json:"error,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

func (f *formatting) run(ctx context.Context, paths []string) error {
	var files []string
	for _, path := range paths {
		found, err := formattable(path)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return fmt.Errorf("nothing to format: there is no .hcl, .rules or .sql file in %s", series.Or(paths))
	}
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped before %s: %w", path, context.Cause(ctx))
		}
		if err := f.file(path); err != nil {
			return err
		}
	}
	if f.app.format == formatJSON {
		return json.NewEncoder(f.exact.Out).Encode(struct {
			Version int             `json:"version"`
			Files   []formattedFile `json:"files"`
		}{1, f.files})
	}
	return nil
}

// formattable lists the files of a path.
func formattable(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, usagef("nothing to format: %s: %w; name files, or directories that hold them", path, regular.Reason(err))
	case !info.IsDir() && !format.Known(path):
		return nil, usagef("%s: %w", path, format.ErrKind)
	case !info.IsDir():
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != path && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && format.Known(name):
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// file formats one file. A fault in the file is told and does not end the run; the error is one of reading or writing.
func (f *formatting) file(path string) error {
	src, err := regular.Read(path, regular.Limit)
	if err != nil {
		return err
	}
	out, err := format.File(path, src)
	if err != nil {
		f.faulty = true
		f.files = append(f.files, formattedFile{Path: path, Error: faultsOf(path, err)})
		if f.app.format == formatText {
			fmt.Fprintf(f.Err, "dfe: %s\n", faultsOf(path, err))
		}
		return nil
	}
	done := formattedFile{Path: path, Changed: !bytes.Equal(src, out)}
	if done.Changed {
		f.changed = true
		if f.diff {
			done.Diff = udiff.Unified(path, path+" (formatted)", string(src), string(out))
		}
		if f.write {
			if err := replace(path, out); err != nil {
				return fmt.Errorf("%s is left as it was: %w", path, err)
			}
		}
	}
	f.files = append(f.files, done)
	if f.app.format == formatText && done.Changed {
		_, err = fmt.Fprint(f.verbatim(), f.shown(done))
	}
	return err
}

func (f *formatting) shown(done formattedFile) string {
	if f.diff {
		return done.Diff
	}
	return done.Path + "\n"
}

// faultsOf says where a file is broken.
func faultsOf(path string, err error) string {
	var (
		diags  hcl.Diagnostics
		syntax *ddl.Error
	)
	switch {
	case errors.As(err, &diags):
		for _, d := range diags {
			if d.Severity == hcl.DiagError && d.Subject != nil {
				return fmt.Sprintf("%s:%d:%d: %s; %s", path, d.Subject.Start.Line, d.Subject.Start.Column, d.Summary, d.Detail)
			}
		}
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s:%d:%d: expected %s, found %s", path, syntax.Line, syntax.Column, syntax.Expected, syntax.Found)
	}
	return fmt.Sprintf("%s: %v", path, err)
}

// replace puts a new text in the place of a file, all of it or none, and keeps its mode.
func replace(path string, text []byte) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), ".dfe-fmt-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(text)
	if err == nil {
		err = temporary.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), target)
}
