package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine/tokens"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/lang/series"
)

// newToken is the document of a token that was made.
type newToken struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Token is shown here and nowhere else; Hash and Block are for the file.
	Token string `json:"token"`
	Hash  string `json:"hash"`
	Block string `json:"block"`
}

func (a *app) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make tokens for the routes that change something",
	}
	cmd.AddCommand(a.tokenNewCommand())
	return cmd
}

func (a *app) tokenNewCommand() *cobra.Command {
	var (
		permissions, organisations []string
		file                       string
	)
	known := make([]string, len(tokens.Permissions()))
	for i, p := range tokens.Permissions() {
		known[i] = string(p)
	}
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a token, and the entry of the tokens file that accepts it",
		Long: `Make a token, and the entry of the tokens file (DFE_ENGINE_API_TOKENS_FILE) that accepts it.

The token goes to standard output, once, and is kept nowhere: the file holds its hash. The entry goes to standard error,
or behind the others in --file. NAME is what the audit log calls whoever has the token.`,
		Example: `  dfe token new ci --permission source.deploy --file tokens.hcl
  dfe token new acme --permission source.plan --permission source.deploy --organisation acme`,
		Args: oneArgument("NAME", "what the audit log calls whoever has the token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(permissions) == 0 {
				return misusef(cmd, "%q needs --permission: what the token allows, %s", cmd.CommandPath(), series.Or(known))
			}
			var list []tokens.Permission
			for _, p := range permissions {
				if !slices.Contains(known, p) {
					return misusef(cmd, "invalid argument %q for \"--permission\" flag: it is %s%s", p, series.Or(known), meant(p, known))
				}
				list = append(list, tokens.Permission(p))
			}
			token, hash := tokens.New()
			made := newToken{1, args[0], token, hash, string(tokens.Block(args[0], hash, list, organisations))}
			if _, diags := tokens.Parse("", []byte(made.Block)); diags.HasErrors() {
				return usagef("%s", diags[0].Summary+": "+diags[0].Detail)
			}
			if file != "" {
				if err := addToken(file, made.Block); err != nil {
					return err
				}
			}
			if err := a.showToken(made, file); err != nil {
				if file != "" {
					err = fmt.Errorf("nobody has seen the token: take its entry %q out of %s again: %w", made.Name, file, err)
				}
				return err
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&permissions, "permission", nil, "what the token allows, "+strings.Join(known, " or ")+"; may be repeated")
	complete(cmd, "permission", known...)
	cmd.Flags().StringArrayVar(&organisations, "organisation", nil, "an organisation it is good for, by its id; may be repeated (default: all)")
	cmd.Flags().StringVar(&file, "file", "", "tokens file to add the entry to; it is made where it is absent")
	a.formatFlag(cmd)
	return cmd
}

// addToken adds an entry to a file of tokens, which has to be a sound one before and after.
func addToken(file, block string) (err error) {
	text, before := block, int64(0)
	if _, err := os.Lstat(file); err == nil {
		if _, err := tokens.Open(file); err != nil {
			return usagef("--file: %w", err)
		}
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text, before = "\n"+block, int64(len(old))
		if _, diags := tokens.Parse(file, []byte(string(old)+text)); diags.HasErrors() {
			return fmt.Errorf("nothing was added to %s: %s; %s", file, diags[0].Summary, diags[0].Detail)
		}
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return usagef("--file: the entry cannot be added to %s: %w", file, regular.Reason(err))
	}
	if _, err = f.WriteString(text); err != nil {
		// Half an entry would be a fault of the file, and nobody would have access any more.
		err = errors.Join(fmt.Errorf("nothing was added to %s: %w", file, regular.Reason(err)), f.Truncate(before))
	}
	return errors.Join(err, f.Close())
}

func (a *app) showToken(made newToken, file string) error {
	if a.format == formatJSON {
		return a.writeJSON(made)
	}
	if file == "" {
		fmt.Fprintf(a.Err, "Add this to the tokens file:\n\n%s\n", made.Block)
	}
	_, err := fmt.Fprintln(a.Out, made.Token)
	return err
}
