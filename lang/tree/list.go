package tree

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Fitted converts a value to a type, as [convert.Convert] does. That one compares the types of the elements of a list
// that is written out each with each, which for the columns of a wide table takes seconds.
func Fitted(value cty.Value, to cty.Type) (cty.Value, error) {
	if to.IsListType() || to.IsSetType() {
		value = listed(value, to.ElementType())
	}
	return convert.Convert(value, to)
}

// listed is a tuple as the list of elements of a type that it can be, and any other value as it is.
func listed(value cty.Value, element cty.Type) cty.Value {
	if !value.IsKnown() || value.IsNull() || value.IsMarked() || !value.Type().IsTupleType() || value.LengthInt() == 0 {
		return value
	}
	elements := value.AsValueSlice()
	if !element.IsPrimitiveType() {
		element = elements[0].Type()
	}
	if element.HasDynamicTypes() {
		return value
	}
	for i, e := range elements {
		if e.Type().Equals(element) {
			continue
		}
		fit, err := convert.Convert(e, element)
		if err != nil || !element.IsPrimitiveType() || !fit.Type().Equals(element) {
			return value // for the error, or for what only all of them together can be
		}
		elements[i] = fit
	}
	return cty.ListVal(elements)
}

// joinFunc is the join of the standard library, by [Fitted].
func joinFunc() function.Function {
	return function.New(&function.Spec{
		Description:  "The texts of all given lists with a separator between them.",
		Params:       []function.Parameter{{Name: "separator", Type: cty.String}},
		VarParam:     &function.Parameter{Name: "lists", Type: cty.DynamicPseudoType},
		Type:         function.StaticReturnType(cty.String),
		RefineResult: func(b *cty.RefinementBuilder) *cty.RefinementBuilder { return b.NotNull() },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for i, arg := range args[1:] {
				list, err := Fitted(arg, cty.List(cty.String))
				if err != nil {
					return cty.NilVal, function.NewArgError(i+1, err)
				}
				args[i+1] = list
			}
			return stdlib.JoinFunc.Call(args)
		},
	})
}
