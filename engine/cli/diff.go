package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/sides"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

func (a *app) diffCommand() *cobra.Command {
	var (
		from, to, platform string
		vars               schemaTree
		all, code          bool
	)
	cmd := &cobra.Command{
		Use:   "diff --from A --to B",
		Short: "Compare any two: scripts, schema trees, servers",
		Long: `Say what it takes to make A, the live side, like B, the desired one; send nothing.

A and B are each a .sql file of many statements, the directory of a schema tree, a server's URL, or embedded:DIR, the
embedded engine on that data directory.`,
		Example: `  dfe schema diff --from dump.sql --to ./schemas
  dfe schema diff --from https://clickhouse.example:8443 --to ./schemas --format json --exit-code`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			variables, err := vars.variables()
			if err != nil {
				return err
			}
			if from == "" || to == "" {
				return usagef("a diff has two sides: give --from and --to")
			}
			a, b := side{a, "--from", from, variables}, side{a, "--to", to, variables}
			live, err := a.read(cmd.Context())
			if err != nil {
				return err
			}
			desired, err := b.read(cmd.Context())
			if err != nil {
				return err
			}
			return a.app.diff(live, desired, platform, all, code)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the live side")
	cmd.Flags().StringVar(&to, "to", "", "the desired side")
	cmd.Flags().StringVar(&platform, "platform", "", "self_hosted, cloud or embedded (default: the server's, else embedded)")
	complete(cmd, "platform", string(rules.SelfHosted), string(rules.Cloud), string(rules.Embedded))
	cmd.Flags().StringArrayVar(&vars.vars, "var", nil, "value of a manifest's variable, as name=value; may be repeated")
	cmd.Flags().BoolVar(&all, "all", false, "list objects without a difference too")
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where there are differences")
	a.formatFlag(cmd)
	return cmd
}

func (a *app) diff(live, desired *sides.Side, platform string, all, code bool) error {
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		return err
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		return diags
	}
	p, err := sides.ParsePlatform(platform, live, desired)
	if err != nil {
		return usage{err}
	}
	doc := sides.Diff(live, desired, book, p)
	if err := a.showPlan(doc, all); err != nil {
		return err
	}
	if code && doc.Differs() {
		return exit{ExitDifferences}
	}
	return nil
}

// side is a word of the command line, behind its flag, that names a side of a diff.
type side struct {
	app        *app
	flag, word string
	variables  map[string]string
}

const embeddedPrefix = "embedded:"

func (s side) read(ctx context.Context) (*sides.Side, error) {
	dir, local := strings.CutPrefix(s.word, embeddedPrefix)
	switch {
	case local:
		return s.embedded(ctx, dir)
	case strings.Contains(s.word, "://"):
		if err := (catalog.Target{URL: s.word}).Check(); err != nil {
			return nil, usagef("%s: %w", s.flag, err)
		}
		c, err := s.app.config()
		if err != nil {
			return nil, err
		}
		c.Target.URL = s.word
		if err := c.CheckTarget(); err != nil {
			return nil, usage{err}
		}
		return sides.Server(ctx, c.Target)
	}
	info, err := os.Stat(s.word)
	switch {
	case err != nil:
		return nil, usagef("%s: %s is no side of a diff (%w): give a .sql file, a directory, a URL or embedded:DIR", s.flag, s.word, regular.Reason(err))
	case info.IsDir():
		read, err := sides.Tree(s.word, s.variables)
		var faults *sides.TreeError
		if errors.As(err, &faults) {
			return nil, &engine.TreeError{What: "the schema tree " + s.word, Files: faults.Files, Diags: faults.Diags}
		}
		return read, err
	}
	text, err := regular.Read(s.word, regular.Limit)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", s.word, regular.Reason(err))
	}
	return sides.Script(filepath.Base(s.word), string(text))
}

// embedded reads what a data directory holds. The engine runs only while it is read.
func (s side) embedded(ctx context.Context, dir string) (_ *sides.Side, err error) {
	if dir == "" {
		return nil, usagef("embedded: names no directory: write embedded:DIR")
	}
	if holdsNothing(dir) {
		return nil, fmt.Errorf("embedded:%s: the directory holds no data of an engine", dir)
	}
	server, err := s.app.startEmbedded(ctx, embedded.Options{Path: dir})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop(server)) }()
	return sides.Server(ctx, catalog.Target{URL: server.URL()})
}
