package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/rules/lint"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Say what a code of lint means, why it matters and what to do; without a code, list them",
		Example: `  dfe schema explain
  dfe schema explain DFE201`,
		Args: noMoreThanOne("CODE", "a code of lint"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listCodes()
			}
			check, known := lint.Find(args[0])
			if !known {
				return usagef("there is no code %q: \"dfe schema explain\" lists them", args[0])
			}
			page, err := lint.Explain(args[0])
			if err != nil {
				return err
			}
			if a.format == formatJSON {
				return json.NewEncoder(a.exact.Out).Encode(struct {
					Version int `json:"version"`
					codeDocument
					Text string `json:"text"`
				}{1, codeOf(check), page.Text})
			}
			_, err = fmt.Fprint(a.Out, page.Text)
			return err
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, given string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var codes []cobra.Completion
			for _, c := range lint.Checks() {
				if len(args) == 0 && strings.HasPrefix(string(c.Code), strings.ToUpper(given)) {
					codes = append(codes, cobra.CompletionWithDesc(string(c.Code), c.Title))
				}
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
	}
	a.formatFlag(cmd)
	return cmd
}

// codeDocument is a code in JSON.
type codeDocument struct {
	Code     lint.Code     `json:"code"`
	Title    string        `json:"title"`
	Severity lint.Severity `json:"severity"`
	Waivable bool          `json:"waivable"`
}

func codeOf(c lint.Check) codeDocument {
	return codeDocument{c.Code, c.Title, c.Severity, !c.Fixed}
}

func (a *app) listCodes() error {
	var (
		rows  [][]string
		codes []codeDocument
	)
	for _, c := range lint.Checks() {
		rows = append(rows, []string{string(c.Code), string(c.Severity), c.Title})
		codes = append(codes, codeOf(c))
	}
	if a.format == formatJSON {
		return json.NewEncoder(a.exact.Out).Encode(struct {
			Version int            `json:"version"`
			Codes   []codeDocument `json:"codes"`
		}{1, codes})
	}
	_, err := fmt.Fprint(a.Out, columns(rows, nil))
	return err
}
