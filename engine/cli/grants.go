package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/rules"
)

func (a *app) grantsCommand() *cobra.Command {
	var (
		s          server
		tree       schemaTree
		user, word string
		code       bool
	)
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "Print the grants that the engine's own user needs",
		Long: `Print the grants that the engine's own user needs for a schema, as statements for an administrator.

With a server, its user is asked about, and what it lacks is marked. With --for no server is asked: the grants of that
user are printed for a platform.`,
		Example: `  dfe schema grants --url https://clickhouse.example:8443
  dfe schema grants --for dfe --platform self_hosted --tree ./schemas`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(tree, drift{})
			if err != nil {
				return err
			}
			if user == "" && cmd.Flags().Changed("platform") {
				return misusef(cmd, "--platform is for --for, which asks no server: a server says itself what its platform is")
			}
			var needed *engine.Needed
			if user != "" {
				needed, err = grantsFor(o, user, word)
			} else {
				needed, err = a.grantsOf(cmd, s, o)
			}
			if err != nil {
				return err
			}
			if err := a.showGrants(needed); err != nil {
				return err
			}
			if code && needed.Missing() > 0 {
				return exit{ExitDifferences}
			}
			return nil
		},
	}
	s.flags(cmd.Flags(), waitServer)
	tree.flags(cmd.Flags())
	cmd.Flags().StringVar(&user, "for", "", "print the grants of this user, and ask no server")
	cmd.Flags().Var(&choice{&word, []string{string(rules.SelfHosted), string(rules.Cloud)}}, "platform", "the platform, with --for")
	word = string(rules.SelfHosted)
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 3 where a grant is missing")
	a.formatFlag(cmd)
	return cmd
}

// grantsFor reads the tree alone. An engine needs a target; this one is never connected to.
func grantsFor(o engine.Options, user, platform string) (*engine.Needed, error) {
	o.Target = catalog.Target{URL: "http://localhost"}
	e, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	return e.GrantsFor(user, rules.Platform(platform))
}

func (a *app) grantsOf(cmd *cobra.Command, s server, o engine.Options) (*engine.Needed, error) {
	opened, err := a.open(cmd.Context(), s, o)
	if err != nil {
		return nil, err
	}
	needed, err := opened.Grants(cmd.Context())
	opened.progress.clear()
	return needed, errors.Join(err, opened.close())
}

func (a *app) showGrants(n *engine.Needed) error {
	if a.format == formatJSON {
		return a.writeJSON(n)
	}
	t := a.terminal(a.Out)
	var b strings.Builder
	for _, g := range n.Grants {
		fmt.Fprintf(&b, "%s\n%s;", t.paint(dim, "-- "+g.Why), g.Statement)
		if g.Missing {
			b.WriteString(t.paint(red, " -- missing"))
		}
		b.WriteString("\n")
	}
	if n.Asked {
		fmt.Fprintf(&b, "-- %d of %d missing\n", n.Missing(), len(n.Grants))
	}
	_, err := fmt.Fprint(a.verbatim(), b.String())
	return err
}
