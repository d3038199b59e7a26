package tree

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// written are lists as they are written out, and values that are none.
func written() []cty.Value {
	a, b, one := cty.StringVal("a"), cty.StringVal("b"), cty.NumberIntVal(1)
	object := cty.ObjectVal(map[string]cty.Value{"k": a})
	return []cty.Value{
		cty.EmptyTupleVal, cty.TupleVal([]cty.Value{a}), cty.TupleVal([]cty.Value{b, a, b}), cty.TupleVal([]cty.Value{one, one}),
		cty.TupleVal([]cty.Value{a, one}), cty.TupleVal([]cty.Value{a, cty.True}), cty.TupleVal([]cty.Value{a, cty.NullVal(cty.String)}),
		cty.TupleVal([]cty.Value{a, cty.NullVal(cty.DynamicPseudoType)}), cty.TupleVal([]cty.Value{cty.NullVal(cty.DynamicPseudoType)}),
		cty.TupleVal([]cty.Value{a, cty.UnknownVal(cty.String)}), cty.TupleVal([]cty.Value{cty.DynamicVal, cty.DynamicVal}),
		cty.TupleVal([]cty.Value{object, object}), cty.TupleVal([]cty.Value{cty.TupleVal([]cty.Value{a}), cty.TupleVal([]cty.Value{b})}),
		cty.TupleVal([]cty.Value{cty.EmptyTupleVal, cty.EmptyTupleVal}), cty.ListVal([]cty.Value{a, b}), cty.SetVal([]cty.Value{one}),
		cty.ListValEmpty(cty.String), a, one, object, cty.NullVal(cty.List(cty.String)), cty.NullVal(cty.EmptyTuple),
		cty.UnknownVal(cty.List(cty.String)), cty.UnknownVal(cty.Tuple([]cty.Type{cty.String})),
	}
}

func TestAValueIsFittedToATypeAsCtyConvertsIt(t *testing.T) {
	types := []cty.Type{
		cty.List(cty.String), cty.Set(cty.String), cty.List(cty.Number), cty.Set(cty.Bool), cty.List(cty.List(cty.String)),
		cty.List(cty.DynamicPseudoType), cty.Set(cty.DynamicPseudoType), cty.List(cty.Map(cty.String)), cty.String, cty.DynamicPseudoType,
		cty.List(cty.Object(map[string]cty.Type{"k": cty.Number})), cty.List(cty.ObjectWithOptionalAttrs(map[string]cty.Type{"k": cty.String, "o": cty.Bool}, []string{"o"})),
	}
	for _, value := range written() {
		for _, to := range types {
			want, wantErr := convert.Convert(value, to)
			got, err := Fitted(value, to)
			if (err == nil) != (wantErr == nil) || err == nil && !got.RawEquals(want) {
				t.Errorf("%#v to %#v: %#v, %v; want %#v, %v", value, to, got, err, want, wantErr)
			}
		}
	}
}

func TestJoinIsThatOfTheStandardLibrary(t *testing.T) {
	join, separator := joinFunc(), cty.StringVal(", ")
	lists := [][]cty.Value{{}}
	for _, value := range written() {
		lists = append(lists, []cty.Value{value}, []cty.Value{cty.TupleVal([]cty.Value{cty.StringVal("z")}), value})
	}
	for _, list := range lists {
		var (
			want    cty.Value
			wantErr error
		)
		args := append([]cty.Value{separator}, list...)
		converted := append([]cty.Value{separator}, list...)
		for i := range list {
			if wantErr == nil {
				converted[i+1], wantErr = convert.Convert(list[i], cty.List(cty.String))
			}
		}
		if wantErr == nil {
			want, wantErr = stdlib.JoinFunc.Call(converted)
		}
		got, err := join.Call(args)
		if (err == nil) != (wantErr == nil) || err == nil && !got.RawEquals(want) {
			t.Errorf("join(%#v): %#v, %v; want %#v, %v", args, got, err, want, wantErr)
		}
	}
}
