package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// declared is the ledger as the core release declares it.
func declared(t *testing.T) *ast.Table {
	t.Helper()
	core, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return core.Find(ast.KindTable, ledger.Table()).Object.(*ast.Table)
}

// open creates a ledger with the given columns of the declared one and opens it.
func open(t *testing.T, keep func(*ast.Column) bool) (*catalog.Conn, *ledger.Ledger) {
	t.Helper()
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: embeddedtest.Server(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	table := *declared(t)
	table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(c *ast.Column) bool { return !keep(c) })
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS dfe SYNC",
		ast.Create(&ast.Database{Name: "dfe"}, ast.Style{}),
		ast.Create(rules.Render(&table, rules.Embedded), ast.Style{}),
	} {
		if err := conn.Exec(t.Context(), statement, "", nil); err != nil {
			t.Fatal(err)
		}
	}
	o, err := catalog.ReadObject(t.Context(), conn, ast.KindTable, ledger.Table())
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Open(conn, o)
	if err != nil {
		t.Fatal(err)
	}
	return conn, l
}

func all(*ast.Column) bool { return true }

func record(name string, sequence uint32, outcome ledger.Outcome) *ledger.Record {
	return &ledger.Record{
		Key:  ledger.Key{Scope: ledger.ScopeSchema, Kind: ast.KindTable, Name: name},
		Pass: "p1", Sequence: sequence, Epoch: 7, SchemaRelease: "1.0", EngineRelease: "2.0", Platform: "embedded",
		Action: "add-column", Outcome: outcome, Checksum: "c0ffee", LiveChecksum: "beef",
		Statement: "ALTER 'it''s';\nAND MORE", QueryIDs: []string{"q1", "q2"}, Rules: []string{"a law"},
		Decisions: ledger.Decisions{Version: 1, Columns: []string{"a", "b"},
			Changes: []ledger.Decision{{Path: "column.a", Op: "add", Action: "add-column", Rule: "a law", Reason: "so it is"}}},
		Refused: 1, Reported: 2, ValueHashes: map[string]string{"source.password": "hmac"},
		Member: "m1", UUID: "01234567-89ab-cdef-0123-456789abcdef",
		Modified: time.Date(2026, 11, 29, 12, 0, 1, 0, time.UTC), ReadAt: time.Date(2026, 11, 29, 12, 0, 2, 0, time.UTC),
		Elapsed: 1500 * time.Millisecond, ErrorCode: 47, Error: "in the server's words",
	}
}

func TestARowReadsBackAsItWasWritten(t *testing.T) {
	_, l := open(t, all)
	full, empty := record("d.full", 1, ledger.Applied), &ledger.Record{Key: ledger.Key{Scope: ledger.ScopeOverlay, Kind: ast.KindView, Name: "d.empty"}, Pass: "p1", Sequence: 2}
	for _, r := range []*ledger.Record{full, empty} {
		if err := l.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.RecordedAt.IsZero() {
			t.Errorf("%s has no time", r.Name)
		}
		r.RecordedAt = time.Time{}
	}
	empty.Decisions.Version = 1
	want := map[ledger.Key]*ledger.Record{full.Key: full, empty.Key: empty}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestTheNewestRowOfAnObjectIsItsState(t *testing.T) {
	_, l := open(t, all)
	for i, outcome := range []ledger.Outcome{ledger.Failed, ledger.Blocked, ledger.Applied} {
		if err := l.Append(t.Context(), record("d.t", uint32(i+1), outcome)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("%d objects", len(got))
	}
	for _, r := range got {
		if r.Outcome != ledger.Applied || r.Sequence != 3 {
			t.Errorf("the state is %s of row %d", r.Outcome, r.Sequence)
		}
	}
}

func TestALedgerOfAnotherReleaseIsWrittenAndReadByTheColumnsItHas(t *testing.T) {
	younger := []string{"outcome", "live_checksum", "value_hashes", "member", "uuid", "read_at"}
	conn, l := open(t, func(c *ast.Column) bool { return !slices.Contains(younger, c.Name) })
	if err := conn.Exec(t.Context(), "ALTER TABLE dfe.schema_migrations ADD COLUMN from_the_future String DEFAULT 'x'", "", nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(t.Context(), record("d.t", 1, ledger.Applied)); err != nil {
		t.Fatal(err)
	}
	got, err := l.Newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.Action != "add-column" || r.Outcome != "" || r.UUID != "" {
			t.Errorf("read %+v", r)
		}
	}
	if len(got) != 1 {
		t.Errorf("%d objects", len(got))
	}
}

func TestTheCoreReleaseDeclaresEveryColumnOfARow(t *testing.T) {
	var names []string
	for _, c := range declared(t).Columns {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(ledger.ColumnNames(), names); diff != "" {
		t.Errorf("written and declared:\n%s", diff)
	}
}

func TestNoLedgerHasNoRows(t *testing.T) {
	l, err := ledger.Open(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := l.Newest(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("rows %v, error %v", rows, err)
	}
}

func TestRowsAreFoundByNameByTheBeginningOfOneAndAmongMoreNamesThanAQueryTakes(t *testing.T) {
	_, l := open(t, all)
	for i, name := range []string{"org_a.web", "org_a.web__latest", "org_a.website", "org_b.web"} {
		if err := l.Append(t.Context(), record(name, uint32(i+1), ledger.Applied)); err != nil {
			t.Fatal(err)
		}
	}
	many := ledger.Names{}
	for i := range 5000 {
		many.Exact = append(many.Exact, fmt.Sprintf("org_%d.%s", i, strings.Repeat("x", 100)))
	}
	for _, c := range []struct {
		names ledger.Names
		want  []string
	}{
		{ledger.Names{Exact: []string{"org_a.web", "org_c.web"}}, []string{"org_a.web"}},
		{ledger.Names{Exact: []string{"org_a.web"}, Prefixes: []string{"org_a.web__"}}, []string{"org_a.web", "org_a.web__latest"}},
		{ledger.Names{Prefixes: []string{"org_%", "org_a.web_'"}}, nil},
		{ledger.Names{}, []string{"org_a.web", "org_a.web__latest", "org_a.website", "org_b.web"}},
		{many, []string{"org_a.web", "org_a.web__latest", "org_a.website", "org_b.web"}},
	} {
		found, err := l.NewestIn(t.Context(), ledger.ScopeSchema, c.names)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for key := range found {
			got = append(got, key.Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d names: %s", len(c.names.Exact), diff)
		}
	}
}
