package cli

import (
	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/sources"
)

func (a *app) sourceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "source",
		Short: "Plan and apply the schema of one data source",
		Long: `A data source is declared in a file of its own: its id, its organisation, a profile, columns, keys, how long rows are
kept, and which standard views it has. Its table, its views and its topics are made of standard definitions, by the same
rules, under the same lease and into the same ledger as the schema. A change that is refused keeps all of it from being
sent.`,
	}
	w := partWords{noun: "source", file: "the source config", example: "web-access.hcl", load: func(path string) (engine.Part, error) {
		c, err := sources.Load(path)
		if err != nil {
			return engine.Part{}, err
		}
		return c.Part(), nil
	}, stores: true}
	cmd.AddCommand(a.partPlanCommand(w), a.partApplyCommand(w))
	return cmd
}
