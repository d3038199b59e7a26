package sides_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/sides"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

// Definitions say nothing of a platform, whichever side of a diff they are.
func TestDefinitionsDoNotDifferFromThemselvesOnAnyPlatform(t *testing.T) {
	const text = `CREATE DATABASE shop;
CREATE DATABASE kept ENGINE = Atomic;
CREATE TABLE shop.orders (id UInt64, j JSON) ENGINE = ReplacingMergeTree ORDER BY id;
CREATE TABLE shop.copied (id UInt64) ENGINE = ReplicatedMergeTree('/a/b', '{replica}') ORDER BY id;
CREATE MATERIALIZED VIEW shop.by_id (id UInt64) ENGINE = SummingMergeTree ORDER BY id AS SELECT id FROM shop.orders;
CREATE VIEW shop.v AS SELECT id FROM shop.orders;`
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, platform := range rules.Platforms() {
		var both [2]*sides.Side
		for i := range both {
			if both[i], err = sides.Script("a.sql", text); err != nil {
				t.Fatal(err)
			}
		}
		doc := sides.Diff(both[0], both[1], book, platform)
		for _, o := range doc.Objects {
			for _, c := range o.Changes {
				t.Errorf("%s: %s %s: %s -> %s is %s", platform, o.Name, c.Path, c.Live, c.Desired, c.Action)
			}
		}
	}
}

func TestAccessAndCollectionsAreComparedBetweenAnyTwoSides(t *testing.T) {
	tables, err := fs.Sub(stdlib.FS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	book, diags := rules.Load(tables)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	from, err := sides.Script("live.sql", `CREATE NAMED COLLECTION bus AS broker = '[HIDDEN]', login = '[HIDDEN]' OVERRIDABLE;
		CREATE ROLE reader; GRANT SELECT ON shop.* TO reader; CREATE USER app IDENTIFIED WITH no_password; CREATE ROLE app2`)
	if err != nil {
		t.Fatal(err)
	}
	to, err := sides.Script("wanted.sql", `CREATE NAMED COLLECTION bus AS broker = 'bus:9092', login = secret('env:L') NOT OVERRIDABLE;
		CREATE ROLE reader; GRANT SELECT ON shop.orders, INSERT ON shop.orders TO reader; CREATE ROLE app; CREATE USER app2 IDENTIFIED WITH no_password`)
	if err != nil {
		t.Fatal(err)
	}
	doc := sides.Diff(from, to, book, rules.Embedded)
	got := map[string]string{}
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			got[o.Name+" "+c.Path] = c.Action
		}
	}
	want := map[string]string{
		"bus key.login.overridable":            "replace-collection",
		"reader grant.`INSERT ON shop.orders`": "re-assert-grant",
		"reader grant.`SELECT ON shop.*`":      "report",
		"app ":                                 "refused", "app2 ": "refused", // one space of names
	}
	for path, action := range want {
		if got[path] != action {
			t.Errorf("%s: %q, want %q (%v)", path, got[path], action, got)
		}
	}
}

// A plan that makes all of the other side out of it would be the answer otherwise.
func TestATextWithoutADefinitionIsNoSide(t *testing.T) {
	for _, text := range []string{"release = \"1.0.0\"\ndatabase \"shop\" {}\n", "a letter; and another", "ALTER TABLE a.b ADD COLUMN c String"} {
		if side, err := sides.Script("other.txt", text); err == nil {
			t.Errorf("%q is the side %v", text, side)
		} else if !strings.Contains(err.Error(), "other.txt is no script") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "-- nothing yet\n", "CREATE DATABASE shop; a letter;", "GRANT SELECT ON shop.* TO reader", "-- it is\nCREATE\nTABLE g.t (a Int32;", "GRANT NOTHING TO"} {
		if _, err := sides.Script("x.sql", text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
