package tenants_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/tenants"
	"github.com/dfe-engine/dfe/rules"
)

const config = `
tier "small" {
  hour = { queries = 1000, read_rows = 1e9 }
  day  = { execution_time = 3600.5 }
}
organisation "acme" {
  tier       = "small"
  secret_env = "ACME_PASSWORD"
}
organisation "a\"b; DROP" {
  secret_file = "/run/secrets/b"
}
group "soc" {
  tier          = "small"
  organisations = ["acme", "a\"b; DROP"]
  secret_env    = "SOC_PASSWORD"
}
`

const asJSON = `{
  "tier": {"small": {"hour": {"queries": 1000, "read_rows": 1e9}, "day": {"execution_time": 3600.5}}},
  "organisation": {
    "acme": {"tier": "small", "secret_env": "ACME_PASSWORD"},
    "a\"b; DROP": {"secret_file": "/run/secrets/b"}
  },
  "group": {"soc": {"tier": "small", "organisations": ["acme", "a\"b; DROP"], "secret_env": "SOC_PASSWORD"}}
}`

// render returns the objects that a config declares over the core release, as statements.
func render(t *testing.T, o engine.Options, text string) []string {
	t.Helper()
	c, err := tenants.Parse("tenants.hcl", []byte(text))
	if err != nil {
		t.Fatal(faults(err))
	}
	o.Target = catalog.Target{URL: "http://localhost:1"}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := e.CheckPart(c.Part())
	if err != nil {
		t.Fatal(faults(err))
	}
	var list []string
	for _, d := range tree.Objects {
		list = append(list, string(d.Kind)+" "+d.Name.String())
		if d.Kind.IsAccess() && d.Kind != ast.KindGrant {
			list = append(list, "  "+ast.Create(rules.Render(d.Object, rules.SelfHosted), ast.Style{}))
		}
	}
	return list
}

// faults lists what is wrong, as "place: summary".
func faults(err error) string {
	var fault *engine.TreeError
	if !errors.As(err, &fault) {
		return fmt.Sprint(err)
	}
	var list []string
	for _, d := range fault.Diags {
		place := "nowhere"
		if d.Subject != nil {
			place = fmt.Sprintf("%s:%d", d.Subject.Filename, d.Subject.Start.Line)
		}
		list = append(list, place+": "+d.Summary)
	}
	return strings.Join(list, "; ")
}

// small is a core release with one table of shared rows and one of none.
func small(t *testing.T) engine.Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.hcl": "release = \"1\"\ndatabase \"shop\" {}\ntable \"shop.orders\" { from = \"orders.hcl\" }\ntable \"shop.rates\" { from = \"rates.hcl\" }\n",
		"orders.hcl":   "column \"org_id\" { type = \"String\" }\nengine   = \"MergeTree\"\norder_by = \"org_id\"\n",
		"rates.hcl":    "column \"day\" { type = \"Date\" }\nengine   = \"MergeTree\"\norder_by = \"day\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return engine.Options{Tree: dir}
}

func TestATenantIsAUserWithItsOwnDatabasesRowsAndQuota(t *testing.T) {
	const b = "org_ax22bx3bx20x44x52x4fx50"
	want := []string{
		"database org_acme", "database " + b,
		"role group_soc__reader", "  CREATE ROLE group_soc__reader",
		"role org_acme__reader", "  CREATE ROLE org_acme__reader",
		"role " + b + "__reader", "  CREATE ROLE " + b + "__reader",
		"user group_soc", "  CREATE USER group_soc IDENTIFIED WITH sha256_password BY secret('env:SOC_PASSWORD')",
		"user org_acme", "  CREATE USER org_acme IDENTIFIED WITH sha256_password BY secret('env:ACME_PASSWORD')",
		"user " + b, "  CREATE USER " + b + " IDENTIFIED WITH sha256_password BY secret('file:/run/secrets/b')",
		"row_policy group_soc ON shop.orders", `  CREATE ROW POLICY group_soc ON shop.orders FOR SELECT USING org_id IN ('acme', 'a"b; DROP') TO group_soc`,
		"row_policy org_acme ON shop.orders", "  CREATE ROW POLICY org_acme ON shop.orders FOR SELECT USING org_id IN ('acme') TO org_acme",
		"row_policy " + b + " ON shop.orders", "  CREATE ROW POLICY " + b + ` ON shop.orders FOR SELECT USING org_id IN ('a"b; DROP') TO ` + b,
		"grant group_soc__shared", "grant org_acme__shared", "grant " + b + "__shared",
		"quota group_soc", "  CREATE QUOTA group_soc KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 1000, read_rows = 1000000000, FOR INTERVAL 1 day MAX execution_time = 3600.5 TO group_soc",
		"quota org_acme", "  CREATE QUOTA org_acme KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 1000, read_rows = 1000000000, FOR INTERVAL 1 day MAX execution_time = 3600.5 TO org_acme",
	}
	if diff := cmp.Diff(want, render(t, small(t), config)); diff != "" {
		t.Error(diff)
	}
}

func TestHCLAndJSONSayTheSame(t *testing.T) {
	o := small(t)
	if diff := cmp.Diff(render(t, o, config), render(t, o, asJSON)); diff != "" {
		t.Error(diff)
	}
}

// TestNothingIsGrantedThatAPolicyHasToGuardFirst holds for every shared table of the core release.
func TestNothingIsGrantedThatAPolicyHasToGuardFirst(t *testing.T) {
	c, err := tenants.Parse("tenants.hcl", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Target: catalog.Target{URL: "http://localhost:1"}})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := e.CheckPart(c.Part())
	if err != nil {
		t.Fatal(faults(err))
	}
	guarded := 0
	for _, d := range tree.Objects {
		g, isGrant := d.Object.(*ast.Grant)
		if !isGrant {
			continue
		}
		before := map[string]bool{}
		for _, needed := range d.Depends {
			if p, isPolicy := needed.Object.(*ast.RowPolicy); isPolicy && p.Short == g.To[0] {
				before[p.Table.String()] = true
			}
		}
		for _, r := range g.Rights {
			guarded++
			if table := r.Database + "." + r.Table; !before[table] {
				t.Errorf("%s may read %s before it has a policy: it has %v", g.To[0], table, before)
			}
		}
	}
	if guarded < 9 {
		t.Errorf("%d rights were looked at", guarded)
	}
}

func TestADeploymentWithoutSharedTablesOrTenantsNeedsNoPolicies(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "manifest.hcl"), []byte("release = \"1\"\ndatabase \"shop\" {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"database org_acme", "role org_acme__reader", "  CREATE ROLE org_acme__reader",
		"user org_acme", "  CREATE USER org_acme IDENTIFIED WITH sha256_password BY secret('env:P')",
	}
	if diff := cmp.Diff(want, render(t, engine.Options{Tree: dir}, "organisation \"acme\" { secret_env = \"P\" }")); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFaultOfAConfigIsNamedAndNoneShowsASecret(t *testing.T) {
	const acme = "organisation \"acme\" { secret_env = \"P\" }\n"
	for _, c := range []struct{ name, text, want string }{
		{"no HCL", "tier {", "t:1: Unclosed configuration block"},
		{"no JSON", "{", "t:1: Root value must be object; t:1: Missing value; t:1: Invalid object property name"},
		{"an unknown block", "tiers \"a\" {}", "t:1: Unsupported block type"},
		{"an unknown attribute", "organisation \"acme\" {\n  secret_env = \"P\"\n  quota = \"a\"\n}", "t:3: Unsupported argument"},
		{"an id twice", acme + acme, `t:2: The organisation "acme" stands twice`},
		{"an empty id", "organisation \"\" { secret_env = \"P\" }", "t:1: Wrong id"},
		{"a zero byte in an id", `{"organisation": {"a\u0000": {"secret_env": "P"}}}`, "t:1: Wrong id"},
		{"half a surrogate pair in an id", `{"organisation": {"a\ud800": {"secret_env": "P"}}}`, "t:1: Wrong id"},
		{"JSON that is no UTF-8", "{\"organisation\": {\n\"a\xff\": {\"secret_env\": \"P\"}}}", "t:2: Invalid character encoding"},
		{"HCL that is no UTF-8", "organisation \"a\xff\" { secret_env = \"P\" }", "t:1: Invalid character encoding"},
		{"a limit twice in JSON", `{"tier": {"a": {"hour": {"queries": 1, "queries": 2}}}}`, "t:1: Duplicate object attribute"},
		{"a password twice in JSON", `{"organisation": {"a": {"secret_env": "P", "secret_env": "Q"}}}`, "t:1: Duplicate argument"},
		{"an organisation twice in JSON", `{"organisation": {"a": {"secret_env": "P"}, "a": {"secret_env": "Q"}}}`, `t:1: The organisation "a" stands twice`},
		{"an unknown tier", "organisation \"acme\" {\n  secret_env = \"P\"\n  tier = \"small\"\n}", `t:1: Unknown tier "small"`},
		{"an unknown organisation", acme + "group \"g\" {\n  secret_env = \"P\"\n  organisations = [\"acme\", \"globex\"]\n}", `t:2: Unknown organisation "globex"`},
		{"an organisation twice in a group", acme + "group \"g\" {\n  secret_env = \"P\"\n  organisations = [\"acme\", \"acme\"]\n}", `t:2: The organisation "acme" stands twice`},
		{"a group of nobody", "group \"g\" { secret_env = \"P\" }", `t:1: The group "g" is for no organisation`},
		{"no password", "organisation \"acme\" {}", `t:1: The organisation "acme" has not one password`},
		{"two passwords", "organisation \"acme\" {\n  secret_env = \"P\"\n  secret_file = \"/p\"\n}", `t:1: The organisation "acme" has not one password`},
		{"a password for a variable", "organisation \"acme\" { secret_env = \"hunter-2\" }", "t:1: secret_env is no name of a variable"},
		{"a password for a file", "organisation \"acme\" { secret_file = \"hunter-2\" }", "t:1: secret_file is no absolute path"},
		{"a tier of nothing", "tier \"a\" {}", `t:1: The tier "a" limits nothing`},
		{"a period of nothing", "tier \"a\" { hour = {} }", `t:1: Wrong value for "hour"`},
		{"an unknown period", "tier \"a\" { week = { queries = 1 } }", `t:1: The tier "a" limits nothing; t:1: Unsupported argument`},
		{"an unknown limit", "tier \"a\" { hour = { rows = 1 } }", `t:1: Unknown limit "rows"`},
		{"a limit in words", "tier \"a\" { hour = { queries = \"many\" } }", `t:1: Wrong value of the limit "queries"`},
		{"a limit below nothing", "tier \"a\" { hour = { queries = -1 } }", `t:1: Wrong value of the limit "queries"`},
		{"half a query", "tier \"a\" { hour = { queries = 0.5 } }", `t:1: Wrong value of the limit "queries"`},
		{"a limit of nothing", "tier \"a\" { hour = { queries = 0 } }", `t:1: The limit "queries" of 0 limits nothing`},
		{"a time of nothing in JSON", `{"tier": {"a": {"day": {"execution_time": 0.0}}}}`, `t:1: The limit "execution_time" of 0 limits nothing`},
		{"a time below a nanosecond", "tier \"a\" { hour = { execution_time = 1e-10 } }", `t:1: Wrong value of the limit "execution_time"`},
		{"a time that no server keeps", "tier \"a\" { hour = { execution_time = 9e12 } }", `t:1: Wrong value of the limit "execution_time"`},
		{"a limit beyond all", "tier \"a\" { hour = { queries = 1e30 } }", `t:1: Wrong value of the limit "queries"`},
	} {
		_, err := tenants.Parse("t", []byte(c.text))
		if got := faults(err); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
		if err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
