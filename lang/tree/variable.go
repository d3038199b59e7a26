package tree

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Variable is a variable a manifest declares, with the value this load gave it.
type Variable struct {
	Name        string
	Description string
	Type        cty.Type
	Value       cty.Value // unknown where the variable has a fault
	Default     cty.Value // cty.NilVal where it has none
	Range       hcl.Range
}

var variableShape = shape{
	what:   "a variable",
	attrs:  []string{"type", "default", "description"},
	blocks: map[string]int{"validation": 0},
}

var validationShape = shape{what: "a validation", attrs: []string{"condition", "error_message"}}

// variables reads the variable blocks and gives each its value: what the caller passed, or the default.
func (l *loader) variables(blocks []*hclsyntax.Block) cty.Value {
	values := map[string]cty.Value{}
	for _, block := range blocks {
		name := block.Labels[0]
		if !hclsyntax.ValidIdentifier(name) {
			l.fault(CodeName, block.LabelRanges[0], fmt.Sprintf("Invalid variable name %q", name),
				"A variable is named by letters, digits, underscores and dashes, so that an expression can say var.name.")
			continue
		}
		if _, twice := values[name]; twice {
			l.fault(CodeDuplicate, block.LabelRanges[0], fmt.Sprintf("Variable %q is declared twice", name),
				fmt.Sprintf("It was declared at line %d. Remove one of the two.", l.variable(name).Range.Start.Line))
			continue
		}
		v := l.readVariable(name, block)
		l.tree.Variables = append(l.tree.Variables, v)
		values[name] = v.Value
	}
	known := slices.Sorted(maps.Keys(values))
	for _, name := range slices.Sorted(maps.Keys(l.opts.Variables)) {
		if _, declared := values[name]; !declared {
			l.add(&hcl.Diagnostic{Severity: hcl.DiagError, Extra: CodeVariable, Summary: fmt.Sprintf("Unknown variable %q", name),
				Detail: fmt.Sprintf("A value was given for %q, which the manifest does not declare.", name) + suggest(name, known)})
		}
	}
	return cty.ObjectVal(values)
}

func (l *loader) variable(name string) *Variable {
	i := slices.IndexFunc(l.tree.Variables, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		return &Variable{}
	}
	return &l.tree.Variables[i]
}

func (l *loader) readVariable(name string, block *hclsyntax.Block) Variable {
	v := Variable{Name: name, Type: cty.DynamicPseudoType, Value: cty.DynamicVal, Default: cty.NilVal, Range: block.LabelRanges[0]}
	s := &scope{faults: l.faults, source: l.manifest, ctx: newContext(l.functions, nil), limits: l.limits}
	body := l.read(block.Body, block.LabelRanges[0], variableShape)
	v.Description = s.str(body.attrs["description"])
	var defaults *typeexpr.Defaults
	if attr := body.attrs["type"]; attr != nil {
		typ, def, diags := typeexpr.TypeConstraintWithDefaults(attr.Expr)
		l.extend(diags)
		if diags.HasErrors() {
			return v
		}
		v.Type, defaults = typ, def
	}
	fit := func(value cty.Value) (cty.Value, error) {
		if defaults != nil && !value.IsNull() {
			value = defaults.Apply(value)
		}
		return Fitted(value, v.Type)
	}
	if attr := body.attrs["default"]; attr != nil {
		value, ok := s.value(attr.Expr)
		if !ok {
			return v
		}
		fitted, err := fit(value)
		if err != nil {
			l.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("Wrong default of variable %q", name),
				fmt.Sprintf("The variable is declared as %s: %v.", typeexpr.TypeString(v.Type), err))
			return v
		}
		v.Default, v.Value = fitted, fitted
	}
	if given, ok := l.opts.Variables[name]; ok {
		value, ok := l.givenValue(name, given, v.Type)
		if !ok {
			v.Value = cty.DynamicVal
			return v
		}
		fitted, err := fit(value)
		if err != nil {
			v.Value = cty.DynamicVal
			l.fault(CodeVariable, v.Range, fmt.Sprintf("Wrong value for variable %q", name),
				fmt.Sprintf("The value given is %s, and the variable is declared as %s: %v.", abbreviate(given), typeexpr.TypeString(v.Type), err))
			return v
		}
		v.Value = fitted
	} else if v.Default == cty.NilVal {
		l.fault(CodeVariable, v.Range, fmt.Sprintf("No value for variable %q", name),
			fmt.Sprintf("It has no default, so every load has to give it a value (--var %s=...).", name))
		return v
	}
	return l.validate(v, body.blocks)
}

// givenValue reads a value from the command line: a string for a string variable, an HCL expression for any other.
func (l *loader) givenValue(name, given string, typ cty.Type) (cty.Value, bool) {
	if typ == cty.String {
		return cty.StringVal(given), true
	}
	where := "--var " + name
	src := &source{name: where, bytes: []byte(given)}
	if at, deep := tooDeep(src, l.limits.Nesting); deep {
		l.fault(CodeLimit, at, "Nested too deeply", "The value nests deeper than the limits allow.")
		return cty.DynamicVal, false
	}
	l.given[where] = src
	expr, diags := hclsyntax.ParseExpression(src.bytes, where, hcl.InitialPos)
	if diags.HasErrors() || len(expr.Variables()) > 0 {
		if typ == cty.DynamicPseudoType {
			return cty.StringVal(given), true
		}
		l.fault(CodeVariable, src.span(0, len(given)), fmt.Sprintf("Wrong value for variable %q", name),
			fmt.Sprintf("%s is no %s. A number, true, [\"a\", \"b\"] or { k = \"v\" } is written as in a manifest.", abbreviate(given), typeexpr.TypeString(typ)))
		return cty.DynamicVal, false
	}
	value, diags := expr.Value(newContext(l.functions, nil))
	l.extend(diags)
	return value, !diags.HasErrors()
}

func (l *loader) validate(v Variable, blocks []*hclsyntax.Block) Variable {
	for _, block := range blocks {
		s := &scope{faults: l.faults, source: l.manifest, limits: l.limits,
			ctx: newContext(l.functions, map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{v.Name: v.Value})})}
		rule := l.read(block.Body, block.TypeRange, validationShape)
		attr := l.require(rule, "condition", "A validation has a condition: an expression over var."+v.Name+" that is true for a good value.")
		message := s.str(l.require(rule, "error_message", "A validation says what a good value is."))
		if attr == nil {
			continue
		}
		verdict, ok := s.value(attr.Expr)
		if !ok {
			continue
		}
		if verdict.IsNull() || verdict.Type() != cty.Bool {
			l.fault(CodeValue, attr.Expr.Range(), "A condition is true or false", "This one is "+describe(verdict)+".")
			continue
		}
		if verdict.False() {
			l.fault(CodeVariable, v.Range, fmt.Sprintf("Refused value of variable %q", v.Name), message)
			v.Value = cty.DynamicVal
			return v
		}
	}
	return v
}

// abbreviate shows a value given by a person in a message, whatever its length.
func abbreviate(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
