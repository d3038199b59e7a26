package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// bare is an environment in which the engine's library is nowhere: an empty cache, no library named, and a path that
// holds no npm.
func bare(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	return []string{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "DFE_EMBEDDED_LIBRARY=", "LD_LIBRARY_PATH=", "PATH=" + filepath.Join(home, "bin")}
}

func TestWithoutNodeTheDemoSaysWhatToInstall(t *testing.T) {
	tmp := t.TempDir()
	r := dfe(t, append(bare(t), "TMPDIR="+tmp), "demo")
	r.demand(t, 1, "npm", "DFE_EMBEDDED_LIBRARY")
	if names := leftovers(t, tmp); len(names) != 0 || strings.Count(strings.TrimSpace(r.err), "\n") > 1 {
		t.Errorf("left behind: %v\nstderr: %s", names, r.err)
	}
}

func TestWithoutNetworkTheDemoSaysSo(t *testing.T) {
	env := bare(t)
	bin := strings.TrimPrefix(env[len(env)-1], "PATH=")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	// What npm prints without a network, by its own version 10.
	script := "#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\necho 'npm error network request failed, reason: getaddrinfo ENOTFOUND registry' >&2\nexit 1\n"
	for _, name := range []string{"npm", "node"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dfe(t, env, "demo").demand(t, 1, "the package registry could not be reached", "ENOTFOUND", "DFE_EMBEDDED_LIBRARY")
}

func TestATamperedLibraryIsNeverLoaded(t *testing.T) {
	env := bare(t)
	dir := filepath.Join(strings.TrimPrefix(env[1], "XDG_CACHE_HOME="), "dfe", "engine", embedded.Version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "libchdb.so"), []byte("\x7fELF and not much more"), 0o644); err != nil {
		t.Fatal(err)
	}
	dfe(t, env, "demo").demand(t, 1, "libchdb.so")
}

func TestADirectoryInUseIsRefusedByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	_, url := serve(t, "--path", path)
	dfe(t, nil, "schema", "plan", "--embedded", path).demand(t, 1, path, "already in use by process", "use another directory")
	if got := query(t, url, "SELECT 1"); got != "1" {
		t.Errorf("the server that holds it answers %q", got)
	}
}

func TestAManifestFaultIsShownWithItsLine(t *testing.T) {
	for _, c := range []struct {
		name, tree string
		words      []string
	}{
		{"syntax", "-- manifest.hcl --\nrelease = \"1\"\ndatabase \"d\" {\n", []string{"manifest.hcl:2:", `database "d" {`}},
		{"unknown attribute", "-- manifest.hcl --\nrelease = \"1\"\ndatabase \"d\" {}\ntable \"d.t\" { frm = \"t.hcl\" }\n", []string{"manifest.hcl:3:", `table "d.t" { frm = "t.hcl" }`, `from`}},
		{"duplicate name", "-- manifest.hcl --\nrelease = \"1\"\ndatabase \"d\" {}\ndatabase \"d\" {}\n", []string{"manifest.hcl:3:", `database "d" {}`}},
		{"missing definition", "-- manifest.hcl --\nrelease = \"1\"\ndatabase \"d\" {}\ntable \"d.t\" { from = \"gone.hcl\" }\n", []string{"manifest.hcl:3:", "gone.hcl"}},
		{"used before declared", "-- manifest.hcl --\nrelease = \"1\"\ndatabase \"d\" {}\nview \"d.v\" { from = \"v.sql\" }\ntable \"d.t\" { from = \"t.sql\" }\n-- v.sql --\nCREATE VIEW d.v AS SELECT a FROM d.t\n-- t.sql --\nCREATE TABLE d.t (a UInt8) ENGINE = MergeTree ORDER BY a\n", []string{"v.sql:1:", "CREATE VIEW d.v AS SELECT a FROM d.t", "d.t"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := write(t, c.tree)
			r := run(t, nil, "schema", "plan", "--tree", tree, "--url", "http://127.0.0.1:1")
			r.demand(t, 1, append(c.words, "nothing was sent")...)
			if r.out != "" {
				t.Errorf("standard output holds %q", r.out)
			}
			var doc struct {
				Diagnostics []struct {
					File, Summary string
					Line          int
				}
			}
			decode(t, run(t, nil, "schema", "plan", "--tree", tree, "--url", "http://127.0.0.1:1", "--format", "json").out, &doc)
			if len(doc.Diagnostics) == 0 || doc.Diagnostics[0].Line == 0 || doc.Diagnostics[0].Summary == "" {
				t.Errorf("the diagnostics read %+v", doc)
			}
		})
	}
}

func TestAServerThatIsDownIsNamed(t *testing.T) {
	for _, command := range []string{"plan", "apply", "status"} {
		run(t, nil, "schema", command, "--url", "http://127.0.0.1:1").demand(t, 1, "http://127.0.0.1:1: the connection is refused: nothing listens there; start it")
	}
}

func TestAServerThatRefusesThePasswordIsNamedAndNoSecretShown(t *testing.T) {
	const right, wrong = "the-right-one", "the-wrong-one"
	dir := t.TempDir()
	for name, text := range map[string]string{"right": right + "\n", "wrong": wrong + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, url := serve(t, "--password-file", filepath.Join(dir, "right"))
	for _, c := range []struct {
		env  []string
		url  string
		code int
	}{
		{[]string{"DFE_ENGINE_CLICKHOUSE_PASSWORD=" + wrong}, url, 1},
		{[]string{"DFE_ENGINE_CLICKHOUSE_PASSWORD_FILE=" + filepath.Join(dir, "wrong")}, url, 1},
		{nil, strings.Replace(url, "//", "//default:"+wrong+"@", 1), 1},
		{nil, url, 1},
		{[]string{"DFE_ENGINE_CLICKHOUSE_PASSWORD_FILE=" + filepath.Join(dir, "right")}, url, 0},
		{[]string{"DFE_ENGINE_CLICKHOUSE_PASSWORD=" + right}, url, 0},
	} {
		r := dfe(t, c.env, "schema", "status", "--url", c.url)
		if c.code != 0 {
			r.demand(t, c.code, "refuses the user or the password", "correct the user and the password")
		} else {
			r.demand(t, 0)
		}
		if strings.Contains(r.out+r.err, right) || strings.Contains(r.out+r.err, wrong) {
			t.Errorf("a password is shown\nstdout: %s\nstderr: %s", r.out, r.err)
		}
	}
}

func TestADefinitionTheServerRejectsIsToldWithWhatWasAndWasNotApplied(t *testing.T) {
	tree := write(t, `
-- manifest.hcl --
release = "1.0.0"
database "yard" {}
table "yard.good" { from = "good.sql" }
table "yard.bad"  { from = "bad.sql" }
view  "yard.over" { from = "over.sql" }
table "yard.next" { from = "next.sql" }
-- good.sql --
CREATE TABLE yard.good (a UInt8) ENGINE = MergeTree ORDER BY a
-- bad.sql --
CREATE TABLE yard.bad (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS storage_policy = 'nowhere'
-- over.sql --
CREATE VIEW yard.over AS SELECT a FROM yard.bad
-- next.sql --
CREATE TABLE yard.next (a UInt8) ENGINE = MergeTree ORDER BY a
`)
	data := filepath.Join(t.TempDir(), "data")
	r := dfe(t, nil, "schema", "apply", "--tree", tree, "--embedded", data)
	r.demand(t, 1, "the server rejects the statement for table yard.bad", "code 478", "nowhere",
		"applied  table     yard.good", "failed   table     yard.bad", "blocked  view      yard.over", "because table yard.bad did not come to be", "applied  table     yard.next")
	dfe(t, nil, "schema", "status", "--tree", tree, "--embedded", data).demand(t, 0, "absent")
}

func TestNoEngineIsPutIntoASchemaTreeOrAFile(t *testing.T) {
	tree := write(t, garden)
	file := filepath.Join(tree, "manifest.hcl")
	before := leftovers(t, tree)
	for _, line := range [][]string{{"schema", "plan"}, {"schema", "apply"}, {"schema", "inspect"}, {"serve"}} {
		dfe(t, nil, append(line, "--embedded", tree)...).demand(t, 2, "--embedded "+tree+": it is a schema tree")
		dfe(t, nil, append(line, "--embedded", file)...).demand(t, 2, "--embedded "+file+": it is no directory")
	}
	dfe(t, nil, "embedded", "--port", "0", "--path", tree).demand(t, 2, "--path "+tree+": it is a schema tree")
	if after := leftovers(t, tree); len(after) != len(before) {
		t.Errorf("the tree had %v and has %v", before, after)
	}
}

func TestAPlaceThatCannotBeWrittenIsNamedWithWhatNamesAnother(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	dfe(t, []string{"TMPDIR=" + nowhere}, "embedded", "--port", "0").demand(t, 1, "no temporary directory can be made in "+nowhere, "TMPDIR")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dfe(t, append(bare(t), "XDG_CACHE_HOME="+file), "demo").demand(t, 1, "the cache directory "+file, "DFE_EMBEDDED_LIBRARY", "XDG_CACHE_HOME")
	dfe(t, []string{"DFE_EMBEDDED_LIBRARY=" + file}, "demo").demand(t, 1, file+" cannot be loaded", "DFE_EMBEDDED_LIBRARY names another")
}

func TestWhatIsLeftOutOfAnOverlayIsToldOnce(t *testing.T) {
	tree := write(t, garden)
	overlay := write(t, `
-- manifest.hcl --
release = "1.0.0"
view "garden.sunny" { from = "own/sunny.sql" }
-- own/sunny.sql --
CREATE VIEW garden.sunny AS SELECT 1 AS one
`)
	data := filepath.Join(t.TempDir(), "data")
	const told = "refused of the overlay"
	for _, command := range []string{"plan", "apply"} {
		r := dfe(t, nil, "schema", command, "--embedded", data, "--tree", tree, "--overlay", overlay)
		if n := strings.Count(r.out+r.err, told); r.code != 0 || n != 1 {
			t.Errorf("%s ends with %d and tells it %d times:\n%s%s", command, r.code, n, r.out, r.err)
		}
	}
	p := startPod(t, nil, "--embedded", data, "--tree", tree, "--overlay", overlay)
	p.until(t, "pass converged")
	p.stop(t)
	if n := strings.Count(p.read.String(), told); n != 1 {
		t.Errorf("the log tells it %d times:\n%s", n, p.read.String())
	}
}

func TestTopicsWithoutABusAreSkippedAndItIsSaidWhatNamesOne(t *testing.T) {
	for _, command := range []string{"plan", "status"} {
		run(t, nil, "topic", command).demand(t, 0, "topics are skipped", "--brokers or DFE_ENGINE_KAFKA_BROKERS names them")
	}
}

func TestOnlyACommandThatAppliesMakesADataDirectory(t *testing.T) {
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	for _, command := range []string{"plan", "status", "grants", "inspect"} {
		args := []string{"schema", command, "--embedded", data}
		if command != "inspect" {
			args = append(args, "--tree", tree)
		}
		dfe(t, nil, args...).demand(t, 0, data+" holds no data yet", "nothing is left behind")
		if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s left %s behind: %v", command, data, err)
		}
	}
	dfe(t, nil, "schema", "diff", "--from", "embedded:"+data, "--to", tree).demand(t, 1, "holds no data of an engine")
	dfe(t, nil, "schema", "apply", "--embedded", data, "--tree", tree).demand(t, 0, "converged")
	if _, err := os.Stat(data); err != nil {
		t.Error(err)
	}
}
