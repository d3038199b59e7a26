package golden

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
				// A side that this server does not create as it stands (what it reads is not there) proves nothing.
				for _, text := range [...]string{way.desired, way.live} {
					s.exec("DROP DATABASE IF EXISTS " + ast.QuoteIdent(c.DB) + " SYNC")
					s.exec("CREATE DATABASE " + ast.QuoteIdent(c.DB))
					if _, err := s.send(text); err != nil {
						notCreated++
						t.Logf("not created: %v", err)
						return
					}
				}
				tried++
				if s.settle(book, ast.Name{Database: c.DB, Name: c.Name}, way.desired) {
					ended++
				}
			})
		}
		s.exec("DROP DATABASE IF EXISTS " + ast.QuoteIdent(c.DB) + " SYNC")
	}
	t.Logf("%d pairs tried, %d ended equal, %d could not be created here", tried, ended, notCreated)
}

// settle runs what a plan sends and what its changes carry for an operator, and reports whether the two sides are then
// the same. A change that is left although it carried a statement fails the test.
func (s *server) settle(book *rules.Book, name ast.Name, definition string) bool {
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
	for range 3 {
		if !doc.Differs() {
			return true
		}
		sent := false
		for _, st := range doc.Statements {
			sent = true
			if _, err := s.send(st.SQL); err != nil {
				s.t.Fatalf("a planned statement failed: %s\n%v", st.SQL, err)
			}
		}
		ran := map[string]bool{}
		var failed []string
		for _, c := range doc.Objects[0].Changes {
			if rules.Action(c.Action).Carried() || c.Statement == "" || ran[c.Statement] {
				continue
			}
			ran[c.Statement], sent = true, true
			for _, text := range statementsIn(s.t, c.Statement) {
				if _, err := s.send(text); err != nil {
					failed = append(failed, fmt.Sprintf("%s: %v", text, err))
				}
			}
		}
		if !sent {
			for _, c := range doc.Objects[0].Changes {
				s.t.Logf("ClickHouse has no statement: %s %s: %s -> %s (%s)", c.Op, c.Path, c.Live, c.Desired, c.Rule)
			}
			return false
		}
		if len(failed) > 0 {
			s.t.Logf("failed: %s", strings.Join(failed, "\n"))
		}
		doc = planned()
	}
	for _, c := range doc.Objects[0].Changes {
		s.t.Logf("left: %s %s: %s -> %s (%s)", c.Op, c.Path, c.Live, c.Desired, c.Rule)
		if c.Statement != "" {
			s.t.Errorf("%s %s is left: %s -> %s, although %s was run", c.Op, c.Path, c.Live, c.Desired, c.Statement)
		}
	}
	return !doc.Differs()
}
