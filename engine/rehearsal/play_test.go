package rehearsal_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/rehearsal"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
	"github.com/dfe-engine/dfe/stdlib"
)

// play rehearses the way from the live to the declared definitions of a self-hosted cluster, all in the database shop, on
// the engine of this process.
func play(t *testing.T, live, declared string) *plan.Document {
	t.Helper()
	return playAndLook(t, live, declared, func(*plan.Document) {})
}

// playAndLook changes what the comparison after the plan finds.
func playAndLook(t *testing.T, live, declared string, look func(*plan.Document)) *plan.Document {
	t.Helper()
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: embeddedtest.Server(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, statement := range []string{"DROP DATABASE IF EXISTS shop SYNC", "DROP FUNCTION IF EXISTS shop_twice"} {
		if err := conn.Exec(t.Context(), statement, "", nil); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	there := &catalog.Catalog{Facts: &catalog.Facts{Version: "26.6.1.1"}, Databases: map[string]*catalog.Object{},
		Relations: map[ast.Name]*catalog.Object{}, Functions: map[string]*catalog.Object{}}
	for i, o := range parse(t, live) {
		there.Put(o.Kind(), o.ID(), &catalog.Object{Kind: o.Kind(), Name: o.ID(), Tree: o,
			UUID: fmt.Sprintf("11111111-2222-4333-8444-%012d", i)})
	}
	objects := parse(t, declared)
	decide := func(live *catalog.Catalog, declared []ast.Object) *plan.Document {
		pairs := make([]rules.Pair, len(declared))
		for i, o := range declared {
			pairs[i] = rules.Pair{Kind: o.Kind(), Name: o.ID(), Desired: o}
			if found := live.Find(o.Kind(), o.ID()); found != nil {
				pairs[i].Live = found.Tree
			}
		}
		lookup := func(name ast.Name) ast.Object {
			if i := slices.IndexFunc(objects, func(o ast.Object) bool { return o.ID() == name }); i >= 0 {
				return objects[i]
			}
			return nil
		}
		return book.Plan(pairs, rules.Options{Platform: rules.SelfHosted, Env: canon.Env{Lookup: lookup}})
	}
	doc := decide(there, objects)
	var names []ast.Name
	for _, o := range objects {
		names = append(names, o.ID())
	}
	err = rehearsal.Play(t.Context(), conn, rehearsal.Script{
		Live: there, Plan: doc, Names: names, Declared: objects,
		Decide: func(live *catalog.Catalog, i int) *plan.Object {
			return decide(live, objects[i:i+1]).Objects[0]
		},
		DecideAll: func(live *catalog.Catalog) *plan.Document {
			doc := decide(live, objects)
			look(doc)
			return doc
		},
		Progress: func(string, string, int, int) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func parse(t *testing.T, script string) []ast.Object {
	t.Helper()
	list, err := ddl.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	var objects []ast.Object
	for _, st := range list {
		if st.Err != nil {
			t.Fatal(st.Err)
		}
		objects = append(objects, st.Object)
	}
	return objects
}

// told is a document in lines: the statements, what is shown and not sent, what was other, what is left.
func told(doc *plan.Document) string {
	var b strings.Builder
	line := func(what, object string, r *plan.Rehearsal) {
		if r == nil {
			fmt.Fprintf(&b, "%s %s: nothing\n", what, object)
			return
		}
		text := r.Answer
		if r.Code != 0 {
			text += fmt.Sprintf(" %d", r.Code)
		} else if r.Message != "" {
			text += ", " + r.Message
		}
		fmt.Fprintf(&b, "%s %s: %s\n", what, object, text)
	}
	for _, s := range doc.Statements {
		line(s.Action, s.Object, s.Rehearsal)
	}
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			if c.Statement != "" && !rules.Action(c.Action).Carried() {
				line("not sent", strings.TrimSpace(o.Name+" "+c.Path), c.Rehearsal)
			}
		}
	}
	for _, s := range doc.Rehearsal.Substitutes {
		fmt.Fprintf(&b, "other %s, absent %v: %s\n", s.Name, s.Absent, s.Reason)
	}
	for _, l := range doc.Rehearsal.Left {
		fmt.Fprintf(&b, "left %s %s: %s -> %s\n", l.Object, l.Path, l.Live, l.Desired)
	}
	r := doc.Rehearsal
	fmt.Fprintf(&b, "%d loaded, %d ok, %d errors, %d not rehearsed\n", r.Loaded, r.OK, r.Errors, r.NotRehearsed)
	return b.String()
}

const replicatedShop = "CREATE DATABASE shop ENGINE = Replicated('/clickhouse/databases/shop', '{shard}', '{replica}');\n"

func TestARehearsalTellsWhatTheEngineAnswers(t *testing.T) {
	for _, c := range []struct{ name, live, declared, want string }{
		{"a replicated table takes a column, and a view follows", replicatedShop + `
CREATE TABLE shop.orders (id UInt64, total Decimal(12, 2)) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id;
CREATE VIEW shop.big (id UInt64) AS SELECT id FROM shop.orders WHERE total > 100`, `
CREATE DATABASE shop;
CREATE TABLE shop.orders (id UInt64, total Decimal(12, 2), note String) ENGINE = MergeTree ORDER BY id;
CREATE VIEW shop.big AS SELECT id, note FROM shop.orders WHERE total > 100`, `
add-column shop.orders: ok
replace-view shop.big: ok
3 loaded, 2 ok, 0 errors, 0 not rehearsed
`},
		{"a statement the engine refuses, and what waits for it", replicatedShop, `
CREATE DATABASE shop;
CREATE TABLE shop.orders (id UInt64 DEFAULT toUInt64('x')) ENGINE = MergeTree ORDER BY id;
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
CREATE TABLE shop.other (id UInt64) ENGINE = MergeTree ORDER BY id`, `
create shop.orders: error 6
create shop.ids: not_rehearsed, it refers to shop.orders, which is not here: its own statement failed
create shop.other: ok
1 loaded, 1 ok, 1 errors, 1 not rehearsed
`},
		{"an empty cluster is filled", "", `
CREATE DATABASE shop;
CREATE TABLE shop.events (at DateTime, body JSON) ENGINE = MergeTree ORDER BY at;
CREATE VIEW shop.days AS SELECT toDate(at) AS day, count() AS n FROM shop.events GROUP BY day`, `
create shop: ok
create shop.events: ok
create shop.days: ok
0 loaded, 3 ok, 0 errors, 0 not rehearsed
`},
		{"what a refusal carries is asked after the plan", replicatedShop + `
CREATE TABLE shop.orders (id UInt64, state String) ENGINE = ReplicatedMergeTree ORDER BY id`, `
CREATE DATABASE shop;
CREATE TABLE shop.orders (id UInt64, state String CODEC(ZSTD(3)), note String) ENGINE = MergeTree ORDER BY id`, `
add-column shop.orders: ok
not sent shop.orders column.state.codec: ok
2 loaded, 1 ok, 0 errors, 0 not rehearsed
`},
		{"what rests on an object is there as well, and what has nothing to do with it is not", replicatedShop + `
CREATE FUNCTION shop_twice AS x -> x * 2;
CREATE TABLE shop.orders (id UInt64, v UInt64) ENGINE = ReplicatedMergeTree ORDER BY id;
CREATE TABLE shop.sums (v UInt64) ENGINE = ReplicatedMergeTree ORDER BY v;
CREATE MATERIALIZED VIEW shop.feed TO shop.sums (v UInt64) AS SELECT shop_twice(v) AS v FROM shop.orders;
CREATE TABLE shop.alone (id UInt64) ENGINE = ReplicatedMergeTree ORDER BY id`, `
CREATE DATABASE shop;
CREATE FUNCTION shop_twice AS x -> x * 2;
CREATE TABLE shop.orders (id UInt64) ENGINE = MergeTree ORDER BY id;
CREATE TABLE shop.alone (id UInt64) ENGINE = MergeTree ORDER BY id`, `
not sent shop.orders column.v: error 524
5 loaded, 0 ok, 0 errors, 0 not rehearsed
`},
		{"tables that are read by a pattern are all there", replicatedShop + `
CREATE TABLE shop.a1 (id UInt64) ENGINE = ReplicatedMergeTree ORDER BY id;
CREATE TABLE shop.a2 (id UInt64, v UInt64) ENGINE = ReplicatedMergeTree ORDER BY id`, `
CREATE DATABASE shop;
CREATE VIEW shop.every AS SELECT id, v FROM merge('shop', '^a')`, `
create shop.every: ok
3 loaded, 1 ok, 0 errors, 0 not rehearsed
`},
		{"the engine refuses what a refusal carries", replicatedShop + `
CREATE TABLE shop.orders (id UInt64, state LowCardinality(String)) ENGINE = ReplicatedMergeTree ORDER BY id`, `
CREATE DATABASE shop;
CREATE TABLE shop.orders (id UInt64, state LowCardinality(String) CODEC(Delta(4))) ENGINE = MergeTree ORDER BY id`, `
not sent shop.orders column.state.codec: error 36
2 loaded, 0 ok, 0 errors, 0 not rehearsed
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), told(play(t, c.live, c.declared))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatCannotRunOnTheStageIsNeverReportedAsPassed(t *testing.T) {
	for _, c := range []struct{ name, live, declared, want string }{
		{"a queue stands in for itself, with its virtual columns", replicatedShop + `
CREATE TABLE shop.queue (id UInt64) ENGINE = Kafka('broker:9092', 'orders', 'shop', 'JSONEachRow');
CREATE TABLE shop.orders (id UInt64, topic String) ENGINE = ReplicatedMergeTree ORDER BY id`, `
CREATE DATABASE shop;
CREATE TABLE shop.queue (id UInt64) ENGINE = Kafka('broker:9092', 'orders', 'shop', 'JSONEachRow') COMMENT 'orders as they come';
CREATE TABLE shop.orders (id UInt64, topic String) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW shop.feed TO shop.orders AS SELECT id, _topic AS topic FROM shop.queue`, `
modify-comment shop.queue: not_rehearsed, engine Kafka needs what is outside of the process
create shop.feed: ok, over a stand-in for shop.queue
other shop.queue, absent false: engine Kafka needs what is outside of the process
3 loaded, 1 ok, 0 errors, 1 not rehearsed
`},
		{"a queue that is to be created, and what reads it", replicatedShop, `
CREATE DATABASE shop;
CREATE TABLE shop.queue (id UInt64) ENGINE = Kafka('broker:9092', 'orders', 'shop', 'JSONEachRow');
CREATE VIEW shop.ids AS SELECT id FROM shop.queue;
CREATE VIEW shop.wrong AS SELECT no FROM shop.queue`, `
create shop.queue: not_rehearsed, engine Kafka needs what is outside of the process
create shop.ids: ok, over a stand-in for shop.queue
create shop.wrong: error 47
1 loaded, 1 ok, 1 errors, 1 not rehearsed
`},
		{"a table in Keeper, a remote dictionary and a view over a URL", replicatedShop + `
CREATE TABLE shop.kept (k String, v String) ENGINE = KeeperMap('/kept') PRIMARY KEY k;
CREATE DICTIONARY shop.names (id UInt64, name String) PRIMARY KEY id SOURCE(MYSQL(HOST 'db' PORT 3306 USER 'u' PASSWORD '[HIDDEN]' DB 'd' TABLE 't')) LAYOUT(FLAT()) LIFETIME(60);
CREATE VIEW shop.page (line String) AS SELECT line FROM url('http://pages.invalid/x', 'LineAsString', 'line String')`, `
CREATE DATABASE shop;
CREATE TABLE shop.kept (k String, v String) ENGINE = KeeperMap('/kept') PRIMARY KEY k COMMENT 'kept';
CREATE DICTIONARY shop.names (id UInt64, name String) PRIMARY KEY id SOURCE(MYSQL(HOST 'db' PORT 3306 USER 'u' PASSWORD '[HIDDEN]' DB 'd' TABLE 't')) LAYOUT(FLAT()) LIFETIME(60) COMMENT 'names';
CREATE VIEW shop.page AS SELECT line FROM url('http://pages.invalid/y', 'LineAsString', 'line String');
CREATE VIEW shop.all AS SELECT k, dictGet('shop.names', 'name', toUInt64(1)) AS name FROM shop.kept, shop.page`, `
modify-comment shop.kept: not_rehearsed, engine KeeperMap needs what is outside of the process
modify-comment shop.names: not_rehearsed, its source MYSQL reaches out of the process
replace-view shop.page: not_rehearsed, url() reaches out of the process
create shop.all: ok, over a stand-in for shop.names
other shop.kept, absent false: engine KeeperMap needs what is outside of the process
other shop.names, absent false: its source MYSQL reaches out of the process
other shop.page, absent false: url() reaches out of the process
4 loaded, 1 ok, 0 errors, 3 not rehearsed
`},
		{"disks, volumes and users of the server", replicatedShop + `
CREATE TABLE shop.tiered (at DateTime, id UInt64) ENGINE = ReplicatedMergeTree ORDER BY id TTL at + INTERVAL 7 DAY TO VOLUME 'cold' SETTINGS storage_policy = 'tiered';
CREATE VIEW shop.owned (id UInt64) DEFINER = boss SQL SECURITY DEFINER AS SELECT id FROM shop.tiered`, `
CREATE DATABASE shop;
CREATE TABLE shop.tiered (at DateTime, id UInt64, note String) ENGINE = MergeTree ORDER BY id TTL at + INTERVAL 7 DAY TO VOLUME 'cold' SETTINGS storage_policy = 'tiered';
CREATE VIEW shop.owned DEFINER = boss SQL SECURITY DEFINER AS SELECT id, note FROM shop.tiered`, `
add-column shop.tiered: ok
replace-view shop.owned: ok, played without its definer boss
other shop.tiered, absent false: played without its setting storage_policy and the TTL rules that move parts
other shop.owned, absent false: played without its definer boss
3 loaded, 2 ok, 0 errors, 0 not rehearsed
`},
		{"a table that may no longer be created, a view over nothing and a far cluster", replicatedShop + `
CREATE TABLE shop.small (id UInt64, n LowCardinality(UInt8)) ENGINE = ReplicatedMergeTree ORDER BY id;
CREATE VIEW shop.blind AS SELECT id FROM elsewhere.gone;
CREATE TABLE shop.far (id UInt64) ENGINE = Distributed('far', 'elsewhere', 'gone', rand())`, `
CREATE DATABASE shop;
CREATE TABLE shop.small (id UInt64, n LowCardinality(UInt8), note String) ENGINE = MergeTree ORDER BY id;
CREATE VIEW shop.blind AS SELECT id FROM elsewhere.gone COMMENT 'nobody sees';
CREATE TABLE shop.far (id UInt64, n UInt8) ENGINE = Distributed('far', 'elsewhere', 'gone', rand());
CREATE VIEW shop.seen AS SELECT id FROM shop.blind`, `
add-column shop.small: ok
modify-comment shop.blind: not_rehearsed, it is not here: the engine answers error 81: Database elsewhere does not exist. (UNKNOWN_DATABASE)
add-column shop.far: ok
create shop.seen: not_rehearsed, it refers to shop.blind, which is not here: the engine answers error 81: Database elsewhere does not exist. (UNKNOWN_DATABASE)
other shop.blind, absent true: the engine answers error 81: Database elsewhere does not exist. (UNKNOWN_DATABASE)
3 loaded, 2 ok, 0 errors, 2 not rehearsed
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), told(play(t, c.live, c.declared))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The comparison after the plan is a second one of everything: a difference that no refusal explains is told, also where
// every statement had its effect.
func TestADifferenceThatNobodyExplainsIsTold(t *testing.T) {
	live := replicatedShop + "CREATE TABLE shop.orders (id UInt64) ENGINE = ReplicatedMergeTree ORDER BY id"
	declared := "CREATE DATABASE shop;\nCREATE TABLE shop.orders (id UInt64, note String) ENGINE = MergeTree ORDER BY id"
	doc := playAndLook(t, live, declared, func(found *plan.Document) {
		if len(found.Objects[1].Changes) != 0 {
			t.Errorf("after the plan %s is left", found.Objects[1].Changes[0].Path)
		}
		found.Objects[1].Changes = []*plan.Change{{Path: "comment", Op: "change", Action: "modify-comment", Live: "a", Desired: "b"}}
	})
	want := "add-column shop.orders: ok\nleft shop.orders comment: a -> b\n2 loaded, 1 ok, 0 errors, 0 not rehearsed\n"
	if diff := cmp.Diff(want, told(doc)); diff != "" {
		t.Error(diff)
	}
}
