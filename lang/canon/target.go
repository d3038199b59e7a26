package canon

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

const timeSeries = "TimeSeries"

// targets returns the canonical tables of a TimeSeries table in the order the server prints them.
func (f *form) targets(list []*ast.Target) []*ast.Target {
	if len(list) == 0 {
		return nil
	}
	out := make([]*ast.Target, 0, len(list))
	for _, kind := range []string{ast.TargetSamples, ast.TargetTags, ast.TargetMetrics} {
		for _, t := range list {
			if t.Kind == kind {
				out = append(out, f.target(t))
			}
		}
	}
	return out
}

func (f *form) target(t *ast.Target) *ast.Target {
	c := &ast.Target{Kind: t.Kind, To: f.name(t.To)}
	if t.Inner == nil || t.To != (ast.Name{}) {
		return c
	}
	inner := *t.Inner
	inner.Columns = f.inferred(f.columns(inner.Columns))
	f.storage(&inner)
	c.Inner = &inner
	return c
}

// timeSeries: what a definition leaves out of a TimeSeries table and its inner tables the server fills in, from its settings and
// its own version.
func (p *pair) timeSeries(l, d *ast.Table) {
	const reason = "the engine TimeSeries fills in what the definition does not say of its columns and inner tables"
	d.Columns = completed(l.Columns, d.Columns, reason)
	targets := slices.Clone(d.Targets)
	for _, theirs := range l.Targets {
		i := slices.IndexFunc(targets, func(t *ast.Target) bool { return t.Kind == theirs.Kind })
		if i < 0 {
			i = len(targets)
			targets = append(targets, &ast.Target{Kind: theirs.Kind, Inner: &ast.Table{}})
		}
		if ours := targets[i]; theirs.Inner != nil && ours.Inner != nil {
			inner := *ours.Inner
			inner.Columns = completed(theirs.Inner.Columns, inner.Columns, reason)
			if inner.Engine == nil {
				columns := inner.Columns
				inner = *theirs.Inner
				inner.Columns = columns
			}
			p.storage(theirs.Inner, &inner)
			targets[i] = &ast.Target{Kind: ours.Kind, Inner: &inner}
		}
	}
	d.Targets = targets
}

// completed adds the live columns that desired lacks, of a type the text does not say.
func completed(live, desired []*ast.Column, reason string) []*ast.Column {
	out := slices.Clip(desired)
	for i, c := range live {
		if !slices.ContainsFunc(desired, func(d *ast.Column) bool { return d.Name == c.Name }) {
			out = append(out, unknownTypes(live[i:i+1], reason)...)
		}
	}
	return out
}
