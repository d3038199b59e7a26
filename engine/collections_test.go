package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules/plan"
)

// collectionTree declares a named collection whose address is a secret, and what takes its arguments from it.
const collectionTree = `
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
named_collection "DB_feed" { from = "feed.hcl" }
table "DB.feed" { from = "table.sql" }
-- feed.hcl --
keys = { format = "CSV" }
key "url" {
  secret_env  = "DFE_TEST_FEED"
  overridable = false
}
-- table.sql --
CREATE TABLE DB.feed (a UInt64) ENGINE = URL(DB_feed)
`

// feeds answers every path with its own number, so that it shows which address was asked.
func feeds(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(strings.TrimPrefix(r.URL.Path, "/canary") + "\n"))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/canary"
}

func collectionStage(t *testing.T) (*stage, string) {
	t.Helper()
	s := newStage(t)
	s.tree(collectionTree)
	t.Cleanup(func() {
		ctx := context.Background()
		for _, drop := range []string{"DROP TABLE IF EXISTS DB.feed SYNC", "DROP NAMED COLLECTION IF EXISTS DB_feed"} {
			if err := s.conn.Exec(ctx, s.in(drop), "", nil); err != nil {
				t.Error(err)
			}
		}
	})
	return s, feeds(t)
}

func (s *stage) changes(doc *plan.Document) []string {
	var found []string
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			found = append(found, strings.ReplaceAll(o.Kind+" "+c.Op+" "+c.Path+" "+c.Action, s.db, "DB"))
		}
	}
	slices.Sort(found)
	return found
}

func TestANamedCollectionIsMadeAndFollowsItsDefinitionAndItsSecret(t *testing.T) {
	s, address := collectionStage(t)
	t.Setenv("DFE_TEST_FEED", address+"1")
	first := s.pass(engine.Options{})
	if first.Summary.Failed+first.Summary.Refused+first.Summary.Blocked > 0 {
		t.Fatalf("%+v", first.Summary)
	}
	const shown = "SELECT create_query FROM system.named_collections WHERE name = 'DB_feed'"
	want := []string{"CREATE NAMED COLLECTION IF NOT EXISTS DB_feed AS format = '[HIDDEN]', url = '[HIDDEN]' NOT OVERRIDABLE"}
	if got := s.show(shown); !slices.Equal(got, want) {
		t.Errorf("the server shows %q", got)
	}
	if got := s.value("SELECT a FROM DB.feed"); got != "1" {
		t.Errorf("the table reads %s", got)
	}
	if again := s.pass(engine.Options{}); again.Summary.Statements != 0 || again.Summary.Unchanged != len(again.Objects) {
		t.Errorf("the second pass: %+v", again.Summary)
	}

	// Another secret is seen by what the ledger remembers of the old one.
	t.Setenv("DFE_TEST_FEED", address+"2")
	doc, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.changes(doc); !slices.Equal(got, []string{"named_collection change key.url.value replace-collection"}) {
		t.Errorf("the plan shows %q", got)
	}
	if r := s.pass(engine.Options{}); r.Summary.Statements != 1 || r.Summary.Reported != 1 {
		t.Errorf("%+v", r.Summary)
	}
	// What was made with the old value keeps it, as was reported.
	if got := s.value("SELECT a FROM DB.feed"); got != "1" {
		t.Errorf("the table reads %s", got)
	}
	s.exec("DETACH TABLE DB.feed")
	s.exec("ATTACH TABLE DB.feed")
	if got := s.value("SELECT a FROM DB.feed"); got != "2" {
		t.Errorf("the table reads %s", got)
	}
	// And another value that stands in the definition.
	s.tree("-- feed.hcl --\nkeys = { format = \"TSV\" }\nkey \"url\" {\n  secret_env  = \"DFE_TEST_FEED\"\n  overridable = false\n}\n")
	if r := s.pass(engine.Options{}); r.Summary.Statements != 1 {
		t.Errorf("%+v", r.Summary)
	}
	if again := s.pass(engine.Options{}); again.Summary.Statements != 0 {
		t.Errorf("not converged: %+v", again.Summary)
	}
}

func TestANamedCollectionThatWasChangedByHandIsMadeWhatIsDeclared(t *testing.T) {
	s, address := collectionStage(t)
	t.Setenv("DFE_TEST_FEED", address+"1")
	s.tree("-- feed.hcl --\nkeys = { format = \"CSV\", compression_method = \"none\" }\nkey \"url\" {\n  secret_env  = \"DFE_TEST_FEED\"\n  overridable = false\n}\n")
	s.pass(engine.Options{})
	s.exec("ALTER NAMED COLLECTION DB_feed SET url = 'http://127.0.0.1:1/' OVERRIDABLE, structure = 'a UInt64' DELETE format")
	// This one is in the definition no more.
	s.tree("-- feed.hcl --\nkeys = { format = \"CSV\" }\nkey \"url\" {\n  secret_env  = \"DFE_TEST_FEED\"\n  overridable = false\n}\n")
	doc, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"named_collection add key.format replace-collection", "named_collection change key.url.overridable replace-collection",
		"named_collection remove key.compression_method replace-collection", "named_collection remove key.structure report",
	}
	if got := s.changes(doc); !slices.Equal(got, want) {
		t.Errorf("the plan shows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r := s.pass(engine.Options{})
	if r.Summary.Statements != 1 || r.Summary.Failed+r.Summary.Refused > 0 {
		t.Errorf("%+v", r.Summary)
	}
	got := s.show("SELECT create_query FROM system.named_collections WHERE name = 'DB_feed'")
	if !slices.Equal(got, []string{"CREATE NAMED COLLECTION IF NOT EXISTS DB_feed AS format = '[HIDDEN]', structure = '[HIDDEN]', url = '[HIDDEN]' NOT OVERRIDABLE"}) {
		t.Errorf("the server shows %q", got)
	}
	if again := s.pass(engine.Options{}); again.Summary.Statements != 0 || again.Summary.Reported != 1 {
		t.Errorf("not converged: %+v", again.Summary)
	}
	// One that was dropped comes back, and is told.
	s.exec("DROP TABLE DB.feed SYNC")
	s.exec("DROP NAMED COLLECTION DB_feed")
	back := s.pass(engine.Options{})
	if back.Summary.Statements != 2 || back.Summary.Reported != 2 {
		t.Errorf("%+v", back.Summary)
	}
}

func TestNoDocumentNoLogAndNoRowHoldsAValueOfANamedCollection(t *testing.T) {
	s, address := collectionStage(t)
	t.Setenv("DFE_TEST_FEED", address+"1")
	s.tree("-- feed.hcl --\nkeys = { format = \"CSV\", structure = \"a UInt64, plain_canary UInt8\" }\nkey \"url\" {\n  secret_env  = \"DFE_TEST_FEED\"\n}\n")
	var log bytes.Buffer
	doc, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := s.pass(engine.Options{Log: debugLog(&log)})
	t.Setenv("DFE_TEST_FEED", address+"2")
	changed, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := s.pass(engine.Options{Log: debugLog(&log)})
	st, err := s.engine(engine.Options{}).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, document := range map[string]any{"plan": doc, "report": r, "second plan": changed, "second report": second, "status": st, "log": log.String()} {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "canary") {
			t.Errorf("the %s holds a value: %s", what, text)
		}
	}
	if n := s.value("SELECT countIf(statement LIKE '%canary%' OR decisions LIKE '%canary%' OR error LIKE '%canary%' OR toString(value_hashes) LIKE '%canary%') FROM dfe.schema_migrations"); n != "0" {
		t.Error("the ledger holds a value")
	}
	if n := s.value("SELECT length(value_hashes) FROM dfe.schema_migrations WHERE name = 'DB_feed' ORDER BY recorded_at DESC LIMIT 1"); n != "3" {
		t.Errorf("the ledger remembers %s values", n)
	}
	// A server that cannot take the statement quotes it, and we do not.
	s.tree("-- feed.hcl --\nkeys = { format = \"CSV\", structure = \"another_canary\" }\nkey \"url\" {\n  secret_env  = \"DFE_TEST_FEED\"\n}\n")
	s.exec("DROP TABLE DB.feed SYNC")
	report, err := s.engine(engine.Options{}).Pass(t.Context())
	text, _ := json.Marshal(report)
	if strings.Contains(string(text), "canary") || err != nil && strings.Contains(err.Error(), "canary") {
		t.Errorf("the report holds a value: %s, %v", text, err)
	}
}

func TestANamedCollectionWhoseSecretIsNotThereIsNotTouched(t *testing.T) {
	s, address := collectionStage(t)
	r, err := s.engine(engine.Options{}).Pass(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the environment variable DFE_TEST_FEED is not set") {
		t.Fatalf("got %v", err)
	}
	for _, o := range r.Objects {
		want := ledger.Applied
		switch {
		case o.Name == s.in("DB_feed"):
			want = ledger.Failed
		case o.Name == s.in("DB.feed"):
			want = ledger.Blocked
		}
		if o.Outcome != want && strings.HasPrefix(o.Name, s.db) {
			t.Errorf("%s %s: %s, want %s (%s)", o.Kind, o.Name, o.Outcome, want, o.Error)
		}
	}
	t.Setenv("DFE_TEST_FEED", address+"1")
	s.pass(engine.Options{})
	// Where it is there already, who plans without the secret is told that nothing can be told of it.
	t.Setenv("DFE_TEST_FEED", "")
	doc, err := s.engine(engine.Options{}).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if doc.Summary.CannotTell != 1 || len(doc.Statements) != 0 {
		t.Errorf("%+v, %d statements", doc.Summary, len(doc.Statements))
	}
	// A pass under another key does not know the values: it sets them once more, and then does.
	t.Setenv("DFE_TEST_FEED", address+"1")
	if r := s.pass(engine.Options{LedgerKey: []byte("another")}); r.Summary.Statements != 1 {
		t.Errorf("%+v", r.Summary)
	}
	if r := s.pass(engine.Options{LedgerKey: []byte("another")}); r.Summary.Statements != 0 {
		t.Errorf("%+v", r.Summary)
	}
}
