package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/examples"
	"github.com/dfe-engine/dfe/rules"
)

const demoExample = "quickstart"

func (a *app) demoCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Apply the core schema and an example to a real ClickHouse in this process",
		Long: `Start the embedded ClickHouse engine, apply the core schema release and the example quickstart, change three
definitions of the example in a scratch copy, and apply again: one change is carried out, one view is replaced, and
one change is refused because it would rebuild the table.

Everything is in a scratch directory and gone at the end. The engine's library is fetched once, where the machine does
not have it.`,
		Example: `  dfe demo
  dfe demo --keep`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the server up at the end, until Ctrl-C")
	a.formatFlag(cmd)
	return cmd
}

// demoDocument is the demo as JSON.
type demoDocument struct {
	Version int              `json:"version"`
	URL     string           `json:"url"`
	Passes  []*engine.Report `json:"passes"`
}

func (a *app) demo(ctx context.Context, keep bool) (err error) {
	scratch, err := os.MkdirTemp("", "dfe-demo-*")
	if err != nil {
		return fmt.Errorf("the demo needs a scratch directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	overlay := filepath.Join(scratch, demoExample)
	example, err := fs.Sub(examples.FS, demoExample)
	if err != nil {
		return err
	}
	if err := os.CopyFS(overlay, example); err != nil {
		return err
	}
	server, err := a.startEmbedded(ctx, embedded.Options{Path: filepath.Join(scratch, "data")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(server)) }()

	doc := &demoDocument{Version: 1, URL: server.URL()}
	say := func(format string, args ...any) {
		if a.format == formatText {
			fmt.Fprintf(a.Out, format+"\n", args...)
		}
	}
	pass := func() error { return a.demoPass(ctx, doc, overlay) }
	say("ClickHouse %s runs in this process, at %s\n", server.Version(), server.URL())
	say("1. The first pass: the core release, and the example %s as an overlay.\n", demoExample)
	if err := pass(); err != nil {
		return err
	}
	say("\n2. The same again.\n")
	if err := pass(); err != nil {
		return err
	}
	say("\n3. Three definitions change in a scratch copy of the example, and a pass follows.\n")
	edits, err := change(example, overlay)
	if err != nil {
		return err
	}
	say("%s", edits)
	if err := pass(); err != nil {
		return err
	}
	if a.format == formatJSON {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	}
	if !keep {
		return nil
	}
	say("\nThe server stays up at %s; Ctrl-C ends it and removes everything.", server.URL())
	select {
	case <-ctx.Done():
	case <-server.Done():
	}
	return server.Err()
}

func (a *app) demoPass(ctx context.Context, doc *demoDocument, overlay string) error {
	line := a.progress()
	defer line.clear()
	e, err := engine.New(engine.Options{
		Target: catalog.Target{URL: doc.URL}, Platform: rules.Embedded, Overlay: overlay, Release: release(), Wait: ownWait,
		Progress: func(p engine.Progress) { line.show(fmt.Sprintf("%s %s", p.Step, p.Object)) },
	})
	if err != nil {
		return err
	}
	report, failure := e.Pass(ctx)
	line.clear()
	doc.Passes = append(doc.Passes, &report)
	if a.format == formatText {
		if err := a.writeReport(&report, len(doc.Passes) == 1); err != nil {
			return err
		}
	}
	switch {
	case failure != nil:
		return failure
	case report.OverlayFault != "":
		return errors.New(report.OverlayFault)
	}
	return nil
}

// change copies the example's next definitions over the scratch copy and returns what is different, line by line.
func change(example fs.FS, into string) (string, error) {
	var b strings.Builder
	steps, err := fs.Glob(example, "next/*")
	if err != nil {
		return "", err
	}
	for _, step := range steps {
		err := fs.WalkDir(example, step, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			file := strings.TrimPrefix(name, step+"/")
			before, err := fs.ReadFile(example, file)
			if err != nil {
				return err
			}
			after, err := fs.ReadFile(example, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s (%s)\n%s\n", file, strings.ReplaceAll(path.Base(step), "-", " "), lineDiff(string(before), string(after)))
			return os.WriteFile(filepath.Join(into, filepath.FromSlash(file)), after, 0o600)
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// lineDiff lists the lines that are not in the longest common subsequence of two texts: those only the first has with a
// minus, those only the second has with a plus.
func lineDiff(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	// common[i][j] is how many lines a[i:] and b[j:] have in common.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out.WriteString("    - " + a[i] + "\n")
			i++
		default:
			out.WriteString("    + " + b[j] + "\n")
			j++
		}
	}
	return out.String()
}
