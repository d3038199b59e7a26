package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/cli"
)

func decode(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if d.More() {
		t.Errorf("standard output holds more than one document:\n%s", text)
	}
}

// run runs a command line in this process. It is for those that start no engine.
func run(t *testing.T, env map[string]string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), cli.Process{
		Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] },
		Environ: func() (all []string) {
			for name, value := range env {
				all = append(all, name+"="+value)
			}
			return all
		},
	}, args)
	return result{out.String(), errs.String(), code}
}

const garden = `
-- manifest.hcl --
release = "3.1.0"
variable "days" {
  type    = number
  default = 30
}
database "garden" {}
table "garden.beds"  { from = "beds.hcl" }
view  "garden.sunny" { from = "sunny.sql" }
-- beds.hcl --
column "at"  { type = "DateTime" }
column "bed" { type = "String" }
column "sun" { type = "Float64" }
engine   = "MergeTree"
order_by = ["bed", "at"]
ttl      = ["at + INTERVAL ${var.days} DAY"]
-- sunny.sql --
CREATE VIEW garden.sunny AS SELECT bed, max(sun) AS most FROM garden.beds GROUP BY bed
`

func TestPlanApplyAndStatusOfATreeOnADataDirectory(t *testing.T) {
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	at := []string{"--tree", tree, "--embedded", data}
	schema := func(args ...string) result { return dfe(t, nil, append(append([]string{"schema"}, args...), at...)...) }

	schema("plan").demand(t, 0, "holds no data yet", "table garden.beds  create", "CREATE TABLE IF NOT EXISTS garden.beds", "INTERVAL 30 DAY", "6 to create")
	schema("plan", "--exit-code").demand(t, 3)
	schema("status").demand(t, 0, "absent")
	schema("apply").demand(t, 0, "applied  table     garden.beds", "converged: 6 statements sent", "schema release 3.1.0")
	schema("apply").demand(t, 0, "converged: no statement was sent, 6 unchanged")
	schema("plan", "--exit-code").demand(t, 0, "no difference; 6 unchanged")
	schema("status", "--exit-code").demand(t, 0)

	status := schema("status").out
	for _, line := range []string{
		`(?m)^KIND +NAME +RELEASE +ENGINE +ACTION +TIME +LIVE$`,
		`(?m)^table +garden\.beds +3\.1\.0 +\S+ +create +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +matches$`,
		`(?m)^table +dfe\.schema_migrations +2026\.11\.0 +\S+ +create .* matches$`,
	} {
		if !regexp.MustCompile(line).MatchString(status) {
			t.Errorf("no line like %s in\n%s", line, status)
		}
	}

	schema("apply", "--var", "days=31").demand(t, 0, "refused", "ttl", "converged: no statement was sent")
	schema("apply", "--var", "days=31", "--exit-code").demand(t, 3)
	schema("apply", "--var", "days=31", "--allow-drift").demand(t, 0, "modify-ttl", "1 statement sent")
}

func TestAServerWithoutKeeperIsRefusedByAllThatItLacksAndCanStillBeLookedAt(t *testing.T) {
	tree := write(t, garden)
	_, url := serve(t)
	env := []string{"DFE_ENGINE_CLICKHOUSE_URL=" + url}
	for _, command := range []string{"plan", "apply"} {
		dfe(t, env, "schema", command, "--tree", tree).demand(t, 1, "connected to no Keeper", "no macro {cluster}", "no macro {shard}", "no macro {replica}", "Nothing was sent")
	}
	if got := query(t, url, "SELECT count() FROM system.databases WHERE name IN ('dfe', 'garden')"); got != "0" {
		t.Errorf("%s databases are there", got)
	}
	dfe(t, env, "schema", "status", "--tree", tree).demand(t, 0, "absent")
	query(t, url, "CREATE DATABASE garden")
	dfe(t, nil, "schema", "diff", "--from", url, "--to", tree, "--exit-code").demand(t, 3, "garden.beds")
}

func TestJSONStandsAloneOnStandardOutput(t *testing.T) {
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	at := []string{"--tree", tree, "--embedded", data, "--format", "json"}
	var doc struct {
		Version    int
		Platform   string
		Objects    []struct{ Kind, Name, Action, Outcome, Live string }
		Statements []struct{ SQL string }
		State      string
		Summary    map[string]int
	}
	for _, c := range []struct {
		command string
		check   func() bool
	}{
		{"plan", func() bool {
			return doc.Platform == "embedded" && len(doc.Statements) == 6 && doc.Summary["create"] == 6
		}},
		{"apply", func() bool {
			return doc.State == "converged" && doc.Objects[4].Outcome == "applied" && doc.Summary["statements"] == 6
		}},
		{"status", func() bool { return doc.Objects[4].Name == "garden.beds" && doc.Objects[4].Live == "matches" }},
		{"inspect", func() bool { return len(doc.Objects) > 0 }},
	} {
		args := []string{"schema", c.command}
		if c.command == "inspect" {
			args = append(args, at[2:]...)
		} else {
			args = append(args, at...)
		}
		r := dfe(t, nil, args...)
		r.demand(t, 0)
		doc.Version = 0
		decode(t, r.out, &doc)
		// The plan of a directory that is not there yet says so, where people read.
		said := r.err == "" || c.command == "plan" && strings.Contains(r.err, "holds no data yet")
		if !said || doc.Version != 1 || !c.check() {
			t.Errorf("%s gives %s\nstderr: %s", c.command, r.out, r.err)
		}
	}
}

func TestAPlanFileIsAppliedAsReviewedOrRefused(t *testing.T) {
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	at := []string{"--tree", tree, "--embedded", data}
	file := filepath.Join(t.TempDir(), "plan.json")
	schema := func(args ...string) result { return dfe(t, nil, append(append([]string{"schema"}, args...), at...)...) }
	schema("plan", "--out", file).demand(t, 0)
	schema("apply", "--plan", file, "--var", "days=7").demand(t, 1, "the plan is no longer what would be done, nothing was sent", "garden.beds")
	edited := filepath.Join(t.TempDir(), "edited.json")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(edited, bytes.Replace(text, []byte("INTERVAL 30 DAY"), []byte("INTERVAL 1 DAY"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	schema("apply", "--plan", edited).demand(t, 1, "was edited after it was made")
	schema("apply", "--plan", file).demand(t, 0, "6 statements sent")
	schema("apply", "--plan", file).demand(t, 1, "needs nothing any more")
	schema("apply", "--plan", filepath.Join(tree, "beds.hcl")).demand(t, 2, "is no plan")
	schema("apply", "--plan", filepath.Join(tree, "none.json")).demand(t, 2, "the plan cannot be read: ", "none.json: no such file")
}

func TestDiffComparesScriptsTreesAndServers(t *testing.T) {
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	dfe(t, nil, "schema", "apply", "--tree", tree, "--embedded", data).demand(t, 0)
	scripts := write(t, `
-- a.sql --
CREATE TABLE g.t (a INT, b String DEFAULT 'x') ENGINE = MergeTree() ORDER BY a;
CREATE VIEW g.v AS SELECT a FROM g.t;
-- b.sql --
CREATE TABLE g.t (a Int32, b String DEFAULT 'x', c UInt8) ENGINE = MergeTree ORDER BY (a) SETTINGS index_granularity = 8192;
CREATE VIEW g.v AS SELECT a FROM g.t;
-- bare.sql --
CREATE TABLE t (a Int32, b String DEFAULT 'x') ENGINE = MergeTree ORDER BY a;
CREATE VIEW v AS SELECT a FROM t;
-- broken.sql --
CREATE TABLE g.t (a Int32;
`)
	in := func(name string) string { return filepath.Join(scripts, name) }
	for _, c := range []struct {
		from, to string
		code     int
		words    string
	}{
		{in("a.sql"), in("a.sql"), 0, "no difference; 2 unchanged"},
		{in("a.sql"), in("b.sql"), 3, "add-column"},
		{in("a.sql"), in("bare.sql"), 0, "no difference; 2 unchanged"},
		{"embedded:" + data, tree, 0, "no difference; 3 unchanged"},
		{tree, "embedded:" + data, 3, "to create"}, // the bookkeeping
		{in("a.sql"), in("broken.sql"), 3, "unreadable"},
		{in("a.sql"), in("none.sql"), 2, "give a .sql file, a directory, a URL or embedded:DIR"},
		{in("a.sql"), "http://127.0.0.1:1", 1, "refused"},
	} {
		r := dfe(t, nil, "schema", "diff", "--from", c.from, "--to", c.to, "--exit-code")
		r.demand(t, c.code, c.words)
		for what, word := range map[string]string{"the columns that a server lists of a view are": "garden.sunny", "what every server has of its own is": "USER"} {
			if strings.Contains(r.out, word) {
				t.Errorf("from %s to %s: %s no difference:\n%s", c.from, c.to, what, r.out)
			}
		}
	}
	var doc struct {
		Version int
		Objects []struct {
			Name    string
			Changes []struct{ Path, Op, Action, Rule string }
		}
	}
	decode(t, run(t, nil, "schema", "diff", "--from", in("a.sql"), "--to", in("b.sql"), "--format", "json").out, &doc)
	if len(doc.Objects) != 1 || len(doc.Objects[0].Changes) != 1 || doc.Objects[0].Changes[0].Path != "column.c" || doc.Objects[0].Changes[0].Op != "add" {
		t.Errorf("the difference reads %+v", doc)
	}
}

func TestAFaultOfUsageSaysWhatIsAccepted(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args  []string
		env   map[string]string
		words string
	}{
		{[]string{"nope"}, nil, `"dfe" has no command "nope"`},
		{[]string{"schema", "nope"}, nil, `"dfe schema" has no command "nope"`},
		{[]string{"schema", "plan", "extra"}, nil, `"dfe schema plan" takes no argument, and is given "extra"`},
		{[]string{"schema", "plan", "--nope"}, nil, "unknown flag: --nope"},
		{[]string{"schema", "plan", "--format", "yaml"}, nil, "it is text or json"},
		{[]string{"schema", "plan"}, nil, "give --url or --embedded"},
		{[]string{"schema", "plan", "--url", "http://h", "--embedded", dir}, nil, "name two servers"},
		{[]string{"schema", "plan", "--url", "ftp://h"}, nil, "use clickhouse, clickhouses, http or https"},
		{[]string{"schema", "plan", "--url", "http://h", "--var", "days"}, nil, "write name=value"},
		{[]string{"schema", "plan", "--url", "http://h", "--wait", "-5s"}, nil, "a time such as 90s"},
		{[]string{"schema", "apply", "--url", "http://h", "--allow-drift", "--accept-loss", "a"}, nil, "named as database.table.column"},
		{[]string{"schema", "apply", "--url", "http://h", "--allow-drift", "--accept-loss", "a..b"}, nil, "named as database.table.column"},
		{[]string{"schema", "plan", "--url", "http://h", "--allow-drift", "--accept-loss", "a.b.c"}, nil, "declares no such column"},
		{[]string{"schema", "apply", "--url", "http://h", "--accept-loss", "a.b.c"}, nil, "give both"},
		{[]string{"schema", "diff", "--from", dir}, nil, "give --from and --to"},
		{[]string{"schema", "diff", "--from", "embedded:", "--to", dir}, nil, "embedded:DIR"},
		{[]string{"embedded", "--port", "99999"}, nil, "--port"},
		{[]string{"embedded", "--password-file", filepath.Join(dir, "none")}, nil, "the password file"},
		{[]string{"schema", "plan"}, map[string]string{"DFE_ENGINE_CLICKHOUSE_URL": "nonsense"}, "DFE_ENGINE_CLICKHOUSE_URL has an unusable value: the server's URL has no scheme; it accepts clickhouse://"},
		{[]string{"schema", "plan", "--url", "http://h"}, map[string]string{"DFE_ENGINE_CLICKHOUSE_PLATFORM": "mars"}, `DFE_ENGINE_CLICKHOUSE_PLATFORM="mars" is unusable: it accepts auto, cloud or self_hosted`},
		{[]string{"schema", "plan", "--url", "http://h"}, map[string]string{"DFE_ENGINE_CLICKHOUSE_DDL_MAX_QUERY_SIZE": "big"}, "a whole number of bytes from 262144"},
		{[]string{"topic", "status", "--brokers", "kafka"}, nil, "it is host:port"},
		{[]string{"topic", "plan"}, map[string]string{"DFE_ENGINE_KAFKA_BROKERS": "kafka"}, `DFE_ENGINE_KAFKA_BROKERS="kafka" is unusable: it accepts host:port`},
		{[]string{"topic", "plan"}, map[string]string{"DFE_ENGINE_KAFKA_SASL_MECHANISM": "PLAIN"}, "needs a user"},
		{[]string{"schema", "plan", "--url", "http://h"}, map[string]string{"DFE_ENGINE_CLICKHOUSE_TLS_CA_FILE": "ca.pem"}, "use https://"},
	} {
		run(t, c.env, c.args...).demand(t, cli.ExitUsage, c.words)
	}
}

func TestAURLThatNamesNoServerIsAFaultOfUsageInEveryCommandThatTakesOne(t *testing.T) {
	source := "../../examples/deployment/sources/web-access.hcl"
	for url, fault := range map[string]string{
		"http://localhost:99999": "the port 99999: give one from 1 to 65535", "http://localhost:0": "the port 0", "http://:8123": "names no host",
		"mysql://localhost": `the scheme "mysql"`, "http://[::1": "cannot be read", "http://localhost:one": "cannot be read",
	} {
		for _, command := range []string{"serve", "schema plan", "schema apply", "schema status", "schema inspect", "schema grants", "source plan " + source, "source apply " + source} {
			run(t, nil, append(strings.Fields(command), "--url", url)...).demand(t, cli.ExitUsage, "--url: ", fault)
		}
		run(t, nil, "schema", "diff", "--from", url, "--to", "../../stdlib").demand(t, cli.ExitUsage, "--from: ", fault)
		run(t, nil, "schema", "diff", "--from", "../../stdlib", "--to", url).demand(t, cli.ExitUsage, "--to: ", fault)
		run(t, map[string]string{"DFE_ENGINE_CLICKHOUSE_URL": url}, "schema", "plan").demand(t, cli.ExitUsage, "DFE_ENGINE_CLICKHOUSE_URL has an unusable value: ", strings.Split(fault, ":")[0], "it accepts clickhouse://")
	}
}

// A service that started without its tree would come to rest on a schema that lacks half of what it is to be.
func TestADirectoryThatIsNotThereIsAFaultOfUsageByFlagAndByVariableAlike(t *testing.T) {
	file := filepath.Join(write(t, garden), "manifest.hcl")
	for _, words := range []string{"serve", "schema plan", "schema apply", "schema status", "schema lint", "schema grants", "source plan", "source apply", "tenant plan", "tenant apply", "topic plan", "topic status"} {
		command := strings.Fields(words)
		at := "http://127.0.0.1:1"
		switch {
		case command[0] == "source":
			command = append(command, "../../examples/deployment/sources/web-access.hcl", "--url", at)
		case command[0] == "tenant":
			command = append(command, "../../examples/deployment/tenants.hcl", "--url", at)
		case command[0] != "topic" && words != "schema lint":
			command = append(command, "--url", at)
		}
		for path, fault := range map[string]string{filepath.Join(t.TempDir(), "none"): "there is no such directory", file: "it is no directory"} {
			for _, flag := range []string{"--tree", "--overlay"} {
				run(t, nil, append(slices.Clone(command), flag, path)...).demand(t, cli.ExitUsage, flag+" "+path+": "+fault, "schema tree, or leave the flag out")
			}
			if words == "schema lint" {
				continue // it reads no variable
			}
			run(t, map[string]string{"DFE_ENGINE_SCHEMAS_OVERLAY_DIR": path}, command...).demand(t, cli.ExitUsage, "DFE_ENGINE_SCHEMAS_OVERLAY_DIR", path, fault, "a directory that is there")
		}
	}
}

func TestAMisspeltVariableIsToldOnceAndItsValueNever(t *testing.T) {
	env := map[string]string{"DFE_ENGINE_CLICKHOUSE_URI": "http://u:hidden@127.0.0.1:1"}
	for _, command := range []string{"serve", "schema plan", "schema apply", "schema status", "schema inspect", "topic plan --brokers kafka", "schema diff --from http://127.0.0.1:1 --to http://127.0.0.1:1"} {
		r := run(t, env, strings.Fields(command)...)
		said := strings.ReplaceAll(r.err, `\"`, `"`) // the log is JSON
		if n := strings.Count(said, `DFE_ENGINE_CLICKHOUSE_URI, which is no variable of dfe and is ignored. Did you mean "DFE_ENGINE_CLICKHOUSE_URL"?`); n != 1 || strings.Contains(r.out+r.err, "hidden") {
			t.Errorf("%s says so %d times: %s", command, n, r.err)
		}
	}
	r := run(t, map[string]string{"DFE_ENGINE_LOG_LEVELS": "hidden", "DFE_ENGINE_LOG_LEVEL": "loud"}, "serve", "--url", "http://127.0.0.1:1")
	r.demand(t, cli.ExitUsage, `Did you mean "DFE_ENGINE_LOG_LEVEL"?`, "is unusable")
}

func TestAFailureIsADocumentTooWhereJSONWasAsked(t *testing.T) {
	r := run(t, nil, "schema", "plan", "--url", "http://127.0.0.1:1", "--format", "json")
	r.demand(t, cli.ExitFailed)
	var doc struct {
		Version int
		Error   string
	}
	decode(t, r.out, &doc)
	if doc.Version != 1 || !strings.Contains(doc.Error, "refused") {
		t.Errorf("the document is %s", r.out)
	}
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	for _, command := range []string{"demo", "schema plan", "schema apply", "schema status", "schema diff", "schema inspect", "topic plan", "topic status", "embedded", "version"} {
		r := run(t, nil, append(strings.Fields(command), "--help")...)
		r.demand(t, cli.ExitDone, "Examples:\n  dfe "+command, "--format text|json")
	}
	run(t, nil, "help", "environment").demand(t, cli.ExitDone, "DFE_ENGINE_CLICKHOUSE_PASSWORD_FILE", "default 16777216")
}

func TestTheHelpOfWaitNamesOnlyWhatTheCommandWaitsFor(t *testing.T) {
	const lease = "a lease that another pass holds"
	for _, command := range []string{"schema plan", "schema status", "schema grants", "schema inspect", "source plan", "topic plan"} {
		if r := run(t, nil, append(strings.Fields(command), "--help")...); strings.Contains(r.out, lease) || !strings.Contains(r.out, "--wait duration") {
			t.Errorf("%s:\n%s", command, r.out)
		}
	}
	run(t, nil, "schema", "apply", "--help").demand(t, cli.ExitDone, lease)
	r := run(t, nil, "serve", "--help")
	r.demand(t, cli.ExitDone, lease, "(default: DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS, else 3m0s)\n")
}

func TestTheShellCompletesCommandsAndValues(t *testing.T) {
	run(t, nil, "completion", "bash").demand(t, cli.ExitDone, "bash completion")
	run(t, nil, "__complete", "schema", "").demand(t, cli.ExitDone, "apply", "diff", "grants", "inspect", "plan", "status")
	for line, words := range map[string]string{
		"schema plan --format":     "text\njson\n",
		"schema lint --format":     "text\njson\nsarif\n",
		"schema grants --platform": "self_hosted\ncloud\n",
		"serve --log-format":       "json\ntext\n",
		"embedded --without":       "keeper\nremote_servers\ncluster\nshard\nreplica\n",
		"token new x --permission": "source.deploy\nsource.plan\n",
	} {
		run(t, nil, append(append([]string{"__complete"}, strings.Fields(line)...), "")...).demand(t, cli.ExitDone, words)
	}
	run(t, nil, "__complete", "serve", "--embedded", "").demand(t, cli.ExitDone, "ShellCompDirectiveFilterDirs")
}

func TestVersionNamesWhatTheProgramCarries(t *testing.T) {
	var doc map[string]any
	decode(t, run(t, nil, "version", "--format", "json").out, &doc)
	got := map[string]any{"version": doc["version"], "schemas": doc["schemas"], "embedded": doc["embedded"]}
	if diff := cmp.Diff(map[string]any{"version": 1.0, "schemas": "2026.11.0", "embedded": "26.7.3-stable.1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoColourAndNoProgressWhereThereIsNoTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code := cli.Run(t.Context(), cli.Process{Out: f, Err: f, Getenv: func(string) string { return "" }},
		[]string{"schema", "diff", "--from", "../../examples/quickstart", "--to", "../../stdlib"})
	text, err := os.ReadFile(file)
	if err != nil || code != cli.ExitDone || bytes.ContainsAny(text, "\x1b\r") || len(text) == 0 {
		t.Errorf("exit code %d, error %v, output %q", code, err, text)
	}
}

func TestAFailedPassIsToldOnceAndWithoutBlanks(t *testing.T) {
	early := run(t, nil, "schema", "apply", "--url", "http://127.0.0.1:1")
	early.demand(t, cli.ExitFailed, "nothing listens there")
	if strings.Contains(early.out, "  ") || strings.Contains(early.out, " on ,") || strings.Contains(early.out, "release") {
		t.Errorf("what is not known is told: %q", early.out)
	}
	tree := write(t, `
-- manifest.hcl --
release = "1"
database "d" {}
table "d.t" { from = "t.sql" }
-- t.sql --
CREATE TABLE d.t (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS storage_policy = 'nowhere'
`)
	for i, words := range []string{"failed at 1 object,", "failed at 2 objects,"} {
		n := i + 1
		if n == 2 {
			manifest := filepath.Join(tree, "manifest.hcl")
			text, err := os.ReadFile(manifest)
			if err == nil {
				err = os.WriteFile(manifest, append(text, "table \"d.u\" { from = \"u.sql\" }\n"...), 0o600)
			}
			if err := errors.Join(err, os.WriteFile(filepath.Join(tree, "u.sql"), []byte("CREATE TABLE d.u (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS storage_policy = 'elsewhere'"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		r := dfe(t, nil, "schema", "apply", "--tree", tree, "--embedded", filepath.Join(t.TempDir(), "data"))
		r.demand(t, cli.ExitFailed, "code 478", words)
		if told := strings.Count(r.out+r.err, "code 478"); told != n {
			t.Errorf("of %d failed objects the reason is told %d times\nstdout: %s\nstderr: %s", n, told, r.out, r.err)
		}
	}
}

func TestTheCodeOfAFailureIsToldToPeopleToo(t *testing.T) {
	_, url := serve(t)
	for _, command := range []string{"plan", "apply"} {
		dfe(t, nil, "schema", command, "--tree", write(t, garden), "--url", url).demand(t, cli.ExitFailed, ": clickhouse_not_replicated: ")
	}
	r := dfe(t, nil, "schema", "plan", "--tree", write(t, garden), "--url", url, "--format", "json")
	r.demand(t, cli.ExitFailed, `"code":"clickhouse_not_replicated"`)
}

func TestInspectPrintsDefinitionsOnLinesThatReadBack(t *testing.T) {
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	dfe(t, nil, "schema", "apply", "--tree", tree, "--embedded", data).demand(t, 0)
	r := dfe(t, nil, "schema", "inspect", "--embedded", data)
	r.demand(t, 0, "-- database default: the server made it", "AS SELECT\n    bed,\n")
	dfe(t, nil, "schema", "inspect", "--embedded", data, "--database", "gadren").demand(t, cli.ExitFailed, `the server has no database "gadren". Did you mean "garden"?`)
	for line := range strings.Lines(r.out) {
		if len(line) > 200 {
			t.Errorf("a line of %d characters: %.80s", len(line), line)
		}
	}
	script := filepath.Join(t.TempDir(), "dump.sql")
	if err := os.WriteFile(script, []byte(r.out), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "schema", "diff", "--from", script, "--to", tree, "--exit-code").demand(t, cli.ExitDifferences, "dfe.schema_lock")
	run(t, nil, "schema", "diff", "--from", script, "--to", script, "--exit-code").demand(t, 0)
}

func TestGrantsAreStatementsForAnAdministrator(t *testing.T) {
	tree := write(t, garden)
	dfe(t, nil, "schema", "grants", "--tree", tree, "--for", "dfe engine").demand(t, 0,
		"GRANT CLUSTER ON *.* TO `dfe engine`;", "CREATE TABLE", "ON garden.* TO `dfe engine`;")
	dfe(t, nil, "schema", "grants", "--tree", tree, "--embedded", filepath.Join(t.TempDir(), "data"), "--exit-code").demand(t, 0, "ON garden.* TO default;", "-- 0 of")
}
