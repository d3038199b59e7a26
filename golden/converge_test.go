package golden

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// caseDatabase is the one database of all cases.
const caseDatabase = "shop"

// TestAPlanConverges runs each case in a real engine. After the planned statements nothing is left to send: the second
// diff holds exactly the refusals and reports of the first. After the statements that the refusals carry, nothing is
// left wherever ClickHouse has a statement.
func TestAPlanConverges(t *testing.T) {
	book := release(t)
	server := &server{t: t, url: embeddedtest.Server(t)}
	ran := 0
	for _, file := range caseFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCase(file, data)
		if err != nil {
			t.Fatal(err)
		}
		// What the engine in the process does not have (Replicated engines, a bus) cannot be run in it.
		if c.platform != rules.Embedded || c.options.noEngine != "" {
			continue
		}
		// The tests of package engine run access objects, with all that goes with them.
		if slices.ContainsFunc(append(slices.Clone(c.live), c.desired...), func(o ast.Object) bool { return o.Kind().IsAccess() }) {
			continue
		}
		ran++
		t.Run(strings.TrimSuffix(filepath.ToSlash(file), ".txtar"), func(t *testing.T) { converge(t, book, server.in(t), c) })
	}
	if ran < 100 {
		t.Errorf("only %d cases were run", ran)
	}
}

func converge(t *testing.T, book *rules.Book, server *server, c *testCase) {
	server.clean(c)
	t.Cleanup(func() { server.clean(c) })
	if !declares(c.live, ast.KindDatabase) && !declares(c.desired, ast.KindDatabase) {
		server.exec("CREATE DATABASE " + caseDatabase)
	}
	for _, text := range statementsIn(t, c.liveText) {
		server.exec(text)
	}
	first := server.plan(book, c)
	for _, s := range first.Statements {
		if s.Proof != nil {
			if rows := server.query(s.Proof.Query); !strings.HasPrefix(rows, "0\n") {
				t.Fatalf("the proof %s of an empty table finds %q", s.Proof.Query, rows)
			}
		}
		server.exec(revealed(s, c.desired))
	}
	// The server took what it was sent.
	maps.DeleteFunc(c.options.values, func(_ string, v rules.Value) bool { return v.Changed })
	second := server.plan(book, c)
	if len(second.Statements) > 0 {
		t.Fatalf("applied, and still there is something to send: %s", second.Statements[0].SQL)
	}
	if diff := cmp.Diff(left(first), left(second)); diff != "" {
		t.Fatalf("what is left after applying is not what was refused (-refused +left):\n%s", diff)
	}
	possible := server.operate(second)
	third := server.plan(book, c)
	var stuck []string
	for _, o := range third.Objects {
		for _, change := range o.Changes {
			if possible[o.Name+" "+change.Path] {
				stuck = append(stuck, fmt.Sprintf("%s %s: %s -> %s", o.Name, change.Path, change.Live, change.Desired))
			}
		}
	}
	if len(stuck) > 0 {
		t.Errorf("the operator's statements ran and these changes are still there: %s", strings.Join(stuck, "; "))
	}
}

// revealed is a statement with its values, as it is sent: those of the definitions, and one for all secrets.
func revealed(s *plan.Statement, desired []ast.Object) string {
	sql := s.SQL
	for _, secret := range s.Secrets {
		value := "'from the vault'"
		for _, o := range desired {
			if collection, ok := o.(*ast.NamedCollection); ok && secret.Source == plan.FromDefinition && o.ID().String() == s.Object {
				value = collection.Key(secret.Name).Value.String()
			}
		}
		sql = strings.ReplaceAll(sql, secret.Reference, value)
	}
	return sql
}

func declares(objects []ast.Object, kind ast.Kind) bool {
	return slices.ContainsFunc(objects, func(o ast.Object) bool { return o.Kind() == kind })
}

// left lists the changes that no statement carries.
func left(doc *plan.Document) []string {
	var list []string
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			if !rules.Action(c.Action).Carried() {
				list = append(list, o.Name+" "+c.Path+" "+c.Action)
			}
		}
	}
	return list
}

// statementsIn cuts a text into its statements.
func statementsIn(t testing.TB, text string) []string {
	t.Helper()
	list, err := ddl.ParseScript(text)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, st := range list {
		texts = append(texts, st.Text)
	}
	return texts
}

// server is the engine of a test.
type server struct {
	t        *testing.T
	url      string
	database string // of the session; empty for the server's default
}

func (s *server) in(t *testing.T) *server { return &server{t, s.url, s.database} }

// operate runs the statements that the changes of a plan carry for an operator, each once, and returns the changes
// that have one.
func (s *server) operate(doc *plan.Document) map[string]bool {
	possible := map[string]bool{}
	ran := map[string]bool{}
	for _, o := range doc.Objects {
		for _, c := range o.Changes {
			if c.Statement == "" {
				continue
			}
			possible[o.Name+" "+c.Path] = true
			if ran[c.Statement] {
				continue
			}
			ran[c.Statement] = true
			for _, text := range statementsIn(s.t, c.Statement) {
				s.exec(text)
			}
		}
	}
	return possible
}

// clean drops what a case may have left.
func (s *server) clean(c *testCase) {
	s.exec("DROP DATABASE IF EXISTS " + caseDatabase + " SYNC")
	for _, o := range append(slices.Clone(c.desired), c.live...) {
		if o.Kind() == ast.KindFunction {
			s.exec("DROP FUNCTION IF EXISTS " + o.ID().SQL())
		}
		if o.Kind() == ast.KindNamedCollection {
			s.exec("DROP NAMED COLLECTION IF EXISTS " + o.ID().SQL())
		}
	}
}

func (s *server) plan(book *rules.Book, c *testCase) *plan.Document {
	live := s.read(c)
	return book.Plan(c.pairs(live), c.planOptions(live))
}

// read reads the live objects back, those of the case alone.
func (s *server) read(c *testCase) []ast.Object {
	wanted := map[ast.Name]bool{}
	for _, o := range append(slices.Clone(c.desired), c.live...) {
		wanted[o.ID()] = true
	}
	var list []ast.Object
	for _, text := range s.column("SELECT create_query FROM system.functions WHERE origin = 'SQLUserDefined' ORDER BY name") {
		if o := s.parse(text); wanted[o.ID()] {
			list = append(list, o)
		}
	}
	for _, text := range s.column("SELECT create_query FROM system.named_collections ORDER BY name") {
		if o := s.parse(text); wanted[o.ID()] {
			list = append(list, o)
		}
	}
	if wanted[ast.Name{Name: caseDatabase}] {
		if text := s.column("SELECT name FROM system.databases WHERE name = '" + caseDatabase + "'"); len(text) > 0 {
			// SHOW CREATE DATABASE goes on showing a comment that was removed; system.databases has the one that counts.
			d := s.parse(s.column("SHOW CREATE DATABASE " + caseDatabase)[0]).(*ast.Database)
			d.Comment = s.column("SELECT comment FROM system.databases WHERE name = '" + caseDatabase + "'")[0]
			list = append(list, d)
		}
	}
	for _, text := range s.column("SELECT create_table_query FROM system.tables WHERE database = '" + caseDatabase + "' ORDER BY name") {
		if o := s.parse(text); wanted[o.ID()] {
			list = append(list, o)
		}
	}
	return list
}

func (s *server) parse(text string) ast.Object {
	s.t.Helper()
	o, err := ddl.ParseStatement(text)
	if err != nil {
		s.t.Fatalf("the server's text cannot be read: %v\n%s", err, text)
	}
	return o
}

// column returns the first column of a query's rows.
func (s *server) column(sql string) []string {
	s.t.Helper()
	var values []string
	lines := bufio.NewScanner(strings.NewReader(s.query(sql + " FORMAT JSONCompactEachRow")))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row []string
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			s.t.Fatalf("%s: %v", sql, err)
		}
		values = append(values, row[0])
	}
	return values
}

func (s *server) exec(sql string) { s.t.Helper(); s.query(sql) }

func (s *server) query(sql string) string {
	s.t.Helper()
	text, err := s.send(sql)
	if err != nil {
		s.t.Fatalf("%s\n%v", sql, err)
	}
	return text
}

// send runs a statement with what the cases need switched on.
func (s *server) send(sql string) (string, error) {
	settings := url.Values{}
	for _, name := range []string{"allow_experimental_statistics", "allow_suspicious_low_cardinality_types", "allow_suspicious_codecs",
		"allow_suspicious_ttl_expressions", "allow_suspicious_primary_key"} {
		settings.Set(name, "1")
	}
	settings.Set("mutations_sync", "2")
	if s.database != "" {
		settings.Set("database", s.database)
	}
	resp, err := http.Post(s.url+"/?"+settings.Encode(), "text/plain", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(resp.Body)
	if cerr := resp.Body.Close(); err == nil {
		err = cerr
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", strings.TrimSpace(string(body)))
	}
	return string(body), err
}
