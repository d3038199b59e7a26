package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/rules/plan"
)

// partWords are what the commands of one kind of part say.
type partWords struct {
	noun    string // "source"
	file    string // what the file is
	example string // a file
	load    func(path string) (engine.Part, error)
	// stores says that the part has tables, whose columns can drift.
	stores bool
}

// partPlanCommand plans a part of a deployment that is declared in a file.
func (a *app) partPlanCommand(w partWords) *cobra.Command {
	var (
		s         server
		tree      schemaTree
		d         drift
		all, code bool
	)
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Say what an apply would decide and send; change nothing",
		Example: fmt.Sprintf(`  dfe %s plan %s --url https://clickhouse.example:8443
  dfe %s plan %s --embedded ./data --format json`, w.noun, w.example, w.noun, w.example),
		Args: oneArgument("FILE", w.file),
		RunE: func(cmd *cobra.Command, args []string) error {
			part, opened, err := a.openPart(cmd, w, args[0], s, tree, d)
			if err != nil {
				return err
			}
			doc, err := opened.PlanPart(cmd.Context(), part)
			opened.progress.clear()
			if err := errors.Join(err, opened.close()); err != nil {
				return err
			}
			if err := a.showPlan(doc, all); err != nil {
				return err
			}
			switch {
			case doc.Bus != nil && doc.Bus.Error != "":
				return a.unreadBus(doc.Bus.Error, doc.Bus.Code)
			case code && doc.Summary != (plan.Summary{None: doc.Summary.None, Reasserted: doc.Summary.Reasserted}):
				return exit{ExitDifferences}
			}
			return nil
		},
	}
	s.flags(cmd.Flags(), waitBus)
	tree.flags(cmd.Flags())
	if w.stores {
		d.flags(cmd)
	}
	cmd.Flags().BoolVar(&all, "all", false, "list objects without a difference too")
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where there are differences")
	a.formatFlag(cmd)
	return cmd
}

// partApplyCommand applies a part of a deployment that is declared in a file.
func (a *app) partApplyCommand(w partWords) *cobra.Command {
	var (
		s    server
		tree schemaTree
		d    drift
		code bool
	)
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: fmt.Sprintf("Make the server match %s", w.file),
		Example: fmt.Sprintf(`  dfe %s apply %s --url https://clickhouse.example:8443 --wait 3m
  dfe %s apply %s --embedded ./data`, w.noun, w.example, w.noun, w.example),
		Args: oneArgument("FILE", w.file),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.makes = true
			part, opened, err := a.openPart(cmd, w, args[0], s, tree, d)
			if err != nil {
				return err
			}
			report, _, failure := opened.PassPart(cmd.Context(), part)
			opened.progress.clear()
			closing := opened.close()
			return errors.Join(a.endPart(&report, failure, code), closing)
		},
	}
	s.flags(cmd.Flags(), waitLease)
	tree.flags(cmd.Flags())
	if w.stores {
		d.flags(cmd)
	}
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where a change is refused or an object cannot be read")
	a.formatFlag(cmd)
	return cmd
}

// openPart reads the file first: its faults are told without a server.
func (a *app) openPart(cmd *cobra.Command, w partWords, file string, s server, t schemaTree, d drift) (engine.Part, *session, error) {
	part, err := w.load(file)
	var faults *engine.TreeError
	if err != nil && !errors.As(err, &faults) {
		err = usagef("%s cannot be read: %s: %w", w.file, file, regular.Reason(err))
	}
	if err != nil {
		return part, nil, err
	}
	o, err := options(t, d)
	if err != nil {
		return part, nil, err
	}
	opened, err := a.open(cmd.Context(), s, o)
	return part, opened, err
}

// endPart shows the report and says how the command ends.
func (a *app) endPart(r *engine.Report, failure error, code bool) error {
	var (
		refused *engine.RefusedError
		locked  *engine.LockedError
	)
	switch {
	case errors.As(failure, &locked):
		if err := a.showReport(r); err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "dfe: %s\n", coded(failure))
		return exit{ExitObserved}
	case errors.As(failure, &refused):
		if err := a.showReport(r); err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "dfe: %s is refused: nothing was sent, and what was refused is named above\n", refused.What)
		if code {
			return exit{ExitDifferences}
		}
		return exit{ExitFailed}
	}
	return a.endPass(r, failure, code)
}
