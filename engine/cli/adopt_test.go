package cli_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/cli"
)

func TestATreeThatWasMadeOutOfAServerIsWhatThatServerHas(t *testing.T) {
	data, dir := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "schemas")
	tree := write(t, `
-- manifest.hcl --
release = "1"
database "quay" {}
database "town" {}
table "quay.ships" { from = "ships.sql" }
view "town.harbour" { from = "harbour.sql" }
-- ships.sql --
CREATE TABLE quay.ships (name String) ENGINE = MergeTree ORDER BY name
-- harbour.sql --
CREATE VIEW town.harbour AS SELECT count() AS ships FROM quay.ships
`)
	dfe(t, nil, "schema", "apply", "--tree", tree, "--embedded", data).demand(t, cli.ExitDone, "converged")
	var doc struct {
		Version   int
		Directory string
		Files     []string
		Objects   int
		LeftOut   []any `json:"left_out"`
	}
	decode(t, dfe(t, nil, "schema", "inspect", "--embedded", data, "--out", dir, "--format", "json").out, &doc)
	want := []string{"manifest.hcl", "tables/quay/ships.hcl", "views/town/harbour.sql"}
	if diff := cmp.Diff(want, doc.Files); diff != "" || doc.Version != 1 || doc.Directory != dir || doc.Objects != 4 || doc.LeftOut == nil || len(doc.LeftOut) != 0 {
		t.Errorf("%+v %s", doc, diff)
	}
	dfe(t, nil, "schema", "plan", "--tree", dir, "--embedded", data, "--exit-code").demand(t, cli.ExitDone, "no difference")
	dfe(t, nil, "schema", "inspect", "--embedded", data, "--out", dir).demand(t, cli.ExitFailed, "it is there already")
	dfe(t, nil, "schema", "inspect", "--embedded", data, "--database", "town", "--out", dir+"2").demand(t, cli.ExitDifferences,
		dir+"2 declares 1 object, in 1 file", "left out: view town.harbour: town.harbour uses quay.ships, which is not declared")
}
