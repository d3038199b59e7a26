package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/cli"
	"github.com/dfe-engine/dfe/engine/tokens"
)

const source = `
-- source.hcl --
id           = "beds"
organisation = "garden"
profile      = "minimal"
keys         = ["bed"]
column "bed" { type = "String" }
-- manifest.hcl --
release = "1"
database "garden" {}
`

func TestASourceIsPlannedAndAppliedAndTellsByItsExitCode(t *testing.T) {
	dir, data := write(t, source), filepath.Join(t.TempDir(), "data")
	file := filepath.Join(dir, "source.hcl")
	at := []string{file, "--tree", dir, "--embedded", data}
	source := func(args ...string) result { return dfe(t, nil, append(append([]string{"source"}, args...), at...)...) }
	source("plan", "--exit-code").demand(t, cli.ExitDifferences, "org_garden.beds", "5 to create", "5 statements to send")
	source("apply").demand(t, cli.ExitDone, "org_garden.beds__latest", "converged: 5 statements sent, 5 applied")
	source("plan", "--exit-code").demand(t, cli.ExitDone, "no difference")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put := func(old, new string) {
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(`"String"`, `"UInt64"`)
	source("plan").demand(t, cli.ExitDone, "column.bed.type  refused  String -> UInt64", "advice: ", "1 refused")
	source("plan", "--exit-code").demand(t, cli.ExitDifferences)
	source("apply").demand(t, cli.ExitFailed, "refused column.bed.type", "nothing was sent")
	source("apply", "--exit-code").demand(t, cli.ExitDifferences, "is refused")
	var report struct {
		Code    string `json:"code"`
		Summary struct{ Refused, Statements int }
	}
	refused := source("apply", "--format", "json")
	refused.demand(t, cli.ExitFailed)
	decode(t, refused.out, &report)
	put("keys ", "views = [\"latest\"]\nkeys ")
	source("plan", "--exit-code").demand(t, cli.ExitDifferences, "view org_garden.beds__errors  report", "2 reported")
	source("apply").demand(t, cli.ExitDone, "undeclared  view  org_garden.beds__daily_volume", "report: a config declared", "a deploy drops nothing", "2 reported")
	dfe(t, nil, "schema", "status", "--tree", dir, "--embedded", data).demand(t, cli.ExitDone, "matches, of a source that declares it no more")
	if report.Code != "refused" || report.Summary.Refused != 1 || report.Summary.Statements != 0 {
		t.Errorf("%+v", report)
	}
}

func TestAConfigThatCannotBeUsedIsToldWithoutAServer(t *testing.T) {
	dir := write(t, source)
	faulty := filepath.Join(dir, "faulty.hcl")
	if err := os.WriteFile(faulty, []byte("id = \"a\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := []string{"--url", "http://127.0.0.1:1"}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"source", "plan", faulty}, cli.ExitFailed, "the source config cannot be used"},
		{[]string{"source", "apply", filepath.Join(dir, "gone.hcl")}, cli.ExitUsage, "the source config cannot be read"},
		{[]string{"source", "apply"}, cli.ExitUsage, `"dfe source apply" needs FILE: the source config`},
		{[]string{"tenant", "plan", faulty}, cli.ExitFailed, "the tenants config cannot be used"},
		{[]string{"tenant", "apply", dir}, cli.ExitUsage, "the tenants config cannot be read"},
	} {
		run(t, nil, append(c.args, nowhere...)...).demand(t, c.code, c.says)
	}
}

func TestATokenIsMadeAndItsEntryAdded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.hcl")
	var made []string
	for _, name := range []string{"ci", "ops"} {
		r := run(t, nil, "token", "new", name, "--permission", "source.deploy", "--file", file)
		r.demand(t, cli.ExitDone, "dfe_")
		made = append(made, strings.TrimSpace(r.out))
	}
	f, err := tokens.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Tokens()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"ci", "ops"} {
		if found := tokens.Find(list, made[i]); found == nil || found.Name != name {
			t.Errorf("%s is found as %+v", name, found)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	run(t, nil, "token", "new", "ci", "--permission", "source.deploy", "--file", file).demand(t, cli.ExitFailed, "Two tokens called")
	run(t, nil, "token", "new", "x", "--permission", "source.deplyo").demand(t, cli.ExitUsage, `invalid argument "source.deplyo" for "--permission"`, `Did you mean "source.deploy"?`)
	run(t, nil, "token", "new", "x").demand(t, cli.ExitUsage, "needs --permission: what the token allows, source.deploy or source.plan")
	run(t, nil, "token", "new", "x", "--permission", "source.plan").demand(t, cli.ExitDone, `token "x"`, "sha256:")
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "token", "new", "y", "--permission", "source.plan", "--file", file).demand(t, cli.ExitUsage, "--file: ", "users other than its owner may write it")
	run(t, map[string]string{"DFE_ENGINE_API_TOKENS_FILE": file}, "serve", "--url", "http://127.0.0.1:1").demand(t, cli.ExitUsage, "DFE_ENGINE_API_TOKENS_FILE", "chmod go-w")
}
