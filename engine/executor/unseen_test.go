package executor_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
)

// unseen is a statement over a named collection whose effect shows nowhere: a value.
func unseen(t *testing.T, b *bench, sql string) executor.Statement {
	t.Helper()
	before, err := catalog.ReadObject(t.Context(), b.conn, ast.KindNamedCollection, ast.Name{Name: b.db})
	if err != nil {
		t.Fatal(err)
	}
	return executor.Statement{Kind: ast.KindNamedCollection, Name: ast.Name{Name: b.db}, SQL: sql, Before: before, Unseen: true,
		Missing: func(*catalog.Object) string { return "" },
		Secrets: []executor.Secret{{Reference: "secret('env:P')", Value: "it's open"}, {Reference: "definition('n')", Value: "17", Literal: true}}}
}

func TestWhatShowsNowhereIsDoneOnlyOnTheServersWord(t *testing.T) {
	b := setUp(t, executor.Options{})
	b.exec(t, "CREATE NAMED COLLECTION "+b.db+" AS p = 'old', n = 1")
	t.Cleanup(func() { _ = b.conn.Exec(t.Context(), "DROP NAMED COLLECTION IF EXISTS "+b.db, "", nil) })
	set := "ALTER NAMED COLLECTION IF EXISTS " + b.db + " SET p = secret('env:P'), n = definition('n')"
	if _, err := b.x.Apply(t.Context(), unseen(t, b, set)); err != nil {
		t.Fatal(err)
	}

	// An error is an error, although nothing is missing; and it does not show the value.
	_, err := b.x.Apply(t.Context(), unseen(t, b, set+" OVERRIDABLES"))
	var rejected *executor.RejectedError
	if !errors.As(err, &rejected) || strings.Contains(err.Error(), "open") {
		t.Errorf("got %v", err)
	}

	// An answer that is lost is asked for again.
	sent := len(b.statements())
	b.line.cut = func(attempt int, forward http.Handler, w http.ResponseWriter, r *http.Request) {
		if attempt == sent+1 {
			lose(forward, r)
		}
		forward.ServeHTTP(w, r)
	}
	result, err := b.x.Apply(t.Context(), unseen(t, b, set))
	if err != nil || result.Attempts != 2 {
		t.Errorf("%d attempts, %v", result.Attempts, err)
	}
}
