package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/lex"
)

// inside are the engines besides the MergeTree family that keep everything in the process.
func inside(engine string) bool {
	return strings.HasSuffix(engine, "MergeTree") || slices.Contains([]string{"Buffer", "Dictionary", "Distributed", "GenerateRandom", "Join", "Log",
		"Memory", "Merge", "Null", "Set", "StripeLog", "TinyLog"}, engine)
}

// harmless are the table functions that read nothing but this server's own tables. Of every other it is not known.
func harmless(function string) bool {
	return slices.Contains([]string{"SQLStandardValues", "dictionary", "format", "generateRandom", "generateSeries", "generate_series", "loop", "merge",
		"mergeTreeIndex", "mergeTreeProjection", "null", "numbers", "numbers_mt", "primes", "values", "view", "viewIfPermitted", "zeros", "zeros_mt"}, function)
}

func reaches(function string) bool {
	name, known := facts.TableFunction(function)
	return known && !harmless(name) || function == "disk"
}

// outside says what of an object, made plain, reaches out of the process or needs what the stage lacks; "" where
// nothing does.
func outside(o ast.Object) string {
	switch o := o.(type) {
	case *ast.Table:
		if o.Engine != nil && !inside(o.Engine.Name) {
			return engineReason(o.Engine.Name)
		}
	case *ast.Database:
		if o.Engine != nil && o.Engine.Name != "Atomic" {
			return engineReason(o.Engine.Name)
		}
	case *ast.MaterializedView:
		if o.Inner != nil && o.Inner.Engine != nil && !inside(o.Inner.Engine.Name) {
			return engineReason(o.Inner.Engine.Name)
		}
	case *ast.Dictionary:
		if !local(o.Source) {
			return fmt.Sprintf("its source %s reaches out of the process", strings.ToUpper(o.Source.Kind))
		}
	}
	found := ""
	for _, part := range o.Parts() {
		for _, attr := range part.Attrs {
			attr.Value.Walk(func(n *ast.Node) bool {
				if n.Kind == ast.Func && found == "" && reaches(n.Text) {
					found = functionReason(n.Text)
				}
				return found == ""
			})
		}
	}
	return found
}

// textOutside is [outside] for a statement that defines no object.
func textOutside(sql string) string {
	tokens, _ := lex.All(nil, sql)
	for i, t := range tokens {
		if t.Kind == lex.Word && i+1 < len(tokens) && tokens[i+1].Kind == lex.LParen && reaches(t.Text(sql)) {
			return functionReason(t.Text(sql))
		}
	}
	return ""
}

func engineReason(engine string) string {
	return fmt.Sprintf("engine %s needs what is outside of the process", engine)
}

func functionReason(function string) string {
	return fmt.Sprintf("%s() reaches out of the process", function)
}

// local reports whether a dictionary reads from the server it is on, or from nowhere.
func local(s *ast.Source) bool {
	switch {
	case s == nil || strings.EqualFold(s.Kind, "NULL"):
		return true
	case !strings.EqualFold(s.Kind, "CLICKHOUSE"):
		return false
	}
	return !slices.ContainsFunc(s.Args, func(a ast.Setting) bool {
		return strings.EqualFold(a.Name, "host") || strings.EqualFold(a.Name, "name")
	})
}
