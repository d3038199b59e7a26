package canon_test

import (
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/canon"
)

// accessSamples have every clause of the kinds that say who may do what.
const accessSamples = `
CREATE SETTINGS PROFILE web SETTINGS INHERIT base, max_threads = 4 MIN 1 MAX 8 WRITABLE, log_queries = 1 CONST TO reader, app;
CREATE ROLE reader SETTINGS max_threads = 2, PROFILE web;
GRANT SELECT(id, total) ON shop.orders TO reader WITH GRANT OPTION;
GRANT INSERT ON shop.log_* TO reader;
GRANT SET DEFINER ON app TO reader;
GRANT READ ON S3('s3://bucket/.*') TO reader;
GRANT SHOW ON shop.* TO reader;
REVOKE SHOW TABLES ON shop.secrets FROM reader;
CREATE ROLE writer;
GRANT reader TO writer WITH ADMIN OPTION;
CREATE USER app IDENTIFIED WITH ldap SERVER 'corp' VALID UNTIL '2030-01-01 00:00:00' HOST LOCAL, IP '10.0.0.0/8'
	DEFAULT DATABASE shop DEFAULT ROLE reader SETTINGS max_threads = 3, PROFILE web GRANTEES reader;
GRANT reader TO app;
CREATE QUOTA hourly KEYED BY ip_address IPV4_PREFIX_BITS 24 IPV6_PREFIX_BITS 64 FOR RANDOMIZED INTERVAL 1 hour MAX queries = 100, errors = 5 TO reader;
CREATE ROW POLICY own ON shop.orders AS RESTRICTIVE USING owner = currentUser() TO ALL EXCEPT app;
`

// accessFlips change one word of the samples each.
var accessFlips = [][2]string{
	{"INHERIT base", "INHERIT basis"}, {"max_threads = 4", "max_threads = 5"}, {"MIN 1", "MIN 2"}, {"MAX 8", "MAX 9"}, {"WRITABLE", "CONST"}, {"WRITABLE", ""},
	{"log_queries = 1", "log_queries = 0"}, {"log_queries = 1 CONST", "log_query_threads = 1 CONST"}, {"TO reader, app;", "TO reader;"}, {"TO reader, app;", "TO ALL;"},
	{"ROLE reader SETTINGS max_threads = 2", "ROLE reader SETTINGS max_threads = 3"}, {"max_threads = 2, PROFILE web", "max_threads = 2"},
	{"SELECT(id, total)", "SELECT(id)"}, {"SELECT(id, total)", "SELECT"}, {"ON shop.orders TO reader", "ON shop.items TO reader"}, {" WITH GRANT OPTION", ""},
	{"shop.log_*", "shop.log*"}, {"shop.log_*", "shop.*"}, {"GRANT INSERT", "GRANT TRUNCATE"}, {"DEFINER ON app", "DEFINER ON *"}, {"DEFINER ON app", "DEFINER ON ops"},
	{"GRANT READ ON", "GRANT WRITE ON"}, {"S3('s3://bucket/.*')", "URL"}, {"REVOKE SHOW TABLES ON shop.secrets FROM reader;", ""}, {"shop.secrets", "shop.secret"},
	{"GRANT reader TO writer WITH ADMIN OPTION", "GRANT reader TO writer"}, {"GRANT reader TO writer", "GRANT other TO writer"},
	{"ldap SERVER 'corp'", "kerberos"}, {"SERVER 'corp'", "SERVER 'other'"}, {"2030-01-01 00:00:00", "2031-01-01 00:00:00"}, {"HOST LOCAL, ", "HOST "}, {"10.0.0.0/8", "10.0.0.0/9"},
	{"DATABASE shop", "DATABASE sale"}, {"DEFAULT ROLE reader", "DEFAULT ROLE NONE"}, {"DEFAULT ROLE reader", "DEFAULT ROLE ALL EXCEPT reader"},
	{"SETTINGS max_threads = 3", "SETTINGS max_threads = 4"}, {"max_threads = 3, PROFILE web", "max_threads = 3, PROFILE base"}, {"GRANTEES reader", "GRANTEES NONE"}, {"GRANT reader TO app;", ""},
	{"KEYED BY ip_address", "KEYED BY forwarded_ip_address"}, {"IPV4_PREFIX_BITS 24", "IPV4_PREFIX_BITS 16"}, {"IPV6_PREFIX_BITS 64", "IPV6_PREFIX_BITS 32"}, {"RANDOMIZED ", ""},
	{"INTERVAL 1 hour", "INTERVAL 2 hour"}, {"queries = 100", "queries = 101"}, {", errors = 5", ""}, {"errors = 5 TO reader", "errors = 5 TO app"},
	{"AS RESTRICTIVE", "AS PERMISSIVE"}, {"owner = currentUser()", "owner != currentUser()"}, {"TO ALL EXCEPT app", "TO ALL"}, {"TO ALL EXCEPT app", "TO app"},
}

func accessObjects(t *testing.T, text string) []ast.Object {
	t.Helper()
	placed, err := access.ParseScript(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var list []*access.Statement
	for _, p := range placed {
		list = append(list, p.Statement)
	}
	objects := access.Collect(list)
	return append(objects, &ast.Grant{Name: "more", To: []string{"reader", "app"}, Rights: objects[1].(*ast.Role).Rights})
}

// TestAccessInOtherWordsIsTheSame has each object as written and as the server prints it.
func TestAccessInOtherWordsIsTheSame(t *testing.T) {
	for _, c := range [][2]string{
		{"CREATE USER hen HOST IP '127.0.0.1'", "CREATE USER hen HOST LOCAL"},
		{"CREATE USER hen HOST NAME 'localhost' HOST IP '::1'", "CREATE USER hen HOST LOCAL"},
		{"CREATE USER hen HOST IP '2001:0db8::00ff', '10.1.2.3/8'", "CREATE USER hen HOST IP '2001:db8::ff', '10.0.0.0/8'"},
		{"CREATE USER hen HOST IP '10.0.0.1/32', '::1/128', '10.1.2.3/255.0.0.0'", "CREATE USER hen HOST LOCAL, IP '10.0.0.1', '10.0.0.0/8'"},
		{"CREATE USER hen HOST IP '10.1.2.3/255.0.255.0', 'fd00::7/ff00::', '::ffff:10.0.0.1/128'", "CREATE USER hen HOST IP '10.0.2.0/255.0.255.0', 'fd00::/8', '::ffff:10.0.0.1'"},
		{"CREATE USER hen HOST IP '127.0.0.0/8'", "CREATE USER hen HOST LOCAL"},
		{"CREATE USER hen HOST IP '127.0.0.5', '::ffff:127.0.0.1'", "CREATE USER hen HOST LOCAL"},
		{"CREATE USER hen HOST IP '0.0.0.0/0'", "CREATE USER hen HOST ANY"},
		{"CREATE USER hen HOST IP '0.0.0.0/0.0.0.0', NAME 'a'", "CREATE USER hen"},
		{"CREATE USER hen HOST REGEXP '.*'", "CREATE USER hen HOST ANY"},
		{"CREATE USER hen HOST REGEXP 'localhost'", "CREATE USER hen HOST LOCAL"},
		{"CREATE USER hen@'%'", "CREATE USER hen"},
		{"CREATE USER hen@localhost", "CREATE USER hen@'localhost' HOST LOCAL"},
		{"CREATE QUOTA feed FOR 1 HOUR queries MAX '12Ki', result rows max 1.5", "CREATE QUOTA feed FOR INTERVAL 1 hour MAX queries = 12288, result_rows = 1"},
		{"CREATE SETTINGS PROFILE calm SETTINGS INHERIT slow, steady", "CREATE SETTINGS PROFILE calm SETTINGS INHERIT slow, INHERIT steady"},
	} {
		written, printed := accessObject(t, c[0]), accessObject(t, c[1])
		l, d := canon.Pair(printed, written, canon.Env{})
		for _, diff := range compare(l, d) {
			t.Errorf("%s: %s differs from %s", c[0], diff.path, c[1])
		}
	}
}

func accessObject(t *testing.T, text string) ast.Object {
	t.Helper()
	st, err := access.Parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return st.Object
}

func TestChangingAnyWordOfAccessMakesADifference(t *testing.T) {
	differ := func(live, desired []ast.Object) int {
		n := 0
		for i := range live {
			l, d := canon.Pair(live[i], desired[i], canon.Env{})
			n += len(compare(l, d))
		}
		return n
	}
	if n := differ(accessObjects(t, accessSamples), accessObjects(t, accessSamples)); n > 0 {
		t.Fatalf("the samples differ from themselves in %d places", n)
	}
	for _, flip := range accessFlips {
		changed := strings.Replace(accessSamples, flip[0], flip[1], 1)
		if changed == accessSamples {
			t.Errorf("no sample has %q", flip[0])
			continue
		}
		// Either side may be the live one. A pattern of a source is the one thing that no server shows.
		if differ(accessObjects(t, accessSamples), accessObjects(t, changed)) == 0 || differ(accessObjects(t, changed), accessObjects(t, accessSamples)) == 0 {
			t.Errorf("%q in place of %q is not seen", flip[1], flip[0])
		}
	}
}
