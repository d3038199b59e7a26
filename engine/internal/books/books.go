// Package books says what a live table has to be for the engine to keep its books in it: a table and the columns that are
// written go in, what is wrong with the table comes out. It asks no server, and never says how to mend a table: a pass
// drops and rebuilds none.
package books

import (
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/series"
)

// Column is a column that rows are written with or read by.
type Column struct {
	Name string
	// Types are those that serve, without arguments; LowCardinality of one serves too.
	Types []string
	// Optional: a table without it serves.
	Optional bool
}

// Fault is why a table holds no books; empty where it does. Columns that nobody asks for are no fault: a newer release
// added them.
func Fault(t *ast.Table, columns []Column) string {
	if fault := engineFault(t.Engine); fault != "" {
		return fault
	}
	for _, want := range columns {
		c := t.Column(want.Name)
		switch {
		case c == nil && want.Optional:
		case c == nil:
			return "it has no column " + want.Name
		case c.DefaultKind != ast.Plain && c.DefaultKind != ast.Default:
			return fmt.Sprintf("its column %s is %s, and rows have to be stored with it", want.Name, c.DefaultKind)
		case !slices.Contains(want.Types, head(c.Type)):
			return fmt.Sprintf("its column %s is of type %s, and has to be of %s", want.Name, written(c.Type), series.Or(want.Types))
		}
	}
	return ""
}

// engineFault refuses engines that do not keep every row: one of two claims that merges take away, or that was never
// stored, has not been made, and both claimants have the lease.
func engineFault(e *ast.Engine) string {
	switch {
	case e == nil:
		return "it has no engine, and rows have to be kept as MergeTree does"
	case canon.Family(e).Name != "MergeTree":
		return fmt.Sprintf("its engine is %s, which does not keep every row as MergeTree does", e.Name)
	}
	return ""
}

// head is the word of a type, under LowCardinality.
func head(n *ast.Node) string {
	for n != nil && n.Text == "LowCardinality" && len(n.Kids) == 1 {
		n = n.Kids[0]
	}
	if n == nil {
		return ""
	}
	return n.Text
}

func written(n *ast.Node) string {
	if n == nil {
		return "none"
	}
	return n.String()
}
