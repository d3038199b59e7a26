package access_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded"
)

// server is an embedded engine that takes access statements.
type server struct {
	*testing.T
	*embedded.Server
}

func start(t *testing.T, dir string) *server {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Options{Path: dir, Log: slog.New(slog.DiscardHandler), Progress: os.Stderr, Access: access.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return &server{t, s}
}

func stop(t *testing.T, s *embedded.Server) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func (s *server) send(sql string) (string, bool) {
	s.Helper()
	resp, err := http.Post(s.URL(), "text/plain", strings.NewReader(sql))
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return strings.TrimSpace(string(body)), resp.StatusCode == http.StatusOK
}

func (s *server) exec(statements ...string) {
	s.Helper()
	for _, sql := range statements {
		if text, ok := s.send(sql); !ok {
			s.Fatalf("%s\n%s", sql, text)
		}
	}
}

// shown is what SHOW ACCESS prints, the engine's own user left out.
func (s *server) shown() []string {
	s.Helper()
	text, ok := s.send("SHOW ACCESS FORMAT TSVRaw")
	if !ok {
		s.Fatal(text)
	}
	lines := strings.Split(text, "\n")
	return slices.DeleteFunc(lines, func(l string) bool {
		return strings.Contains(l, " TO default") || strings.HasPrefix(l, "CREATE USER default ") || strings.HasPrefix(l, "CREATE SETTINGS PROFILE `default`")
	})
}

func TestWhatIsStatedIsWhatTheEngineShows(t *testing.T) {
	s := start(t, t.TempDir())
	s.exec("CREATE DATABASE shop", "CREATE TABLE shop.orders (id UInt64, owner String) ENGINE = MergeTree ORDER BY id",
		"CREATE ROLE reader", "CREATE ROLE writer", "CREATE ROLE IF NOT EXISTS reader",
		"GRANT SELECT ON shop.* TO reader", "GRANT SELECT(id), INSERT ON shop.orders TO reader",
		"GRANT SELECT ON *.* TO writer WITH GRANT OPTION", "REVOKE SELECT ON system.* FROM writer", "GRANT reader TO writer WITH ADMIN OPTION",
		"CREATE SETTINGS PROFILE web SETTINGS INHERIT default, max_threads = 2 MIN 1 MAX 4, log_queries = 1 CONST",
		"CREATE USER app IDENTIFIED WITH sha256_password BY 'open sesame' HOST IP '10.0.0.0/8', LOCAL DEFAULT DATABASE shop SETTINGS PROFILE web",
		"CREATE USER ops IDENTIFIED WITH ldap SERVER 'directory' HOST NONE",
		"GRANT reader TO app, ops", "GRANT SET DEFINER ON app TO ops",
		"CREATE QUOTA hourly KEYED BY ip_address FOR INTERVAL 1 hour MAX queries = 100, errors = 5, FOR RANDOMIZED INTERVAL 1 day TRACKING ONLY TO app",
		"CREATE ROW POLICY app ON shop.orders USING owner = currentUser() TO app")
	want := []string{
		"CREATE USER app IDENTIFIED WITH sha256_password HOST LOCAL, IP '10.0.0.0/8' DEFAULT DATABASE shop SETTINGS PROFILE `web`",
		"CREATE USER ops IDENTIFIED WITH ldap SERVER 'directory' HOST NONE",
		"CREATE ROLE reader", "CREATE ROLE writer",
		"CREATE SETTINGS PROFILE `web` SETTINGS INHERIT `default`, max_threads = 2 MIN 1 MAX 4, log_queries = true CONST",
		"CREATE ROW POLICY app ON shop.orders FOR SELECT USING owner = currentUser() TO app",
		"CREATE ROW POLICY ops ON shop.orders FOR SELECT USING 1 TO ops",
		"CREATE QUOTA hourly KEYED BY ip_address FOR INTERVAL 1 hour MAX queries = 100, errors = 5, FOR RANDOMIZED INTERVAL 1 day TRACKING ONLY TO app",
		"GRANT reader TO app", "GRANT SET DEFINER ON app TO ops", "GRANT reader TO ops",
		"GRANT SELECT ON shop.* TO reader", "GRANT INSERT ON shop.orders TO reader",
		"GRANT SELECT ON *.* TO writer WITH GRANT OPTION", "REVOKE SELECT ON system.* FROM writer", "GRANT reader TO writer WITH ADMIN OPTION",
	}
	got := s.shown()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +shown:\n%s", diff)
	}

	s.exec("ALTER SETTINGS PROFILE web SETTINGS max_threads = 3", "ALTER USER app HOST ANY DEFAULT DATABASE NONE SETTINGS NONE",
		"ALTER QUOTA hourly FOR INTERVAL 1 day NO LIMITS, FOR INTERVAL 1 hour MAX queries = 7 TO NONE",
		"ALTER ROW POLICY app ON shop.orders USING id > 5", "REVOKE reader FROM ops", "REVOKE INSERT ON shop.orders FROM reader",
		"GRANT INSERT ON shop.* TO writer WITH REPLACE OPTION", "REVOKE ADMIN OPTION FOR reader FROM writer", "DROP USER IF EXISTS nobody", "DROP USER ops")
	want = []string{
		"CREATE USER app IDENTIFIED WITH sha256_password", "CREATE ROLE reader", "CREATE ROLE writer",
		"CREATE SETTINGS PROFILE `web` SETTINGS max_threads = 3",
		"CREATE ROW POLICY app ON shop.orders FOR SELECT USING id > 5 TO app",
		"CREATE QUOTA hourly KEYED BY ip_address FOR INTERVAL 1 hour MAX queries = 7",
		"GRANT reader TO app", "GRANT SELECT ON shop.* TO reader", "GRANT INSERT ON shop.* TO writer", "GRANT reader TO writer",
	}
	got = s.shown()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after the changes (-want +shown):\n%s", diff)
	}
}

func TestEveryWayOfAuthenticationAndEveryKeyThatUsersXMLHasIsShownAsStated(t *testing.T) {
	s := start(t, t.TempDir())
	for sql, want := range map[string]string{
		"CREATE USER u IDENTIFIED WITH plaintext_password BY 'open sesame'":                                                "CREATE USER u IDENTIFIED WITH plaintext_password",
		"CREATE USER u IDENTIFIED WITH double_sha1_password BY 'open sesame'":                                              "CREATE USER u IDENTIFIED WITH double_sha1_password",
		"CREATE USER u IDENTIFIED WITH scram_sha256_password BY 'open sesame'":                                             "CREATE USER u IDENTIFIED WITH scram_sha256_password",
		"CREATE USER u IDENTIFIED WITH http SERVER 'door' SCHEME 'basic'":                                                  "CREATE USER u IDENTIFIED WITH http SERVER 'door' SCHEME 'BASIC'",
		"CREATE USER u IDENTIFIED WITH kerberos REALM 'EXAMPLE.COM'":                                                       "CREATE USER u IDENTIFIED WITH kerberos REALM 'EXAMPLE.COM'",
		"CREATE USER u IDENTIFIED WITH ssl_certificate CN 'app.example.com'":                                               "CREATE USER u IDENTIFIED WITH ssl_certificate CN 'app.example.com'",
		"CREATE USER u IDENTIFIED WITH sha256_password BY 'open sesame', plaintext_password BY 'sesame', ldap SERVER 'd'":  "CREATE USER u IDENTIFIED WITH sha256_password, plaintext_password, ldap SERVER 'd'",
		"CREATE QUOTA q KEYED BY ip_address IPV4_PREFIX_BITS 24 IPV6_PREFIX_BITS 64 FOR INTERVAL 1 minute MAX queries = 1": "CREATE QUOTA q KEYED BY ip_address IPV4_PREFIX_BITS 24 IPV6_PREFIX_BITS 64 FOR INTERVAL 1 minute MAX queries = 1",
		"CREATE QUOTA q KEYED BY normalized_query_hash FOR INTERVAL 1 minute MAX queries_per_normalized_hash = 1":          "CREATE QUOTA q KEYED BY normalized_query_hash FOR INTERVAL 1 minute MAX queries_per_normalized_hash = 1",
		"CREATE QUOTA q KEYED BY client_key, user_name FOR INTERVAL 1 week MAX written_bytes = 5, execution_time = 1.5":    "CREATE QUOTA q KEYED BY client_key, user_name FOR INTERVAL 1 week MAX execution_time = 1.5, written_bytes = 5",
		"CREATE QUOTA q KEYED BY user_name FOR INTERVAL 1 hour MAX read_bytes = '1Ti', queries = '12K'":                    "CREATE QUOTA q KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 12000, read_bytes = 1099511627776",
	} {
		s.exec(sql)
		if got := s.shown(); len(got) != 1 || got[0] != want {
			t.Errorf("%s\nis shown as %q", sql, got)
		}
		s.exec("DROP USER IF EXISTS u", "DROP QUOTA IF EXISTS q")
	}
	s.exec("CREATE USER u IDENTIFIED WITH plaintext_password BY 'one'", "ALTER USER u ADD IDENTIFIED WITH sha256_password BY 'two'")
	if got := s.shown(); len(got) != 1 || got[0] != "CREATE USER u IDENTIFIED WITH plaintext_password, sha256_password" {
		t.Errorf("added: %q", got)
	}
	s.exec("ALTER USER u RESET AUTHENTICATION METHODS TO NEW")
	if got := s.shown(); len(got) != 1 || got[0] != "CREATE USER u IDENTIFIED WITH sha256_password" {
		t.Errorf("reset: %q", got)
	}
}

func TestWhatIsStatedSurvivesTheServerAndHoldsNoPassword(t *testing.T) {
	dir := t.TempDir()
	s, err := embedded.Start(t.Context(), embedded.Options{Path: dir, Log: slog.New(slog.DiscardHandler), Progress: os.Stderr, Access: access.New()})
	if err != nil {
		t.Fatal(err)
	}
	first := &server{t, s}
	first.exec("CREATE ROLE reader", "CREATE USER app IDENTIFIED WITH sha256_password BY 'open sesame'", "GRANT reader TO app")
	want := first.shown()
	stop(t, s)
	kept, err := os.ReadFile(filepath.Join(dir, "dfe-access.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(kept), "sesame") {
		t.Errorf("the file holds the password: %s", kept)
	}
	again := start(t, dir)
	if diff := cmp.Diff(want, again.shown()); diff != "" {
		t.Errorf("after a restart (-before +after):\n%s", diff)
	}
}

func TestWhatUsersXMLCannotSayIsRefusedAndChangesNothing(t *testing.T) {
	s := start(t, t.TempDir())
	s.exec("CREATE ROLE reader", "CREATE USER app NOT IDENTIFIED", "CREATE SETTINGS PROFILE web SETTINGS max_threads = 1")
	before := s.shown()
	for _, c := range []struct{ sql, want string }{
		{"CREATE ROLE slow SETTINGS max_threads = 1", "settings of a role"},
		{"CREATE USER u IDENTIFIED WITH bcrypt_password BY 'open sesame'", "the authentication bcrypt_password"},
		{"CREATE USER u SETTINGS max_threads = 1", "settings of a user besides one PROFILE"},
		{"CREATE USER u HOST LIKE '%.x'", "HOST LIKE"},
		{"CREATE USER u DEFAULT ROLE NONE", "default roles other than all"},
		{"CREATE USER u VALID UNTIL '2030-01-01'", "VALID UNTIL"},
		{"CREATE USER u IDENTIFIED WITH no_password, plaintext_password BY 'open sesame'", "cannot co-exist"},
		{"CREATE QUOTA q FOR INTERVAL 1 hour MAX queries = 1", "the key"},
		{"CREATE USER `a user`", "the name"},
		{"CREATE SETTINGS PROFILE p SETTINGS max_threads = 1 TO app", "whom a settings profile is for"},
		{"CREATE SETTINGS PROFILE p SETTINGS max_threads CHANGEABLE_IN_READONLY", "CHANGEABLE_IN_READONLY"},
		{"CREATE QUOTA q FOR INTERVAL 1 hour MAX queries = 1 TO reader", "a quota for anybody but users"},
		{"CREATE QUOTA q KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 1 TO ALL", "a quota for all"},
		{"CREATE ROW POLICY p ON a.b USING 1 TO reader", "a row policy by another name"},
		{"CREATE ROW POLICY app ON a.b AS RESTRICTIVE USING 1 TO app", "restrictive"},
		{"CREATE ROW POLICY app ON a.* USING 1 TO app", "a whole database"},
		{"GRANT CURRENT GRANTS ON *.* TO reader", "GRANT CURRENT GRANTS"},
		{"GRANT SELECT ON t TO reader", "the current database"},
		{"CREATE ROLE reader", "Code: 493"},
		{"ALTER ROLE nobody SETTINGS NONE", "Code: 511"},
		{"DROP USER nobody", "Code: 192"},
		{"GRANT nobody TO app", "Code: 511"},
		{"GRANT SELECT ON a.b TO nobody", "Code: 511"},
		{"CREATE USER u SETTINGS PROFILE nothing", "Code: 180"},
		{"ALTER USER default HOST LOCAL", "Code: 495"},
		{"CREATE ROLE r ON CLUSTER main", "Code: 392"},
		{"CREATE ROLE r IN somewhere", "the storage somewhere"},
		{"GRANT SELCT ON a.b TO reader", "Code: 62"},
		{"CREATE SETTINGS PROFILE p SETTINGS no_such_setting = 1", "no_such_setting"},
	} {
		text, ok := s.send(c.sql)
		if ok || !strings.Contains(text, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.sql, text, c.want)
		}
		if strings.Contains(text, "sesame") {
			t.Errorf("%s: the answer shows the password: %s", c.sql, text)
		}
	}
	if diff := cmp.Diff(before, s.shown()); diff != "" {
		t.Errorf("something changed (-before +after):\n%s", diff)
	}
}

func TestAStatementThatChangesNothingLeavesTheEngineOpen(t *testing.T) {
	s := start(t, t.TempDir())
	s.exec("CREATE ROLE reader", "GRANT SELECT ON shop.* TO reader", "CREATE USER app NOT IDENTIFIED HOST LOCAL",
		// What is in memory alone is gone when the engine is opened again, so it tells.
		"CREATE TABLE mark (a UInt8) ENGINE = Memory", "INSERT INTO mark VALUES (1)",
		"CREATE ROLE IF NOT EXISTS reader", "ALTER ROLE reader SETTINGS NONE", "GRANT SELECT ON shop.* TO reader", "GRANT SELECT(a) ON shop.orders TO reader",
		"REVOKE INSERT ON shop.* FROM reader", "ALTER USER app HOST LOCAL SETTINGS NONE", "DROP ROLE IF EXISTS nobody")
	if rows, _ := s.send("SELECT count() FROM mark"); rows != "1" {
		t.Errorf("the engine was opened again: %s rows", rows)
	}
	s.exec("GRANT INSERT ON shop.* TO reader")
	if rows, _ := s.send("SELECT count() FROM mark"); rows != "0" {
		t.Errorf("the engine was not opened again: %s rows", rows)
	}
}

func TestStatementsThatArePreparedCostOneOpening(t *testing.T) {
	opened := 0
	s, err := embedded.Start(t.Context(), embedded.Options{Path: t.TempDir(), Log: slog.New(slog.DiscardHandler), Progress: os.Stderr, Access: access.New(),
		Opened: func(func(context.Context, embedded.Order) ([]byte, error)) error { opened++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	for _, sql := range []string{"CREATE ROLE a", "CREATE ROLE b", "GRANT SELECT ON x.* TO a", "DROP ROLE b", "CREATE ROLE b"} {
		if err := s.PrepareAccess(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PrepareAccess(t.Context(), "CREATE ROLE a"); err == nil {
		t.Error("a role that is there is made again")
	}
	for range 2 {
		if err := s.ApplyAccess(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if opened != 2 {
		t.Errorf("the engine has opened %d times, want once at its start and once for all statements", opened)
	}
	if text, _ := (&server{t, s}).send("SHOW GRANTS FOR a"); text != "GRANT SELECT ON x.* TO a" {
		t.Errorf("the engine shows %q", text)
	}
}

func TestAccessStatementsWaitForWhatRunsAndAreReadOnlyOverGET(t *testing.T) {
	s := start(t, t.TempDir())
	s.exec("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	done := make(chan bool)
	for i := range 6 {
		go func() {
			ok := true
			for j := range 5 {
				sql := "INSERT INTO t SELECT number FROM numbers(1000)"
				if i%3 == 0 {
					sql = "CREATE ROLE role_" + string(rune('a'+i)) + string(rune('a'+j))
				}
				_, good := s.send(sql)
				ok = ok && good
			}
			done <- ok
		}()
	}
	for range 6 {
		if !<-done {
			t.Error("a statement failed")
		}
	}
	if rows, _ := s.send("SELECT count() FROM t"); rows != "20000" {
		t.Errorf("%s rows", rows)
	}
	if roles, _ := s.send("SELECT count() FROM system.roles"); roles != "10" {
		t.Errorf("%s roles", roles)
	}
	resp, err := http.Get(s.URL() + "/?query=CREATE+ROLE+r")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		t.Error("GET created a role")
	}
}
