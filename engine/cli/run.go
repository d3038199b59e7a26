package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/config"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/lang/visible"
)

// The exit codes of DESIGN.md section 8.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDifferences = 3
	ExitObserved    = 4
)

// Process is what a command has of the process it runs in.
type Process struct {
	Out, Err io.Writer
	// Getenv reads the environment. Environ is all of it, as [os.Environ] gives it; nil: misspelt variables go unnoticed.
	Getenv  func(string) string
	Environ func() []string
}

// Run runs one command line, the program's name left out, and returns the exit code. Everything it started has ended
// when it returns.
func Run(ctx context.Context, p Process, args []string) int {
	out := &output{w: p.Out}
	p.Out = out
	ink := visible.NewInk()
	a := &app{Process: p, exact: p, ink: ink}
	a.Out, a.Err = ink.Writer(p.Out), ink.Writer(p.Err)
	a.work()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exit
	if lost := out.lost(); lost != nil && (err == nil || errors.As(err, &code)) {
		err = lost
	}
	return a.finish(err)
}

// app is one run of the program. What it writes to Out and Err is made visible there, whoever wrote the texts; what a
// program reads, and what makes itself visible, is written to exact.
type app struct {
	Process
	exact  Process
	ink    *visible.Ink
	format string
	// warned says that the variables that are none have been told.
	warned bool
}

// verbatim is where a text goes that programs read as well, such as statements: a terminal gets it visible, and a file or a
// pipe as it is.
func (a *app) verbatim() io.Writer {
	if a.terminal(a.Out).is {
		return a.Out
	}
	return a.exact.Out
}

// exit is a command's outcome that is no error: its output says all there is.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// usage is a fault in the command line or the environment.
type usage struct{ err error }

func (u usage) Error() string { return u.err.Error() }
func (u usage) Unwrap() error { return u.err }

func usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// finish tells what went wrong, once, and returns the exit code.
func (a *app) finish(err error) int {
	var (
		code    exit
		wrong   usage
		misused *misuse
		setting *config.Error
		target  *catalog.TargetError
		file    *catalog.FileError
		column  *engine.ColumnError
		faults  *engine.TreeError
	)
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &code):
		return code.code
	case errors.Is(err, syscall.EPIPE):
		return ExitFailed // nobody reads
	case errors.As(err, &faults):
		a.treeFaults(faults)
		return ExitFailed
	case errors.As(err, &misused):
		a.fail(err, nil)
		fmt.Fprint(a.Err, misused.hint())
		return ExitUsage
	case errors.As(err, &wrong), errors.As(err, &setting), errors.As(err, &target), errors.As(err, &file), errors.As(err, &column):
		a.fail(err, nil)
		return ExitUsage
	}
	a.fail(err, nil)
	return ExitFailed
}

// failure is the document of a command that failed before it had one of its own.
type failure struct {
	Version int    `json:"version"`
	Error   string `json:"error"`
	// Code is the error as one word, where it has one.
	Code        string            `json:"code,omitempty"`
	Diagnostics []tree.Diagnostic `json:"diagnostics,omitempty"`
}

func (a *app) fail(err error, diagnostics []tree.Diagnostic) {
	if diagnostics == nil {
		fmt.Fprintf(a.Err, "dfe: %s\n", coded(err))
	}
	if a.format == formatJSON {
		_ = json.NewEncoder(a.exact.Out).Encode(failure{1, err.Error(), errorCode(err), diagnostics})
	}
}

// treeFaults prints each fault with the line it is in.
func (a *app) treeFaults(e *engine.TreeError) {
	t := a.terminal(a.Err)
	if err := tree.WriteDiagnostics(a.exact.Err, e.Files, e.Diags, t.color, t.width); err != nil {
		fmt.Fprintln(a.Err, e)
	}
	fmt.Fprintf(a.Err, "dfe: %s cannot be used; nothing was sent\n", e.What)
	a.fail(e, tree.Plain(e.Files, e.Diags))
}

const (
	formatText = "text"
	formatJSON = "json"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "dfe",
		Short: "The controller of a ClickHouse deployment's schema",
		Long: `dfe makes a ClickHouse server match a schema release: what is additive is applied, what would lose or
rebuild data is refused by name, and everything is recorded.

The server and its credentials come from the environment (DFE_ENGINE_CLICKHOUSE_URL, _USER, _PASSWORD,
_PASSWORD_FILE, _TLS_CA_FILE, ...; see "dfe help environment"), or --url names the server.`,
		Example: `  dfe demo
  dfe schema plan --url https://clickhouse.example:8443
  dfe schema apply --embedded ./data --tree ./schemas`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: stated,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.AddCommand(a.demoCommand(), a.schemaCommand(), a.topicCommand(), a.sourceCommand(), a.tenantCommand(), a.tokenCommand(), a.serveCommand(), a.embeddedCommand(), a.versionCommand(), environmentTopic())
	// Cobra makes these two when the command line is run: too late for what follows.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	completeFlags(root)
	return root
}

func everyCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, everyCommand(c)...)
	}
	return all
}

// environmentTopic is help about the variables.
func environmentTopic() *cobra.Command {
	text := "Variables of the environment:\n"
	for _, v := range config.Variables() {
		text += fmt.Sprintf("\n  %s\n      %s; accepts %s", v.Name, v.Does, v.Accepts)
		if v.Default != "" {
			text += fmt.Sprintf(" (default %s)", v.Default)
		}
		text += "\n"
	}
	text += `
  DFE_EMBEDDED_LIBRARY
      the library of the embedded engine, where it is not to be found or fetched

  NO_COLOR
      set to anything: no colour on terminals
`
	return &cobra.Command{Use: "environment", Short: "Variables of the environment", Long: text}
}
