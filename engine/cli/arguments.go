package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/lang/typo"
)

// misuse is a command line that a command cannot be run by.
type misuse struct {
	reason string
	cmd    *cobra.Command
}

func (m *misuse) Error() string { return m.reason }

func misusef(cmd *cobra.Command, format string, args ...any) error {
	return &misuse{fmt.Sprintf(format, args...), cmd}
}

// hint shows how the command is used: its line, its own commands where it has some, and its first example.
func (m *misuse) hint() string {
	usage := m.cmd.UseLine()
	if names := commandNames(m.cmd); len(names) > 0 {
		usage = m.cmd.CommandPath() + " COMMAND, which is " + series.Or(names)
	}
	text := "  usage:   " + usage + "\n"
	if first, _, _ := strings.Cut(strings.TrimSpace(m.cmd.Example), "\n"); first != "" {
		text += "  example: " + first + "\n"
	}
	return text + fmt.Sprintf("  help:    %s --help\n", m.cmd.CommandPath())
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// noArguments is a command that takes flags alone, or is known by the word behind it.
func noArguments(cmd *cobra.Command, args []string) error {
	names := commandNames(cmd)
	switch {
	case len(args) == 0:
		return nil
	case len(names) > 0:
		return misusef(cmd, "%q has no command %q%s", cmd.CommandPath(), args[0], meant(args[0], names))
	}
	return misusef(cmd, "%q takes no argument, and is given %s", cmd.CommandPath(), quoted(args))
}

// oneArgument is a command that takes one argument. name is what its line calls it, what says what it is.
func oneArgument(name, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return misusef(cmd, "%q needs %s: %s", cmd.CommandPath(), name, what)
		case args[0] == "":
			return misusef(cmd, "%q needs %s, which is empty: %s", cmd.CommandPath(), name, what)
		}
		return noMoreThanOne(name, what)(cmd, args)
	}
}

// noMoreThanOne is a command whose one argument may be left out.
func noMoreThanOne(name, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return misusef(cmd, "%q takes one argument, %s (%s), and is given %s", cmd.CommandPath(), name, what, quoted(args))
		}
		return nil
	}
}

// meant ends a sentence with the known word that was perhaps meant.
func meant(given string, known []string) string {
	if near := typo.Suggest(given, known); near != "" {
		return "." + near
	}
	return ""
}

func quoted(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprintf("%q", a)
	}
	return series.And(words)
}

// knownTopic is what help takes: the words of a command.
func knownTopic(cmd *cobra.Command, args []string) error {
	found, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return misusef(found, "there is no help on %q%s", strings.Join(args, " "), meant(strings.Join(rest, " "), commandNames(found)))
	}
	return nil
}

// flagFault puts what is wrong with a flag into words.
func flagFault(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &invalid) && accepts(invalid.GetFlag()) != "":
		return misusef(cmd, "invalid argument %q for \"--%s\" flag: it is %s", invalid.GetValue(), invalid.GetFlag().Name, accepts(invalid.GetFlag()))
	case !errors.As(err, &unknown):
		return &misuse{err.Error(), cmd}
	case slices.Contains(commandNames(cmd), unknown.GetSpecifiedName()):
		return misusef(cmd, "%s. Did you mean \"%s %s\"?", err, cmd.CommandPath(), unknown.GetSpecifiedName())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return &misuse{err.Error() + meant("--"+unknown.GetSpecifiedName(), names), cmd}
}

// stated refuses a flag that is given and empty. A variable of a shell that is not set makes one: --plan "$PLAN" would be
// a pass that no plan holds to anything, and --tree "$DIR" one of the core release.
func stated(cmd *cobra.Command, _ []string) error {
	var empty string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, several := f.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		if empty == "" && (len(values) == 0 || slices.Contains(values, "")) {
			empty = f.Name
		}
	})
	if empty != "" {
		return misusef(cmd, "--%s is given and empty: give it a value, or leave the flag out", empty)
	}
	return nil
}

// accepts says what a flag of Go's own types takes, "" for a flag that says it itself.
func accepts(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "uint16": // every one of them is a port
		return "a port from 0 to 65535"
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	}
	return ""
}

// completeFlags gives the shell the words of every flag that takes one of a few, and directories where one is named.
func completeFlags(root *cobra.Command) {
	for _, cmd := range everyCommand(root) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if c, ok := f.Value.(*choice); ok {
				complete(cmd, f.Name, c.choices...)
			}
			if slices.Contains([]string{"tree", "overlay", "embedded", "path"}, f.Name) {
				_ = cmd.MarkFlagDirname(f.Name) // it is there
			}
		})
	}
}

// checkArguments makes every command say what is wrong with its arguments: cobra asks nothing of those that only have
// commands of their own, and shows their help instead.
func checkArguments(root *cobra.Command) {
	root.SetFlagErrorFunc(flagFault)
	for _, cmd := range everyCommand(root) {
		if slices.Contains([]string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, cmd.Name()) {
			continue
		}
		switch {
		case cmd.Name() == "help" && cmd.Parent() == root:
			cmd.Args = knownTopic
		case cmd.Args == nil || cmd.Parent() != nil && cmd.Parent().Name() == "completion" || cmd.Name() == "completion":
			cmd.Args = noArguments
		}
		if !cmd.Runnable() && cmd.HasSubCommands() {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}
