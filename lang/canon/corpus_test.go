package canon_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
)

type pairCase struct {
	ID, Kind, DB, Name, Source, Live string
}

type alterCase struct {
	ID, DB, Name, Before, Alter, After string
}

// corpus reads a file of the shared corpus, which lies beside the repository; without it the test is skipped.
func corpus[T any](t testing.TB, file string) []T {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		f, err := os.Open(filepath.Join(dir, "shared", "corpus", file))
		if err == nil {
			defer f.Close()
			var list []T
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 16<<20)
			for lines.Scan() {
				var v T
				if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				list = append(list, v)
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			return list
		}
		if dir == filepath.Dir(dir) {
			t.Skip("the shared corpus is not here")
		}
	}
}

type key struct{ kind, name, attr string }

// columnOrder lists the columns of o that the other side has too, in order.
func columnOrder(o ast.Object, other map[key]*ast.Node) string {
	var names strings.Builder
	for _, p := range o.Parts() {
		if p.Kind == "column" && other[key{p.Kind, p.Name, "type"}] != nil {
			names.WriteString(ast.QuoteIdent(p.Name) + " ")
		}
	}
	return names.String()
}

// difference is one attribute in which two objects are not the same.
type difference struct {
	path          string
	live, desired *ast.Node
	reason        string // of an answer that cannot be told
}

// compare is the smallest differ there can be: parts by kind and name, attributes by name.
func compare(live, desired ast.Object) []difference {
	values := map[key]*ast.Node{}
	var order []key
	add := func(o ast.Object, into map[key]*ast.Node) {
		seen := map[key]int{}
		for _, p := range o.Parts() {
			attrs := p.Attrs
			if len(attrs) == 0 {
				attrs = []ast.Attr{{}}
			}
			for _, a := range attrs {
				k := key{p.Kind, p.Name, a.Name}
				if seen[k]++; seen[k] > 1 {
					k.attr += string(rune('0' + seen[k]))
				}
				into[k] = a.Value
				if a.Value == nil {
					into[k] = ast.N(ast.Keyword, "present")
				}
				order = append(order, k)
			}
		}
	}
	add(live, values)
	others := map[key]*ast.Node{}
	add(desired, others)
	var out []difference
	done := map[key]bool{}
	for _, k := range order {
		if done[k] {
			continue
		}
		done[k] = true
		a, b := values[k], others[k]
		d := difference{path: ast.Path{Part: k.kind, Name: k.name, Attr: k.attr}.String(), live: a, desired: b}
		switch ast.Compare(a, b) {
		case ast.Different:
			out = append(out, d)
		case ast.CannotTell:
			if d.reason = b.Reason(); d.reason == "" {
				d.reason = a.Reason()
			}
			out = append(out, d)
		}
	}
	if a, b := columnOrder(live, others), columnOrder(desired, values); a != b {
		out = append(out, difference{path: "column_order", live: ast.N(ast.String, a), desired: ast.N(ast.String, b)})
	}
	return out
}

// show prints a tree for a failure message.
func show(n *ast.Node) string {
	if n == nil {
		return "nothing"
	}
	kinds := [...]string{"invalid", "opaque", "unknown", "ident", "number", "string", "keyword", "param", "star", "func", "params", "op",
		"lambda", "tuple", "array", "paren", "interval", "alias", "type", "named", "list", "clause", "select", "union", "subquery", "equals"}
	s := kinds[n.Kind] + "'" + n.Text + "'"
	if len(n.Kids) > 0 {
		s += "["
		for i, k := range n.Kids {
			if i > 0 {
				s += " "
			}
			s += show(k)
		}
		s += "]"
	}
	return s
}
