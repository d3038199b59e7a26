package access

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// words leaves out what is no part of what a statement says.
var words = cmp.Options{cmpopts.IgnoreFields(ast.Node{}, "Pos", "Quote"), cmpopts.IgnoreUnexported(Statement{}), cmpopts.EquateEmpty()}

// statements are our own, across every clause.
func statements(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func TestPrintAndParseAreInverse(t *testing.T) {
	list := statements(t)
	if len(list) < 120 {
		t.Fatalf("only %d statements", len(list))
	}
	for _, text := range list {
		first, err := Parse(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		again, err := Parse(first.String())
		if err != nil {
			t.Errorf("%s\nprinted as %s\n%v", text, first, err)
			continue
		}
		if diff := cmp.Diff(first, again, words); diff != "" {
			t.Errorf("%s\nprinted as %s (-first +again):\n%s", text, first, diff)
		}
		if first.String() != again.String() {
			t.Errorf("%s\nprinted as %s\nand then as %s", text, first, again)
		}
	}
}

// TestTheEngineReadsWhatIsPrintedAsWhatWasWritten asks the engine's own formatter: our text means the same statement,
// and its text is read too.
func TestTheEngineReadsWhatIsPrintedAsWhatWasWritten(t *testing.T) {
	url := embeddedtest.Server(t)
	for _, text := range statements(t) {
		st, err := Parse(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		written, printed := formatted(t, url, text), formatted(t, url, st.String())
		if written != printed {
			t.Errorf("%s\nthe engine reads it as      %s\nwhat we print of it it reads as %s", text, written, printed)
		}
		again, err := Parse(written)
		if err != nil {
			t.Errorf("%s\nthe engine prints %s\n%v", text, written, err)
			continue
		}
		if printed := formatted(t, url, again.String()); written != printed {
			t.Errorf("%s\nthe engine prints  %s\nwhich we print as  %s", text, written, printed)
		}
	}
}

func formatted(t *testing.T, url, text string) string {
	t.Helper()
	resp, err := http.Post(url, "text/plain", strings.NewReader("SELECT formatQuerySingleLine("+ast.QuoteString(text)+") FORMAT TSVRaw"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s\n%.300s", text, body)
	}
	return string(bytes.TrimSpace(body))
}

func TestFaultsSayWhereAndWhatWasExpected(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"CREATE ROLE", "line 1, column 12: expected a name, found the end of the text"},
		{"CREATE TABLE t", "line 1, column 8: expected ROLE, USER, SETTINGS PROFILE, QUOTA or ROW POLICY, found TABLE"},
		{"GRANT SELCT ON a.b TO r", `line 1, column 7: expected a privilege that ClickHouse 26.7.2.1 has, found SELCT; did you mean "SELECT"`},
		{"GRANT SELECT\n  ON a.b\n  TO", "line 3, column 5: expected the name of a user or role, found the end of the text"},
		{"GRANT SELECT ON a.b FOR r", "line 1, column 21: expected the rest of a statement of access, found FOR"},
		{"GRANT SELECT(a) ON a.* TO r", "line 1, column 20: expected one table where columns are named, found a"},
		{"GRANT CREATE USER(a) ON x TO r", "line 1, column 7: expected a privilege that is granted on columns, found CREATE; CREATE USER is not"},
		{"GRANT KILL QUERY ON a.* TO r", "line 1, column 21: expected *.*, found a; KILL QUERY cannot be granted on less"},
		{"GRANT SET DEFINER ON a.b TO r", "line 1, column 22: expected one name, the beginning of one with *, or *, found a; SET DEFINER is about no table"},
		{"GRANT reader TO app WITH GRANT OPTION", "line 1, column 7: expected GRANT OPTION for privileges and ADMIN OPTION for roles, found reader"},
		{"GRANT ALTER UPDATE TO app", "line 1, column 7: expected a role, or a privilege with ON and what it is granted on, found ALTER"},
		{"CREATE ROW POLICY p, q ON a.b, a.c USING 1", "one table for several policies"},
		{"CREATE USER u IDENTIFIED WITH sha265_password BY 'secret'", `found sha265_password; did you mean "sha256_password"`},
		{"CREATE USER u IDENTIFIED", "WITH a way of authentication, or BY"},
		{"CREATE USER u HOST IP ''", "an address or a name that is not empty"},
		{"CREATE USER u GRANTEES NONE GRANTEES ANY", "each clause once"},
		{"CREATE USER u HOST IP", "ANY, NONE, LOCAL, or IP, NAME, REGEXP or LIKE with a text in quotes"},
		{"CREATE ROLE r SETTINGS max_threads", "a setting with a value, MIN, MAX, CONST, WRITABLE or CHANGEABLE_IN_READONLY"},
		{"CREATE ROLE r SETTINGS max_threads = 1 MIN 1 MIN 2", "each once"},
		{"CREATE ROLE r ADD SETTING max_threads = 1", "belong into ALTER"},
		{"CREATE QUOTA q KEYED BY colour", "user_name, ip_address"},
		{"CREATE QUOTA q FOR INTERVAL 1 fortnight MAX queries = 1", "a length of time of at least a second"},
		{"CREATE QUOTA q FOR INTERVAL 1 hour MAX querys = 1", `did you mean "queries"`},
		{"CREATE ROW POLICY p USING 1", "expected"},
		{"CREATE ROW POLICY p ON a.b USING a = TO r", "an expression"},
		{"REVOKE SELECT ON a.b FROM r WITH GRANT OPTION", "REVOKE GRANT OPTION FOR"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
			continue
		}
		var fault *ddl.Error
		if e, ok := err.(*ddl.Error); ok {
			fault = e
		}
		if fault == nil || fault.Line < 1 || fault.Column < 1 {
			t.Errorf("%s: %v has no place", c.text, err)
		}
	}
}

func TestNoFaultAndNoTextShowsAPassword(t *testing.T) {
	const password = "open sesame"
	for _, text := range []string{
		"CREATE USER u IDENTIFIED BY 'open sesame'",
		"CREATE USER u IDENTIFIED WITH sha256_password BY 'open sesame', bcrypt_password BY 'open sesame' HOST LOCAL",
		"CREATE USER u IDENTIFIED WITH sha256_password 'open sesame'",
		"CREATE USER u IDENTIFIED BY 'open sesame' 'open sesame'",
		"CREATE USER u IDENTIFIED WITH nothing BY 'open sesame'",
		"ALTER USER u IDENTIFIED BY `open sesame`",
		"CREATE USER u IDENTIFIED BY 'open sesame' HOST HOST",
	} {
		st, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if strings.Contains(st.String(), password) || strings.Contains(ast.Create(st.Object, ast.Style{}), password) {
			t.Errorf("printed: %s", st)
		}
		if got, ok := st.Password(0); !ok || got != password {
			t.Errorf("%s: the server that has to keep the password gets %q", text, got)
		}
	}
}

func TestAReferenceToASecretIsReadAndPrinted(t *testing.T) {
	for text, want := range map[string]ast.Secret{
		"CREATE USER u IDENTIFIED WITH sha256_password BY secret('env:APP_PASSWORD')": {Source: "env", Name: "APP_PASSWORD"},
		"CREATE USER u IDENTIFIED BY SECRET('file:/run/secrets/app')":                 {Source: "file", Name: "/run/secrets/app"},
	} {
		st, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Object.(*ast.User).Auth[0].Secret; got != want || st.HoldsPassword() {
			t.Errorf("%s: %+v", text, got)
		}
		if !strings.EqualFold(st.String(), text) {
			t.Errorf("printed as %s", st)
		}
	}
	for _, text := range []string{"CREATE USER u IDENTIFIED BY secret('vault:x')", "CREATE USER u IDENTIFIED BY secret('env:')", "CREATE USER u IDENTIFIED BY secret(x)"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range statements(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		st, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(st.String())
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", text, st, err)
		}
		if diff := cmp.Diff(st, again, words); diff != "" {
			t.Fatalf("%q is printed as %q:\n%s", text, st, diff)
		}
	})
}
