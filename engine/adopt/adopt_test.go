package adopt_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/adopt"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/sides"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

func TestMain(m *testing.M) { embeddedtest.MainWith(m, access.New()) }

func TestAPlanOfAnAdoptedTreeFindsNothingToDo(t *testing.T) {
	url := embeddedtest.Server(t)
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, sql := range []string{
		"CREATE DATABASE harbour COMMENT 'Ships'", "CREATE DATABASE `old.docks`",
		"CREATE FUNCTION harbour_fee AS (tons, rate) -> tons * rate",
		"CREATE NAMED COLLECTION harbour_bus AS url = 'http://bus', password = 'hush'",
		"CREATE TABLE harbour.calls (id UUID DEFAULT generateUUIDv4(), at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(3)), `ship.name` String, tags Array(LowCardinality(String)), crew Nested(age UInt8, name String), fee Decimal(18, 4) DEFAULT harbour_fee(1.0, 0.2), state Enum8('in' = 1, 'out' = -1), INDEX by_tag tags TYPE bloom_filter GRANULARITY 2, PROJECTION by_time (SELECT at, count() GROUP BY at), CONSTRAINT paid CHECK fee >= 0) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (id, at) TTL toDateTime(at) + INTERVAL 30 DAY SETTINGS index_granularity = 4096",
		"CREATE TABLE harbour.Calls (id UInt64, notes String DEFAULT '${x} %{if}') ENGINE = MergeTree ORDER BY id COMMENT 'Quay — “one”'",
		"CREATE TABLE harbour.by_day (day Date, calls AggregateFunction(count)) ENGINE = AggregatingMergeTree ORDER BY day",
		"CREATE MATERIALIZED VIEW harbour.a_count TO harbour.by_day AS SELECT toDate(at) AS day, countState() AS calls FROM harbour.calls GROUP BY day",
		"CREATE MATERIALIZED VIEW harbour.own ENGINE = SummingMergeTree ORDER BY k AS SELECT 1 AS k, count() AS c FROM harbour.calls",
		"CREATE VIEW harbour.z_recent AS SELECT c.id, `ship.name` AS ship, d.day FROM harbour.calls AS c LEFT JOIN harbour.by_day AS d ON toDate(c.at) = d.day WHERE c.at > now() - INTERVAL 7 DAY",
		"CREATE VIEW harbour.a_recent AS SELECT * FROM harbour.z_recent",
		"CREATE VIEW harbour.of_ship AS SELECT id FROM harbour.calls WHERE `ship.name` = {ship:String}",
		"CREATE DICTIONARY harbour.rates (id UInt64, rate Float64 DEFAULT 1) PRIMARY KEY id SOURCE(MYSQL(HOST 'db' USER 'reader' PASSWORD 'hush' DB 'fees' TABLE 'rates')) LAYOUT(HASHED()) LIFETIME(MIN 0 MAX 600)",
		"CREATE TABLE harbour.ledger (id UInt64) ENGINE = MySQL('db:3306', 'fees', 'ledger', 'reader', 'hush')",
		"CREATE VIEW harbour.abroad AS SELECT a FROM s3('http://bucket/a.csv', 'key', 'hush', 'CSV', 'a UInt8')",
		"CREATE TABLE `old.docks`.`dock.1` (n Int32) ENGINE = MergeTree ORDER BY n",
		"CREATE SETTINGS PROFILE harbour_web SETTINGS max_threads = 4 MIN 1 MAX 8",
		"CREATE ROLE harbour_base", "CREATE ROLE harbour_any",
		"GRANT harbour_base TO harbour_any", "GRANT SELECT, INSERT(id, at) ON harbour.calls TO harbour_base", "GRANT SELECT ON `old.docks`.* TO harbour_any",
		"CREATE USER harbour_bob IDENTIFIED WITH sha256_password BY 'hush' HOST IP '10.0.0.0/8' SETTINGS PROFILE 'harbour_web'", "GRANT harbour_any TO harbour_bob",
		"CREATE ROW POLICY harbour_bob ON harbour.calls USING `ship.name` = currentUser() TO harbour_bob",
		"CREATE QUOTA harbour_hourly KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 100 TO harbour_bob",
	} {
		if err := conn.Exec(t.Context(), sql, "", nil); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	live, err := catalog.Read(t.Context(), conn, catalog.Scope{Access: true, Collections: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err := adopt.New("1.0.0", slices.Collect(live.All()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]adopt.LeftOut{}, made.LeftOut); diff != "" {
		t.Error(diff)
	}
	for _, f := range made.Files {
		if bytes.Contains(f.Data, []byte("hush")) || bytes.Contains(f.Data, []byte("[HIDDEN]")) {
			t.Errorf("%s holds a secret, or that there was one:\n%s", f.Name, f.Data)
		}
	}
	dir := filepath.Join(t.TempDir(), "schemas")
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	tree, err := sides.Tree(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := sides.Server(t.Context(), catalog.Target{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	doc := sides.Diff(server, tree, book(t), rules.Embedded)
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			t.Errorf("%s %s %s: %s -> %s is %s", o.Kind, o.Name, c.Path, c.Live, c.Desired, c.Action)
		}
	}
	if doc.Differs() || doc.Summary.None < 15 {
		t.Errorf("%+v", doc.Summary)
	}
}

func book(t *testing.T) *rules.Book {
	t.Helper()
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return book
}

// server is what a server has that these statements describe.
func server(t *testing.T, script string) []*catalog.Object {
	t.Helper()
	statements, err := ddl.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	var list []*catalog.Object
	for _, s := range statements {
		o := &catalog.Object{Kind: s.Object.Kind(), Name: s.Object.ID(), Text: s.Text, Tree: s.Object}
		list = append(list, o)
	}
	return list
}

func TestWhatAPlatformGivesIsNotAdopted(t *testing.T) {
	made, err := adopt.New("1.0.0", server(t, `
CREATE DATABASE quay ENGINE = Replicated('/clickhouse/databases/quay', '{shard}', '{replica}');
CREATE DATABASE default ENGINE = Atomic;
CREATE DATABASE dfe ENGINE = Atomic;
CREATE TABLE dfe.schema_lock (a UInt8) ENGINE = MergeTree ORDER BY a;
CREATE TABLE dfe.schema_migrations (a UInt8) ENGINE = MergeTree ORDER BY a;
CREATE TABLE quay.moored (ship String) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY ship;
CREATE MATERIALIZED VIEW quay.held (ship String) ENGINE = SharedAggregatingMergeTree('/a', '{replica}') ORDER BY ship AS SELECT ship FROM quay.moored;`))
	if err != nil {
		t.Fatal(err)
	}
	if len(made.LeftOut) > 0 {
		t.Errorf("%+v", made.LeftOut)
	}
	var text strings.Builder
	for _, f := range made.Files {
		text.WriteString("-- " + f.Name + " --\n" + string(f.Data) + "\n")
	}
	const want = `-- manifest.hcl --
release = "1.0.0"

database "quay" {}

table "quay.moored" {
  from = "tables/quay/moored.hcl"
}

materialized_view "quay.held" {
  from = "materialized_views/quay/held.sql"
}

-- tables/quay/moored.hcl --
column "ship" {
  type = "String"
}

engine   = "ReplacingMergeTree"
order_by = "ship"

-- materialized_views/quay/held.sql --
CREATE MATERIALIZED VIEW quay.held
(
    ` + "`ship`" + ` String
)
ENGINE = AggregatingMergeTree
ORDER BY ship
AS SELECT ship
FROM quay.moored;

`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTheBooksAreAdoptedWhereSomethingReadsThem(t *testing.T) {
	made, err := adopt.New("1.0.0", server(t, `
CREATE DATABASE dfe;
CREATE TABLE dfe.schema_lock (owner String) ENGINE = MergeTree ORDER BY owner;
CREATE TABLE dfe.schema_migrations (name String) ENGINE = MergeTree ORDER BY name;
CREATE VIEW dfe.holder AS SELECT owner FROM dfe.schema_lock;`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range made.Files {
		got = append(got, f.Name)
	}
	if diff := cmp.Diff([]string{"manifest.hcl", "tables/dfe/schema_lock.hcl", "views/dfe/holder.sql"}, got); diff != "" || len(made.LeftOut) > 0 {
		t.Errorf("%+v %s", made.LeftOut, diff)
	}
}

func TestWhatNoTreeCanDeclareIsLeftOutAndNamed(t *testing.T) {
	list := server(t, `
CREATE DATABASE quay;
CREATE TABLE quay.moored (ship String) ENGINE = MergeTree ORDER BY ship;
CREATE VIEW quay.foreign AS SELECT ship FROM elsewhere.moored;
CREATE VIEW quay.above AS SELECT ship FROM quay.foreign;`)
	list = append(list, &catalog.Object{Kind: ast.KindTable, Name: ast.Name{Database: "quay", Name: "odd"}, Unreadable: errors.New("expected a name")})
	made, err := adopt.New("1.0.0", list)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range made.LeftOut {
		reason, _, _ := strings.Cut(o.Reason, ":")
		got = append(got, string(o.Kind)+" "+o.Name+": "+reason)
	}
	want := []string{"table quay.odd: expected a name", "view quay.foreign: quay.foreign uses elsewhere.moored, which is not declared", "view quay.above: quay.above uses quay.foreign, which is not declared"}
	if diff := cmp.Diff(want, got); diff != "" || made.Objects != 2 || len(made.Files) != 2 {
		t.Errorf("%d objects in %d files: %s", made.Objects, len(made.Files), diff)
	}
}

func TestATreeIsWrittenWholeAndOverNothing(t *testing.T) {
	made, err := adopt.New("1.0.0", server(t, "CREATE DATABASE quay; CREATE TABLE quay.a (x UInt8) ENGINE = Log; CREATE TABLE quay.A (x UInt8) ENGINE = Log; CREATE TABLE quay.`../../a` (x UInt8) ENGINE = Log"))
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "schemas")
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = filepath.WalkDir(parent, func(p string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			relative, _ := filepath.Rel(dir, p)
			got = append(got, filepath.ToSlash(relative))
		}
		return err
	})
	want := []string{"manifest.hcl", "tables/quay/A.hcl", "tables/quay/a-2.hcl"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.hcl"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := made.Write(dir); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("over one that is there: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "manifest.hcl")); string(text) != "mine" {
		t.Errorf("%s %v", text, err)
	}
	if entries, err := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("beside it there is %v, %v", entries, err)
	}
}
