package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// tablesOfAll are the rows of system.tables that a server would have.
const tablesOfAll = "system.tables WHERE database != '" + stageDatabase + "'"

// shownTables are the columns of system.tables that are others than the engine's, each with what it shows.
func (m *member) shownTables() map[string]string {
	prefix := "Replicated"
	if m.Cloud {
		prefix = "Shared"
	}
	stored := "joinGet('_dfe_stage.replicated', '%s', system.tables.uuid)"
	arguments, own := fmt.Sprintf(stored, "arguments"), fmt.Sprintf(stored, "shown")
	columns := map[string]string{
		"engine": "multiIf(" + arguments + " NOT IN ('', '-'), concat('" + prefix + "', system.tables.engine), system.tables.database = 'system' AND system.tables.name = 'zookeeper', 'SystemZooKeeper', system.tables.engine)",
		"uuid":   "if(empty(" + own + "), system.tables.uuid, " + own + ")",
	}
	for column, of := range map[string]clause{"create_table_query": inDefinition(), "engine_full": inStorage()} {
		columns[column] = fmt.Sprintf("multiIf(%s = '', %[2]s, %s, %s, %s)", arguments, "system.tables."+column, of.once("system.tables."+column), of.plainly(column, prefix), of.carefully(column, prefix))
	}
	for name, value := range columns {
		columns[name] = value + " AS " + name
	}
	return columns
}

// clause is how a text of the engine's names the engine of a table.
type clause struct {
	// word comes before the engine's name.
	word string
	// before matches all that comes before the words, which stand in no string and no quoted identifier.
	before string
}

func inDefinition() clause {
	return clause{" ENGINE = ", `^((?s:[^'` + "`" + `]|'(?:[^'\\]|\\.)*'|` + "`" + `(?:[^` + "`" + `\\]|\\.)*` + "`" + `)*?)`}
}

// inStorage is the text of a storage's clauses alone.
func inStorage() clause { return clause{"", "()"} }

// once reports a text of a table whose words cannot be meant otherwise: then nothing has to be searched for with care,
// which costs ten times as much. A view keeps its words.
func (c clause) once(column string) string {
	text := "system.tables.engine != 'MaterializedView' AND countSubstrings(" + column + ", '" + markerSetting + "') = 1"
	if c.word != "" {
		text += " AND countSubstrings(" + column + ", '" + c.word + "') = 1"
	}
	return text
}

// plainly is a table's text with the engine's own arguments and without the marker, where each is there once.
func (c clause) plainly(column, prefix string) string {
	text := "system.tables." + column
	for _, r := range [][2]string{{" SETTINGS " + markerSetting + ", ", " SETTINGS "}, {", " + markerSetting, ""}, {" SETTINGS " + markerSetting, ""}} {
		text = fmt.Sprintf("replaceOne(%s, '%s', '%s')", text, r[0], r[1])
	}
	return withArguments(fmt.Sprintf("replaceOne(%s, concat('%s', system.tables.engine), concat('%[2]s%s', system.tables.engine, '%s'))", text, c.word, prefix, hole))
}

// carefully is the same for any text, and for the inner table of a view.
func (c clause) carefully(column, prefix string) string {
	text := "system.tables." + column
	for _, r := range []struct{ pattern, with string }{
		{c.before + "(?:, " + markerSetting + "|( SETTINGS )" + markerSetting + ", | SETTINGS " + markerSetting + ")", `\1\2`},
		{c.pattern() + `(\w*MergeTree)`, `\1` + c.word + prefix + `\2` + hole},
	} {
		text = fmt.Sprintf("replaceRegexpOne(%s, %s, %s)", text, ast.QuoteString(r.pattern), ast.QuoteString(r.with))
	}
	return withArguments(text)
}

func (c clause) pattern() string {
	if c.word == "" {
		return "^" + c.before
	}
	return c.before + c.word
}

// hole stands behind the engine's name, where the arguments go.
const hole = "<<dfe-arguments>>"

// withArguments puts them there.
func withArguments(text string) string {
	return fmt.Sprintf("replaceOne(replaceOne(%s, '%[2]s(', joinGet('_dfe_stage.replicated', 'opened', system.tables.uuid)), '%[2]s', joinGet('_dfe_stage.replicated', 'closed', system.tables.uuid))", text, hole)
}

// narrow is a subquery in the place of system.tables at token i with the columns alone that the query may mean: the whole view
// costs a query three times what it reads. ok is false where something other than a column could be meant.
func (m *member) narrow(ctx context.Context, t *text, i int) (sql string, ok bool, err error) {
	switch t.word(0) {
	case "SELECT", "WITH", "INSERT":
	default:
		return "", false, nil
	}
	if t.word(i-1) != "FROM" && t.word(i-1) != "JOIN" || t.word(i+3) == "FINAL" || t.word(i+3) == "SAMPLE" {
		return "", false, nil
	}
	for k := range t.tokens {
		if t.name(k) == "tables" && t.kind(k+1) == lex.Dot {
			return "", false, nil
		}
	}
	names, _, err := m.structure(ctx, m.server.Do, "tables")
	if err != nil {
		return "", false, err
	}
	wanted, shown := t.wanted(names), m.shownTables()
	var columns []string
	for _, name := range names {
		switch text, other := shown[name]; {
		case !wanted[name]:
		case other:
			columns = append(columns, text)
		default:
			columns = append(columns, ast.QuoteIdent(name))
		}
	}
	if len(columns) == 0 {
		columns = []string{"name"}
	}
	return "(SELECT " + strings.Join(columns, ", ") + " FROM " + tablesOfAll + ")", true, nil
}
