package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/rules/plan"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Plan, apply and inspect a schema",
	}
	cmd.AddCommand(a.planCommand(), a.applyCommand(), a.statusCommand(), a.grantsCommand(), a.diffCommand(), a.inspectCommand())
	cmd.AddCommand(a.lintCommand(), a.explainCommand(), a.fmtCommand())
	return cmd
}

// drift are the flags by which an operator allows what a pass leaves alone.
type drift struct {
	allow     bool
	accept    []string
	downgrade bool
}

func (d *drift) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&d.allow, "allow-drift", false, "carry out changes of column types too, where every value is kept, and of TTLs, which delete the rows that are past them")
	cmd.Flags().StringArrayVar(&d.accept, "accept-loss", nil, "column (database.table.column) whose values may be lost on the way; may be repeated")
}

func (a *app) planCommand() *cobra.Command {
	var (
		s         server
		tree      schemaTree
		d         drift
		out       string
		all, code bool
		rehearse  bool
	)
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say what an apply would decide and send; change nothing",
		Long: `Say what an apply would decide and send; change nothing.

With --rehearse the plan is also played on a throw-away embedded engine that is loaded with the live definitions, without
data, and each statement is shown with the engine's answer: ok, the error, or why it could not be played there. The exit
code is 1 where a statement would fail.`,
		Example: `  dfe schema plan --url https://clickhouse.example:8443
  dfe schema plan --url https://clickhouse.example:8443 --tree ./schemas --rehearse
  dfe schema plan --embedded ./data --tree ./schemas --out plan.json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(tree, d)
			if err != nil {
				return err
			}
			opened, err := a.open(cmd.Context(), s, o)
			if err != nil {
				return err
			}
			planned := opened.plan
			if rehearse {
				planned = a.rehearsed(opened)
			}
			doc, err := planned(cmd.Context())
			if err != nil {
				return err
			}
			if out != "" {
				if err := writePlan(out, doc); err != nil {
					return err
				}
			}
			if err := a.showPlan(doc, all); err != nil {
				return err
			}
			switch {
			case doc.WouldFail():
				return exit{ExitFailed}
			case doc.Bus != nil && doc.Bus.Error != "":
				return a.unreadBus(doc.Bus.Error, doc.Bus.Code)
			case code && doc.Differs():
				return exit{ExitDifferences}
			}
			return nil
		},
	}
	s.flags(cmd.Flags(), waitBus)
	tree.flags(cmd.Flags())
	d.flags(cmd)
	cmd.Flags().BoolVar(&rehearse, "rehearse", false, "play the plan on a throw-away embedded engine and show what it answers")
	cmd.Flags().StringVar(&out, "out", "", "file to write the plan to, for apply --plan")
	cmd.Flags().BoolVar(&all, "all", false, "list objects without a difference too")
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where there are differences")
	a.formatFlag(cmd)
	return cmd
}

func options(t schemaTree, d drift) (engine.Options, error) {
	if len(d.accept) > 0 && !d.allow {
		return engine.Options{}, usagef("--accept-loss is about a type change, which --allow-drift alone carries out: give both")
	}
	if err := t.check(); err != nil {
		return engine.Options{}, err
	}
	variables, err := t.variables()
	return engine.Options{Tree: t.dir, Overlay: t.overlay, Variables: variables, AllowDrift: d.allow, AcceptLoss: d.accept, AllowDowngrade: d.downgrade}, err
}

func writePlan(path string, doc *plan.Document) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	return errors.Join(plan.WriteJSON(f, doc, plan.JSONOptions{All: true}), f.Close())
}

func (a *app) showPlan(doc *plan.Document, all bool) error {
	if a.format == formatJSON {
		return plan.WriteJSON(a.exact.Out, doc, plan.JSONOptions{All: all})
	}
	t := a.terminal(a.Out)
	return plan.WriteText(a.exact.Out, doc, plan.TextOptions{Color: t.color, All: all, Width: t.width})
}

func (a *app) applyCommand() *cobra.Command {
	var (
		s    server
		tree schemaTree
		d    drift
		file string
		code bool
	)
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Make the server match the schema: one pass",
		Long: `Make the server match the schema: one pass.

What is additive is applied, object by object, and recorded at once. What would lose or rebuild data is refused by
name and left alone; a refusal is no failure. With --plan exactly what was reviewed is sent, or nothing where the
schema or the server moved since.`,
		Example: `  dfe schema apply --url https://clickhouse.example:8443
  dfe schema apply --embedded ./data --tree ./schemas --var retention_days=90
  dfe schema apply --embedded ./data --tree ./schemas --plan plan.json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(tree, d)
			if err != nil {
				return err
			}
			var reviewed *plan.Document
			if file != "" {
				if reviewed, err = readPlan(file); err != nil {
					return err
				}
			}
			s.makes = true
			opened, err := a.open(cmd.Context(), s, o)
			if err != nil {
				return err
			}
			pass := opened.Pass
			if reviewed != nil {
				pass = opened.passPlan(reviewed)
			}
			report, failure := pass(cmd.Context())
			opened.progress.clear()
			closing := opened.close()
			return errors.Join(a.endPass(&report, failure, code), closing)
		},
	}
	s.flags(cmd.Flags(), waitLease)
	tree.flags(cmd.Flags())
	d.flags(cmd)
	cmd.Flags().BoolVar(&d.downgrade, "allow-downgrade", false, "apply a schema release older than the ledger's: restores views and grants, leaves what the newer one added")
	cmd.Flags().StringVar(&file, "plan", "", "file of a reviewed plan: apply exactly that")
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where a change is refused or an object cannot be read")
	a.formatFlag(cmd)
	return cmd
}

func readPlan(path string) (*plan.Document, error) {
	text, err := regular.Read(path, regular.Limit)
	if err != nil {
		return nil, usagef("the plan cannot be read: %s: %w", path, regular.Reason(err))
	}
	doc, err := plan.ReadJSON(bytes.NewReader(text))
	if errors.Is(err, plan.ErrEdited) {
		return nil, fmt.Errorf("%s is refused, nothing was sent: %w", path, err)
	}
	if err != nil {
		return nil, usagef("%s is no plan (%w): make one with \"dfe schema plan --out\"", path, err)
	}
	return doc, nil
}

// endPass shows the report and says how the command ends. A failure that the report holds is not told twice.
func (a *app) endPass(r *engine.Report, failure error, code bool) error {
	var faults *engine.TreeError
	if errors.As(failure, &faults) {
		return failure
	}
	if err := a.showReport(r); err != nil {
		return err
	}
	switch {
	case r.State == engine.Observed:
		nothing := "nothing"
		if r.Summary.Statements > 0 {
			nothing = "nothing but the bookkeeping"
		}
		fmt.Fprintf(a.Err, "dfe: %s was applied: %s\n", nothing, coded(failure))
		return exit{ExitObserved}
	case failure != nil:
		a.tellFailure(failure)
		return exit{ExitFailed}
	case code && r.Summary.Refused+r.Summary.Unreadable > 0:
		return exit{ExitDifferences}
	}
	return nil
}

func (a *app) statusCommand() *cobra.Command {
	var (
		s    server
		tree schemaTree
		code bool
	)
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the ledger and the server have, one line an object",
		Example: `  dfe schema status --url https://clickhouse.example:8443
  dfe schema status --embedded ./data --format json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(tree, drift{})
			if err != nil {
				return err
			}
			opened, err := a.open(cmd.Context(), s, o)
			if err != nil {
				return err
			}
			status, err := opened.Status(cmd.Context())
			opened.progress.clear()
			if err := errors.Join(err, opened.close()); err != nil {
				return err
			}
			if err := a.showStatus(status); err != nil {
				return err
			}
			switch {
			case status.Bus.Error != "":
				return a.unreadBus(status.Bus.Error, status.Bus.Code)
			case code && !status.AllMatch():
				return exit{ExitDifferences}
			}
			return nil
		},
	}
	s.flags(cmd.Flags(), waitBus)
	tree.flags(cmd.Flags())
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where an object is not as recorded, or was refused")
	a.formatFlag(cmd)
	return cmd
}
