package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/ast"
)

// viewKind is a plain view: a stored query.
func viewKind() kind {
	return kind{
		name:      ast.KindView,
		qualified: true,
		shape: shape{
			what:   "a view definition",
			attrs:  []string{"query", "sql_security", "definer", "comment"},
			blocks: map[string]int{"column": 1},
		},
		build: func(d *definition) ast.Object {
			v := &ast.View{Name: d.declared.Name, Origin: d.origin()}
			v.Columns, v.Aliases = d.viewColumns()
			d.require(d.content, "query", "A view is a query, as in query = <<-SQL ... SQL.")
			v.Query = d.fragment("query", parseQuery)
			v.Security = d.security()
			v.Comment = d.comment(d, d.content, ast.Path{Part: "comment"})
			return v
		},
		statement: func(o ast.Object, name ast.Name, origin ast.Origin) bool {
			v, ok := o.(*ast.View)
			if ok {
				v.Name, v.Origin = name, origin
			}
			return ok
		},
		render: renderView,
	}
}

var viewColumnShape = shape{what: "a column", attrs: []string{"type", "comment"}}

// viewColumns reads the column list of a view, each name once. A list in which nothing has a type only names the
// columns of the query.
func (d *definition) viewColumns() (columns []*ast.Column, aliases []string) {
	seen := map[string]part{}
	typed := false
	var blocks []*hclsyntax.Block
	for _, block := range d.content.blocks {
		p := part{kind: "column", name: block.Labels[0], block: block}
		if first, twice := seen[p.name]; twice {
			d.twice(p, first)
			continue
		}
		seen[p.name] = p
		blocks = append(blocks, block)
		aliases = append(aliases, p.name)
		typed = typed || len(block.Body.Attributes) > 0
	}
	if !typed {
		return nil, aliases
	}
	for _, block := range blocks {
		columns = append(columns, d.column(d, block, viewColumnShape))
	}
	return columns, nil
}

// securityModes are the values of SQL SECURITY.
var securityModes = []string{"definer", "invoker", "none"}

// security reads sql_security and definer.
func (d *definition) security() ast.Security {
	var s ast.Security
	if attr := d.content.attrs["sql_security"]; attr != nil {
		mode := strings.ToLower(d.str(attr))
		if mode != "" && !slices.Contains(securityModes, mode) {
			d.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("Unknown SQL security %q", mode),
				"SQL security is "+expected(securityModes)+"."+suggest(mode, securityModes))
			return s
		}
		s.Mode = strings.ToUpper(mode)
	}
	if s.Definer = d.str(d.content.attrs["definer"]); strings.EqualFold(s.Definer, "CURRENT_USER") {
		s.Definer = "CURRENT_USER"
	}
	return s
}
