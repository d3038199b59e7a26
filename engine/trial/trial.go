package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/lint"
)

// Run creates the objects of the tree and returns a finding for each that the server refuses. tried, which may be nil, is
// told of each object before it is. The error is one of the connection or the context.
func Run(ctx context.Context, conn *catalog.Conn, t *tree.Tree, tried func(*tree.Declared)) ([]lint.Finding, error) {
	x := executor.New(conn, executor.Options{Scope: "lint", Pass: "trial", Attempts: 1})
	var found []lint.Finding
	failed := map[*tree.Declared]bool{}
	for _, d := range t.Objects {
		if !creatable(d) {
			continue
		}
		for _, on := range d.Depends {
			failed[d] = failed[d] || failed[on]
		}
		if failed[d] {
			continue
		}
		if tried != nil {
			tried(d)
		}
		_, err := x.Apply(ctx, executor.Statement{Kind: d.Kind, Name: d.Name, Missing: absent,
			SQL: ast.WithoutSecrets(ast.Create(rules.Render(d.Object, rules.Embedded), ast.Style{Values: true}), d.Object)})
		var rejected *executor.RejectedError
		switch {
		case err == nil:
		case errors.As(err, &rejected):
			failed[d] = true
			found = append(found, finding(d, rejected))
		default:
			return found, fmt.Errorf("%s %s could not be tried: %w", d.Kind, d.Name, err)
		}
	}
	return found, nil
}

func absent(o *catalog.Object) string {
	if o == nil {
		return "the object"
	}
	return ""
}

// creatable reports an object that a statement of ours creates: not one that says who may do what, which the embedded
// engine takes in part. Every server has the database default.
func creatable(d *tree.Declared) bool {
	if d.Kind == ast.KindDatabase && d.Name.Name == "default" {
		return false
	}
	return !d.Broken && d.Kind.InClickHouse() && !d.Kind.IsAccess()
}

func finding(d *tree.Declared, rejected *executor.RejectedError) lint.Finding {
	message := strings.TrimPrefix(rejected.Message, fmt.Sprintf("code %d: ", rejected.Code))
	path, node := place(d.Object, message)
	return lint.Finding{
		Code: lint.CodeServer, Severity: lint.Error, Kind: d.Kind, Name: d.Name, Path: path, At: d.Place(path, node),
		Summary: fmt.Sprintf("ClickHouse refuses %s", d.Name),
		Reason:  fmt.Sprintf("Error %d: %s", rejected.Code, message),
		Remedy:  "Correct the definition. What needs a cluster, another system or another version than the embedded engine's is refused here as well.",
	}
}
