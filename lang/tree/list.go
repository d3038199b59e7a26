package tree

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// fitted converts a value to a type, as [convert.Convert] does. That one compares the types of the elements of a list
// that is written out each with each, which for the columns of a wide table takes seconds; of elements of one type there
// is nothing to compare.
func fitted(value cty.Value, to cty.Type) (cty.Value, error) {
	if to.IsListType() || to.IsSetType() {
		value = listed(value)
	}
	return convert.Convert(value, to)
}

// listed is a tuple of elements of one type as the list it is, and any other value as it is.
func listed(value cty.Value) cty.Value {
	if !value.IsKnown() || value.IsNull() || value.IsMarked() || !value.Type().IsTupleType() {
		return value
	}
	types := value.Type().TupleElementTypes()
	if len(types) == 0 || types[0].HasDynamicTypes() {
		return value
	}
	for _, t := range types[1:] {
		if !t.Equals(types[0]) {
			return value
		}
	}
	return cty.ListVal(value.AsValueSlice())
}

// joinFunc is the join of the standard library, by [fitted].
func joinFunc() function.Function {
	return function.New(&function.Spec{
		Description:  "The texts of all given lists with a separator between them.",
		Params:       []function.Parameter{{Name: "separator", Type: cty.String}},
		VarParam:     &function.Parameter{Name: "lists", Type: cty.DynamicPseudoType},
		Type:         function.StaticReturnType(cty.String),
		RefineResult: func(b *cty.RefinementBuilder) *cty.RefinementBuilder { return b.NotNull() },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for i, arg := range args[1:] {
				list, err := fitted(arg, cty.List(cty.String))
				if err != nil {
					return cty.NilVal, function.NewArgError(i+1, err)
				}
				args[i+1] = list
			}
			return stdlib.JoinFunc.Call(args)
		},
	})
}
