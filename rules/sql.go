package rules

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// listSQL prints the elements of a List with commas between them, without parentheses.
func listSQL(list *ast.Node) string {
	if list == nil {
		return ""
	}
	if list.Kind != ast.List {
		return list.String()
	}
	parts := make([]string, len(list.Kids))
	for i, kid := range list.Kids {
		parts[i] = kid.String()
	}
	return strings.Join(parts, ", ")
}

func settingSQL(name string, value *ast.Node) string {
	return ast.QuoteIdent(name) + " = " + value.String()
}

// defaultSQL is the DEFAULT, MATERIALIZED, ALIAS or EPHEMERAL clause of a column.
func defaultSQL(c *ast.Column) string {
	if c.Default == nil {
		return string(c.DefaultKind)
	}
	return string(c.DefaultKind) + " " + c.Default.String()
}

// createSQL is the CREATE statement of a definition on a platform. It does nothing where the object is there already,
// and a database of a self-hosted cluster is created on all of its members.
func createSQL(o ast.Object, platform Platform) string {
	return statementSQL(Render(o, platform), platform, "CREATE ", " IF NOT EXISTS")
}

// replaceSQL is the statement that writes a view, a dictionary or a function anew.
func replaceSQL(o ast.Object, platform Platform) string {
	return statementSQL(Render(o, platform), platform, "CREATE OR REPLACE ", "")
}

func statementSQL(o ast.Object, platform Platform, verb, condition string) string {
	word := createWords[o.Kind()]
	name := o.ID().SQL()
	rest := strings.TrimPrefix(ast.Create(o), "CREATE "+word+" "+name)
	onCluster := ""
	if o.Kind() == ast.KindDatabase && platform == SelfHosted {
		onCluster = " ON CLUSTER '{cluster}'"
	}
	return verb + word + condition + " " + name + onCluster + rest
}

// createWords are the words behind CREATE.
var createWords = map[ast.Kind]string{
	ast.KindDatabase: "DATABASE", ast.KindTable: "TABLE", ast.KindView: "VIEW", ast.KindMaterializedView: "MATERIALIZED VIEW",
	ast.KindDictionary: "DICTIONARY", ast.KindFunction: "FUNCTION",
}

// commentSQL sets the comment of an object that is no table.
func commentSQL(o ast.Object) string {
	comment := ""
	switch o := o.(type) {
	case *ast.Database:
		return "ALTER DATABASE " + ast.QuoteIdent(o.Name) + " MODIFY COMMENT " + ast.QuoteString(o.Comment)
	case *ast.View:
		comment = o.Comment
	case *ast.MaterializedView:
		comment = o.Comment
	case *ast.Dictionary:
		comment = o.Comment
	}
	return "ALTER TABLE " + o.ID().SQL() + " MODIFY COMMENT " + ast.QuoteString(comment)
}
