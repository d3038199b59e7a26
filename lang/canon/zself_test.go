package canon_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestZSelf(t *testing.T) {
	f, err := os.Open(os.Getenv("SELF"))
	if err != nil {
		t.Skip()
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	fn := map[string]*ast.Function{}
	for _, s := range []string{"CREATE FUNCTION zzf AS (x) -> x*2+1", "CREATE FUNCTION zzg AS (a, b) -> a || b"} {
		o, _ := ddl.ParseStatement(s)
		fn[o.ID().Name] = o.(*ast.Function)
	}
	env := canon.Env{User: "default", Function: func(n string) *ast.Function { return fn[n] }}
	var known = map[ast.Name]ast.Object{}
	env.Lookup = func(n ast.Name) ast.Object { return known[n] }
	total, same, bad, cannot := 0, 0, 0, 0
	for lines.Scan() {
		var p pairCase
		json.Unmarshal(lines.Bytes(), &p)
		total++
		live, err := ddl.ParseStatement(p.Live)
		if err != nil {
			t.Errorf("%s live: %v\n %s", p.ID, err, p.Live)
			bad++
			continue
		}
		known[live.ID()] = live
		source, err := ddl.ParseStatement(p.Source)
		if err != nil {
			t.Errorf("%s source: %v\n %s", p.ID, err, p.Source)
			bad++
			continue
		}
		l, d := canon.Pair(live, source, env)
		ok, why := true, ""
		for _, diff := range compare(l, d) {
			if diff.reason != "" {
				why = diff.reason
				continue
			}
			ok = false
			t.Errorf("%s: %s\n  live    %.800s\n  desired %.800s\n  source: %.600s\n  live:   %.600s", p.ID, diff.path, show(diff.live), show(diff.desired), p.Source, p.Live)
		}
		if !ok {
			bad++
		} else if why != "" {
			cannot++
			t.Logf("CANNOT %s: %s: %.200s", p.ID, why, p.Source)
		} else {
			same++
		}
	}
	t.Logf("SUMMARY total %d same %d cannot %d bad %d", total, same, cannot, bad)
}
