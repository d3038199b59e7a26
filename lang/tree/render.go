package tree

import (
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/dfe-engine/dfe/ast"
)

func renderEngine(body *hclwrite.Body, e *ast.Engine)          {}
func renderText(body *hclwrite.Body, name, s string)           {}
func renderColumns(body *hclwrite.Body, c []*ast.Column)       {}
func renderNode(body *hclwrite.Body, name string, n *ast.Node) {}
func renderSecurity(body *hclwrite.Body, s ast.Security)       {}
func renderTable(body *hclwrite.Body, o ast.Object)            {}

func renderViewColumns(body *hclwrite.Body, v *ast.View)                  {}
func renderMaterializedView(body *hclwrite.Body, m *ast.MaterializedView) {}
func renderDictionary(body *hclwrite.Body, d *ast.Dictionary)             {}
