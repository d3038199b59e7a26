package ddl_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestEveryTextOfTheCorpusIsReadWhole(t *testing.T) {
	texts := corpusTexts(t)
	for _, a := range lines[alteration](t, "corpus/ddl_alters.jsonl") {
		texts = append(texts, a.Before, a.Alter, a.After)
	}
	for _, m := range lines[measured](t, "cases/measured_pairs.jsonl") {
		if m.Error != nil {
			continue
		}
		texts = append(texts, m.Statements...)
		if m.Stored != nil {
			texts = append(texts, *m.Stored)
		}
	}
	for _, text := range texts {
		list, err := ddl.ParseScript(text)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d statements, %v: %s", len(list), err, text)
		}
		for _, st := range list {
			if st.Err != nil {
				t.Errorf("%v: %s", st.Err, text)
			}
			for _, u := range st.Unreadable {
				t.Errorf("%v: %s", u, text)
			}
		}
	}
}

func TestPrintAndParseAreInverse(t *testing.T) {
	for _, text := range corpusTexts(t) {
		list, err := ddl.ParseScript(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range list {
			for _, style := range []ast.Style{{}, {Lines: true}} {
				printed := ast.Create(st.Object, style)
				again, err := ddl.ParseStatement(printed)
				switch {
				case err != nil:
					t.Errorf("%v: %s", err, printed)
				case !equalObjects(st.Object, again):
					t.Errorf("%s\nis printed as\n%s\n%s", text, printed, cmp.Diff(st.Object, again, sameTree()))
				}
			}
		}
	}
}

func TestPrintAndParseOfAltersAreInverse(t *testing.T) {
	for _, a := range lines[alteration](t, "corpus/ddl_alters.jsonl") {
		alter, err := ddl.ParseAlter(a.Alter)
		if err != nil {
			t.Errorf("%s: %v", a.ID, err)
			continue
		}
		again, err := ddl.ParseAlter(alter.String())
		if err != nil {
			t.Errorf("%s: %v: %s", a.ID, err, alter)
		} else if diff := cmp.Diff(alter, again, sameTree()); diff != "" {
			t.Errorf("%s: %s", a.ID, diff)
		}
	}
}
