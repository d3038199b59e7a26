package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dfe-engine/dfe/engine/cli"
)

func TestACommandLineThatIsNoneSaysWhatIsMissingAndHowItIsWritten(t *testing.T) {
	for _, c := range []struct{ line, fault, usage string }{
		{"nosuch", `"dfe" has no command "nosuch"`, "usage:   dfe COMMAND, which is completion, demo,"},
		{"shcema", `"dfe" has no command "shcema". Did you mean "schema"?`, "usage:   dfe COMMAND"},
		{"schema lin", `"dfe schema" has no command "lin". Did you mean "lint"?`, "usage:   dfe schema COMMAND, which is apply, "},
		{"completion nosuch", `"dfe completion" has no command "nosuch"`, "which is bash, fish, powershell or zsh"},
		{"completion bash x", `"dfe completion bash" takes no argument, and is given "x"`, "usage:   dfe completion bash"},
		{"help nosuch", `there is no help on "nosuch"`, "usage:   dfe COMMAND"},
		{"help schema pln", `there is no help on "schema pln". Did you mean "plan"?`, "usage:   dfe schema COMMAND"},
		{"serve x y", `"dfe serve" takes no argument, and is given "x" and "y"`, "example: DFE_ENGINE_CLICKHOUSE_URL="},
		{"source plan", `"dfe source plan" needs FILE: the source config`, "usage:   dfe source plan FILE"},
		{"tenant apply a b", `"dfe tenant apply" takes one argument, FILE (the tenants config), and is given "a" and "b"`, "example: dfe tenant apply tenants.hcl"},
		{"token new", `"dfe token new" needs NAME: `, "example: dfe token new ci"},
		{"schema explain a b", `"dfe schema explain" takes one argument, CODE`, "usage:   dfe schema explain [CODE]"},
		{"schema plan --exitcode", `unknown flag: --exitcode. Did you mean "--exit-code"?`, "usage:   dfe schema plan [flags]"},
		{"--version", `unknown flag: --version. Did you mean "dfe version"?`, "usage:   dfe COMMAND"},
		{"schema --plan", `unknown flag: --plan. Did you mean "dfe schema plan"?`, "usage:   dfe schema COMMAND"},
		{"embedded --port 70000", `invalid argument "70000" for "--port" flag: it is a port from 0 to 65535`, "usage:   dfe embedded"},
		{"embedded --members two", `invalid argument "two" for "--members" flag: it is a whole number`, "usage:   dfe embedded"},
		{"topic plan --wait 3", `invalid argument "3" for "--wait" flag: it is a time such as 90s`, "usage:   dfe topic plan"},
		{"schema grants --platform cloud", "--platform is for --for, which asks no server", "usage:   dfe schema grants"},
		{"tenant apply a --allow-drift", "unknown flag: --allow-drift", "usage:   dfe tenant apply FILE"}, // tenants have no columns
		{"token nwe", `"dfe token" has no command "nwe". Did you mean "new"?`, "usage:   dfe token COMMAND"},
		{"schema plan --out", "flag needs an argument: --out", "example: dfe schema plan --url"},
	} {
		r := run(t, nil, strings.Fields(c.line)...)
		r.demand(t, cli.ExitUsage, "dfe: "+c.fault, c.usage, "help:    dfe")
		if r.out != "" {
			t.Errorf("dfe %s: standard output holds %q", c.line, r.out)
		}
	}
	run(t, nil, "token", "new", "").demand(t, cli.ExitUsage, "needs NAME, which is empty")
}

// A variable of a shell that is not set makes such a flag: a pass must not be one without the plan or the tree it names.
func TestAFlagThatIsGivenAndEmptyIsAFaultAndNotOneLeftOut(t *testing.T) {
	for _, c := range []struct{ line, flag string }{
		{"schema apply --url http://127.0.0.1:1 --plan", "plan"},
		{"schema apply --url http://127.0.0.1:1 --tree", "tree"},
		{"schema apply --url http://127.0.0.1:1 --tree . --overlay", "overlay"},
		{"schema apply --embedded", "embedded"},
		{"schema plan --url http://127.0.0.1:1 --out", "out"},
		{"schema lint --var", "var"},
		{"schema grants --platform cloud --for", "for"},
		{"serve --listen", "listen"},
		{"embedded --password-file", "password-file"},
		{"topic plan --brokers", "brokers"},
		{"token new ci --permission source.deploy --organisation", "organisation"},
	} {
		r := run(t, nil, append(strings.Fields(c.line), "")...)
		r.demand(t, cli.ExitUsage, "dfe: --"+c.flag+" is given and empty", "help:    dfe")
	}
}

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAnAnswerThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, line := range []string{"", "help", "help environment", "schema", "schema --help", "schema plan --help", "completion --help", "completion bash", "version", "version --format json",
		"schema explain", "schema lint", "schema lint --format sarif", "topic plan"} {
		var errs bytes.Buffer
		code := cli.Run(t.Context(), cli.Process{Out: full{}, Err: &errs, Getenv: func(string) string { return "" }}, strings.Fields(line))
		if code != cli.ExitFailed || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("dfe %s: exit code %d, and says %q", line, code, errs.String())
		}
	}
}

func TestATokenThatCouldNotBeShownIsToldWithTheEntryItLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.hcl")
	var errs bytes.Buffer
	code := cli.Run(t.Context(), cli.Process{Out: full{}, Err: &errs, Getenv: func(string) string { return "" }},
		[]string{"token", "new", "ci", "--permission", "source.plan", "--file", file})
	if want := `take its entry "ci" out of ` + file; code != cli.ExitFailed || !strings.Contains(errs.String(), want) {
		t.Errorf("exit code %d, and says %q, want %q", code, errs.String(), want)
	}
}

func TestACommandThatOnlyHasCommandsShowsItsHelp(t *testing.T) {
	for _, line := range []string{"schema", "topic", "source", "tenant", "token", "completion", "help schema", "schema --help", "help"} {
		run(t, nil, strings.Fields(line)...).demand(t, cli.ExitDone, "Available Commands:")
	}
}
