package golden

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// corpusFile finds a file of the shared corpus beside the repository's root; it skips the test where there is none.
func corpusFile(t testing.TB, name string) string {
	t.Helper()
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(dir, "..", "shared", "corpus", name)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("no shared corpus: %v", err)
			}
			return path
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == filepath.Dir(abs) {
			t.Fatal("no go.mod above the test")
		}
	}
}

type alterCase struct {
	ID     string `json:"id"`
	DB     string `json:"db"`
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func alterCases(t testing.TB) []alterCase {
	t.Helper()
	f, err := os.Open(corpusFile(t, "ddl_alters.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []alterCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c alterCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTheStatementsOfAPlanAndItsRefusalsMakeOneTableTheOther takes both sides of each shared ALTER for the live table
// once and for the definition once. After the plan's statements and those its refusals carry, nothing is left wherever
// ClickHouse has a statement.
func TestTheStatementsOfAPlanAndItsRefusalsMakeOneTableTheOther(t *testing.T) {
	book := release(t)
	s := &server{t: t, url: embeddedtest.Server(t)}
	tried, ended, notCreated := 0, 0, 0
	for _, c := range alterCases(t) {
		for _, way := range [...]struct{ name, live, desired string }{{"forth", c.Before, c.After}, {"back", c.After, c.Before}} {
			t.Run(c.ID+"/"+way.name, func(t *testing.T) {
				s := s.in(t)
				if !s.createAlone(c.DB, way.live) {
					notCreated++
					return
				}
				tried++
				if left := s.settle(book, ast.Name{Database: c.DB, Name: c.Name}, way.desired); len(left) == 0 {
					ended++
				} else if s.createAlone(c.DB, way.desired) {
					// What this server does not create as it stands, no statement makes of another.
					for _, change := range left {
						t.Errorf("%s %s is left: %s -> %s, although %s was run", change.Op, change.Path, change.Live, change.Desired, change.Statement)
					}
				}
			})
		}
		s.exec("DROP DATABASE IF EXISTS " + ast.QuoteIdent(c.DB))
	}
	t.Logf("%d ways tried, %d ended with nothing left that has a statement, %d could not be created here", tried, ended, notCreated)
}

// createAlone runs a definition in an empty database, and reports whether the server took it: some read what is not here.
func (s *server) createAlone(database, definition string) bool {
	s.t.Helper()
	s.exec("DROP DATABASE IF EXISTS " + ast.QuoteIdent(database))
	s.exec("CREATE DATABASE " + ast.QuoteIdent(database))
	_, err := s.send(definition)
	if err != nil {
		s.t.Logf("not created: %v", err)
	}
	return err == nil
}

// settle runs what a plan sends and what its changes carry for an operator, and returns the changes that are left
// although they carried a statement.
func (s *server) settle(book *rules.Book, name ast.Name, definition string) []*plan.Change {
	s.t.Helper()
	desired, err := ddl.ParseStatement(definition)
	if err != nil {
		s.t.Fatal(err)
	}
	planned := func() *plan.Document {
		live := s.parse(s.column(fmt.Sprintf("SELECT create_table_query FROM system.tables WHERE database = %s AND name = %s",
			ast.QuoteString(name.Database), ast.QuoteString(name.Name)))[0])
		return book.Plan([]rules.Pair{{Kind: desired.Kind(), Name: name, Live: live, Desired: desired}}, rules.Options{Env: canon.Env{}})
	}
	doc := planned()
	// A statement may need another to have run before it: a column goes once its index has gone.
	for range 3 {
		if !s.runAll(doc) {
			break
		}
		doc = planned()
	}
	var left []*plan.Change
	for _, c := range doc.Objects[0].Changes {
		if c.Statement != "" {
			left = append(left, c)
		} else {
			s.t.Logf("ClickHouse has no statement: %s %s: %s -> %s (%s)", c.Op, c.Path, c.Live, c.Desired, c.Rule)
		}
	}
	return left
}

// runAll runs the plan's statements and those its changes carry, and reports whether there were any.
func (s *server) runAll(doc *plan.Document) bool {
	s.t.Helper()
	for _, st := range doc.Statements {
		if _, err := s.send(st.SQL); err != nil {
			s.t.Fatalf("a planned statement failed: %s\n%v", st.SQL, err)
		}
	}
	ran := map[string]bool{}
	for _, c := range doc.Objects[0].Changes {
		if rules.Action(c.Action).Carried() || c.Statement == "" || ran[c.Statement] {
			continue
		}
		ran[c.Statement] = true
		for _, text := range statementsIn(s.t, c.Statement) {
			if _, err := s.send(text); err != nil {
				s.t.Logf("failed: %s: %v", text, err)
			}
		}
	}
	return len(doc.Statements)+len(ran) > 0
}
