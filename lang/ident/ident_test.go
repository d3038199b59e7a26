package ident_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/ident"
)

func TestANameSaysItsIdAndIsHarmless(t *testing.T) {
	for _, c := range []struct{ id, name string }{
		{"acme", "acme"},
		{"web_access", "web_access"},
		{"web-access", "webx2daccess"},
		{"Acme", "x41cme"},
		{"ACME", "x41x43x4dx45"},
		{`a"b; DROP`, "ax22bx3bx20x44x52x4fx50"},
		{"7up", "x37up"},
		{"_", "x5f"},
		{"_a_", "x5fax5f"},
		{"a__b", "a_x5fb"},
		{"a___b", "a_x5f_b"},
		{"x2d", "x782d"},
		{"xx2d", "xx782d"},
		{"box", "box"},
		{"x_2d", "x_2d"},
		{"größe", "grxc3xb6xc3x9fe"},
		{"\x00", "x00"},
		{"\xff", "xff"},
		{"550e8400-e29b", "x3550e8400x2de29b"},
		{strings.Repeat("a", 63), strings.Repeat("a", 63)},
	} {
		name := ident.Of(c.id)
		back, err := ident.ID(c.name)
		if name != c.name || back != c.id || err != nil {
			t.Errorf("%q: name %s, want %s; the way back %q, %v", c.id, name, c.name, back, err)
		}
	}
}

func TestAnOverlongNameIsShortenedToALengthNoOtherHas(t *testing.T) {
	names := map[string]string{}
	for _, id := range []string{
		strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("a", 1<<20), strings.Repeat("-", 22),
		strings.Repeat("a", 22) + "_" + strings.Repeat("a", 60), strings.Repeat("a", 21) + "-" + strings.Repeat("a", 60),
	} {
		name := ident.Of(id)
		if len(name) != ident.Most || names[name] != "" {
			t.Errorf("%.30q: %s of %d bytes, met by %.30q", id, name, len(name), names[name])
		}
		names[name] = id
		if _, err := ident.ID(name); !errors.Is(err, ident.ErrShortened) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, want := ident.Of(strings.Repeat("ab-", 30)), "abx2dabx2dabx2dabx2dab_"; !strings.HasPrefix(got, want) {
		t.Errorf("%s does not begin with %s", got, want)
	}
}

func TestWhatIsNoNameHasNoId(t *testing.T) {
	for _, name := range []string{"", "_", "a_", "_a", "a__b", "A", "x61", "7", "a-b", "a b", "x782", "é", strings.Repeat("a", 65)} {
		if id, err := ident.ID(name); !errors.Is(err, ident.ErrNoName) {
			t.Errorf("%q: %q, %v", name, id, err)
		}
	}
}

// alphabet has what the rule looks at.
var alphabet = []string{"a", "x", "f", "z", "0", "9", "_", "-", "X", "A", "\"", "\x00", "é"}

// short are all ids of up to four pieces of the alphabet.
func short() []string {
	ids := alphabet
	all := ids
	for range 3 {
		var longer []string
		for _, id := range ids {
			for _, c := range alphabet {
				longer = append(longer, id+c)
			}
		}
		ids = longer
		all = append(all, ids...)
	}
	return all
}

var plain = regexp.MustCompile(`^[a-z]([a-z0-9]|_[a-z0-9])*$`)

func TestNoTwoIdsMeetAlsoWhereCaseIsTheSame(t *testing.T) {
	met := map[string]string{}
	for _, id := range short() {
		name := ident.Of(id)
		if other, taken := met[strings.ToLower(name)]; taken || !plain.MatchString(name) {
			t.Fatalf("%q and %q meet in %s", id, other, name)
		}
		met[name] = id
		if back, err := ident.ID(name); back != id || err != nil {
			t.Fatalf("%q: %s leads back to %q, %v", id, name, back, err)
		}
	}
}

func TestJoinedNamesComeApartAgain(t *testing.T) {
	for _, ids := range [][]string{{"a", "b"}, {"a__b"}, {"a", "_", "b"}, {"a_", "b"}, {"a", "_b"}, {strings.Repeat("_", 90), "b"}} {
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = ident.Of(id)
		}
		if diff := cmp.Diff(names, ident.Split(ident.Join(names...))); diff != "" {
			t.Errorf("%q: %s", ids, diff)
		}
	}
}

func TestClickHouseReadsANameAsOneTable(t *testing.T) {
	for _, id := range []string{`a"b; DROP`, "`", "a`.b", "select", "table", "from", "\\", "--", "/*", "'", "\n", "{x:Identifier}", strings.Repeat("é", 90)} {
		want := ast.Name{Database: ident.Join("org", ident.Of(id)), Name: ident.Of(id)}
		statement := fmt.Sprintf("CREATE TABLE %s (a UInt8) ENGINE = MergeTree ORDER BY a", want.SQL())
		if o, err := ddl.ParseStatement(statement); err != nil || o.ID() != want {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, id := range append(alphabet, `a"b; DROP`, "x2d", "a__b", strings.Repeat("a_", 40), "org__a") {
		f.Add(id, "a")
	}
	f.Fuzz(func(t *testing.T, id, other string) {
		name, second := ident.Of(id), ident.Of(other)
		if id != "" && (!plain.MatchString(name) || len(name) > ident.Most) {
			t.Fatalf("%q: %q is no plain name of up to %d bytes", id, name, ident.Most)
		}
		if id != other && strings.EqualFold(name, second) {
			t.Fatalf("%q and %q meet in %s", id, other, name)
		}
		back, err := ident.ID(name)
		switch {
		case id == "" && !errors.Is(err, ident.ErrNoName), len(name) == ident.Most && !errors.Is(err, ident.ErrShortened),
			id != "" && len(name) < ident.Most && (err != nil || back != id):
			t.Fatalf("%q: %s leads back to %q, %v", id, name, back, err)
		}
		// A text that is taken for a name is the name of what it is taken for.
		if taken, err := ident.ID(id); err == nil && ident.Of(taken) != id {
			t.Fatalf("%q is taken for the name of %q", id, taken)
		}
		if id != "" && other != "" {
			if diff := cmp.Diff([]string{name, second}, ident.Split(ident.Join(name, second))); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
