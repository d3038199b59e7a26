package canon_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tree answers Lookup from the live texts of the pairs before the one at hand.
type tree struct {
	objects map[ast.Name]ast.Object
}

func (t *tree) lookup(n ast.Name) ast.Object { return t.objects[n] }

func TestSourceAndLiveOfEveryPairAreTheSameObject(t *testing.T) {
	pairs := corpus[pairCase](t, "ddl_pairs.jsonl")
	known := &tree{objects: map[ast.Name]ast.Object{}}
	var cannotTell strings.Builder
	wrong := 0
	for _, p := range pairs {
		live, err := ddl.ParseStatement(p.Live)
		if err != nil {
			t.Errorf("%s: live: %v", p.ID, err)
			continue
		}
		source, err := firstStatement(p.Source)
		if err != nil {
			t.Errorf("%s: source: %v", p.ID, err)
			continue
		}
		env := canon.Env{Lookup: known.lookup}
		l, d := canon.Pair(live, source, env)
		known.objects[live.ID()] = live
		reason := ""
		for _, diff := range compare(l, d) {
			if diff.reason != "" {
				reason = diff.reason
				continue
			}
			wrong++
			t.Errorf("%s: %s\n  live    %.1500s\n  desired %.1500s\n  source: %.400s", p.ID, diff.path, show(diff.live), show(diff.desired), p.Source)
		}
		if reason != "" {
			fmt.Fprintf(&cannotTell, "%s: %s\n", p.ID, reason)
		}
	}
	t.Logf("%d pairs, %d differences, %d cannot tell", len(pairs), wrong, strings.Count(cannotTell.String(), "\n"))
	golden(t, "testdata/cannot_tell.txt", cannotTell.String())
}

// firstStatement reads a definition; PARALLEL WITH may join another to it.
func firstStatement(src string) (ast.Object, error) {
	list, err := ddl.ParseScript(src)
	if err != nil {
		return nil, err
	}
	if list[0].Err != nil {
		return nil, list[0].Err
	}
	return list[0].Object, nil
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
