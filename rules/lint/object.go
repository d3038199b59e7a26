package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/lang/tree"
)

// object is one object while the checks look at it.
type object struct {
	tree  *tree.Tree
	d     *tree.Declared
	check *Check // the one that is looking
	found []Finding
}

// report adds a finding of the running check at a part of the object; node, when not nil, narrows the place.
func (o *object) report(path ast.Path, node *ast.Node, summary, reason, remedy string) {
	o.reportAt(o.d.Place(path, node), path, summary, reason, remedy)
}

func (o *object) reportAt(at hcl.Range, path ast.Path, summary, reason, remedy string) {
	o.found = append(o.found, Finding{Code: o.check.Code, Severity: o.check.Severity, Kind: o.d.Kind, Name: o.d.Name,
		Path: path, At: at, Summary: summary, Reason: reason, Remedy: remedy})
}

// findings runs the checks on one object and returns what they found, by place. A check that fails on an object nobody
// foresaw (case S102) is a finding itself and ends no run.
func findings(t *tree.Tree, d *tree.Declared, checks []Check) (found []Finding) {
	o := &object{tree: t, d: d}
	defer func() {
		if cause := recover(); cause != nil {
			found = append(o.found, Finding{Code: codeOther, Severity: Error, Kind: d.Kind, Name: d.Name, At: d.Entry,
				Summary: fmt.Sprintf("%s could not be linted", d.Name), Reason: fmt.Sprintf("The check %s failed on it: %v.", o.check.Code, cause),
				Remedy: "This is a fault of dfe: report it with the definition."})
		}
	}()
	var (
		tab *table
		q   *query
	)
	switch def := d.Object.(type) {
	case *ast.Table:
		tab = newTable(o, def)
	case *ast.View:
		q = &query{object: o, node: def.Query}
	case *ast.MaterializedView:
		q = &query{object: o, node: def.Query, stored: true, view: def}
	}
	for i := range checks {
		o.check = &checks[i]
		switch {
		case o.check.table != nil && tab != nil:
			o.check.table(tab)
		case o.check.query != nil && q != nil && q.node != nil:
			o.check.query(q)
		case o.check.object != nil:
			o.check.object(o)
		}
	}
	slices.SortStableFunc(o.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Start.Byte, b.At.Start.Byte), strings.Compare(string(a.Code), string(b.Code)))
	})
	return o.found
}

// column is the path of a column's attribute.
func column(name, attr string) ast.Path { return ast.Path{Part: "column", Name: name, Attr: attr} }

// list puts names in a row, no more than a reader takes in.
func list(names []string) string { return series.AtMost(6, names) }
