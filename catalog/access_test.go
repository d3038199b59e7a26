package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
)

// TestWhatAnotherVersionPrintsOfAccessIsKeptUnderItsNameAndStopsNothing reads what no version of today prints.
func TestWhatAnotherVersionPrintsOfAccessIsKeptUnderItsNameAndStopsNothing(t *testing.T) {
	a := catalog.NewAccess([]string{
		"CREATE USER app IDENTIFIED WITH sha256_password HOST LOCAL",
		"CREATE USER ops IDENTIFIED WITH retina_scan BY 'c0ffee' HOST LOCAL",
		"CREATE USER `night shift` IDENTIFIED BY 'c0ffee' SHIFT night",
		"CREATE ROLE reader", "CREATE ROLE writer MOOD good", "CREATE SETTINGS PROFILE web SETTINGS max_threads = 4 SOMETIMES",
		"CREATE QUOTA hourly FOR EVERY MOON MAX queries = 1", "CREATE QUOTA daily FOR INTERVAL 1 day MAX queries = 5",
		"CREATE ROW POLICY own ON shop.orders FOR SELECT USING owner = currentUser() TO app",
		"CREATE ROW POLICY odd ON shop.orders FOR DREAMING USING 1 TO app",
		"CREATE MASKING POLICY m ON shop.orders UPDATE name = '***' TO app",
		"GRANT SELECT ON shop.* TO reader", "GRANT TELEPORT ON shop.* TO reader", "GRANT SELECT ON shop.* TO app", "GRANT LEVITATE ON *.* TO ops",
		"GRANT reader TO app", "GRANT SELECT ON shop.* TO writer IN HASTE", "CREATE AURA calm TO app", "", "))", "REVOKE", "GRANT",
	})
	for _, c := range []struct {
		kind     ast.Kind
		name     string
		readable bool
	}{
		{ast.KindUser, "app", true}, {ast.KindUser, "ops", false}, {ast.KindUser, "night shift", false}, {ast.KindRole, "reader", true}, {ast.KindRole, "writer", false},
		{ast.KindSettingsProfile, "web", false}, {ast.KindQuota, "hourly", false}, {ast.KindQuota, "daily", true},
		{ast.KindRowPolicy, "own ON shop.orders", true}, {ast.KindRowPolicy, "odd ON shop.orders", false},
	} {
		o := a.Find(c.kind, ast.Name{Name: c.name})
		if o == nil {
			t.Errorf("there is no %s %s", c.kind, c.name)
			continue
		}
		if readable := o.Tree != nil && o.Unreadable == nil; readable != c.readable {
			t.Errorf("%s %s is readable: %t (%v)", c.kind, c.name, readable, o.Unreadable)
		}
		if o.Unreadable != nil && !strings.Contains(o.Unreadable.Error(), "expected") {
			t.Errorf("%s %s does not say what was expected: %v", c.kind, c.name, o.Unreadable)
		}
		if strings.Contains(o.Text, "c0ffee") || o.Unreadable != nil && strings.Contains(o.Unreadable.Error(), "c0ffee") {
			t.Errorf("%s %s shows the secret: %s, %v", c.kind, c.name, o.Text, o.Unreadable)
		}
	}
	// A grant to a grantee whose own rights cannot be read cannot be compared either, and says why.
	if g := a.Granted(&ast.Grant{Name: "more", To: []string{"writer"}}); g == nil || g.Unreadable == nil {
		t.Errorf("a grant to writer: %+v", g)
	}
	// A privilege that nobody knows here is a right like any other.
	if g := a.Granted(&ast.Grant{Name: "more", To: []string{"reader"}}); g == nil || g.Unreadable != nil || len(g.Tree.(*ast.Grant).Rights) != 2 {
		t.Errorf("a grant to reader: %+v", g)
	}
	if g := a.Granted(&ast.Grant{Name: "more", To: []string{"app"}}); g == nil || g.Unreadable != nil || len(g.Tree.(*ast.Grant).Rights) != 2 {
		t.Errorf("a grant to app: %+v", g)
	}
	var opaque []string
	for _, o := range a.Opaque {
		opaque = append(opaque, o.Name.Name)
	}
	if !slices.ContainsFunc(opaque, func(s string) bool { return s == "CREATE AURA calm TO app" }) || slices.ContainsFunc(opaque, func(s string) bool { return s == "" || strings.Contains(s, "MASKING") }) {
		t.Errorf("what is about nothing known is not kept: %q", opaque)
	}
}
