package access

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
)

func rightsOf(t *testing.T, texts ...string) []ast.Right {
	t.Helper()
	var list []ast.Right
	for _, text := range texts {
		st, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		list = append(list, st.Object.(*ast.Grant).Rights...)
	}
	return list
}

func TestAWiderRightCoversANarrowerOneAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		held   []string
		wanted string
		covers bool
	}{
		// S94: a narrower grant leaves no row where a wider one exists.
		{[]string{"GRANT SELECT ON *.* TO r"}, "GRANT SELECT ON shop.orders TO r", true},
		{[]string{"GRANT SELECT ON shop.* TO r"}, "GRANT SELECT(id) ON shop.orders TO r", true},
		{[]string{"GRANT SELECT ON shop.orders TO r"}, "GRANT SELECT ON shop.* TO r", false},
		{[]string{"GRANT SELECT(id, total) ON shop.orders TO r"}, "GRANT SELECT(id) ON shop.orders TO r", true},
		{[]string{"GRANT SELECT(id) ON shop.orders TO r", "GRANT SELECT(total) ON shop.orders TO r"}, "GRANT SELECT(id, total) ON shop.orders TO r", true},
		{[]string{"GRANT SELECT(id) ON shop.orders TO r"}, "GRANT SELECT ON shop.orders TO r", false},
		{[]string{"GRANT SELECT ON shop.order* TO r"}, "GRANT SELECT ON shop.orders TO r", true},
		{[]string{"GRANT SELECT ON shop.order* TO r"}, "GRANT SELECT ON shop.orders_* TO r", true},
		{[]string{"GRANT SELECT ON shop.orders_* TO r"}, "GRANT SELECT ON shop.order* TO r", false},
		{[]string{"GRANT SELECT ON shop.order* TO r"}, "GRANT SELECT ON shop.* TO r", false},
		{[]string{"GRANT SELECT ON sh*.* TO r"}, "GRANT SELECT ON shop.* TO r", true},
		{[]string{"GRANT SELECT ON sh*.* TO r"}, "GRANT SELECT ON s*.* TO r", false},
		{[]string{"GRANT SELECT ON shop.* TO r"}, "GRANT SELECT ON shop*.* TO r", false},
		// Options.
		{[]string{"GRANT SELECT ON shop.* TO r"}, "GRANT SELECT ON shop.* TO r WITH GRANT OPTION", false},
		{[]string{"GRANT SELECT ON shop.* TO r WITH GRANT OPTION"}, "GRANT SELECT ON shop.* TO r", true},
		// Groups and aliases.
		{[]string{"GRANT ALTER ON shop.* TO r"}, "GRANT UPDATE ON shop.orders TO r", true},
		{[]string{"GRANT ALTER UPDATE ON shop.* TO r"}, "GRANT ALTER ON shop.* TO r", false},
		{[]string{"GRANT SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SHOW DICTIONARIES ON shop.* TO r"}, "GRANT SHOW ON shop.* TO r", true},
		{[]string{"GRANT ALL ON *.* TO r"}, "GRANT SELECT, INSERT, KILL QUERY ON *.* TO r", true},
		{[]string{"GRANT ALL ON *.* TO r"}, "GRANT SET DEFINER ON x TO r", true},
		{[]string{"GRANT ALL ON shop.* TO r"}, "GRANT CREATE TABLE ON shop.orders TO r", true},
		{[]string{"GRANT ALL ON shop.* TO r"}, "GRANT SET DEFINER, NAMED COLLECTION ADMIN ON shop TO r", true},
		{[]string{"GRANT ALL ON shop.* TO r"}, "GRANT READ, WRITE ON shop TO r", true},
		{[]string{"GRANT ALL ON shop.* TO r"}, "GRANT KILL QUERY ON *.* TO r", false},
		// As SHOW GRANTS prints ALL on a database.
		{[]string{"GRANT CHECK, SHOW, SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE DICTIONARY, DROP DATABASE, DROP TABLE, DROP VIEW, DROP DICTIONARY, UNDROP TABLE, TRUNCATE, OPTIMIZE, BACKUP, CREATE ROW POLICY, ALTER ROW POLICY, DROP ROW POLICY, SHOW ROW POLICIES, SYSTEM MERGES, dictGet ON shop.* TO r"}, "GRANT SELECT, ALTER, SHOW ON shop.* TO r", true},
		// S93: REMOTE is READ and WRITE.
		{[]string{"GRANT READ, WRITE ON REMOTE TO r"}, "GRANT REMOTE ON *.* TO r", true},
		{[]string{"GRANT REMOTE ON *.* TO r"}, "GRANT READ ON REMOTE TO r", true},
		{[]string{"GRANT READ ON REMOTE TO r"}, "GRANT REMOTE ON *.* TO r", false},
		{[]string{"GRANT SOURCES ON *.* TO r"}, "GRANT S3, URL ON *.* TO r", true},
		{[]string{"GRANT READ ON * TO r", "GRANT WRITE ON * TO r"}, "GRANT SOURCES ON *.* TO r", true},
		{[]string{"GRANT READ ON S3('s3://a/.*') TO r"}, "GRANT READ ON S3 TO r", false},
		{[]string{"GRANT READ ON S3 TO r"}, "GRANT READ ON S3('s3://a/.*') TO r", true},
		// What a privilege without a database is about.
		{[]string{"GRANT SET DEFINER ON * TO r"}, "GRANT SET DEFINER ON x TO r", true},
		{[]string{"GRANT SET DEFINER ON view_* TO r"}, "GRANT SET DEFINER ON view_owner TO r", true},
		{[]string{"GRANT SET DEFINER ON view_owner TO r"}, "GRANT SET DEFINER ON * TO r", false},
		{[]string{"GRANT NAMED COLLECTION ADMIN ON * TO r"}, "GRANT SHOW NAMED COLLECTIONS ON kafka TO r", true},
		// Denials.
		{[]string{"GRANT SELECT ON *.* TO r", "REVOKE SELECT ON system.* FROM r"}, "GRANT SELECT ON *.* TO r", false},
		{[]string{"GRANT SELECT ON *.* TO r", "REVOKE SELECT ON system.* FROM r"}, "GRANT SELECT ON shop.* TO r", true},
		{[]string{"GRANT SELECT ON *.* TO r", "REVOKE SELECT ON system.* FROM r"}, "GRANT SELECT ON system.one TO r", false},
		{[]string{"GRANT SELECT ON *.* TO r", "REVOKE SELECT ON system.* FROM r", "GRANT SELECT ON system.one TO r"}, "GRANT SELECT ON system.one TO r", true},
		{[]string{"GRANT SELECT ON *.* TO r", "REVOKE SELECT ON system.* FROM r"}, "REVOKE SELECT ON system.* FROM r", true},
		{[]string{"GRANT SELECT ON *.* TO r"}, "REVOKE SELECT ON system.* FROM r", false},
		{[]string{"GRANT SELECT ON shop.* TO r"}, "REVOKE SELECT ON system.* FROM r", true},
		// Roles.
		{[]string{"GRANT reader TO u"}, "GRANT reader TO u", true},
		{[]string{"GRANT reader TO u"}, "GRANT reader TO u WITH ADMIN OPTION", false},
		{[]string{"GRANT reader TO u WITH ADMIN OPTION"}, "GRANT reader TO u", true},
		{[]string{"GRANT writer TO u"}, "GRANT reader TO u", false},
		// S95.
		{[]string{"GRANT SELECT ON *.* TO r"}, "GRANT CURRENT GRANTS ON *.* TO r", false},
	} {
		held := NewRights(rightsOf(t, c.held...))
		for _, want := range rightsOf(t, c.wanted) {
			if got := held.Covers(&want); got != c.covers {
				t.Errorf("%q covers %q: %t", c.held, c.wanted, got)
			}
		}
	}
}

// The server is an invented one of another version: it has fewer privileges, grants some of them on more alone, and has
// one that nobody knows here.
func TestAGroupIsWhatTheServerHasOfIt(t *testing.T) {
	older := map[string]string{"ALL": "", "SELECT": "COLUMN", "INSERT": "COLUMN", "ALTER": "", "ALTER UPDATE": "COLUMN", "CREATE TABLE": "TABLE",
		"CREATE ROW POLICY": "GLOBAL", "SET DEFINER": "OF A NEW KIND", "KILL QUERY": "GLOBAL", "S3": "GLOBAL"}
	const all = "GRANT SELECT, INSERT, ALTER UPDATE, CREATE TABLE ON shop.* TO r"
	const definer = "GRANT SET DEFINER ON shop TO r"
	for _, c := range []struct {
		held   []string
		wanted string
		covers bool
	}{
		{[]string{all, definer}, "GRANT ALL ON shop.* TO r", true},
		{[]string{all}, "GRANT ALL ON shop.* TO r", false},
		{[]string{"GRANT SELECT, INSERT, ALTER UPDATE ON shop.* TO r", definer}, "GRANT ALL ON shop.* TO r", false},
		{[]string{"GRANT ALTER UPDATE ON shop.* TO r"}, "GRANT ALTER ON shop.* TO r", true},
		{[]string{all, definer}, "GRANT ALL ON *.* TO r", false},
		{[]string{"GRANT ALTER UPDATE ON shop.* TO r"}, "GRANT ALTER DELETE ON shop.* TO r", false}, // the server is to say what it lacks
		{[]string{"GRANT S3 ON *.* TO r"}, "GRANT S3 ON *.* TO r", true},
		{[]string{all}, "GRANT S3 ON *.* TO r", false},
		{[]string{all}, "GRANT SOURCES ON *.* TO r", false},
	} {
		if got := NewRights(rightsOf(t, c.held...)).On(older).Covers(&rightsOf(t, c.wanted)[0]); got != c.covers {
			t.Errorf("%q covers %q: %t", c.held, c.wanted, got)
		}
	}
}

func TestAPrivilegeOfANewerServerIsOfTheGroupItsNameSays(t *testing.T) {
	for _, c := range []struct {
		held, printed string
		covers        bool
	}{
		{"GRANT ALL ON shop.* TO r", "GRANT TELEPORT ON shop.orders TO r", true},
		{"GRANT ALL ON shop.* TO r", "GRANT TELEPORT ON *.* TO r", false},
		{"GRANT SYSTEM ON *.* TO r", "GRANT SYSTEM TELEPORT ON *.* TO r", true},
		{"GRANT SYSTEM ON *.* TO r", "GRANT TELEPORT ON *.* TO r", false},
		{"GRANT SELECT ON *.* TO r", "GRANT SYSTEM TELEPORT(a, b) ON shop.orders TO r", false},
	} {
		if _, err := Parse(c.printed); err == nil {
			t.Errorf("a definition may have %s", c.printed)
		}
		st, err := ParsePrinted(c.printed)
		if err != nil {
			t.Errorf("%s: %v", c.printed, err)
			continue
		}
		for _, want := range st.Object.(*ast.Grant).Rights {
			if got := NewRights(rightsOf(t, c.held)).Covers(&want); got != c.covers {
				t.Errorf("%q covers %q: %t", c.held, c.printed, got)
			}
		}
	}
}
