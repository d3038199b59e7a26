package cli

import (
	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/tenants"
)

func (a *app) tenantCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tenant",
		Short: "Plan and apply the users and quotas of the deployment's tenants",
		Long: `The tenants of a deployment are declared in a file, in HCL or JSON: quota tiers, organisations and groups. Each
organisation and each group is a user that may read its own databases and its own rows of shared tables, within the quota
of its tier. All of it is asserted again each time; a tenant that the file names no more is reported and never dropped.`,
	}
	w := partWords{noun: "tenant", file: "the tenants config", example: "tenants.hcl", load: func(path string) (engine.Part, error) {
		c, err := tenants.Load(path)
		if err != nil {
			return engine.Part{}, err
		}
		return c.Part(), nil
	}}
	cmd.AddCommand(a.partPlanCommand(w), a.partApplyCommand(w))
	return cmd
}
