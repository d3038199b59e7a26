package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/trial"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/lint"
	"github.com/dfe-engine/dfe/stdlib"
)

const formatSARIF = "sarif"

func (a *app) lintCommand() *cobra.Command {
	var (
		s        schemaTree
		onEngine bool
	)
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Check a schema tree and advise on it, with no server",
		Long: `Check a schema tree: its faults, and what an expert would advise.

Nothing is asked of a server. With --engine every object is also created in a throw-away embedded ClickHouse, and what
that refuses is reported at its place in the tree. With --overlay the overlay is linted, over the tree it is laid on.

A finding is waived by a comment above the block, attribute or line it is about: # dfe:ignore CODE reason. The exit code
is 0 for a clean tree and 3 for one with findings.`,
		Example: `  dfe schema lint --tree ./schemas
  dfe schema lint --tree ./schemas --engine
  dfe schema lint --tree ./schemas --format sarif > lint.sarif`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, diags, prefix, err := s.toLint()
			if err != nil {
				return err
			}
			found, files := s.lintRules()
			return a.lint(cmd.Context(), t, append(diags, found...), files, prefix, onEngine)
		},
	}
	s.flags(cmd.Flags())
	cmd.Flags().BoolVar(&onEngine, "engine", false, "create everything in a throw-away embedded ClickHouse as well")
	cmd.Flags().Var(&choice{&a.format, []string{formatText, formatJSON, formatSARIF}}, "format", "text for reading, json for programs, sarif for code hosts")
	a.format = formatText
	return cmd
}

// toLint loads the tree that is linted. prefix is its directory, as the user wrote it.
func (s *schemaTree) toLint() (t *tree.Tree, diags hcl.Diagnostics, prefix string, err error) {
	variables, err := s.variables()
	if err != nil {
		return nil, nil, "", err
	}
	if err := s.check(); err != nil {
		return nil, nil, "", err
	}
	if s.dir == "" {
		t, diags = tree.Load(stdlib.FS, tree.Options{Variables: variables})
	} else if err := holdsTree(s.dir); err != nil {
		return nil, nil, "", err
	} else {
		t, diags = tree.LoadDir(s.dir, tree.Options{Variables: variables})
	}
	if s.overlay == "" {
		return t, diags, filepath.ToSlash(s.dir), nil
	}
	if diags.HasErrors() {
		return nil, nil, "", &engine.TreeError{What: "the schema tree", Files: t.Files(), Diags: diags}
	}
	if err := holdsTree(s.overlay); err != nil {
		return nil, nil, "", err
	}
	t, diags = tree.LoadDir(s.overlay, tree.Options{Base: t})
	return t, diags, filepath.ToSlash(s.overlay), nil
}

// holdsTree refuses a directory there is nothing to lint in: having checked nothing is no clean answer.
func holdsTree(dir string) error {
	_, err := os.Stat(filepath.Join(dir, tree.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to lint: %s has no %s, which lists the objects of a schema tree", dir, tree.ManifestName)
	}
	if err != nil {
		return fmt.Errorf("nothing to lint: %s: %w", filepath.Join(dir, tree.ManifestName), regular.Reason(err))
	}
	return nil
}

func (a *app) lint(ctx context.Context, t *tree.Tree, diags hcl.Diagnostics, ruleFiles map[string]*hcl.File, prefix string, onEngine bool) error {
	kept, err := engine.CheckBookkeeping(t)
	if err != nil {
		return err
	}
	diags = append(diags, kept...)
	var more iter.Seq[lint.Finding]
	if onEngine && !diags.HasErrors() {
		refused, err := a.try(ctx, t)
		if err != nil {
			return err
		}
		more = slices.Values(refused)
	}
	files := t.Files()
	maps.Copy(files, ruleFiles)
	src := lint.Source{Text: tree.NewExcerpts(files, diags), Prefix: prefix, Release: t.Release, Objects: len(t.Objects)}
	var w lint.Writer
	switch a.format {
	case formatJSON:
		w = lint.NewJSON(a.exact.Out, src)
	case formatSARIF:
		w = lint.NewSARIF(a.exact.Out, src, release())
	default:
		term := a.terminal(a.Out)
		w = lint.NewText(a.exact.Out, src, lint.TextOptions{Color: term.color, Width: term.width})
	}
	var count lint.Count
	for f := range lint.Run(t, diags, more) {
		count.Add(f)
		if err := w.Write(f); err != nil {
			return fmt.Errorf("the findings cannot be written: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("the findings cannot be written: %w", err)
	}
	if count.Standing() > 0 {
		return exit{ExitDifferences}
	}
	return nil
}

// try creates the tree's objects in an embedded engine that is gone afterwards.
func (a *app) try(ctx context.Context, t *tree.Tree) (refused []lint.Finding, err error) {
	line := a.progress()
	defer line.clear()
	server, err := a.startEmbedded(ctx, embedded.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop(server)) }()
	conn, err := catalog.Open(ctx, catalog.Target{URL: server.URL()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	done := 0
	return trial.Run(ctx, conn, t, func(d *tree.Declared) {
		done++
		line.show(fmt.Sprintf("creating %d/%d %s", done, len(t.Objects), d.Name))
	})
}
