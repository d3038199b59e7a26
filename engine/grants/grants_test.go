package grants_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/grants"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/rules"
)

// server is a real engine whose user default has these grants.
func server(t *testing.T, granted ...string) *catalog.Conn {
	t.Helper()
	var queries strings.Builder
	for _, g := range granted {
		fmt.Fprintf(&queries, "<query>%s</query>", g)
	}
	users := `<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota><grants>` + queries.String() + `</grants></default></users></clickhouse>`
	s, err := embedded.Start(t.Context(), embedded.Options{Users: users, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), s.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// everything is every kind.
func everything() map[ast.Kind]bool {
	kinds := map[ast.Kind]bool{}
	for _, kind := range ast.Kinds() {
		kinds[kind] = true
	}
	return kinds
}

func TestEveryKindOutsideOfDatabasesNeedsAPrivilegeOfItsOwn(t *testing.T) {
	without := len(grants.Required(nil, nil, rules.SelfHosted))
	for kind := range everything() {
		outside := kind.InClickHouse() && kind != ast.KindDatabase && !kind.IsRelation()
		if needs := len(grants.Required(nil, map[ast.Kind]bool{kind: true}, rules.SelfHosted)) > without; needs != outside {
			t.Errorf("a %s needs a privilege beside those on databases: %v, want %v", kind, needs, outside)
		}
	}
}

// TestTheServerKnowsEveryPrivilegeOfTheList asks a user who may do all: a word the server does not know is an error.
func TestTheServerKnowsEveryPrivilegeOfTheList(t *testing.T) {
	conn := server(t, "GRANT ALL ON *.* WITH GRANT OPTION")
	for _, p := range rules.Platforms() {
		missing, err := grants.Missing(t.Context(), conn, grants.Required([]string{"dfe", "odd name"}, everything(), p))
		if err != nil || len(missing) != 0 {
			t.Errorf("%s: %v, missing %v", p, err, missing)
		}
	}
}

// TestAsManyDatabasesAsADeploymentHasAreAskedAbout has more than one query of the server's size can name.
func TestAsManyDatabasesAsADeploymentHasAreAskedAbout(t *testing.T) {
	var databases []string
	for i := range 3000 {
		databases = append(databases, fmt.Sprintf("org_%d", i))
	}
	const one = "org_2999"
	conn := server(t, "GRANT ALL ON *.* WITH GRANT OPTION", "REVOKE INSERT ON "+one+".*")
	missing, err := grants.Missing(t.Context(), conn, grants.Required(databases, everything(), rules.Embedded))
	if err != nil || len(missing) != 1 || missing[0].On != one+".*" {
		t.Errorf("%v, missing %v", err, missing)
	}
}

func TestWhatIsGrantedIsEnoughAndTheRestIsNamed(t *testing.T) {
	required := grants.Required([]string{"dfe", "shop"}, map[ast.Kind]bool{ast.KindFunction: true}, rules.SelfHosted)
	var statements []string
	for i, g := range required {
		if i != 3 && i != 5 {
			statements = append(statements, strings.TrimSuffix(g.SQL("default"), " TO default"))
		}
	}
	conn := server(t, statements...)
	missing, err := grants.Missing(t.Context(), conn, required)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]grants.Grant{required[3], required[5]}, missing); diff != "" {
		t.Error(diff)
	}
	user, err := grants.User(t.Context(), conn)
	lacking := &grants.MissingError{User: user, Missing: missing}
	if err != nil || !strings.Contains(lacking.Error(), required[5].SQL("default")) || lacking.ErrorCode() != "grants_missing" {
		t.Errorf("user %q, %v: %v", user, err, lacking)
	}
}

func TestWhatIsGrantedHasToBePassedOn(t *testing.T) {
	placed, err := access.ParseScript(`CREATE ROLE reader; GRANT SELECT, SHOW ON shop.* TO reader; GRANT SELECT(id) ON shop.orders TO reader;
		CREATE USER app; GRANT SELECT ON shop.* TO app; GRANT reader TO app; GRANT READ ON S3('s3://x/.*') TO app; GRANT CURRENT GRANTS ON *.* TO app; REVOKE SELECT ON shop.secret FROM app`)
	if err != nil {
		t.Fatal(err)
	}
	var list []*access.Statement
	for _, p := range placed {
		list = append(list, p.Statement)
	}
	needed := grants.PassedOn(access.Collect(list))
	var got []string
	for _, g := range needed {
		got = append(got, g.SQL("engine"))
	}
	want := []string{"GRANT SELECT, SHOW ON shop.* TO engine WITH GRANT OPTION", "GRANT SELECT(id) ON shop.orders TO engine WITH GRANT OPTION", "GRANT READ ON S3 TO engine WITH GRANT OPTION"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if missing, err := grants.Missing(t.Context(), server(t, "GRANT ALL ON *.* WITH GRANT OPTION"), needed); err != nil || len(missing) != 0 {
		t.Errorf("%v, missing %v", err, missing)
	}
}
