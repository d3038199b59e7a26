package catalog

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
)

// TestAPatternOfASourceIsReadFromTheServerThatPrintsIt has what a server with enable_read_write_grants prints, and what
// system.grants has of it: no pattern.
func TestAPatternOfASourceIsReadFromTheServerThatPrintsIt(t *testing.T) {
	whole := ast.Right{Privilege: "READ", HasParameter: true, Parameter: "S3"}
	for _, c := range []struct {
		printed []string
		want    string
	}{
		{[]string{"GRANT READ ON S3('s3://logs/.*') TO r"}, "READ ON S3('s3://logs/.*')"},
		{[]string{"GRANT READ ON S3 TO r"}, "READ ON S3"},
		{[]string{"GRANT S3 ON *.* TO r"}, "READ ON S3"},
		{[]string{"GRANT READ ON shop TO r", "GRANT S3 ON *.* TO r"}, "READ ON S3"},
	} {
		a := NewAccess(append([]string{"CREATE ROLE r"}, c.printed...))
		a.putSources(map[string][]ast.Right{"r": {whole}})
		rights := a.Find(ast.KindRole, ast.Name{Name: "r"}).Tree.(*ast.Role).Rights
		if len(rights) != 1 || rights[0].PartName() != c.want {
			t.Errorf("%q is read as %+v, not as %s", c.printed, rights, c.want)
		}
	}
}
