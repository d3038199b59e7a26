package rules

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/format"
)

// cluster is the name under which every member of a self-hosted cluster knows the cluster, by its own macro.
const cluster = "{cluster}"

// style lays a statement out on lines; a database of a self-hosted cluster is written on all of its members.
func style(o ast.Object, platform Platform) ast.Style {
	s := ast.Style{Lines: true}
	if o.Kind() == ast.KindDatabase && platform == SelfHosted {
		s.Cluster = cluster
	}
	return s
}

// createSQL is the CREATE statement of a rendered definition. It does nothing where the object is there already.
func createSQL(o ast.Object, platform Platform) string {
	s := style(o, platform)
	s.IfNotExists = true
	return laidOut(o, ast.Create(o, s))
}

// replaceSQL is the statement that writes a view, a dictionary or a function anew from its rendered definition.
func replaceSQL(o ast.Object, platform Platform) string {
	s := style(o, platform)
	s.OrReplace = true
	return laidOut(o, ast.Create(o, s))
}

// laidOut puts the query of a view on lines, as ClickHouse's formatQuery does. The formatter proves that the statement is
// the same; what it cannot lay out stays as it is.
func laidOut(o ast.Object, sql string) string {
	if k := o.Kind(); k != ast.KindView && k != ast.KindMaterializedView {
		return sql
	}
	lines, err := format.SQL([]byte(sql))
	if err != nil {
		return sql
	}
	return strings.TrimSuffix(string(lines), "\n")
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

// columnSQL is the definition of a column, its name in backticks only where it needs them.
func columnSQL(c *ast.Column) string { return ast.QuoteIdent(c.Name) + string(c.AppendClauses(nil)) }

func settingSQL(name string, value *ast.Node) string {
	return ast.Setting{Name: name, Value: value}.String()
}

// defaultSQL is the DEFAULT, MATERIALIZED, ALIAS or EPHEMERAL clause of a column.
func defaultSQL(c *ast.Column) string {
	clause := ast.Column{DefaultKind: c.DefaultKind, Default: c.Default}
	return strings.TrimPrefix(string(clause.AppendClauses(nil)), " ")
}

// securitySQL is the SQL security of a view as ALTER ... MODIFY takes it.
func securitySQL(s ast.Security) string {
	if s.Definer == "" {
		return "SQL SECURITY " + s.Mode
	}
	definer := s.Definer
	if definer != "CURRENT_USER" {
		definer = ast.QuoteIdent(definer)
	}
	return "DEFINER = " + definer + " SQL SECURITY " + s.Mode
}

// element is the definition of an index, a projection or a constraint behind its own keyword: ADD says it already.
func element(definition interface{ String() string }) string {
	_, rest, _ := strings.Cut(definition.String(), " ")
	return rest
}
