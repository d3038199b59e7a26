package rules

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// alterCommand is one command of an ALTER TABLE; suffix is what its statement must end in.
type alterCommand struct {
	sql    string
	suffix string
}

// alterTable is the statement of these commands.
func alterTable(name ast.Name, commands []alterCommand) string {
	var b strings.Builder
	b.WriteString("ALTER TABLE " + name.SQL())
	suffix := ""
	for i, c := range commands {
		switch {
		case len(commands) == 1:
			b.WriteByte(' ')
		case i == 0:
			b.WriteString("\n    ")
		default:
			b.WriteString(",\n    ")
		}
		b.WriteString(c.sql)
		if c.suffix != "" {
			suffix = c.suffix
		}
	}
	b.WriteString(suffix)
	return b.String()
}

func oneCommand(sql string) [][]alterCommand { return [][]alterCommand{{{sql: sql}}} }

// statementsOf puts each command into a statement of its own.
func statementsOf(commands ...string) [][]alterCommand {
	statements := make([][]alterCommand, len(commands))
	for i, sql := range commands {
		statements[i] = []alterCommand{{sql: sql}}
	}
	return statements
}

// materializeNothing keeps a changed TTL from being a mutation over every part (case S48).
const materializeNothing = " SETTINGS materialize_ttl_after_modify = 0"

// tableCommands writes a change of a table as ALTER commands; each inner list is one statement. It returns none where
// ClickHouse has no statement for the change, whatever its decision. place is where an added column goes.
func tableCommands(s *tableSides, c *ast.Change, place string) [][]alterCommand {
	name := ast.QuoteIdent(c.Path.Name)
	one := oneCommand
	switch c.Path.Part {
	case "column":
		return s.columnCommands(c, name, place)
	case "column_order":
		return s.orderCommands()
	case "index":
		switch {
		case c.Path.Attr == "" && c.Op == ast.Add:
			return one("ADD INDEX IF NOT EXISTS " + element(s.desiredIndex(c.Path.Name)))
		case c.Path.Attr == "" && c.Op == ast.Remove:
			return one("DROP INDEX " + name)
		}
		return statementsOf("DROP INDEX "+name, "ADD INDEX "+element(s.desiredIndex(c.Path.Name)))
	case "projection":
		switch {
		case c.Path.Attr == "" && c.Op == ast.Add:
			return one("ADD PROJECTION IF NOT EXISTS " + element(s.desiredProjection(c.Path.Name)))
		case c.Path.Attr == "" && c.Op == ast.Remove:
			return one("DROP PROJECTION " + name)
		}
		return statementsOf("DROP PROJECTION "+name, "ADD PROJECTION "+element(s.desiredProjection(c.Path.Name)))
	case "constraint":
		switch {
		case c.Path.Attr == "" && c.Op == ast.Add:
			return one("ADD CONSTRAINT IF NOT EXISTS " + element(s.desiredConstraint(c.Path.Name)))
		case c.Path.Attr == "" && c.Op == ast.Remove:
			return one("DROP CONSTRAINT " + name)
		}
		return statementsOf("DROP CONSTRAINT "+name, "ADD CONSTRAINT "+element(s.desiredConstraint(c.Path.Name)))
	case "order_by":
		return s.sortingCommands()
	case "sample_by":
		if c.Op == ast.Remove {
			return one("REMOVE SAMPLE BY")
		}
		return one("MODIFY SAMPLE BY " + s.desired.SampleBy.String())
	case "ttl":
		if c.Op == ast.Remove {
			return one("REMOVE TTL")
		}
		return [][]alterCommand{{{"MODIFY TTL " + s.desired.TTL.String(), materializeNothing}}}
	case "setting":
		if c.Op == ast.Remove {
			return one("RESET SETTING " + name)
		}
		return one("MODIFY SETTING " + settingSQL(c.Path.Name, settingValue(c)))
	case "comment":
		return one("MODIFY COMMENT " + ast.QuoteString(s.desired.Comment))
	}
	return nil
}

// settingValue is the declared value of a setting, added or changed.
func settingValue(c *ast.Change) *ast.Node {
	if c.DesiredPart != nil {
		return c.DesiredPart.Attr("")
	}
	return c.Desired
}

// tableSides is a table as it is and as it is declared, both canonical.
type tableSides struct {
	live, desired *ast.Table
}

func (s *tableSides) columnCommands(c *ast.Change, name, place string) [][]alterCommand {
	one := oneCommand
	if c.Path.Attr == "" {
		if c.Op == ast.Remove {
			return one("DROP COLUMN " + name)
		}
		return one("ADD COLUMN IF NOT EXISTS " + columnSQL(s.desired.Column(c.Path.Name)) + place)
	}
	modify := "MODIFY COLUMN " + name + " "
	declared := s.desired.Column(c.Path.Name)
	switch {
	case c.Path.Attr == "type":
		if c.Desired == nil {
			return nil
		}
		sql := modify + c.Desired.String()
		if c.Live == nil || !nullable(c.Live) || nullable(c.Desired) {
			return one(sql)
		}
		// The server takes NULLs away only where the statement itself says what they become (case S32). Where the definition
		// does not, it is the type's own default, which then goes again.
		if declared.DefaultKind == ast.Default {
			return one(sql + " DEFAULT " + declared.Default.String())
		}
		return statementsOf(sql+" DEFAULT "+ownDefault(c.Desired), modify+"REMOVE DEFAULT")
	case c.Path.Attr == "kind" || c.Path.Attr == "default":
		return s.kindCommands(c, modify)
	case c.Path.Attr == "codec":
		if c.Op == ast.Remove {
			if declared.DefaultKind == ast.AliasColumn {
				return s.kindCommands(c, modify)
			}
			return one(modify + "REMOVE CODEC")
		}
		return one(modify + "CODEC(" + declared.Codec.String() + ")")
	case c.Path.Attr == "ttl":
		if c.Op == ast.Remove {
			return one(modify + "REMOVE TTL")
		}
		return [][]alterCommand{{{modify + "TTL " + declared.TTL.String(), materializeNothing}}}
	case c.Path.Attr == "statistics":
		switch c.Op {
		case ast.Add:
			return one("ADD STATISTICS " + name + " TYPE " + declared.Statistics.String())
		case ast.Remove:
			return one("DROP STATISTICS " + name)
		}
		return one("MODIFY STATISTICS " + name + " TYPE " + declared.Statistics.String())
	case c.Path.Attr == "comment":
		// REMOVE is a change of the column, which engines without ALTER refuse; they take a comment all the same.
		if c.Op == ast.Remove && isMergeTree(s.live.Engine.Name) {
			return one(modify + "REMOVE COMMENT")
		}
		return one("COMMENT COLUMN " + name + " " + ast.QuoteString(declared.Comment))
	}
	if setting, ok := strings.CutPrefix(c.Path.Attr, "setting "); ok {
		if c.Op == ast.Remove {
			return one(modify + "RESET SETTING " + ast.QuoteIdent(setting))
		}
		return one(modify + "MODIFY SETTING " + settingSQL(setting, c.Desired))
	}
	return nil
}

// kindCommands changes what a column's expression does. A column that becomes an ALIAS gives up its codec in the same
// statement (case S29); there is no REMOVE EPHEMERAL, so such a column becomes a DEFAULT one first.
func (s *tableSides) kindCommands(c *ast.Change, modify string) [][]alterCommand {
	live, declared := s.live.Column(c.Path.Name), s.desired.Column(c.Path.Name)
	switch {
	case declared.DefaultKind == ast.AliasColumn && live.Codec != nil:
		return [][]alterCommand{{{sql: modify + "REMOVE CODEC"}, {sql: modify + defaultSQL(declared)}}}
	case declared.DefaultKind == ast.Ephemeral && declared.Default == nil:
		if declared.Type == nil {
			return nil
		}
		return oneCommand(modify + declared.Type.String() + " EPHEMERAL")
	case declared.DefaultKind != ast.Plain:
		return oneCommand(modify + defaultSQL(declared))
	case live.DefaultKind == ast.Plain:
		return nil
	case live.DefaultKind == ast.Ephemeral:
		if live.Type == nil {
			return nil
		}
		return statementsOf(modify+"DEFAULT "+ownDefault(live.Type), modify+"REMOVE DEFAULT")
	}
	return oneCommand(modify + "REMOVE " + string(live.DefaultKind))
}

// ownDefault is the value that a type has where nobody says another.
func ownDefault(typ *ast.Node) string {
	return "defaultValueOfTypeName(" + ast.QuoteString(typ.String()) + ")"
}

// sortingCommands extends a sorting key by new columns, which ClickHouse does only in the ALTER that adds them (case
// S52), or cuts it back to what the primary key needs.
func (s *tableSides) sortingCommands() [][]alterCommand {
	before, after := keyElements(s.live.OrderBy), keyElements(s.desired.OrderBy)
	if len(after) < len(before) {
		primary := len(keyElements(s.live.PrimaryKey))
		if s.live.PrimaryKey == nil || len(after) < primary || !prefixOf(after, before) {
			return nil
		}
		return oneCommand("MODIFY ORDER BY " + s.desired.OrderBy.String())
	}
	if len(after) == len(before) || !prefixOf(before, after) {
		return nil
	}
	var commands []alterCommand
	for _, element := range after[len(before):] {
		names := map[string]bool{}
		identsOf(element, names)
		for _, c := range s.desired.Columns {
			if names[c.Name] {
				if s.live.Column(c.Name) != nil {
					return nil
				}
				commands = append(commands, alterCommand{sql: "ADD COLUMN " + columnSQL(c) + s.place(c.Name)})
			}
		}
	}
	return [][]alterCommand{append(commands, alterCommand{sql: "MODIFY ORDER BY " + s.desired.OrderBy.String()})}
}

func prefixOf(short, long []*ast.Node) bool {
	for i, element := range short {
		if ast.Compare(element, long[i]) != ast.Same {
			return false
		}
	}
	return true
}

// place is the position clause that puts one new column where it is declared, among the columns that are live: empty
// where that is the end.
func (s *tableSides) place(name string) string {
	order := make([]string, 0, len(s.live.Columns))
	for _, c := range s.live.Columns {
		order = append(order, c.Name)
	}
	return placements(order, s.desired.Columns, []string{name})[0].clause
}

// orderCommands moves as few live columns as it takes to give those both sides have their declared order. Each move is
// a statement of its own, because it names a column the one before may have moved.
func (s *tableSides) orderCommands() [][]alterCommand {
	declared := map[string]int{}
	for _, c := range s.desired.Columns {
		if s.live.Column(c.Name) != nil {
			declared[c.Name] = len(declared)
		}
	}
	var ranks []int
	for _, c := range s.live.Columns {
		if at, both := declared[c.Name]; both {
			ranks = append(ranks, at)
		}
	}
	stay := longestRise(ranks)
	var statements []string
	previous := ""
	for _, c := range s.desired.Columns {
		at, both := declared[c.Name]
		if !both {
			continue
		}
		if !stay[at] {
			where := " FIRST"
			if previous != "" {
				where = " AFTER " + ast.QuoteIdent(previous)
			}
			live := s.live.Column(c.Name)
			if live.Type != nil {
				statements = append(statements, "MODIFY COLUMN "+ast.QuoteIdent(c.Name)+" "+live.Type.String()+where)
			}
		}
		previous = c.Name
	}
	return statementsOf(statements...)
}

// longestRise returns the members of one longest rising subsequence.
func longestRise(ranks []int) map[int]bool {
	tails := make([]int, 0, len(ranks)) // index in ranks of the last member of a rise of each length
	before := make([]int, len(ranks))
	for i, r := range ranks {
		lo, hi := 0, len(tails)
		for lo < hi {
			if mid := (lo + hi) / 2; ranks[tails[mid]] < r {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		before[i] = -1
		if lo > 0 {
			before[i] = tails[lo-1]
		}
		if lo == len(tails) {
			tails = append(tails, i)
		} else {
			tails[lo] = i
		}
	}
	members := map[int]bool{}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			members[ranks[i]] = true
		}
	}
	return members
}

func (s *tableSides) desiredIndex(name string) *ast.Index {
	for _, i := range s.desired.Indexes {
		if i.Name == name {
			return i
		}
	}
	return nil
}

func (s *tableSides) desiredProjection(name string) *ast.Projection {
	for _, p := range s.desired.Projections {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (s *tableSides) desiredConstraint(name string) *ast.Constraint {
	for _, c := range s.desired.Constraints {
		if c.Name == name {
			return c
		}
	}
	return nil
}
