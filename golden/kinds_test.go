package golden

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
)

// holders are objects of each kind that can hold a name, each with rows that are gone where it is replaced.
var holders = []struct{ kind, definition, rows string }{
	{"table", "CREATE TABLE held (id UInt64, v String) ENGINE = MergeTree ORDER BY id", "INSERT INTO held VALUES (1, 'a'), (2, 'b')"},
	{"view", "CREATE VIEW held AS SELECT id, v FROM source", ""},
	{"materialized_view", "CREATE MATERIALIZED VIEW held (id UInt64, v String) ENGINE = MergeTree ORDER BY id AS SELECT id, v FROM source", ""},
	{"dictionary", "CREATE DICTIONARY held (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'source')) LAYOUT(FLAT()) LIFETIME(0)", ""},
}

// TestANameHeldByAnotherKindKeepsItsRows is the promise that OR REPLACE never meets an object of another kind: for each
// pair of kinds the plan sends nothing, and every row is still there.
func TestANameHeldByAnotherKindKeepsItsRows(t *testing.T) {
	book := release(t)
	url := embeddedtest.Server(t)
	for _, live := range holders {
		for _, declared := range holders {
			if live.kind == declared.kind {
				continue
			}
			t.Run(declared.kind+" over "+live.kind, func(t *testing.T) {
				database := embeddedtest.Database(t)
				s := &server{t: t, url: url, database: database}
				s.exec("CREATE TABLE source (id UInt64, v String) ENGINE = MergeTree ORDER BY id")
				s.exec(live.definition)
				s.exec("INSERT INTO source VALUES (1, 'a'), (2, 'b')")
				if live.rows != "" {
					s.exec(live.rows)
				}
				name := ast.Name{Database: database, Name: "held"}
				desired := inDatabase(t, declared.definition, name)
				o := s.parse(s.column("SELECT create_table_query FROM system.tables WHERE database = '" + database + "' AND name = 'held'")[0])
				doc := book.Plan([]rules.Pair{{Kind: desired.Kind(), Name: name, Live: o, Desired: desired}}, rules.Options{Platform: rules.Embedded, AllowDrift: true})
				if doc.Summary.Refused != 1 || len(doc.Statements) != 0 || doc.Objects[0].Changes[0].Statement != "" {
					t.Errorf("want a refusal and no statement, have %+v and %d statements", doc.Summary, len(doc.Statements))
				}
				for _, st := range doc.Statements {
					s.exec(st.SQL)
				}
				if rows := s.query("SELECT count() FROM held"); rows != "2\n" {
					t.Errorf("the rows are %q", rows)
				}
			})
		}
	}
}

// inDatabase reads a definition whose object stands in no database and gives it a name.
func inDatabase(t *testing.T, definition string, name ast.Name) ast.Object {
	t.Helper()
	o, err := ddl.ParseStatement(definition)
	if err != nil {
		t.Fatal(err)
	}
	switch o := o.(type) {
	case *ast.Table:
		o.Name = name
	case *ast.View:
		o.Name = name
	case *ast.MaterializedView:
		o.Name = name
	case *ast.Dictionary:
		o.Name = name
	}
	return o
}
