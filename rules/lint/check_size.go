package lint

import (
	"fmt"

	"github.com/dfe-engine/dfe/ast"
)

func sizeChecks() []Check {
	return []Check{{Code: "DFE295", Title: "a definition larger than servers read by default", Severity: Warning, object: tooLarge}}
}

// maxQuerySize is ClickHouse's default of max_query_size, in bytes.
const maxQuerySize = 262_144

// tooLarge: case S100. The executor sends a max_query_size that fits, everybody else does not.
func tooLarge(o *object) {
	path := ast.Path{Part: "query"}
	switch def := o.d.Object.(type) {
	case *ast.Table:
		path = ast.Path{Part: "engine"}
		if len(def.Columns) < 100 && len(def.Settings) < 100 { // nothing so short comes near
			size := 0
			for _, c := range def.Columns {
				size += len(c.Comment)
			}
			if size < maxQuerySize/2 {
				return
			}
		}
	case *ast.View, *ast.MaterializedView:
	default:
		return
	}
	if size := len(ast.Create(o.d.Object, ast.Style{})); size > maxQuerySize {
		o.report(path, nil, fmt.Sprintf("The statement of %s has %d bytes", o.d.Name, size),
			fmt.Sprintf("A server reads no more than %d by default (max_query_size): dfe sends a setting that fits, but an ALTER by anybody else fails with error 229, as does a restore.", maxQuerySize),
			"Split the table, or move columns into a Map or a JSON.")
	}
}
