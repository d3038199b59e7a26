package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/cli"
)

func TestTheMapOfTheReadmeHasEveryPackage(t *testing.T) {
	const root = "../.."
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(readme), "\n## Map of the packages\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	there := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (strings.HasPrefix(name, ".") && path != root || name == "internal" || name == "testdata" || name == "node_modules" || strings.HasSuffix(name, "test")):
			return fs.SkipDir
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			dir, err := filepath.Rel(root, filepath.Dir(path))
			there[filepath.ToSlash(dir)] = true
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range there {
		if !strings.HasPrefix(dir, "examples/") && !strings.Contains(chapter, "`"+dir+"`") {
			t.Errorf("%s is not in the map", dir)
		}
	}
	for _, named := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(chapter, -1) {
		for _, dir := range strings.Split(named[1], ", ") {
			if dir = strings.Trim(dir, "`"); dir != "examples" && !there[dir] {
				t.Errorf("the map names %s, which is no package", dir)
			}
		}
	}
}

// snippet is a block of the README that begins with the name of its file.
var snippet = regexp.MustCompile("(?ms)^```(?:hcl|sql)\n(?:#|--) ([a-z_/-]+\\.(?:hcl|sql))\n(.*?)^```$")

// TestTheTreeOfTheReadmeIsOneAndItsFaultIsShownAsPrinted makes the tree that the README shows, file by file.
func TestTheTreeOfTheReadmeIsOneAndItsFaultIsShownAsPrinted(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{}
	for _, m := range snippet.FindAllStringSubmatch(string(readme), -1) {
		// The line that names the file stays, so that lines count as they do in a reader's editor.
		comment := "# " + m[1] + "\n"
		if strings.HasSuffix(m[1], ".sql") {
			comment = "-- " + m[1] + "\n"
		}
		files[m[1]] = comment + m[2]
	}
	if len(files) != 4 {
		t.Fatalf("the README shows %d files of a tree, want 4", len(files))
	}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		put(name, text)
	}
	dfe(t, nil, "schema", "apply", "--tree", dir, "--embedded", filepath.Join(t.TempDir(), "data")).demand(t, 0, "shop.visits", "shop.top_pages")

	table := "tables/visits.hcl"
	put(table, strings.Replace(files[table], "ReplacingMergeTree", "ReplacingMergTree", 1))
	r := run(t, nil, "schema", "plan", "--tree", dir, "--url", "http://127.0.0.1:1")
	r.demand(t, cli.ExitFailed)
	shown := regexp.MustCompile("(?ms)^```\n(Error: .*?)^```$").FindStringSubmatch(string(readme))
	if shown == nil || !strings.HasPrefix(r.err, shown[1]) {
		t.Errorf("the README shows\n%v\nand it is\n%s", shown, r.err)
	}
}

// shownAs finds what the README shows of each kind: the first block behind its name.
var shownAs = regexp.MustCompile("(?ms)^\\*\\*(\\w+)\\*\\*.*?^```hcl\n(.*?)^```$")

// chapter returns a chapter of the README.
func chapter(t *testing.T, title string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(readme), "\n## "+title+"\n")
	if !found {
		t.Fatalf("the README has no chapter %q", title)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestTheDefinitionsOfTheReferenceAreTakenByTheEngine makes a tree of what the README shows of the manifest and of each
// kind that has a CREATE of ClickHouse's own, and creates it.
func TestTheDefinitionsOfTheReferenceAreTakenByTheEngine(t *testing.T) {
	tables := chapter(t, "Language reference: tables and what reads them")
	files := map[string]string{
		"common-header/timeseries.hcl": "column \"timestamp\" { type = \"DateTime('UTC')\" }\ncolumn \"source\" { type = \"String\" }\n",
		"tables/logs.hcl":              "column \"at\" { type = \"DateTime\" }\ncolumn \"message\" { type = \"String\" }\ncolumn \"labels\" { type = local.attributes }\nengine = \"MergeTree\"\norder_by = \"message\"\nttl = [\"at + INTERVAL ${var.logs_days * each.value} DAY\"]\n",
		"target.hcl":                   "column \"day\" { type = \"Date\" }\ncolumn \"country\" { type = \"LowCardinality(String)\" }\ncolumn \"orders\" { type = \"UInt64\" }\nengine = \"SummingMergeTree\"\norder_by = [\"day\", \"country\"]\n",
		"customers.hcl":                "column \"id\" { type = \"UInt64\" }\ncolumn \"parent\" { type = \"UInt64\" }\ncolumn \"name\" { type = \"String\" }\nengine = \"MergeTree\"\norder_by = \"id\"\n",
		"reporting.hcl":                "authentication \"no_password\" {}\ngrant {\n  privileges = [\"SELECT\", \"INSERT\"]\n  on = \"shop.*\"\n}\n",
	}
	for _, m := range shownAs.FindAllStringSubmatch(tables, -1) {
		files[m[1]+".hcl"] = m[2]
	}
	for _, kind := range []string{"table", "view", "materialized_view", "dictionary", "function"} {
		if files[kind+".hcl"] == "" {
			t.Fatalf("the README shows no %s", kind)
		}
	}
	refresh := regexp.MustCompile("(?ms)^(refresh \\{.*?^\\}\n)").FindString(tables)
	files["hourly.hcl"] = strings.ReplaceAll(files["materialized_view.hcl"], "comment ", "# ") + refresh
	files["rates.hcl"] = "to = \"shop.orders_by_day\"\nquery = \"SELECT today() AS day, 'x' AS country, toUInt64(1) AS orders\"\nrefresh {\n  every = \"1 HOUR\"\n  append = true\n}\n"

	manifest := chapter(t, "Language reference: the manifest")
	head := regexp.MustCompile("(?ms)^```hcl\n(release .*?)^```$").FindStringSubmatch(manifest)
	database := regexp.MustCompile("(?ms)^```hcl\n(database \"shop\" .*?^\\}\n)").FindStringSubmatch(manifest)
	if head == nil || database == nil || refresh == "" {
		t.Fatal("the README shows no manifest, no database or no refresh")
	}
	before, rest, _ := strings.Cut(head[1], "table \"shop.logs\"")
	text := before + database[1] + "table \"shop.logs\"" + rest
	for _, entry := range []string{
		"table shop.orders table", "table shop.orders_by_day target", "table shop.customers customers", "user reporting reporting",
		"view shop.by_country view", "materialized_view shop.daily materialized_view", "materialized_view shop.rates rates",
		"materialized_view shop.hourly hourly", "dictionary shop.names dictionary", "function shop_gross function",
	} {
		words := strings.Fields(entry)
		text += words[0] + " \"" + words[1] + "\" { from = \"" + words[2] + ".hcl\" }\n"
	}
	files["manifest.hcl"] = text
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(t.TempDir(), "data")
	dfe(t, nil, "schema", "apply", "--tree", dir, "--embedded", data).demand(t, cli.ExitDone, "shop.logs_api", "shop.hourly", "converged")
	dfe(t, nil, "schema", "plan", "--tree", dir, "--embedded", data).demand(t, cli.ExitDone, "no difference")
}

// TestTheDefinitionsOfTheAccessReferenceHaveNoFault makes a tree of what the README shows of each kind of access.
func TestTheDefinitionsOfTheAccessReferenceHaveNoFault(t *testing.T) {
	shown := map[string]string{}
	for _, m := range shownAs.FindAllStringSubmatch(chapter(t, "Language reference: access"), -1) {
		shown[m[1]] = m[2]
	}
	shown["base"], shown["profile"], shown["ops"] = "", "settings = { max_threads = 4 }\n", "authentication \"no_password\" {}\n"
	const table = "column \"id\" { type = \"UInt64\" }\ncolumn \"total\" { type = \"UInt64\" }\ncolumn \"owner\" { type = \"String\" }\nengine = \"MergeTree\"\norder_by = \"id\"\n"
	shown["table"] = table
	manifest := "release = \"1.0.0\"\ndatabase \"shop\" {}\n"
	for _, entry := range []string{
		"table shop.orders table", "table shop.log_1 table", "table shop.secrets table",
		"settings_profile web profile", "role base base", "role dfe_writer base", "role reader role", "user app user", "user ops ops",
		"settings_profile limits settings_profile", "quota app quota", "row_policy own_rows_ON_shop.orders row_policy", "grant more grant",
	} {
		words := strings.Fields(entry)
		if _, ok := shown[words[2]]; !ok {
			t.Fatalf("the README shows no %s", words[2])
		}
		manifest += words[0] + " \"" + strings.Replace(words[1], "_ON_", " ON ", 1) + "\" { from = \"" + words[2] + ".hcl\" }\n"
	}
	dir := t.TempDir()
	shown["manifest"] = manifest
	for name, text := range shown {
		if err := os.WriteFile(filepath.Join(dir, name+".hcl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, nil, "schema", "lint", "--tree", dir)
	if strings.Contains(r.out, " error ") {
		t.Error(r.out)
	}
	r.demand(t, cli.ExitDifferences) // advice on comments
}
