package ddl_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// server asks a real ClickHouse.
type server struct {
	url      string
	settings url.Values
	made     map[string]bool // objects by name
}

// newServer returns the embedded engine with every experimental and suspicious thing allowed, as the corpus was made.
func newServer(t *testing.T) server {
	t.Helper()
	s := server{url: embeddedtest.Server(t), settings: url.Values{}, made: map[string]bool{}}
	names, err := s.ask("", `SELECT name FROM system.settings WHERE type = 'Bool' AND
		(name LIKE 'allow_experimental%' OR name LIKE 'allow_suspicious%' OR name LIKE 'enable_%type')`)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(names) {
		s.settings.Set(name, "1")
	}
	s.settings.Set("check_table_dependencies", "0")
	s.settings.Set("check_referential_table_dependencies", "0")
	return s
}

// ask runs a statement in a database and returns its answer as it is.
func (s server) ask(database, sql string) (string, error) {
	values := url.Values{"default_format": {"TSVRaw"}}
	for name, value := range s.settings {
		values[name] = value
	}
	if database != "" {
		values.Set("database", database)
	}
	resp, err := http.Post(s.url+"/?"+values.Encode(), "text/plain", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", body)
	}
	return string(body), err
}

// create makes the object, anew where the test made one of its name, and returns the server's text of it.
func (s server) create(p pair, sql string) (string, error) {
	name := ast.Name{Database: p.DB, Name: p.Name}.SQL()
	noun := "TABLE"
	if strings.HasPrefix(p.Live, "CREATE DICTIONARY") {
		noun = "DICTIONARY"
	}
	if s.made[name] {
		if _, err := s.ask(p.DB, "DROP "+noun+" IF EXISTS "+name+" SYNC"); err != nil {
			return "", err
		}
	}
	if _, err := s.ask(p.DB, sql); err != nil {
		return "", err
	}
	s.made[name] = true
	text, err := s.ask(p.DB, "SHOW CREATE "+noun+" "+name)
	return strings.TrimSuffix(text, "\n"), err
}

// everyPair is how many pairs the short run leaves out between two that it tries.
const everyPair = 8

func TestTheServerStoresWhatWePrintAsTheVeryTextWeRead(t *testing.T) {
	pairs := lines[pair](t, "corpus/ddl_pairs.jsonl")
	s := newServer(t)
	databases := map[string]bool{}
	tried := 0
	for i, p := range pairs {
		if testing.Short() && i%everyPair != 0 {
			continue
		}
		if !databases[p.DB] {
			if _, err := s.ask("", "CREATE DATABASE "+ast.QuoteIdent(p.DB)); err != nil {
				t.Fatal(err)
			}
			databases[p.DB] = true
		}
		object, err := ddl.ParseStatement(p.Live)
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		style := ast.Style{Lines: i%2 == 0}
		printed := ast.Create(object, style)
		got, err := s.create(p, printed)
		if err != nil {
			// What the live text needs (a table of the test it comes from, a service) may be missing: then the text itself
			// fails as well.
			if _, liveErr := s.create(p, p.Live); liveErr == nil {
				t.Errorf("%s: %v\n%s", p.ID, err, printed)
			}
			continue
		}
		tried++
		if got != p.Live {
			t.Errorf("%s: the server stores\n%s\nfor\n%s\nof\n%s", p.ID, got, printed, p.Live)
		}
	}
	if want := len(pairs) * 9 / 10; !testing.Short() && tried < want {
		t.Errorf("only %d of %d objects could be created, fewer than %d", tried, len(pairs), want)
	}
	t.Logf("%d objects stored", tried)
}
