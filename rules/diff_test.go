package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
)

// part makes a part of attributes written as name, value, name, value.
func part(kind, name string, attrs ...string) ast.Part {
	p := ast.Part{Kind: kind, Name: name}
	for i := 0; i < len(attrs); i += 2 {
		value := ast.N(ast.Ident, attrs[i+1])
		if attrs[i+1] == "?" {
			value = ast.N(ast.Unknown, "the text does not say")
		}
		p.Attrs = append(p.Attrs, ast.Attr{Name: attrs[i], Value: value})
	}
	return p
}

func TestPartsAreComparedByKindAndName(t *testing.T) {
	a, b, c := part("column", "a", "type", "T"), part("column", "b", "type", "T"), part("column", "c", "type", "T")
	for name, test := range map[string]struct {
		live, desired []ast.Part
		want          []string
	}{
		"the same":               {[]ast.Part{a, b}, []ast.Part{a, b}, nil},
		"nothing":                {nil, nil, nil},
		"an added part":          {[]ast.Part{a}, []ast.Part{a, b}, []string{"add column.b"}},
		"one in the middle":      {[]ast.Part{a, c}, []ast.Part{a, b, c}, []string{"add column.b"}},
		"a removed part":         {[]ast.Part{a, b, c}, []ast.Part{a, c}, []string{"remove column.b"}},
		"one for another":        {[]ast.Part{a, b}, []ast.Part{a, c}, []string{"add column.c", "remove column.b"}},
		"all others":             {[]ast.Part{a}, []ast.Part{b}, []string{"add column.b", "remove column.a"}},
		"another order":          {[]ast.Part{a, b, c}, []ast.Part{c, a, b}, []string{"change column_order"}},
		"order among the common": {[]ast.Part{a, b}, []ast.Part{b, c, a}, []string{"add column.c", "change column_order"}},
		"a new one is no order":  {[]ast.Part{a, b}, []ast.Part{c, a, b}, []string{"add column.c"}},
		"other kinds have no order": {[]ast.Part{part("index", "i", "expr", "x"), part("index", "j", "expr", "x")},
			[]ast.Part{part("index", "j", "expr", "x"), part("index", "i", "expr", "x")}, nil},
		"a value":              {[]ast.Part{part("ttl", "", "", "x")}, []ast.Part{part("ttl", "", "", "y")}, []string{"change ttl"}},
		"the same name twice":  {[]ast.Part{part("column", "x", "type", "T"), part("setting", "x", "", "1")}, []ast.Part{part("column", "x", "type", "T"), part("setting", "x", "", "2")}, []string{"change setting.x"}},
		"an attribute":         {[]ast.Part{part("column", "a", "type", "T", "codec", "X")}, []ast.Part{part("column", "a", "type", "U", "comment", "Y")}, []string{"change column.a.type", "add column.a.comment", "remove column.a.codec"}},
		"attributes reordered": {[]ast.Part{part("source", "", "kind", "K", "x", "1", "y", "2")}, []ast.Part{part("source", "", "kind", "K", "y", "2", "x", "1")}, nil},
		"an unknown value":     {[]ast.Part{part("column", "a", "type", "T")}, []ast.Part{part("column", "a", "type", "?")}, []string{"cannot tell column.a.type: the text does not say"}},
		"an unknown part":      {nil, []ast.Part{part("ttl", "", "", "?")}, []string{"cannot tell ttl: the text does not say"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range compareParts(test.live, test.desired) {
				if c.CannotTell != "" {
					got = append(got, "cannot tell "+c.Path.String()+": "+c.CannotTell)
					continue
				}
				got = append(got, string(c.Op)+" "+c.Path.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnObjectThatOneSideLacksIsOneChange(t *testing.T) {
	table, view := &ast.Table{}, &ast.View{}
	for name, test := range map[string]struct {
		live, desired ast.Object
		want          []ast.Change
	}{
		"neither":      {nil, nil, nil},
		"not live":     {nil, table, []ast.Change{{Op: ast.Add}}},
		"not declared": {table, nil, []ast.Change{{Op: ast.Remove}}},
		"another kind": {table, view, []ast.Change{{Op: ast.Modify, Live: ast.N(ast.Keyword, "table"), Desired: ast.N(ast.Keyword, "view")}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, compare(test.live, test.desired)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNewColumnsLandWhereTheyAreDeclared(t *testing.T) {
	for name, test := range map[string]struct{ live, declared, added []string }{
		"last":                    {[]string{"a", "b"}, []string{"a", "b", "c"}, []string{"c"}},
		"first":                   {[]string{"a", "b"}, []string{"c", "a", "b"}, []string{"c"}},
		"between":                 {[]string{"a", "b"}, []string{"a", "c", "b"}, []string{"c"}},
		"several in a row":        {[]string{"a", "b"}, []string{"a", "c", "d", "e", "b"}, []string{"c", "d", "e"}},
		"several first":           {[]string{"a"}, []string{"c", "d", "a"}, []string{"c", "d"}},
		"several last":            {[]string{"a"}, []string{"a", "c", "d"}, []string{"c", "d"}},
		"everywhere":              {[]string{"a", "b"}, []string{"c", "a", "d", "e", "b", "f", "g"}, []string{"c", "d", "e", "f", "g"}},
		"before an undeclared":    {[]string{"a", "old"}, []string{"a", "c"}, []string{"c"}},
		"only some of them":       {[]string{"a", "b"}, []string{"a", "c", "d", "b"}, []string{"d"}},
		"behind what is reversed": {[]string{"b", "a"}, []string{"a", "c", "b"}, []string{"c"}},
		"into nothing":            {nil, []string{"a", "b"}, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			var declared []*ast.Column
			for _, name := range test.declared {
				declared = append(declared, &ast.Column{Name: name})
			}
			isLive := map[string]bool{}
			for _, name := range test.live {
				isLive[name] = true
			}
			order := append([]string(nil), test.live...)
			for _, at := range placements(test.live, declared, test.added) {
				if at.after != placeFirst && at.after != placeLast && !isLive[at.after] {
					t.Errorf("%s goes behind %s, a column of the same statement", at.name, at.after)
				}
				order = insertColumn(order, at)
			}
			// Each new column stands right behind its declared neighbour, or at the head.
			position := map[string]int{}
			for i, name := range order {
				position[name] = i
			}
			previous := ""
			for _, name := range test.declared {
				if _, there := position[name]; !there {
					continue
				}
				if !isLive[name] && (previous == "" && position[name] != 0 || previous != "" && position[name] != position[previous]+1) {
					t.Errorf("%s stands at %d in %v, not behind %q", name, position[name], order, previous)
				}
				previous = name
			}
		})
	}
}
